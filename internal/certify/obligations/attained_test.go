package obligations

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/certify/words"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/smttest"
)

// arriving is a register of a lane that comes from one block to another.
type arriving struct {
	from, to int
	reg      isa.Reg
}

// seen are the words that registers hold in a run: of lanes that come to blocks, and of memory
// instructions by their numbers.
type seen struct {
	arriving   map[arriving][]uint64
	addressing map[int][]uint64
}

// watch runs the first CTAs of a launch.
func watch(t *testing.T, l *flowtest.Launch, p *check.Program) seen {
	t.Helper()
	type thread struct{ cta, warp, lane int }
	s := seen{make(map[arriving][]uint64), make(map[int][]uint64)}
	last := make(map[thread]int)
	live := cfg.Liveness(l.Graph)
	l.Run(t, 2, func(c *emu.CTA, warp int) func(*emu.Effect) {
		w := &c.Warps[warp]
		pc := w.PC()
		in, b := &p.Kernel.Instrs[pc], p.BlockAt(pc) // another block if none begins there
		word := func(r isa.Reg, lane int) uint64 { return w.Register(r, lane) & words.Mask(p.Width(r)) }
		for lane := range l.Grid.Width() {
			if pc != p.Blocks[b].Start || w.Active()>>lane&1 == 0 {
				continue
			}
			of := thread{c.Index, warp, lane}
			if from, ok := last[of]; ok {
				for _, r := range live.In(l.Graph.BlockOf(pc)) { // others may hold anything in the emulator
					s.arriving[arriving{from, b, r}] = append(s.arriving[arriving{from, b, r}], word(r, lane))
				}
			}
			last[of] = b
		}
		if !addresses(in) {
			return nil
		}
		before := make([]uint64, l.Grid.Width())
		for lane := range before {
			before[lane] = word(in.Src[0].Reg, lane)
		}
		return func(e *emu.Effect) {
			for lane, x := range before {
				if e.Mask>>lane&1 != 0 {
					s.addressing[pc] = append(s.addressing[pc], x)
				}
			}
		}
	})
	return s
}

// refuted returns sets that are smaller than one by as little as can be, and do not hold some word
// of a run: without the first or the last word, or with twice the step.
func refuted(set words.Set, run []uint64) []words.Set {
	if set.Count == 0 || set.IsAny() {
		return nil
	}
	first := words.Set{Bits: set.Bits, Low: (set.Low + set.Step) & words.Mask(set.Bits), Step: set.Step, Count: set.Count - 1}
	last := words.Set{Bits: set.Bits, Low: set.Low, Step: set.Step, Count: set.Count - 1}
	twice := words.Set{Bits: set.Bits, Low: set.Low, Step: 2 * set.Step, Count: set.Count / 2}
	return slices.DeleteFunc([]words.Set{first, last, twice}, func(less words.Set) bool {
		return !slices.ContainsFunc(run, func(x uint64) bool { return !less.Holds(words.One(set.Bits, x)) })
	})
}

// edgesByBlock returns the edges that lead to each block but the exit. Which of those to one block
// a lane passes is not told by a run.
func edgesByBlock(edges []check.Edge) map[int][]check.Edge {
	to := make(map[int][]check.Edge)
	for _, e := range edges {
		if e.To != check.Exit {
			to[e.To] = append(to[e.To], e)
		}
	}
	return to
}

// attained asks for the sets of registers that a run attains, less a word or with twice the step:
// the formulas say that a register is outside, and have models then. It returns how many there are
// of blocks and of addresses.
func attained(t *testing.T, name string, command smt.Command, l *flowtest.Launch, facts []certify.Fact, p *check.Program) (blocks, ranges int) {
	t.Helper()
	s := smttest.New(t, command, smt.LimitedCVC5(), time.Hour)
	w, err := newWriter(p, facts)
	if err != nil {
		t.Fatal(err)
	}
	satisfiable := func(b, pc int, less words.Set, outside func(*path) *smt.Term) {
		from := w.begin(b)
		w.run(from, p.Blocks[b].Start, pc)
		goal := outside(from)
		answer, _, err := s.Check(context.Background(), append(slices.Clone(from.assumed), goal))
		var wrong *smt.WrongModelError
		if answer != smt.Sat || err != nil && !errors.As(err, &wrong) {
			t.Errorf("%s: that a register is in %v behind %s is %v (%v), and a run refutes it", name, less, p.Kernel.Instrs[p.Blocks[b].Start].Pos, answer, err)
		}
	}
	run := watch(t, l, p)
	for b := range p.Blocks {
		edges := edgesByBlock(p.Blocks[b].Edges)
		for _, to := range slices.Sorted(maps.Keys(edges)) {
			for r := range isa.Reg(len(p.Kernel.Regs)) {
				set, ok := w.all[to][r]
				if !ok {
					continue
				}
				for _, less := range refuted(set, run.arriving[arriving{b, to, r}]) {
					blocks++
					satisfiable(b, p.Blocks[b].End, less, func(from *path) *smt.Term {
						any := w.b.Truth(false)
						for _, e := range edges[to] {
							any = w.b.Or(any, w.breaks(from, b, e, map[isa.Reg]words.Set{r: less}))
						}
						return any
					})
				}
			}
		}
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			in := &p.Kernel.Instrs[pc]
			if run.addressing[pc] == nil {
				continue
			}
			for _, less := range refuted(w.flow.Before(b, pc, in.Src[0].Reg), run.addressing[pc]) {
				ranges++
				satisfiable(b, pc, less, func(from *path) *smt.Term { return w.outside(from, in, less) })
			}
		}
	}
	return blocks, ranges
}
