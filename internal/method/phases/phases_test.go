package phases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/trace"
)

// drawRecording draws points in any combination of what they are for.
func drawRecording(t *rapid.T) *recording {
	flip := func(name string) bool { return rapid.Bool().Draw(t, name) }
	r := &recording{
		together: rapid.IntRange(1, 3).Draw(t, "together"), fine: rapid.SampledFrom([]int32{1, 2, 16}).Draw(t, "fine"), varies: true,
		without: Ingredients{Barriers: flip("barriers"), Iterations: flip("iterations"), Milestones: flip("milestones"), Windows: flip("windows")},
	}
	n := rapid.IntRange(1, 6).Draw(t, "points")
	for i := range n {
		p := point{block: i, instr: i, loop: -1, milestone: rapid.IntRange(-1, n).Draw(t, "milestone"), barrier: flip("barrier")}
		if flip("header") {
			p.loop = len(r.loops)
			r.loops = append(r.loops, graph.Loop{Header: i, Body: body(t, n, i)})
		}
		r.points = append(r.points, p)
	}
	return r
}

// body draws the blocks of a loop.
func body(t *rapid.T, n, header int) []int {
	blocks := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, n).Draw(t, "body")
	blocks = append(blocks, header)
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

// drawRun draws warps that pass points in any order, whatever these are for.
func drawRun(t *rapid.T, points, number int) trace.Run {
	run := trace.Run{Number: number}
	for cta := range int32(rapid.IntRange(1, 3).Draw(t, "ctas")) {
		start := rapid.Int64Range(0, 9).Draw(t, "start")
		for w := range int32(rapid.IntRange(1, 3).Draw(t, "warps")) {
			now := start
			add := func(at trace.Ipoint) {
				run.Records = append(run.Records, trace.Record{Cycle: now, CTA: cta, Warp: w, Ipoint: at})
			}
			add(trace.Start)
			for range rapid.IntRange(0, 12).Draw(t, "steps") {
				now += rapid.Int64Range(0, 20).Draw(t, "cycles")
				add(trace.Ipoint(rapid.IntRange(0, points-1).Draw(t, "point")))
			}
			now += rapid.Int64Range(0, 20).Draw(t, "cycles")
			add(trace.Exit)
			run.End = max(run.End, now)
		}
	}
	slices.SortStableFunc(run.Records, trace.Compare)
	return run
}

// TestNoRunIsLonger: whatever order warps pass points in, and whatever these are for, no run from which an estimate was made takes
// longer, with windows of any size and with any ingredient left out; and merging in any order makes no difference.
func TestNoRunIsLonger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		one, a, b := newProfile(r), newProfile(r), newProfile(r)
		var longest int64
		for i := range rapid.IntRange(1, 25).Draw(t, "runs") {
			run := drawRun(t, len(r.points), i)
			from := trace.Origin(max(0, rapid.IntRange(-8, int(trace.Evolved)).Draw(t, "from")))
			longest = max(longest, run.End)
			for _, p := range []*profile{one, []*profile{a, b}[i%2]} {
				if from != trace.Sampled {
					p.Chosen(from)
				}
				if err := run.Replay(p); err != nil {
					t.Fatal(err)
				}
			}
		}
		for w, g := range one.graphs {
			if cycles, _ := g.longest(append(trainedGroups(), confirming)...); cycles.Int64() < longest {
				t.Errorf("windows of %d: %d cycles, but a run takes %d", windows[w], cycles, longest)
			}
		}
		if err := b.Absorb(a); err != nil {
			t.Fatal(err)
		}
		e, merged := estimated(t, one), estimated(t, b)
		if e.Cycles != merged.Cycles || !cmp.Equal(e.Prediction, merged.Prediction) || fmt.Sprint(one.observed()) != fmt.Sprint(b.observed()) {
			t.Errorf("%d cycles, but %d of merged profiles", e.Cycles, merged.Cycles)
		}
		var sum int64
		for _, s := range e.Breakdown {
			sum += s.Cycles
		}
		if sum != e.Cycles {
			t.Errorf("the breakdown adds up to %d of %d cycles", sum, e.Cycles)
		}
		if news, err := b.Learn(newProfile(r)); news || err != nil {
			t.Errorf("there is something new in no run: %v, %v", news, err)
		}
	})
}

