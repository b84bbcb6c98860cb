package llc

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/absexec"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/cells"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// perhaps draws a launch of SMs whose warps make some accesses perhaps. Each time of the machine is at times so long that
// what depends on it is more than what is lost by rounding.
func perhaps(t *rapid.T, builtin *machine.Machine, uncertain bool) *analysis {
	m := *builtin
	small := func(name string, minimum, maximum int64) int64 {
		return rapid.Int64Range(minimum, maximum).Draw(t, name)
	}
	any := func(name string, maximum int64) int64 {
		return rapid.SampledFrom([]int64{1, 7, maximum / 2, maximum}).Draw(t, name)
	}
	m.SM.Count.Value = small("SMs", 1, 3)
	m.L1.Sets.Value, m.L1.Ways.Value = 1, small("ways", 1, 3)
	m.Interconnect.Credits.Value = rapid.SampledFrom([]int64{1, 2, 100}).Draw(t, "credits")
	m.Interconnect.Slot.Value, m.DRAM.Slot.Value = small("slot", 1, 3), small("turn", 1, 4)
	m.DRAM.Conflict.Value, m.DRAM.Open.Value = any("DRAM", 400), 1
	m.Regulator.Quota.Value = small("quota", 1, 6)
	m.Regulator.Reset.Value, m.Regulator.Wait.Value = any("reset", 300), any("wait", 300)
	var beside method.CPU
	if rapid.Bool().Draw(t, "CPU") {
		beside.Accesses = []method.CPUAccess{{}}
	}
	idle := any("idle", 400)
	a := &analysis{
		machine: &m, perCTA: rapid.IntRange(1, 3).Draw(t, "warps"), cpu: newCPU(beside, &m),
		layout: newLayout(&m), tails: []saturating.Int{0},
		distribution: distribution{ctas: rapid.IntRange(1, 6).Draw(t, "CTAs"), sms: int(m.SM.Count.Value), slots: rapid.IntRange(1, 2).Draw(t, "slots")},
		costs: []cost.Instr{
			{Kind: cost.Load, Initiation: 1, Latency: any("load", 90)}, {Kind: cost.Posted, Initiation: 1, Latency: any("store", 90)},
			{Kind: cost.Plain, Initiation: 1, Latency: idle}, {Kind: cost.Fence, Initiation: 1, Latency: 2},
		},
	}
	for range a.perCTA {
		var boxes []absexec.Result
		for cta := range a.distribution.ctas {
			p := path{ordered: true, sums: sums{tails: []saturating.Int{0}}}
			for range rapid.IntRange(1, 12).Draw(t, "instructions") {
				o := op{pc: rapid.Int32Range(0, 3).Draw(t, "pc"), access: -1}
				if o.pc < 2 {
					o.access = int32(len(p.accesses))
					x := randomAccess(t, sort(o.pc)*write)
					if !uncertain {
						x = x.certain()
					}
					p.accesses = append(p.accesses, x)
				}
				p.ops = append(p.ops, o)
			}
			p.ops = append(p.ops, op{pc: 2, access: -1})
			boxes = append(boxes, absexec.Result{
				Box:     absexec.Box{Lo: [3]int{cta}, Hi: [3]int{cta + 1, 1, 1}},
				Visitor: &recorder{path: p},
			})
		}
		a.warps = append(a.warps, boxes)
	}
	a.findCells(cells.New([3]int{a.distribution.ctas, 1, 1}, [3]int{1, 1, 1}, a.warps))
	return a
}

// certain returns an access that all its lanes make.
func (a access) certain() access {
	a.open = 0
	for i := range a.parts[0].lanes {
		a.parts[0].lanes[i].optional = false
	}
	return a
}

// boundsOf returns the bounds of a launch by stride.
func boundsOf(t *rapid.T, a *analysis) map[int64]int64 {
	ctx := context.Background()
	streams, err := a.streams(ctx)
	if err != nil {
		t.Fatal(err)
	}
	uncertain := int64(0)
	for _, s := range streams {
		uncertain += s.optional
	}
	bounds := make(map[int64]int64)
	for stride := int64(1); stride <= a.machine.Regulator.Quota.Value; stride++ {
		w := newWindows(a, a.machine.Regulator.Quota.Value, streams)
		w.stride = stride
		for sm, s := range streams {
			if err := w.add(ctx, sm, make([]bool, len(s.sent))); err != nil {
				t.Fatal(err)
			}
		}
		bounds[stride] = w.cycles(saturating.Of(uncertain)).Int64()
	}
	return bounds
}

