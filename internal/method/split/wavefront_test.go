package split_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/method/split"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

// wavefront executes a flow graph with random decisions on a reconvergence stack, as
// cfg.DivergentEdges describes it, and takes time.
type wavefront struct {
	flow    *cfg.Flow
	uniform func(b int) bool
	splits  []int
	costs   split.Costs
	random  func(n int) int
	steps   int // that are left

	lanes []lane
	bound map[int]int64 // by header, the most times a lane has gone back to it
}

// lane counts how often it has gone back to the header of each loop since it entered.
type lane map[int]int64

// run executes from a block to another with some lanes. It returns those that come there, the
// time, and the split contexts that may be in use at the same time.
func (w *wavefront) run(block, stop int, lanes []int) (rest []int, time int64, contexts int) {
	for block != stop && block != w.flow.Exit() && len(lanes) > 0 {
		if w.steps--; w.steps < 0 {
			return nil, 0, 0
		}
		time += w.costs.Blocks[block].Int64()
		isSplit := slices.Contains(w.splits, block)
		if isSplit {
			time += w.costs.Split.Int64()
			contexts = max(contexts, 1)
		}
		groups := w.choose(block, lanes)
		if len(groups) == 1 {
			for s := range groups {
				block = s
			}
			continue
		}
		r := w.flow.Reconverge(block)
		var arrived []int
		var successors []int64
		together := 0
		for _, s := range w.flow.Succ(block) {
			group := groups[s]
			if s == r {
				arrived = append(arrived, group...)
				continue
			}
			if len(group) == 0 {
				continue
			}
			there, t, c := w.run(s, r, group)
			if r != w.flow.Exit() {
				arrived = append(arrived, there...)
			}
			successors = append(successors, t)
			contexts = max(contexts, c)
			together += c
		}
		if isSplit {
			contexts = max(contexts, together+1)
			time += slices.Max(successors)
		} else {
			for _, t := range successors {
				time += t
			}
		}
		block, lanes = r, arrived
	}
	if block != stop {
		return nil, time, contexts
	}
	return lanes, time, contexts
}

// choose lets lanes choose successors, those with fewer blocks to the exit rather than others.
func (w *wavefront) choose(block int, lanes []int) map[int][]int {
	succ := w.flow.Succ(block)
	agreed := succ[w.random(len(succ))]
	agree := len(succ) == 1 || w.uniform(block) || w.random(4) == 0
	groups := make(map[int][]int)
	for _, l := range lanes {
		to := agreed
		if !agree {
			to = succ[w.random(len(succ))]
		}
		w.lanes[l].pass(w, block, to)
		groups[to] = append(groups[to], l)
	}
	return groups
}

// pass counts what a lane does that goes from a block to another.
func (l lane) pass(w *wavefront, from, to int) {
	if to == w.flow.Exit() {
		return
	}
	loops := w.flow.Loops().Loops
	for i := range loops {
		switch loop := &loops[i]; {
		case loop.Header != to:
		case loop.Contains(from):
			l[i]++
			w.bound[to] = max(w.bound[to], l[i])
		default:
			l[i] = 0
		}
	}
}

// drawRandom draws a source of numbers less than n.
func drawRandom(t *rapid.T) func(n int) int {
	rng := rapid.Uint64().Draw(t, "seed")
	return func(n int) int { // splitmix64
		rng += 0x9e3779b97f4a7c15
		z := rng
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return int((z ^ z>>31) >> 33 % uint64(n))
	}
}

func drawCosts(t *rapid.T, blocks int) split.Costs {
	cycles := func(maximum int64) *rapid.Generator[saturating.Int] {
		return rapid.Map(rapid.Int64Range(0, maximum), saturating.Of[int64])
	}
	return split.Costs{Blocks: rapid.SliceOfN(cycles(20), blocks, blocks).Draw(t, "times"), Split: cycles(5).Draw(t, "split")}
}

// TestBoundHolds executes random programs and graphs: no wavefront takes longer than its
// bound, whatever it splits, and none uses more split contexts than it has. The bound is not above
// that of dynamic splitting.
func TestBoundHolds(t *testing.T) {
	generators := map[string]*rapid.Generator[*cfg.Flow]{
		"structured": structured(3),
		"reducible":  reducible(12),
		"any":        wild(8),
	}
	for name, flows := range generators {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { checkBound(t, flows) }) })
	}
}

func checkBound(t *rapid.T, flows *rapid.Generator[*cfg.Flow]) {
	flow := flows.Draw(t, "flow")
	verdict := rapid.SliceOfN(rapid.Bool(), flow.Len(), flow.Len()).Draw(t, "uniform")
	lanes := rapid.IntRange(1, 6).Draw(t, "lanes")
	uniform := func(b int) bool { return verdict[b] }
	f, err := bsb.NewFlow(flow, bsb.Options{Uniform: uniform, Lanes: lanes})
	if err != nil {
		if flow.Loops().Irreducible() == nil {
			t.Fatalf("%v\n%s", err, describe(flow, nil))
		}
		return
	}
	if err := f.Check(); err != nil {
		t.Fatalf("%v\n%s", err, describe(flow, f))
	}
	costs := drawCosts(t, flow.Len())
	var marked []int
	for b := range flow.Len() {
		if rapid.Bool().Draw(t, "marked") {
			marked = append(marked, b)
		}
	}
	available := rapid.IntRange(0, 7).Draw(t, "contexts")
	splits := f.Select(marked, available)
	random := drawRandom(t)
	for range 4 {
		w := &wavefront{
			flow: flow, uniform: uniform, splits: splits, costs: costs, random: random,
			steps: 2000, bound: make(map[int]int64),
		}
		var all []int
		for l := range lanes {
			w.lanes = append(w.lanes, make(lane))
			all = append(all, l)
		}
		_, time, contexts := w.run(flow.Entry(), flow.Exit(), all)
		if w.steps < 0 {
			continue // it may never end
		}
		if maximum := f.Contexts(splits); contexts > maximum || maximum > available {
			t.Fatalf("%d split contexts in use, %d at most, %d there; splits %v\n%s", contexts, maximum, available, splits, describe(flow, f))
		}
		loops := func(header int) (int64, string, bool) { return w.bound[header], "observed", true }
		b, err := split.LongestPath(context.Background(), f, costs, loops, splits)
		if err != nil {
			t.Fatalf("%v\n%s", err, describe(flow, f))
		}
		// Lemma 5.8 holds where dynamic splitting pays for every branch that can split, too.
		dynamic := split.Costs{Blocks: slices.Clone(costs.Blocks)}
		for _, b := range marked {
			if f.Splittable(b) {
				dynamic.Blocks[b] = dynamic.Blocks[b].Add(costs.Split)
			}
		}
		if d, err := split.LongestPath(context.Background(), f, dynamic, loops, nil); err != nil || d.Cycles < b.Cycles {
			t.Fatalf("%+v, %v, less than %d\n%s", d, err, b.Cycles, describe(flow, f))
		}
		if time > b.Cycles.Int64() {
			t.Fatalf("took %d, bound %d; times %v, split %d at %v, iterations %v, uniform %v\n%s",
				time, b.Cycles, costs.Blocks, costs.Split, splits, w.bound, verdict, describe(flow, f))
		}
	}
}
