package search

import (
	"math/bits"

	"warpbound/internal/isa"
	"warpbound/internal/semantics"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// threads are those of a launch, in the order of their CTAs and then of warps and lanes.
type threads struct {
	launch  *semantics.Launch
	cta     []symexec.Thread // those of the first CTA
	indices []symexec.Index  // that tell threads apart
	below   []uint64         // limits of the indices of the CTA and of the thread: x, y, z each
}

// coordinates are the special registers that tell threads apart, with the numbers of them.
var coordinates = []struct{ index, count isa.Special }{
	{isa.CtaidX, isa.NctaidX}, {isa.CtaidY, isa.NctaidY}, {isa.CtaidZ, isa.NctaidZ},
	{isa.TidX, isa.NtidX}, {isa.TidY, isa.NtidY}, {isa.TidZ, isa.NtidZ},
}

func threadsOf(l *semantics.Launch) *threads {
	ts := &threads{launch: l}
	for warp := range l.Warps() {
		for lanes := l.Threads(warp); lanes != 0; lanes &= lanes - 1 {
			ts.cta = append(ts.cta, symexec.Thread{Warp: warp, Lane: bits.TrailingZeros64(lanes)})
		}
	}
	for _, c := range coordinates {
		n := ts.register(ts.cta[0], c.count)
		ts.below = append(ts.below, n)
		if n > 1 {
			ts.indices = append(ts.indices, symexec.Index{Register: c.index, Below: n})
		}
	}
	return ts
}

// register returns what a special register holds in a thread, 0 if that is not known.
func (ts *threads) register(t symexec.Thread, r isa.Special) uint64 {
	value, _ := ts.launch.Constant(isa.Operand{Kind: isa.KindSpecial, Reg: isa.NoReg, Special: r}, t.CTA, t.Warp, t.Lane)
	return value
}

// middle returns the number of the thread in the middle of the CTA in the middle, which most
// others are like, and of the first of its CTA.
func (ts *threads) middle() (thread, first int) {
	first = ts.n() / len(ts.cta) / 2 * len(ts.cta)
	return first + len(ts.cta)/2, first
}

// warp returns the numbers of the threads in the warp of one.
func (ts *threads) warp(i int) []int {
	width, first := ts.launch.Width(), i%len(ts.cta)
	first -= first % width
	var all []int
	for k := range min(width, len(ts.cta)-first) {
		all = append(all, i-i%len(ts.cta)+first+k)
	}
	return all
}

// n returns how many threads there are.
func (ts *threads) n() int {
	g := ts.launch.Grid()
	return g[0] * g[1] * g[2] * len(ts.cta)
}

// at returns a thread by its number.
func (ts *threads) at(i int) symexec.Thread {
	g, t := ts.launch.Grid(), ts.cta[i%len(ts.cta)]
	i /= len(ts.cta)
	t.CTA = [3]int{i % g[0], i / g[0] % g[1], i / g[0] / g[1]}
	return t
}

// model gives the indices of a thread to their variables.
func (ts *threads) model(i int) *smt.Model {
	m, t := smt.NewModel(), ts.at(i)
	for _, x := range ts.indices {
		m.Numbers[x.Name()] = ts.register(t, x.Register)
	}
	return m
}

// of returns the number of the thread whose indices a model has.
func (ts *threads) of(m *smt.Model) int {
	var at [6]uint64
	for i, c := range coordinates {
		at[i] = m.Numbers[symexec.Index{Register: c.index}.Name()]
	}
	b := ts.below
	cta, tid := at[0]+b[0]*(at[1]+b[1]*at[2]), at[3]+b[3]*(at[4]+b[4]*at[5])
	return int(cta)*len(ts.cta) + int(tid)
}

// differ returns the first instruction that tells threads apart by something that symbolic execution
// does not derive from their indices; nil if there is none.
func (ts *threads) differ() *isa.Instr {
	k := ts.launch.Kernel()
	for pc := range k.Instrs {
		for _, o := range k.Instrs[pc].Src {
			if o.Kind == isa.KindSpecial && ts.varies(o.Special) {
				return &k.Instrs[pc]
			}
		}
	}
	return nil
}

// varies reports whether a special register differs between threads and is neither an index nor
// derived from one.
func (ts *threads) varies(r isa.Special) bool {
	switch r {
	case isa.LaneID, isa.WarpID, isa.LanemaskEq, isa.LanemaskLt, isa.LanemaskLe, isa.LanemaskGe, isa.LanemaskGt:
		return false
	}
	for _, c := range coordinates {
		if r == c.index {
			return false
		}
	}
	first := ts.register(ts.cta[0], r)
	for _, t := range ts.cta {
		if ts.register(t, r) != first {
			return true
		}
	}
	for cta := 0; cta < ts.n(); cta += len(ts.cta) {
		if ts.register(ts.at(cta), r) != first {
			return true
		}
	}
	return false
}