// scheduled returns the times of a launch in which it is decided which accesses are made.
func (a *analysis) scheduled(t *rapid.T) *schedule {
	streams, err := a.streams(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var hits [][]bool
	for _, s := range streams {
		if s.optional > 0 {
			t.Fatal("not all is decided")
		}
		hits = append(hits, make([]bool, len(s.sent)))
	}
	run, err := a.schedule(context.Background(), hits, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestWindows bounds SMs whose warps make some accesses perhaps, and computes the times of launches in which
// they do or do not: all, none, and some.
func TestWindows(t *testing.T) {
	builtin := fermi(t)
	rapid.Check(t, func(t *rapid.T) {
		a := perhaps(t, builtin, true)
		bounds := boundsOf(t, a)
		for run := range 20 {
			odds := rapid.IntRange(0, 4).Draw(t, "odds")
			if run < 2 {
				odds = 4 * run
			}
			cycles := a.decide(t, odds).scheduled(t).cycles
			for stride, bound := range bounds {
				if cycles > bound {
					t.Fatalf("%d cycles, the bound is %d with a stride of %d", cycles, bound, stride)
				}
			}
		}
	})
}

// TestWindowsOfKnownAccesses bounds SMs of which all accesses are known. With a window behind each access nothing is lost
// but what rounding and older instructions cost.
func TestWindowsOfKnownAccesses(t *testing.T) {
	builtin := fermi(t)
	rapid.Check(t, func(t *rapid.T) {
		a := perhaps(t, builtin, false)
		run := a.scheduled(t)
		w := newWindows(a, a.machine.Regulator.Quota.Value, []*stream{{}})
		older := int64(0) // what may be left of the instructions before an interval
		for i := range a.costs {
			older = max(older, a.costs[i].Latency+a.machine.L1.Ways.Value+4)
		}
		// If an SM has sent its quota with its last access, what it does behind that counts again. Each CTA has a box of its own.
		longest := make([]int64, a.distribution.ctas) // instructions of a warp behind its last access
		for _, boxes := range a.warps {
			for cta, r := range boxes {
				p, sum := r.Visitor.(*recorder).path, int64(0)
				for _, o := range p.ops {
					if sum += a.costs[o.pc].Latency; o.access >= 0 {
						sum = 0
					}
				}
				longest[cta] = max(longest[cta], sum)
			}
		}
		behind := int64(0)
		for _, n := range longest {
			behind += n
		}
		bound := boundsOf(t, a)[1]
		l := newLatencies(a.machine, 0)
		last := a.endOfInterval().Int64() + l.oldest() // of an interval in which an SM has just ended
		if limit := run.cycles + last + behind + run.intervals*(2*older+3*w.period); bound < run.cycles || bound > limit {
			t.Fatalf("%d cycles in %d intervals, the bound is %d, not up to %d", run.cycles, run.intervals, bound, limit)
		}
	})
}

// randomAccess draws an access to lines 0 to 5, by lanes that perhaps make it.
func randomAccess(t *rapid.T, sort sort) access {
	a := access{sort: sort, bytes: 4, lanes: 3}
	var p part
	for number := range 3 {
		line := rapid.Uint64Range(0, 5).Draw(t, "line")
		p.lanes = append(p.lanes, lane{number: number, base: line * 128, optional: rapid.IntRange(0, 2).Draw(t, "sure") > 0})
	}
	a.parts = []part{p}
	if rapid.IntRange(0, 5).Draw(t, "open") == 0 {
		a.open = 1
	}
	return a
}

// decide returns the analysis of a launch in which it is decided which accesses are made.
func (a *analysis) decide(t *rapid.T, odds int) *analysis {
	decided := *a
	decided.warps = nil
	made := func() bool { return rapid.IntRange(0, 3).Draw(t, "made") < odds }
	for _, boxes := range a.warps {
		var results []absexec.Result
		for _, r := range boxes {
			p := r.Visitor.(*recorder).path
			p.accesses = slices.Clone(p.accesses)
			for i := range p.accesses {
				old := p.accesses[i]
				p.accesses[i] = access{sort: old.sort, bytes: old.bytes, lanes: old.lanes}
				var lanes []lane
				for _, l := range old.parts[0].lanes {
					if !l.optional || made() {
						l.optional = false
						lanes = append(lanes, l)
					}
				}
				if old.open > 0 && made() {
					line := rapid.Uint64Range(0, 7).Draw(t, "any")
					lanes = slices.Insert(lanes, rapid.IntRange(0, len(lanes)).Draw(t, "at"), lane{number: 3, base: line * 128})
				}
				if len(lanes) > 0 {
					p.accesses[i].parts = []part{{lanes: lanes}}
				}
			}
			r.Visitor = &recorder{path: p}
			results = append(results, r)
		}
		decided.warps = append(decided.warps, results)
	}
	return &decided
}
