package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/job"
	"warpbound/internal/platform"
	"warpbound/internal/smt"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/test/smttest"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// needSolvers skips a test where the solvers are not installed.
func needSolvers(t testing.TB) {
	t.Helper()
	smttest.Need(t, smt.Z3(), smt.CVC5())
}

func searchOptions(runs int, strategies ...string) Options {
	opts := Options{Strategies: strategies, Settings: DefaultSettings(), Explore: DefaultExploreOptions()}
	opts.Settings.Runs, opts.Settings.Population = runs, 20
	return opts
}

func mustSearch(t testing.TB, j *platform.Job, opts Options) *Found {
	t.Helper()
	f, err := runOn(context.Background(), j, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// runOn searches on the platform of a job.
func runOn(ctx context.Context, j *platform.Job, opts Options) (*Found, error) {
	return Run(ctx, j.Platform, j.Workload, opts)
}

// TestSearch finds what drawing inputs does not, and its inputs take as long as it says.
func TestSearch(t *testing.T) {
	needSolvers(t)
	j := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule)
	opts := searchOptions(80, Strategies()...)
	opts.Bounds = &analysis.Request{}
	f := mustSearch(t, j, opts)
	d := f.Search
	if d.Best != "guided" || f.Interrupted || len(d.Violated) > 0 || d.Runs() > 320 {
		t.Errorf("best %s of %d runs, interrupted %t, violated %v", d.Best, d.Runs(), f.Interrupted, d.Violated)
	}
	if x := d.Explored; x == nil || len(x.Outcomes) != 4 || x.Count(estimate.OutcomeCovered) != 4 || len(x.Paths) < 10 {
		t.Errorf("explored %+v", x)
	}
	v, n := f.Best.Inputs.Buffers[0], f.Best.Inputs.Scalars[1]
	for i := range 40 {
		if got := binary.LittleEndian.Uint32(v[4*i:]); got != 77777 {
			t.Errorf("element %d is %d", i, got)
		}
	}
	if n[0] != 9 {
		t.Errorf("n is %d", n)
	}
	e := f.Analysis.Estimates[len(f.Analysis.Estimates)-1]
	if e.Method != "search" || e.Evidence != estimate.Observed || e.Bounds() || f.Analysis.Tightest() == nil || f.Analysis.Tightest().Method == "search" {
		t.Errorf("estimate %+v, tightest %v", e, f.Analysis.Tightest())
	}
	if got := f.Analysis.Inputs; len(got) != 1 || got[0].Cycles != e.Cycles || f.Analysis.Observed.Max != e.Cycles || f.Analysis.Runs != 4 {
		t.Errorf("inputs %v of %d cycles, %d runs", got, e.Cycles, f.Analysis.Runs)
	}
	if len(d.Below) != 6 || d.Below[0].Percent < 0 {
		t.Errorf("below %v", d.Below)
	}
	for _, x := range d.Strategies {
		if last := x.History[len(x.History)-1]; last.Cycles != x.Cycles || last.Runs != x.Found || x.Found > x.Runs {
			t.Errorf("%+v", x)
		}
		if explores(x.Strategy) != (x.Cycles == e.Cycles) {
			t.Errorf("%s found %d cycles, all together %d", x.Strategy, x.Cycles, e.Cycles)
		}
	}
}

// TestSearchResume interrupts a search each time that it is saved and goes on from what was
// saved: the result is that of the search that was not interrupted, whatever the processors.
func TestSearchResume(t *testing.T) {
	needSolvers(t)
	j := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule)
	strategies := []string{"guided", "gdivan", "random"}
	want := mustSearch(t, j, searchOptions(60, strategies...))
	saves := 0
	opts := searchOptions(60, strategies...)
	opts.Save = func(*State, *workload.SavedInputs) error { saves++; return nil }
	mustSearch(t, j, opts)
	if saves < 5 {
		t.Fatalf("saved only %d times", saves)
	}
	for stop := 1; stop <= saves; stop++ {
		ctx, cancel := context.WithCancel(context.Background())
		opts := searchOptions(60, strategies...)
		var text bytes.Buffer
		var last *workload.SavedInputs
		seen := 0
		opts.Save = func(s *State, best *workload.SavedInputs) error {
			if best != nil {
				last = best
			}
			if seen++; seen > stop {
				return nil
			}
			text.Reset()
			if seen == stop {
				defer cancel()
			}
			return s.Write(&text)
		}
		f, err := runOn(ctx, j, opts)
		switch {
		case err != nil:
			t.Fatal(err)
		case stop < saves && (!f.Interrupted || !f.Search.Interrupted):
			t.Errorf("not interrupted after %d", stop)
		case last == nil || f.Best.Inputs == nil:
			t.Errorf("nothing is best after %d", stop)
		}
		opts = searchOptions(60, strategies...)
		if opts.Resume, err = ReadState(&text); err != nil {
			t.Fatal(err)
		}
		got := mustSearch(t, j, opts)
		if diff := cmp.Diff(want.Search, got.Search); diff != "" {
			t.Errorf("resumed after %d: %s", stop, diff)
		}
		if diff := cmp.Diff(want.Best.Inputs, got.Best.Inputs, cmpopts.IgnoreUnexported(job.Inputs{})); diff != "" {
			t.Errorf("resumed after %d, inputs differ: %s", stop, diff)
		}
	}
}