// phased is a kernel of a block, a barrier, and a block behind it.
func phased(without Ingredients) *recording {
	return &recording{
		together: 1, fine: 16, varies: true, without: without,
		points: []point{
			{IpointInfo: trace.IpointInfo{Name: "entry"}, loop: -1, milestone: 0},
			{IpointInfo: trace.IpointInfo{Name: "entry/barrier"}, instr: 1, loop: -1, milestone: -1, barrier: true},
			{IpointInfo: trace.IpointInfo{Name: "behind"}, instr: 2, block: 1, loop: -1, milestone: 1},
		},
	}
}

// run makes a run of one CTA of lists of times: start, entry, arrival, behind, exit.
func run(number int, warps ...[5]int64) trace.Run {
	r := trace.Run{Number: number}
	for w, times := range warps {
		for i, at := range []trace.Ipoint{trace.Start, 0, 1, 2, trace.Exit} {
			r.Records = append(r.Records, trace.Record{Cycle: times[i], Warp: int32(w), Ipoint: at})
		}
		r.End = max(r.End, times[4])
	}
	slices.SortStableFunc(r.Records, trace.Compare)
	return r
}

// TestWaiting: time at a barrier is not charged, and the longest path changes warps there. One warp reaches the entry in cycle 10
// and waits 85 cycles behind it, the other one is there in cycle 90: without barriers both are added up.
func TestWaiting(t *testing.T) {
	for _, c := range []struct {
		without Ingredients
		want    int64
	}{
		{Ingredients{}, 90 + 10 + 5 + 45},
		{Ingredients{Barriers: true}, 90 + 95 + 45},
	} {
		p := newProfile(phased(c.without))
		r := run(0, [5]int64{0, 10, 20, 105, 110}, [5]int64{0, 90, 100, 105, 150})
		if err := r.Replay(p); err != nil {
			t.Fatal(err)
		}
		if e := estimated(t, p); e.Cycles != c.want {
			t.Errorf("without %+v: %d cycles, want %d", c.without, e.Cycles, c.want)
		}
	}
}

// TestPrediction: windows are chosen that other runs do not refute, and where these refute all the estimate is not to be relied on.
func TestPrediction(t *testing.T) {
	for _, c := range []struct {
		name     string
		without  Ingredients
		time     func(i int) int64
		runs     int
		status   estimate.PredictionStatus
		window   int64
		exceeded int64
	}{
		{"few", Ingredients{}, func(int) int64 { return 100 }, 19, estimate.Untested, 1, 0},
		{"alike", Ingredients{}, func(int) int64 { return 100 }, 20, estimate.NotRefuted, 4, 0},
		{"without a choice", Ingredients{Windows: true}, func(int) int64 { return 100 }, 20, estimate.NotRefuted, 1, 0},
		{"growing", Ingredients{}, func(i int) int64 { return 100 + int64(i) }, 40, estimate.Refuted, 1, 5},
		{"one outlier", Ingredients{}, func(i int) int64 {
			if i == 20 {
				return 1000
			}
			return 100
		}, 100, estimate.Refuted, 1, 4},
	} {
		p := newProfile(phased(c.without))
		for i := range c.runs {
			replay(t, p, i, trace.Sampled, c.time(i))
		}
		e := estimated(t, p)
		want := estimate.Prediction{Status: c.status, Random: int64(c.runs), Window: c.window, Exceeded: c.exceeded, Because: e.Prediction.Because}
		if diff := cmp.Diff(&want, e.Prediction); diff != "" || e.Relied() != (c.status == estimate.NotRefuted) || e.Relied() != (len(want.Because) == 0) {
			t.Errorf("%s: %s", c.name, diff)
		}
		if want := fmt.Sprintf("in any of the %d runs", c.runs); !strings.Contains(e.Assumptions[0], want) {
			t.Errorf("%s: it assumes %q, want %q", c.name, e.Assumptions[0], want)
		}
		if w, verdict := p.predict(); int64(windows[w]) != verdict.Window {
			t.Errorf("%s: the estimate is from windows of %d, and windows of %d are told", c.name, windows[w], verdict.Window)
		}
	}
}

