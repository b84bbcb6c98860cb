package scaffold

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// failed says how a run failed and what that depends on, empty if none did.
func (f *found) failed() string {
	switch {
	case f.err == nil:
		return ""
	case errors.Is(f.err, errSteps):
		return fmt.Sprintf("%v: it is still at %s%s", f.err, f.place(f.pc), depends(", in a loop that depends on %s", f.names(f.around(f.pc))))
	}
	return f.err.Error() + depends("; the address depends on %s", f.names(f.at.all))
}

// missing says where the first block begins that no thread executed although one could branch to it, and what the branch
// depends on. It is empty if all were executed.
func (f *found) missing() string {
	for i, b := range f.graph.Blocks {
		if !b.Reachable || !f.covered[i] {
			continue
		}
		for _, e := range b.Edges {
			if e.To >= len(f.covered) || f.covered[e.To] {
				continue
			}
			block, branch := f.graph.Blocks[e.To].Source().String(), f.place(b.End-1).String()
			which := "the branch there"
			if branch != block {
				which = "the branch to it at " + branch
			}
			return block + depends(": "+which+" depends on %s", f.names(f.evidence.branches[i].all))
		}
	}
	return ""
}

// depends puts names into a text, which is empty without them.
func depends(format string, names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(format, names[0])
	default:
		return fmt.Sprintf(format, strings.Join(names[:n-1], ", ")+" and "+names[n-1])
	}
}

// names lists the arguments in a set, and the buffers whose contents are.
func (f *found) names(of set) []string {
	var all []string
	of.each(func(s int) {
		src := &f.evidence.sources[s]
		i := f.guess.at(max(src.word, src.buffer))
		switch {
		case i < 0 || src.buffer < 0 && f.guess.words[i].kind != isNumber: // contents of nodes; an address as such
		case src.buffer < 0:
			all = append(all, f.full(i))
		default:
			all = append(all, "what "+f.full(i)+" holds")
		}
	})
	slices.Sort(all)
	return all
}

// around returns on what the branches depend of the loops around an instruction.
func (f *found) around(pc int) set {
	at := f.graph.BlockOf(pc)
	var on set
	for b, inside := range f.from(at) {
		if inside && f.from(b)[at] {
			on |= f.evidence.branches[b].all
		}
	}
	return on
}

// from returns which blocks can be executed after one.
func (f *found) from(block int) []bool {
	seen := make([]bool, len(f.graph.Blocks))
	for todo := []int{block}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range f.graph.Blocks[b].Edges {
			if e.To < len(seen) && !seen[e.To] {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return seen
}