// What was searched for something else cannot be resumed.
func TestSearchResumeOfAnother(t *testing.T) {
	j := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule)
	var state *State
	opts := searchOptions(20, "random")
	opts.Save = func(s *State, _ *workload.SavedInputs) error { state = s; return nil }
	mustSearch(t, j, opts)
	opts.Save, opts.Resume = nil, state
	for _, c := range []struct {
		name   string
		job    *platform.Job
		change func(*Options)
		want   string
	}{
		{"range", jobtest.Text(t, strings.Replace(jobtest.MatchJob, "[1, 9]", "[1, 8]", 1), jobtest.MatchModule), nil, "another job"},
		{"seed", jobtest.Text(t, jobtest.MatchJob+"\n", strings.Replace(jobtest.MatchModule, "0;", "0; ", 1)), nil, "another job"},
		{"limit", j, func(o *Options) { o.MaxCycles = 1 << 20 }, "another job"},
		{"population", j, func(o *Options) { o.Settings.Population++ }, "other settings"},
		{"strategy", j, func(o *Options) { o.Strategies = nil }, "guided needs a search of its own"},
		{"paper", j, func(o *Options) { o.Strategies = []string{"random", "gdivan"} }, "gdivan needs a search of its own"},
		{"nothing", j, nil, ""},
	} {
		changed := opts
		if c.change != nil {
			c.change(&changed)
		}
		_, err := runOn(context.Background(), c.job, changed)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	var text bytes.Buffer
	if err := state.Write(&text); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < text.Len()-1; i++ {
		damaged := bytes.Clone(text.Bytes())
		damaged[i]++
		if _, err := ReadState(bytes.NewReader(damaged)); err == nil {
			t.Fatalf("read with another byte %d", i)
		}
		if _, err := ReadState(bytes.NewReader(damaged[:i])); err == nil {
			t.Fatalf("%d bytes are read", i)
		}
	}
}

// TestSearchFaults counts inputs with which the kernel fails instead of stopping at them.
func TestSearchFaults(t *testing.T) {
	job := strings.Replace(jobtest.MatchJob, "[1, 9]", "[1, 100000]", 1)
	j := jobtest.Text(t, strings.Replace(job, "1000000)", "80000)", 1), strings.Replace(jobtest.MatchModule, "setp.ne.u32 %p1, %r5, 77777", "setp.lt.u32 %p1, %r5, 7777", 1))
	opts := searchOptions(60, "random+ga")
	opts.MaxCycles = 400_000
	var failed *workload.SavedInputs
	opts.Failed = func(in workload.SavedInputs, fault string) error {
		if failed != nil || !strings.Contains(fault, "limit reached: 400000") {
			t.Errorf("failed again, with: %s", fault)
		}
		failed = &in
		return nil
	}
	f := mustSearch(t, j, opts)
	x := f.Search.Strategies[0]
	if x.Faults == 0 || x.Faults == x.Runs || !strings.Contains(x.Fault, "limit reached: 400000") || failed == nil {
		t.Fatalf("%+v", x)
	}
	if x.Cycles > opts.MaxCycles {
		t.Errorf("%d cycles are beyond the limit", x.Cycles)
	}
	if err := j.First().Bound.Admit(failed.Inputs); err != nil {
		t.Error(err)
	}
	opts.Failed = func(workload.SavedInputs, string) error { return os.ErrPermission }
	if _, err := runOn(context.Background(), j, opts); !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
	opts.Failed, opts.MaxCycles = nil, 10
	if _, err := runOn(context.Background(), j, opts); err == nil || !strings.Contains(err.Error(), "none of") {
		t.Error(err)
	}
}