// replay gives a profile a run of one warp that ends after so many cycles.
func replay(t *testing.T, p *profile, number int, from trace.Origin, cycles int64) {
	t.Helper()
	if from != trace.Sampled {
		p.Chosen(from)
	}
	r := run(number, [5]int64{0, 10, 20, 30, cycles})
	if err := r.Replay(p); err != nil {
		t.Fatal(err)
	}
}

// TestOrigins: inputs that were made take part in all estimates from parts, and only evolved ones are held against the one without
// them; those that confirm take part in none from which the others are told.
func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		from     trace.Origin
		status   estimate.PredictionStatus
		exceeded int64
		random   int64
	}{
		{trace.Saved, estimate.NotRefuted, 0, 29},
		{trace.Structured, estimate.NotRefuted, 0, 29},
		{trace.Evolved, estimate.Refuted, 1, 29},
		{trace.Confirming, estimate.Refuted, 1, 30},
	} {
		p := newProfile(phased(Ingredients{}))
		for i := range 29 {
			replay(t, p, i, trace.Sampled, 100)
		}
		replay(t, p, 29, c.from, 5000)
		e := estimated(t, p)
		got := *e.Prediction
		if e.Cycles != 5000 || got.Status != c.status || got.Exceeded != c.exceeded || got.Random != c.random || got.Adversarial != 30-c.random {
			t.Errorf("origin %d: %d cycles, %+v", c.from, e.Cycles, got)
		}
		if confirmed := got.Confirmed; (confirmed != nil) != (c.from == trace.Confirming) || confirmed != nil && (confirmed.Runs != 1 || confirmed.Exceeded != 1 || confirmed.Chance != 1) {
			t.Errorf("origin %d: confirmed %+v", c.from, confirmed)
		}
	}
}

// TestExecutions: several executions of a launch in a run are one input, of which the longest confirms.
func TestExecutions(t *testing.T) {
	p := newProfile(phased(Ingredients{}))
	for vector := range 12 {
		from := trace.Sampled
		if vector > 9 {
			from = trace.Confirming
		}
		for i := range int64(3) {
			replay(t, p, vector, from, 100-i)
		}
	}
	q := newProfile(p.of)
	if err := q.Absorb(p); err != nil {
		t.Fatal(err)
	}
	e := estimated(t, q)
	if d := e.Detail.(*estimate.HybridPhases); d.Sampled != 36 || e.Prediction.Status != estimate.Untested || e.Prediction.Random != 12 {
		t.Errorf("%d executions, %+v", d.Sampled, e.Prediction)
	}
	if diff := cmp.Diff(&estimate.Confirmation{Runs: 2, Chance: 0.776394, Confidence: 0.95}, e.Prediction.Confirmed); diff != "" {
		t.Error(diff)
	}
}

// TestChance: what may be said of further runs is what the binomial distribution leaves.
func TestChance(t *testing.T) {
	for _, c := range []struct {
		trials, successes int64
		want              float64
	}{{1, 0, 0.95}, {10, 0, 0.258866}, {100, 0, 0.029514}, {22, 0, 0.127306}, {10, 1, 0.394164}, {10, 9, 0.994884}, {10, 10, 1}} {
		if got := boundChance(c.trials, c.successes); got != c.want {
			t.Errorf("%d of %d: %v, want %v", c.successes, c.trials, got, c.want)
		}
	}
}

// TestSource: an instruction stands where the compiler says that its source does, and else where it is itself.
func TestSource(t *testing.T) {
	in := isa.Instr{Pos: diag.Pos{File: "k.ptx", Line: 7, Col: 3}}
	if got := source(&in); got != "k.ptx:7:3" {
		t.Errorf("without lines of the source it stands at %q", got)
	}
	in.Loc = diag.Pos{File: "k.cu", Line: 2, Col: 5}
	if got := source(&in); got != "k.cu:2:5" {
		t.Errorf("with lines of the source it stands at %q", got)
	}
}

