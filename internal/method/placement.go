package method

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/cfg"
	"warpbound/internal/suggest"
	"warpbound/internal/trace"
)

// Sites are the blocks of a kernel, at which Ipoints can be.
type Sites struct {
	Flow   *cfg.Flow
	Blocks []trace.IpointInfo // name and position of every block
}

// SitesOf describes the blocks of a kernel.
func SitesOf(g *cfg.Graph) *Sites {
	s := &Sites{Flow: g.Flow, Blocks: make([]trace.IpointInfo, len(g.Blocks))}
	for b := range g.Blocks {
		s.Blocks[b].Name = g.Blocks[b].Name
		if pos := g.Blocks[b].Source(); pos.Known() {
			s.Blocks[b].Pos = pos.String()
		}
	}
	return s
}

// Placement chooses the blocks that carry an Ipoint. The start and the exit of a warp
// always carry one.
type Placement func(s *Sites) (chosen []bool, err error)

// EveryBlock places an Ipoint on every block.
func EveryBlock() Placement { return EveryNth(1) }

// EveryNth places an Ipoint on every n-th block in the order of the instructions, the
// first included.
func EveryNth(n int) Placement {
	return func(s *Sites) ([]bool, error) {
		if n < 1 {
			return nil, fmt.Errorf("an ipoint on every %d-th block: the distance must be at least 1", n)
		}
		chosen := make([]bool, len(s.Blocks))
		for b := 0; b < len(chosen); b += n {
			chosen[b] = true
		}
		return chosen, nil
	}
}

// LoopHeaders places an Ipoint on the header of every loop.
func LoopHeaders() Placement {
	return func(s *Sites) ([]bool, error) {
		chosen := make([]bool, len(s.Blocks))
		for _, l := range s.Flow.Loops().Loops {
			chosen[l.Header] = true
		}
		return chosen, nil
	}
}

// Named places an Ipoint on each of the named blocks.
func Named(names ...string) Placement {
	return func(s *Sites) ([]bool, error) {
		chosen := make([]bool, len(s.Blocks))
		at := make(map[string]int, len(s.Blocks))
		for b, info := range s.Blocks {
			at[info.Name] = b
		}
		for _, name := range names {
			b, ok := at[name]
			if !ok {
				return nil, fmt.Errorf("ipoints: no block is named %q%s", name, suggest.HintOf("the blocks are", name, slices.Sorted(maps.Keys(at))))
			}
			chosen[b] = true
		}
		return chosen, nil
	}
}

// ParsePlacement reads a placement: "blocks", "headers", "every:N" or
// "labels:NAME,NAME...".
func ParsePlacement(s string) (Placement, error) {
	kind, arg, hasArg := strings.Cut(s, ":")
	switch {
	case s == "blocks":
		return EveryBlock(), nil
	case s == "headers":
		return LoopHeaders(), nil
	case kind == "every" && hasArg:
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("ipoints %q: %q is not a positive number", s, arg)
		}
		return EveryNth(n), nil
	case kind == "labels" && arg != "":
		return Named(strings.Split(arg, ",")...), nil
	}
	return nil, fmt.Errorf("ipoints %q: want blocks, headers, every:N or labels:NAME,...%s", s, suggest.Mean(kind, []string{"blocks", "headers", "every:N", "labels:NAME"}))
}