func TestSearchRefuses(t *testing.T) {
	fixed := strings.Replace(strings.Replace(jobtest.MatchJob, "range = [1, 9]", "value = 1", 1), "uniform(0, 1000000)", "zeros", 1)
	brain := strings.Replace(jobtest.MatchJob, `"u32"
count = 40
init = "uniform(0, 1000000)"`, `"bf16"
count = 80
init = "uniform(0, 1)"`, 1)
	mixed := strings.Replace(jobtest.MatchJob, `"u32"
range = [1, 9]`, `"b32"
range = [-10, 3000000000]`, 1)
	for _, c := range []struct {
		name, job string
		change    func(*Options)
		want      string
	}{
		{"nothing varies", fixed, nil, "job.toml:1:1: no input is sampled at random"},
		{"bf16", brain, nil, `job.toml:5:3: param "v": numbers of type bf16`},
		{"mixed", mixed, nil, `job.toml:10:3: param "n": neither as signed nor as unsigned`},
		{"strategy", jobtest.MatchJob, func(o *Options) { o.Strategies = []string{"luck"} }, `no strategy "luck"`},
		{"solver", jobtest.MatchJob, func(o *Options) { o.Explore.Solver = "no-such-solver -x" }, "no-such-solver"},
		{"no solver", jobtest.MatchJob, func(o *Options) { o.Explore.FloatSolver = " " }, "no solver is named"},
		{"population", jobtest.MatchJob, func(o *Options) { o.Settings.Population = 0; o.Strategies = []string{"random"} }, "population"},
	} {
		opts := searchOptions(20, "gdivan")
		if c.change != nil {
			c.change(&opts)
		}
		_, err := runOn(context.Background(), jobtest.Text(t, c.job, jobtest.MatchModule), opts)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestSearchWithoutSolver(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := runOn(context.Background(), jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule), searchOptions(20, "gdivan"))
	if err == nil || !strings.Contains(err.Error(), "please install the Debian package z3") {
		t.Error(err)
	}
	mustSearch(t, jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule), searchOptions(20, "random+ga"))
}

// A kernel that cannot be executed symbolically is searched all the same.
func TestSearchUnexplored(t *testing.T) {
	needSolvers(t)
	module := strings.Replace(jobtest.MatchModule, "setp.ne.u32 %p1", "isspacep.shared %p1, %rd3;\n\tsetp.ne.u32 %p1", 1)
	f := mustSearch(t, jobtest.Text(t, jobtest.MatchJob, module), searchOptions(30, "gdivan"))
	if x := f.Search.Explored; x == nil || len(x.Paths) > 0 || len(x.Notes) != 1 || !strings.Contains(x.Notes[0], "match.ptx:17:2: isspacep") {
		t.Errorf("%+v", x)
	}
}

// TestSearchBelowBounds holds what searches find against all static bounds of the machine.
func TestSearchBelowBounds(t *testing.T) {
	bounds := 0
	for _, kernel := range []string{"bfs", "insertionSort", "petriSmall", "substringSearch", "histogram64"} {
		for _, machine := range []string{"predictable-rr", "gcn3-split", "integrated-fermi"} {
			j := jobtest.Load(t, kernels.Suite(), kernel+"/job.toml", machine)
			opts := searchOptions(12, "random+ga")
			opts.Settings.Population = 6
			opts.Bounds = &analysis.Request{Methods: staticMethods(j.Workload), Refusals: true}
			f := mustSearch(t, j, opts)
			if len(f.Search.Violated) > 0 || len(f.Analysis.Warnings) > 0 {
				t.Errorf("%s on %s: violated %v, warnings %v", kernel, machine, f.Search.Violated, f.Analysis.Warnings)
			}
			bounds += len(f.Search.Below)
		}
	}
	if bounds != 5+5+10 {
		t.Errorf("%d bounds were compared", bounds)
	}
}

// A wrong annotation is found out by the runs, and so is the bound that rests on it.
func TestSearchAgainstAnnotation(t *testing.T) {
	needSolvers(t)
	job := "machine = \"predictable-rr\"\n" + jobtest.MatchJob + "[loop]\n\"$loop\" = 1\n"
	opts := searchOptions(30, "gdivan")
	opts.Bounds = &analysis.Request{}
	j := jobtest.Text(t, job, jobtest.MatchModule)
	f, err := Run(t.Context(), j.Platform, j.Workload, opts)
	if !errors.As(err, new(*diag.ContradictionError)) {
		t.Fatal(err)
	}
	if len(f.Search.Below) != 1 || !slices.Equal(f.Search.Violated, []string{"static/cta"}) {
		t.Errorf("below %v, violated %v", f.Search.Below, f.Search.Violated)
	}
	if answer := f.Analysis.Answer; answer != nil && answer.Method == "static/cta" || f.Search.Gap != nil {
		t.Errorf("a void bound answers: %+v, gap %v", answer, f.Search.Gap)
	}
	warned := slices.ContainsFunc(f.Analysis.Warnings, func(w estimate.Warning) bool {
		return w.ID == "no-bounds" && strings.Contains(w.Text, "bound 1 (annotated) is wrong")
	})
	if !warned {
		t.Errorf("warnings %v", f.Analysis.Warnings)
	}
}