// TestBreakdown: the shares of a path are ordered by their cycles; equal ones keep the order of the path.
func TestBreakdown(t *testing.T) {
	p := newProfile(phased(Ingredients{}))
	r := run(0, [5]int64{10, 20, 30, 40, 100})
	if err := r.Replay(p); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range estimated(t, p).Breakdown {
		got = append(got, fmt.Sprintf("%s %d", s.Name, s.Cycles))
	}
	if want := []string{"behind 60", "launch to the start of the CTA 10", "start 10", "entry 10", "release of a barrier 10"}; !slices.Equal(got, want) {
		t.Errorf("the shares are %q, want %q", got, want)
	}
}

// TestFixed: where all runs are alike the estimate is the longest of them, although a path combined from several would be longer.
func TestFixed(t *testing.T) {
	r := phased(Ingredients{})
	r.varies = false
	p := newProfile(r)
	for i, times := range [][5]int64{{0, 10, 20, 30, 100}, {0, 50, 60, 70, 110}} {
		run := run(i, times)
		if err := run.Replay(p); err != nil {
			t.Fatal(err)
		}
	}
	if e := estimated(t, p); e.Cycles != 110 || e.Breakdown != nil || !e.Prediction.Fixed {
		t.Errorf("%d cycles, %+v, %v", e.Cycles, e.Prediction, e.Breakdown)
	}
}

// TestKeptIterations: iterations of a loop are told apart whose number is a multiple of the window, all of them up to fine, and fewer beyond.
func TestKeptIterations(t *testing.T) {
	p := newProfile(&recording{
		together: 1, fine: 8, varies: true,
		points: []point{{IpointInfo: trace.IpointInfo{Name: "header"}, loop: 0, milestone: -1}},
		loops:  []graph.Loop{{Header: 0, Body: []int{0}}},
	})
	r := trace.Run{Records: []trace.Record{{Ipoint: trace.Start}}}
	for i := range int64(20) {
		r.Records = append(r.Records, trace.Record{Cycle: 10 * (i + 1)})
	}
	r.End = 210
	r.Records = append(r.Records, trace.Record{Cycle: r.End, Ipoint: trace.Exit})
	if err := r.Replay(p); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int32{{4, 8, 16}, {2, 4, 6, 8, 12, 16}, {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16}} {
		var got []int32
		for _, n := range p.graphs[i].nodes {
			if n.point == 0 {
				got = append(got, n.turns)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("with windows of %d the iterations %v are told apart, want %v", windows[i], got, want)
		}
	}
}

// TestRefused: a profile refuses records that no run has.
func TestRefused(t *testing.T) {
	start, exit, at := trace.Record{Ipoint: trace.Start}, trace.Record{Ipoint: trace.Exit}, trace.Record{}
	for _, c := range []struct {
		records []trace.Record
		want    string
	}{
		{[]trace.Record{at}, "the warp is not running"},
		{[]trace.Record{exit}, "the warp is not running"},
		{[]trace.Record{start, start}, "the warp has started before"},
		{[]trace.Record{start, exit, start}, "the warp has started before"},
		{[]trace.Record{start, exit, at}, "the warp is not running"},
		{[]trace.Record{start, exit, exit}, "the warp is not running"},
		{[]trace.Record{start, {Ipoint: 9}}, "there is no ipoint 9"},
		{[]trace.Record{start, {Ipoint: trace.Start, Warp: 1}, exit}, "1 of 2 warps have no exit"},
	} {
		p := newProfile(phased(Ingredients{}))
		run := trace.Run{Records: c.records}
		if err := run.Replay(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %s", c.records, err, c.want)
		}
	}
}

// estimated returns the estimate of a profile.
func estimated(t rapid.TB, p *profile) *estimate.Estimate {
	t.Helper()
	e, err := p.estimate()
	if err != nil {
		t.Fatal(err)
	}
	return e
}
