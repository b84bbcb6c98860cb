package hybrid_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/graph"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

const (
	start = trace.Start
	exit  = trace.Exit
)

// at is a record of CTA 0, warp 0 on SM 0.
func at(cycle int64, i trace.Ipoint) trace.Record { return trace.Record{Cycle: cycle, Ipoint: i} }

// whileIPG is the IPG of a loop b1, b2 between the entry b0 and the exit.
func whileIPG(t testing.TB) *hybrid.IPG {
	t.Helper()
	g, err := hybrid.NewIPG(makeProgram(t, 3, parseEdges(t, "0>1 1>2 2>1 1>3"), nil), method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTraceErrors(t *testing.T) {
	tests := []struct {
		name    string
		records []trace.Record
		end     int64
		want    string
	}{
		{"unknown transition", []trace.Record{at(1, start), at(2, 0), at(9, 2)}, 0,
			"run 7, record 2 (SM 0, CTA 0, warp 0, cycle 9): the control-flow graph does not allow b0 -> b2"},
		{"early exit", []trace.Record{at(1, start), at(2, 0), at(3, exit)}, 0, "does not allow b0 -> exit"},
		{"wrong entry", []trace.Record{at(1, start), at(2, 1)}, 0, "does not allow start -> b1"},
		{"no start", []trace.Record{at(1, 0)}, 0, "record 0 (SM 0, CTA 0, warp 0, cycle 1): the warp has not started"},
		{"two starts", []trace.Record{at(1, start), at(2, start)}, 0, "has started before"},
		{"after the exit", []trace.Record{at(1, start), at(2, 0), at(3, 1), at(4, exit), at(5, 1)}, 0, "has exited before"},
		{"start after the exit", []trace.Record{at(1, start), at(2, 0), at(3, 1), at(4, exit), at(5, start)}, 0, "has started before"},
		{"another SM", []trace.Record{at(1, start), {Cycle: 2, SM: 4}}, 0, "started on SM 0"},
		{"backwards", []trace.Record{at(5, start), at(4, 0)}, 0, "the record before it on this SM is of cycle 5"},
		{"ipoint", []trace.Record{at(5, start), at(6, 3)}, 0, "no ipoint 3"},
		{"ipoint none", []trace.Record{at(5, start), at(6, trace.None)}, 0, "no ipoint -3"},
		{"no warp", nil, 0, "run 7: no warp ran"},
		{"no exit", []trace.Record{at(1, start), at(2, 0)}, 2, "run 7: 1 of 1 warps have no exit"},
		{"end", []trace.Record{at(1, start), at(2, 0), at(3, 1), at(4, exit)}, 5, "ends in cycle 5, but its last warp exits in cycle 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := trace.Run{Number: 7, Records: tt.records, End: tt.end}
			err := run.Replay(hybrid.NewProfile(whileIPG(t)))
			if !contains(err, tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTransitionErrorIsTyped(t *testing.T) {
	run := trace.Run{Records: []trace.Record{at(1, start), at(2, 2)}}
	err := run.Replay(hybrid.NewProfile(whileIPG(t)))
	var place *hybrid.TraceError
	var what *hybrid.TransitionError
	if !errors.As(err, &place) || !errors.As(err, &what) {
		t.Fatalf("error %v", err)
	}
	if place.Index != 1 || place.Record != run.Records[1] || *what != (hybrid.TransitionError{From: "start", To: "b2"}) {
		t.Errorf("place %+v, what %+v", place, what)
	}
}

func TestSinkOrder(t *testing.T) {
	p := hybrid.NewProfile(whileIPG(t))
	if p.Record(at(0, start)) == nil || p.EndRun(0) == nil {
		t.Error("accepted outside a run")
	}
	if p.Observed() != nil {
		t.Error("something observed")
	}
	if _, err := hybrid.Analyze(context.Background(), p, nil); !contains(err, "no run") {
		t.Errorf("error %v", err)
	}
	if err := p.BeginRun(0); err != nil {
		t.Fatal(err)
	}
	if p.BeginRun(1) == nil {
		t.Error("accepted inside a run")
	}
	if _, err := hybrid.Analyze(context.Background(), p, nil); !contains(err, "not complete") {
		t.Errorf("error %v", err)
	}
	if p.Merge(hybrid.NewProfile(whileIPG(t))) == nil || hybrid.NewProfile(whileIPG(t)).Merge(p) == nil {
		t.Error("merged")
	}
}

// loopRun is a run of one warp that goes around the loop of whileIPG n times, 10 cycles
// each.
func loopRun(number, n int) trace.Run {
	run := trace.Run{Number: number, Records: []trace.Record{at(0, start), at(1, 0), at(3, 1)}}
	now := int64(3)
	for range n {
		run.Records = append(run.Records, at(now+4, 2), at(now+10, 1))
		now += 10
	}
	run.Records = append(run.Records, at(now+5, exit))
	run.End = now + 5
	return run
}

func loopProfile(t *testing.T, iterations ...int) *hybrid.Profile {
	t.Helper()
	p := hybrid.NewProfile(whileIPG(t))
	for number, n := range iterations {
		run := loopRun(number, n)
		if err := run.Replay(p); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestLoopBounds(t *testing.T) {
	const header = 1
	bound := func(n int64, e estimate.Evidence) hybrid.Bounds {
		return hybrid.Bounds{header: {Max: n, Evidence: e}}
	}
	p := loopProfile(t, 2, 5, 3)
	tests := []struct {
		name   string
		bounds hybrid.Bounds
		cycles int64
		want   string // of the error, or an assumption
	}{
		{"observed", nil, 58, "loop bound of b1: at most 5 back edges per entry (observed)"},
		{"annotated", bound(9, estimate.Annotated), 98, "loop bound of b1: at most 9 back edges per entry (annotated)"},
		{"proven, equal", bound(5, estimate.Proven), 58, "loop bound of b1: at most 5 back edges per entry (proven)"},
		{"contradicted", bound(4, estimate.Annotated), 0, "loop b1: its bound 4 (annotated) is wrong: run 1, CTA 0, warp 0 takes 5 back edges per entry"},
		{"negative", bound(-1, estimate.Annotated), 0, "negative"},
		{"no loop", hybrid.Bounds{2: {Max: 1}}, 0, "block 2, which heads no loop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := hybrid.Analyze(context.Background(), p, tt.bounds)
			tree, treeErr := hybrid.NewTree(p, tt.bounds)
			if tt.cycles == 0 {
				if !contains(err, tt.want) || !contains(treeErr, tt.want) {
					t.Errorf("errors %v, %v, want %q", err, treeErr, tt.want)
				}
				return
			}
			if err != nil || treeErr != nil {
				t.Fatal(err, treeErr)
			}
			if r.Warp.Cycles != tt.cycles || tree.Cycles.Int64() != tt.cycles {
				t.Errorf("hybrid/warp is %d, the tree %d, want %d", r.Warp.Cycles, tree.Cycles, tt.cycles)
			}
			if !slices.Contains(r.Warp.Assumptions, tt.want) {
				t.Errorf("assumptions %q", r.Warp.Assumptions)
			}
		})
	}
}

// TestCounts: no edge is taken more often than in any observed warp, whatever loops allow; a bound that a job states for more iterations
// allows that.
func TestCounts(t *testing.T) {
	// Once around the loop b0 takes 10 cycles by b2, 2 by b3. The run does each once.
	run := trace.Run{Records: []trace.Record{
		at(0, start), at(0, 0), at(0, 1), at(0, 2), at(10, 0), at(10, 1), at(10, 3), at(12, 0), at(12, exit),
	}, End: 12}
	for _, c := range []struct {
		bounds hybrid.Bounds
		want   int64
	}{{nil, 12}, {hybrid.Bounds{0: {Max: 2, Evidence: estimate.Annotated}}, 12}, {hybrid.Bounds{0: {Max: 3, Evidence: estimate.Annotated}}, 30}} {
		g, err := hybrid.NewIPG(makeProgram(t, 5, parseEdges(t, "0>1 0>5 1>2 1>3 2>0 3>0 4>5"), nil), method.EveryBlock())
		if err != nil {
			t.Fatal(err)
		}
		profile := hybrid.NewProfile(g)
		if err := run.Replay(profile); err != nil {
			t.Fatal(err)
		}
		r, err := hybrid.Analyze(context.Background(), profile, c.bounds)
		if err != nil {
			t.Fatal(err)
		}
		if r.Warp.Cycles != c.want {
			t.Errorf("bounds %v: hybrid/warp is %d, want %d", c.bounds, r.Warp.Cycles, c.want)
		}
	}
}

// TestFacts: a fact over the arms of a loop keeps the worst path from taking the dearer
// one in each of its iterations, of which the job states more than the run has.
func TestFacts(t *testing.T) {
	limit := func(n int64) *int64 { return &n }
	fact := func(min, max *int64, terms ...method.FactTerm) method.Fact {
		return method.Fact{Name: "f", Terms: terms, Min: min, Max: max, Evidence: estimate.Annotated}
	}
	// Once around the loop b0 takes 10 cycles by b2, 2 by b3. The run does each once.
	run := trace.Run{Records: []trace.Record{
		at(0, start), at(0, 0), at(0, 1), at(0, 2), at(10, 0), at(10, 1), at(10, 3), at(12, 0), at(12, exit),
	}, End: 12}
	tests := []struct {
		name   string
		fact   method.Fact
		cycles int64
		want   string // of the error
	}{
		{"at most", fact(nil, limit(1), method.FactTerm{Block: 2, Coef: 1}), 14, ""},
		{"at least", fact(limit(1), nil, method.FactTerm{Block: 3, Coef: 1}), 22, ""},
		{"loose", fact(limit(0), limit(2), method.FactTerm{Block: 2, Coef: 1}), 22, ""},
		{"entry", fact(limit(3), limit(3), method.FactTerm{Block: 0, Coef: 1}), 20, ""},
		{"difference", fact(nil, limit(0), method.FactTerm{Block: 2, Coef: 1}, method.FactTerm{Block: 3, Coef: -1}), 14, ""},
		{"unreachable block", fact(limit(0), limit(0), method.FactTerm{Block: 4, Coef: 1}), 30, ""},
		{"exceeded", fact(nil, limit(0), method.FactTerm{Block: 2, Coef: 1}), 0,
			"fact f: its maximum 0 (annotated) is wrong: run 0, CTA 0, warp 0 has 1"},
		{"not reached", fact(limit(4), nil, method.FactTerm{Block: 0, Coef: 1}), 0,
			"fact f: its minimum 4 (annotated) is wrong: run 0, CTA 0, warp 0 has 3"},
		{"overflow", fact(nil, limit(0), method.FactTerm{Block: 0, Coef: math.MaxInt64}), 0, "does not fit"},
		{"coefficients", fact(nil, limit(1), method.FactTerm{Block: 2, Coef: 1 << 62}, method.FactTerm{Block: 2, Coef: 1 << 62}), 0,
			"fact f: the coefficients of block b2 do not fit into 64 bits together"},
		{"no block", fact(nil, limit(0), method.FactTerm{Block: 9, Coef: 1}), 0, "no block 9"},
	}
	analyze := func(f method.Fact, place method.Placement) (*hybrid.Result, error) {
		p := makeProgram(t, 5, parseEdges(t, "0>1 0>5 1>2 1>3 2>0 3>0 4>5"), nil)
		p.Facts = []method.Fact{f}
		g, err := hybrid.NewIPG(p, place)
		if err != nil {
			return nil, err
		}
		profile := hybrid.NewProfile(g)
		if err := run.Replay(profile); err != nil {
			return nil, err
		}
		return hybrid.Analyze(context.Background(), profile, hybrid.Bounds{0: {Max: 3, Evidence: estimate.Annotated}})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := analyze(tt.fact, method.EveryBlock())
			if tt.want != "" {
				if !contains(err, tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Warp.Cycles != tt.cycles {
				t.Errorf("hybrid/warp is %d, want %d", r.Warp.Cycles, tt.cycles)
			}
		})
	}
	if _, err := analyze(tests[0].fact, method.LoopHeaders()); !contains(err, "block b2 has no ipoint") {
		t.Errorf("error %v", err)
	}
	// A fact that bounds of loops imply is left out where it cannot be placed, and only there.
	implied := tests[0].fact
	implied.Implied = true
	p := makeProgram(t, 5, parseEdges(t, "0>1 0>5 1>2 1>3 2>0 3>0 4>5"), nil)
	p.Facts = []method.Fact{implied}
	if _, err := hybrid.NewIPG(p, method.LoopHeaders()); err != nil {
		t.Errorf("an implied fact about a block without ipoint: %v", err)
	}
	if r, err := analyze(implied, method.EveryBlock()); err != nil || r.Warp.Cycles != tests[0].cycles {
		t.Errorf("an implied fact: %v, %v", r, err)
	}
}

func TestTreeRefusesDivergence(t *testing.T) {
	program := makeProgram(t, 4, parseEdges(t, "0>1 0>2 1>3 2>3 3>4"), parseEdges(t, "1>2 2>1"))
	g, err := hybrid.NewIPG(program, method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	p := hybrid.NewProfile(g)
	run := trace.Run{End: 4, Records: []trace.Record{at(0, start), at(1, 0), at(2, 1), at(3, 3), at(4, exit)}}
	if err := run.Replay(p); err != nil {
		t.Fatal(err)
	}
	if _, err := hybrid.NewTree(p, nil); !errors.Is(err, hybrid.ErrDivergent) {
		t.Errorf("error %v", err)
	}
}

// TestDetail pins the figures and their JSON names.
func TestDetail(t *testing.T) {
	r, err := hybrid.Analyze(context.Background(), loopProfile(t, 1, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []estimate.Share{
		{Name: "b1", Count: 3, Cycles: 2*4 + 5},
		{Name: "b2", Count: 2, Cycles: 2 * 6},
		{Name: "b0", Count: 1, Cycles: 2},
		{Name: "start", Count: 1, Cycles: 1},
	}
	if diff := cmp.Diff(want, r.Warp.Breakdown); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		detail any
		want   string
	}{
		{r.Warp.Detail.(*estimate.HybridWarp).Edges[3],
			`{"from":"b2","to":"b1","divergent":false,"best":6,"average":6,"worst":6,"worst_at":{"run":0,"cta":0,"warp":0},` +
				`"observed":3,"most":2,"limited":true,"count":2,"cycles":12}`},
		{r.Warp.Detail.(*estimate.HybridWarp).Loops,
			`[{"header":"b1","pos":"","bound":2,"evidence":"observed","observed":2,"observed_at":{"run":1,"cta":0,"warp":0}}]`},
		{r.Dynamic.Detail,
			`{"warp":28,"jitter":0,"sms":[{"sm":0,"jitter":0,"spread":0,"waves":1,"warps_per_wave":1,"delta":0}],"published":{"jitter":0,"cycles":28}}`},
		{r.Waves.Detail,
			`{"warp":28,"waves":1,"warps_per_wave":1,"delta":0,"first_start":0,"gap":0,"published":28}`},
	} {
		got, err := json.Marshal(tt.detail)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// BenchmarkProfile consumes a run of many records by one warp.
func BenchmarkProfile(b *testing.B) {
	run := loopRun(0, 50000)
	p := hybrid.NewProfile(whileIPG(b))
	b.ReportAllocs()
	for b.Loop() {
		if err := run.Replay(p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(run.Records)), "ns/record")
}

// The mean of runs whose sum does not fit into 64 bits lies between the shortest and
// the longest.
func TestMeanOfHugeRuns(t *testing.T) {
	program := makeProgram(t, 1, []graph.Edge{{From: 0, To: 1}}, nil)
	ipg, err := hybrid.NewIPG(program, method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	p := hybrid.NewProfile(ipg)
	for run, end := range []int64{math.MaxInt64, math.MaxInt64 - 1024, math.MaxInt64} {
		if err := p.BeginRun(run); err != nil {
			t.Fatal(err)
		}
		for _, r := range []trace.Record{{Ipoint: trace.Start}, {Ipoint: 0, Cycle: 1}, {Ipoint: trace.Exit, Cycle: end}} {
			if err := p.Record(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.EndRun(end); err != nil {
			t.Fatal(err)
		}
	}
	o := p.Observed()
	if o.Mean < float64(o.Min) || o.Mean > float64(o.Max) {
		t.Errorf("the mean %g is not between %d and %d", o.Mean, o.Min, o.Max)
	}
}
