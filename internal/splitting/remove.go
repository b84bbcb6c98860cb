package splitting

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// Splits returns the blocks that end in a branch with a Split directly before it, in order.
// If Insert made the kernel, the merge of each is the first instruction of its
// cfg.Flow.Reconverge.
func Splits(g *cfg.Graph) []int {
	var list []int
	for b := range g.Blocks {
		if i := g.Blocks[b].End - 1; conditional(g.Last(b)) && i > g.Blocks[b].Start && g.Kernel.Instrs[i-1].Op == isa.Split {
			list = append(list, b)
		}
	}
	return list
}

// Marked returns the blocks that end in a branch at which wavefronts are to split, in order: one
// that the module marks, or with a Split directly before it. Splits elsewhere have no effect, and
// neither have merges but the one at the beginning of the block at which the paths of such a
// branch reconverge; Insert removes them.
func Marked(g *cfg.Graph) []int {
	split := Splits(g)
	var marked []int
	for b := range g.Blocks {
		if g.Last(b).Split || slices.Contains(split, b) {
			marked = append(marked, b)
		}
	}
	return marked
}

func conditional(in *isa.Instr) bool { return in.Op == isa.Bra && in.Guard.Set }

// Remove returns the kernel of g without splits and merges. What Insert added to a kernel it
// takes away again, the branches behind merges included, so that the old kernel is left.
func Remove(g *cfg.Graph) (*Result, error) {
	k := g.Kernel
	to := make([]int, len(k.Instrs)) // the instruction that is executed in the place of each
	for i := range to {
		to[i] = i
	}
	if !slices.ContainsFunc(k.Instrs, func(in isa.Instr) bool { return added(&in) }) {
		return &Result{Graph: g, Index: to}, nil
	}
	skipped := detours(k)
	for i := range to {
		for added(&k.Instrs[to[i]]) || skipped[to[i]] {
			if skipped[to[i]] {
				to[i] = k.Instrs[to[i]].Target
			} else {
				to[i]++
			}
		}
	}
	out := *k
	out.Instrs, out.Labels = nil, slices.Clone(k.Labels)
	index := make([]int, len(k.Instrs)) // of those that stay
	for i := range k.Instrs {
		if to[i] == i {
			index[i] = len(out.Instrs)
			out.Instrs = append(out.Instrs, k.Instrs[i])
		}
	}
	for i := range to {
		to[i] = index[to[i]]
	}
	for i := range out.Instrs {
		switch in := &out.Instrs[i]; in.Op {
		case isa.Bra:
			in.Target = to[in.Target]
		case isa.BrxIdx:
			in.Targets = slices.Clone(in.Targets)
			for j, target := range in.Targets {
				in.Targets[j] = to[target]
			}
		}
	}
	for i := range out.Labels {
		l := &out.Labels[i]
		if l.Index == len(k.Instrs) {
			l.Index = len(out.Instrs)
		} else {
			l.Index = to[l.Index]
		}
	}
	graph, err := cfg.Build(&out)
	if err != nil {
		return nil, err
	}
	return &Result{Graph: graph, Index: to}, nil
}

// added reports whether an instruction is of those that Insert adds.
func added(in *isa.Instr) bool { return in.Op == isa.Split || in.Op == isa.Merge }

// detours returns the branches that only lead on from merges: those without a predicate
// behind merges to which control does not fall through. One that would lead to itself is
// none.
func detours(k *isa.Kernel) map[int]bool {
	found := make(map[int]bool)
	for i := range k.Instrs {
		if in := &k.Instrs[i]; in.Op != isa.Bra || in.Guard.Set {
			continue
		}
		first := i
		for first > 0 && k.Instrs[first-1].Op == isa.Merge {
			first--
		}
		if first > 0 && first < i && exitsFlow(&k.Instrs[first-1]) {
			found[i] = true
		}
	}
	for i := range k.Instrs {
		if at := i; found[at] {
			for steps := 0; found[at] || added(&k.Instrs[at]); steps++ {
				switch {
				case !found[at]:
					at++
				case steps > len(k.Instrs):
					delete(found, at)
				default:
					at = k.Instrs[at].Target
				}
			}
		}
	}
	return found
}

// exitsFlow reports whether control never passes to the following instruction.
func exitsFlow(in *isa.Instr) bool {
	return !in.Guard.Set && (in.Op == isa.Bra || in.Op == isa.BrxIdx || in.Op.Info().Effect&isa.Exits != 0)
}
