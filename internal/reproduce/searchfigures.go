package reproduce

import (
	"context"
	"fmt"
	"strings"

	"warpbound"
	"warpbound/estimate"
)

// searchFigures works the paper's examples with its Listing 1, whose branch is that of Fig. 1(b).
func searchFigures(ctx context.Context) ([]estimate.Example, error) {
	f, err := search(ctx, "artificial/tiny.toml", warpbound.LoadOptions{}, searchOptions(1, full()))
	if err != nil {
		return nil, err
	}
	e := f.Search.Explored
	var order []string
	longest := estimate.SearchPair{}
	for first := range e.Paths {
		for second := range e.Paths {
			p := together(e, first, second)
			order = append(order, fmt.Sprint(p.Divergence))
			if p.Instructions > longest.Instructions {
				longest = p
			}
		}
	}
	return []estimate.Example{
		example("Fig. 1: paths of two threads, each of which takes one of two", "4", fmt.Sprint(len(order))),
		example("Section IV.A: brdiv of these in per cent, read as the paths beyond the first", "0 100 100 0", strings.Join(order, " ")),
		example("Fig. 1(b): brdiv of the one with most instructions", "0", fmt.Sprint(longest.Divergence)),
	}, nil
}

// together returns what two threads do that take a path each, which does not depend on their order.
func together(e *estimate.Exploration, first, second int) estimate.SearchPair {
	for _, p := range e.Pairs {
		if p.Paths == [2]int{first, second} || p.Paths == [2]int{second, first} {
			return p
		}
	}
	return estimate.SearchPair{Divergence: -1}
}
