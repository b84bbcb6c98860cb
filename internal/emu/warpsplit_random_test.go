package emu_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/flowtest"
)

// TestWarpSplitsAgainstWarps runs random kernels with warps whose paths run as warp-splits, some
// or all of them, in random order: memory must be as warps leave it that do not split.
func TestWarpSplitsAgainstWarps(t *testing.T) {
	for _, c := range []struct {
		name                 string
		draw                 func(kernelgen.Source, kernelgen.Options) *kernelgen.Case
		split, nested, ended int // of the warp-splits, at least
	}{
		{"PTX", kernelgen.New, 5000, 1000, 50},
		{"mini-SIMT", kernelgen.NewSIMT, 3000, 1000, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var split, nested, ended int
			for seed := range uint64(60) {
				k := c.draw(rand.New(rand.NewPCG(seed, 0)), kernelgen.Options{
					Statements: 10 + int(seed%4)*8, Depth: 2 + int(seed%3), Trips: 2 + int(seed%7), Threads: 150, CTAs: 2, Irreducible: seed%3 == 0,
				})
				l := flowtest.Job(t, k.Job, k.Module)
				for _, width := range []int{32, 64, 7} {
					if l.Grid.Threads() > emu.MaxWidth*width {
						continue
					}
					r, err := compare(t, l, width, seed)
					if err != nil {
						t.Fatalf("seed %d, width %d: %v\n%s\n%s", seed, width, err, k.Job, k.Module)
					}
					split, nested, ended = split+r.split, nested+r.nested, ended+r.ended
				}
			}
			if split < c.split || nested < c.nested || ended < c.ended {
				t.Errorf("%d warp-splits, %d of warp-splits, %d whose lanes all exited: too few to tell", split, nested, ended)
			}
		})
	}
}

// compare executes a launch split in several ways and unsplit. It returns what became of the
// warp-splits.
func compare(t *testing.T, l *flowtest.Launch, width int, seed uint64) (*splitter, error) {
	whole := l.Again(t, width)
	want, err := emu.Run(context.Background(), whole.Grid)
	if err != nil {
		return nil, err
	}
	r := &splitter{Rand: rand.New(rand.NewPCG(seed, uint64(width))), graph: l.Graph, sticky: int(seed%3) * 45}
	for _, r.percent = range []int{0, 40, 100} {
		split := l.Again(t, width)
		got, err := r.run(split.Grid)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%d %% of the branches split: %w", r.percent, err)
		case !slices.EqualFunc(split.Buffers, whole.Buffers, bytes.Equal):
			return nil, fmt.Errorf("%d %% of the branches split: memory differs", r.percent)
		case got.ThreadInstrs != want.ThreadInstrs:
			return nil, fmt.Errorf("%d %% of the branches split: threads execute %d instructions, unsplit %d", r.percent, got.ThreadInstrs, want.ThreadInstrs)
		}
	}
	return r, nil
}

// TestWarpSplitsOfTheSuite does the same with kernels of the suite.
func TestWarpSplitsOfTheSuite(t *testing.T) {
	for _, name := range []string{"bfs", "reduction"} {
		whole := flowtest.Suite(t, name)
		split := whole.Again(t, flowtest.Width)
		if _, err := emu.Run(context.Background(), whole.Grid); err != nil {
			t.Fatal(err)
		}
		r := &splitter{Rand: rand.New(rand.NewPCG(1, 2)), graph: whole.Graph, percent: 50, sticky: 30}
		if _, err := r.run(split.Grid); err != nil {
			t.Fatal(name, err)
		}
		if r.split == 0 || !slices.EqualFunc(split.Buffers, whole.Buffers, bytes.Equal) {
			t.Errorf("%s: memory differs, or none of %d warp-splits", name, r.split)
		}
	}
}

// splitter executes launches and lets paths of branches run as warp-splits.
type splitter struct {
	*rand.Rand
	graph   *cfg.Graph
	percent int // of the paths that become warp-splits
	sticky  int // percent of the steps after which the unit goes on that ran
	units   []*unit
	free    []*emu.Warp

	split, nested, ended int
}

// unit is what can be scheduled: a warp, or a warp-split of another unit.
type unit struct {
	*emu.Warp
	of    *unit
	depth int
}