// Bounds below what inputs take are found out.
func TestHold(t *testing.T) {
	a := &estimate.Analysis{SplitMode: "dws", Estimates: []estimate.Estimate{
		{Method: "hybrid/warp", Cycles: 1, Evidence: estimate.Observed}, {Method: "hybrid/waves", Cycles: 90, Evidence: estimate.Observed},
		{Method: "split/none", Cycles: 50, Evidence: estimate.Proven}, {Method: "split/dws", Cycles: 80, Evidence: estimate.Proven},
		{Method: "static/cta", Cycles: 100, Evidence: estimate.Annotated}, {Method: "other", Cycles: 200, Evidence: estimate.Proven},
	}}
	d := &estimate.Search{}
	hold(a, 100, d)
	want := []estimate.SearchBelow{
		{Method: "hybrid/waves", Cycles: 90, Evidence: estimate.Observed, Percent: -100.0 / 9}, {Method: "split/dws", Cycles: 80, Evidence: estimate.Proven, Percent: -25},
		{Method: "static/cta", Cycles: 100, Evidence: estimate.Annotated}, {Method: "other", Cycles: 200, Evidence: estimate.Proven, Percent: 50},
	}
	if diff := cmp.Diff(want, d.Below); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"split/dws"}, d.Violated); diff != "" {
		t.Error(diff)
	}
}

// The state of a search is all in its JSON.
func TestSearchStateJSON(t *testing.T) {
	needSolvers(t)
	j := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule)
	opts := searchOptions(30, "gdivan")
	opts.Save = func(s *State, _ *workload.SavedInputs) error {
		var text bytes.Buffer
		if err := s.Write(&text); err != nil {
			return err
		}
		first := text.String()
		again, err := ReadState(&text)
		if err != nil {
			return err
		}
		var second bytes.Buffer
		if err := again.Write(&second); err != nil {
			return err
		}
		if first != second.String() {
			t.Errorf("read again, the state is another")
		}
		return nil
	}
	mustSearch(t, j, opts)
}

// TestSolverHangs searches with a solver that never answers: symbolic execution ends, and runs go on.
func TestSolverHangs(t *testing.T) {
	j := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule)
	opts := searchOptions(4)
	opts.ExploreLimit, opts.Settings.Population = 20*time.Millisecond, 2
	opts.Explore.Solver, opts.Explore.FloatSolver = "sleep 1000000", "sleep 1000000"
	found, err := runOn(t.Context(), j, opts)
	if err != nil {
		t.Fatal(err)
	}
	stopped := slices.ContainsFunc(found.Analysis.Warnings, func(w estimate.Warning) bool { return w.ID == "exploration-stopped" })
	if !found.Search.Explored.Stopped || !stopped || found.Search.Runs() != 4 || found.Interrupted {
		t.Errorf("%+v, warnings %v", found.Search, found.Analysis.Warnings)
	}

	// A search that is interrupted then has what symbolic execution found.
	ctx, cancel := context.WithCancel(t.Context())
	opts.ExploreLimit, opts.Strategies = 0, []string{"gdivan"}
	opts.Progress = func(Progress) { time.AfterFunc(20*time.Millisecond, cancel) }
	found, err = runOn(ctx, j, opts)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	a := found.Analysis
	if !found.Interrupted || found.Search.Runs() != 0 || a.Explored == nil || len(a.Explored.Outcomes) == 0 || a.Explored.Stopped || len(a.Estimates) != 0 || a.Interrupted == nil {
		t.Errorf("%+v of %+v", found.Search, a)
	}

	// What was run while solvers worked is the result of one that is interrupted when all runs were made.
	ctx, cancel = context.WithCancel(t.Context())
	opts.Strategies, opts.Progress = []string{"guided", "random"}, nil
	opts.Save = func(*State, *workload.SavedInputs) error {
		cancel()
		return nil
	}
	found, err = runOn(ctx, j, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !found.Interrupted || found.Search.Runs() != 4 || found.Best.Inputs == nil || found.Search.Strategies[0].Strategy != "guided" {
		t.Errorf("%+v", found.Search)
	}
}
