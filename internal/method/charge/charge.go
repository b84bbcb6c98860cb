// Package charge says which lines of a program the cycles of a bound are charged to, and for what. Terms of a bound are charged to
// instructions one by one, or shared among those that need what the term counts. What is charged to all lines and to none always is the
// bound.
//
// charge imports cfg, saturating and estimate. It must not import a method.
package charge

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/saturating"
)

// Weights say how much of something instructions need, by their number in the kernel.
type Weights map[int]saturating.Int

// Add adds what an instruction needs.
func (w Weights) Add(pc int, n saturating.Int) {
	if n > 0 {
		w[pc] = w[pc].Add(n)
	}
}

// Sum returns what all instructions need.
func (w Weights) Sum() saturating.Int {
	sum := saturating.Int(0)
	for _, n := range w {
		sum = sum.Add(n)
	}
	return sum
}

// Book is an account of what a bound charges to the instructions of a kernel.
type Book struct {
	graph *cfg.Graph
	of    map[int]map[string]saturating.Int // by instruction and cause
	rest  map[string]saturating.Int         // what is charged to none, by cause
	route *Route                            // nil if none is known
}

// New returns an empty book.
func New(g *cfg.Graph) *Book {
	return &Book{graph: g, of: make(map[int]map[string]saturating.Int), rest: make(map[string]saturating.Int)}
}

// Add charges cycles to an instruction.
func (b *Book) Add(cause string, pc int, cycles saturating.Int) {
	if cycles == 0 {
		return
	}
	if b.of[pc] == nil {
		b.of[pc] = make(map[string]saturating.Int)
	}
	b.of[pc][cause] = b.of[pc][cause].Add(cycles)
}

// Remain charges cycles to no instruction.
func (b *Book) Remain(cause string, cycles saturating.Int) {
	if cycles > 0 {
		b.rest[cause] = b.rest[cause].Add(cycles)
	}
}

// Follow says how a warp goes that takes longest; nil if that is not known.
func (b *Book) Follow(r *Route) { b.route = r }

// Share charges cycles to instructions in proportion to weights; those that do not divide evenly go to the instructions that lack most for
// a whole one, the first of them first. If all weights are 0, nobody is charged.
func (b *Book) Share(cause string, cycles saturating.Int, weights Weights) {
	for pc, n := range Divide(cycles, weights) {
		b.Add(cause, pc, n)
		cycles = cycles.Sub(n)
	}
	b.Remain(cause, cycles)
}

// Divide divides a number that fits in proportion to weights, as Share does. The parts are those of the whole, unless all weights are 0: then
// there are none.
func Divide(whole saturating.Int, weights Weights) Weights {
	total := new(big.Int)
	for _, w := range weights {
		total.Add(total, big.NewInt(w.Int64()))
	}
	parts := make(Weights)
	if total.Sign() == 0 {
		return parts
	}
	type lack struct {
		pc   int
		rest *big.Int
	}
	var lacks []lack
	left := whole
	for _, pc := range slices.Sorted(maps.Keys(weights)) {
		n, rest := new(big.Int), new(big.Int)
		n.QuoRem(n.Mul(big.NewInt(whole.Int64()), big.NewInt(weights[pc].Int64())), total, rest)
		parts[pc] = saturating.Of(n.Int64())
		left = left.Sub(parts[pc])
		lacks = append(lacks, lack{pc, rest})
	}
	slices.SortStableFunc(lacks, func(a, b lack) int { return b.rest.Cmp(a.rest) })
	for _, l := range lacks[:left.Int64()] { // fewer than all
		parts[l.pc] = parts[l.pc].Add(1)
	}
	return parts
}

// key is a line of the module with the line of the source that it is of.
type key struct{ pos, source string }

// ByLine returns what is charged to lines. rest says what is charged to none.
func (b *Book) ByLine(rest string) *estimate.ByLine {
	lines := make(map[key]map[string]saturating.Int)
	blocks := make(map[int]saturating.Int)
	for pc, causes := range b.of {
		in := &b.graph.Kernel.Instrs[pc]
		at := key{lineOf(in.Pos), lineOf(in.Loc)}
		if lines[at] == nil {
			lines[at] = make(map[string]saturating.Int)
		}
		for cause, n := range causes {
			lines[at][cause] = lines[at][cause].Add(n)
			blocks[b.graph.BlockOf(pc)] = blocks[b.graph.BlockOf(pc)].Add(n)
		}
	}
	out := &estimate.ByLine{Lines: []estimate.ChargedLine{}, Path: []estimate.ChargedBlock{}}
	for at, causes := range lines {
		l := estimate.ChargedLine{Pos: at.pos, Source: at.source, Causes: partsOf(causes)}
		for _, c := range l.Causes {
			l.Cycles += c.Cycles
		}
		out.Lines = append(out.Lines, l)
	}
	slices.SortFunc(out.Lines, func(l, m estimate.ChargedLine) int {
		return cmp.Or(cmp.Compare(m.Cycles, l.Cycles), cmp.Compare(l.Pos, m.Pos), cmp.Compare(l.Source, m.Source))
	})
	for _, block := range slices.Sorted(maps.Keys(blocks)) {
		out.Path = append(out.Path, estimate.ChargedBlock{
			Name: b.graph.Name(block), Pos: b.graph.Blocks[block].Source().String(), Cycles: blocks[block].Int64(),
		})
	}
	out.Remainder = estimate.Remainder{Name: rest, Causes: partsOf(b.rest)}
	for _, c := range out.Remainder.Causes {
		out.Remainder.Cycles += c.Cycles
	}
	if b.route != nil {
		out.Edges = b.route.pathEdges(b.graph)
	}
	return out
}

// partsOf lists what causes are charged, the greatest first.
func partsOf(causes map[string]saturating.Int) []estimate.ChargedPart {
	all := []estimate.ChargedPart{}
	for cause, n := range causes {
		all = append(all, estimate.ChargedPart{Cause: cause, Cycles: n.Int64()})
	}
	slices.SortFunc(all, func(p, q estimate.ChargedPart) int {
		return cmp.Or(cmp.Compare(q.Cycles, p.Cycles), cmp.Compare(p.Cause, q.Cause))
	})
	return all
}

// lineOf names the line of a position, "" if it is not known.
func lineOf(p diag.Pos) string {
	if p.File == "" || p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}