func (r *splitter) run(g *emu.Grid) (emu.Counters, error) {
	var n emu.Counters
	var cta emu.CTA
	var eff emu.Effect
	env := &emu.Env{SMs: 1}
	for i := range g.CTAs() {
		g.StartCTA(&cta, i)
		r.units = r.units[:0]
		for k := range cta.Warps {
			r.units = append(r.units, &unit{Warp: &cta.Warps[k]})
		}
		var u *unit
		for !cta.Done() {
			if u == nil || !steps(u) || r.IntN(100) >= r.sticky {
				u = r.next()
				if u == nil {
					return n, fmt.Errorf("CTA %d: nothing can step", i)
				}
			}
			active := u.Active()
			if err := u.Step(env, &eff); err != nil {
				return n, err
			}
			if eff.Mask&^active != 0 {
				return n, fmt.Errorf("lanes 0x%x execute instruction %d, active are 0x%x", eff.Mask, eff.PC, active)
			}
			n.WarpInstrs++
			for m := eff.Mask; m != 0; m &= m - 1 {
				n.ThreadInstrs++
			}
			if eff.Diverged && r.mayPart(eff.PC) {
				r.part(u)
			}
			if err := r.check(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// steps reports whether a unit can step.
func steps(u *unit) bool { return !u.Done() && !u.AtBarrier() && !u.Home() && !u.Held() }

// next returns a unit that can step, and sometimes joins one that is home. Nil means that
// there is none.
func (r *splitter) next() *unit {
	for {
		var ready []*unit
		r.units = slices.DeleteFunc(r.units, func(u *unit) bool {
			gone := u.of != nil && u.Done()
			if gone {
				r.free = append(r.free, u.Warp)
				r.ended++
			}
			return gone
		})
		for _, u := range r.units {
			if steps(u) || u.Home() {
				ready = append(ready, u)
			}
		}
		if len(ready) == 0 {
			return nil
		}
		u := ready[r.IntN(len(ready))]
		if !u.Home() {
			return u
		}
		u.of.Join(u.Warp)
		r.ended--
	}
}

// part makes warp-splits of some paths of the branch that u has just executed.
func (r *splitter) part(u *unit) {
	for once := false; !once && steps(u) && r.IntN(100) < r.percent && u.Depth() > 1; {
		once = r.graph.Kernel.Reconvergence == isa.AtSyncs
		s := new(emu.Warp)
		if n := len(r.free); n > 0 {
			s, r.free = r.free[n-1], r.free[:n-1]
		}
		u.Detach(s)
		r.units = append(r.units, &unit{Warp: s, of: u, depth: u.depth + 1})
		r.split++
		if u.depth > 0 {
			r.nested++
		}
	}
}

// mayPart reports whether the paths of a branch can run as warp-splits: they come to no barrier
// before they reconverge.
func (r *splitter) mayPart(pc int) bool {
	b := r.graph.BlockOf(pc)
	reconverge := r.graph.Reconverge(b)
	seen := make(map[int]bool)
	var free func(b int) bool
	free = func(b int) bool {
		if b == reconverge || b == r.graph.Exit() || seen[b] {
			return true
		}
		seen[b] = true
		for i := r.graph.Blocks[b].Start; i < r.graph.Blocks[b].End; i++ {
			if r.graph.Kernel.Instrs[i].Op == isa.Bar {
				return false
			}
		}
		return !slices.ContainsFunc(r.graph.Succ(b), func(s int) bool { return !free(s) })
	}
	return !slices.ContainsFunc(r.graph.Succ(b), func(s int) bool { return !free(s) })
}

// check checks that every lane is with one unit only, and that units know what is out.
func (r *splitter) check() error {
	held := make(map[*emu.Warp]uint64)
	for _, u := range r.units {
		if u.of != nil {
			if held[u.of.Warp]&u.Alive() != 0 {
				return fmt.Errorf("lanes 0x%x are with two warp-splits", held[u.of.Warp]&u.Alive())
			}
			held[u.of.Warp] |= u.Alive()
		}
	}
	for _, u := range r.units {
		if u.Out() != held[u.Warp] || u.Out()&^u.Alive() != 0 {
			return fmt.Errorf("lanes 0x%x are said to be out, 0x%x are, of 0x%x", u.Out(), held[u.Warp], u.Alive())
		}
	}
	return nil
}
