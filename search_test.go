package warpbound

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/smt"
	"warpbound/internal/test/smttest"
)

// matchModule is a kernel whose threads take longer if their element is a number that is hardly
// ever drawn, and longest of all if all of them are.
const matchModule = `.version 6.3
.target sm_70
.address_size 64

.visible .entry match(.param .u64 v, .param .u32 n)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<5>;

	ld.param.u64 %rd1, [v];
	ld.param.u32 %r1, [n];
	mov.u32 %r4, %tid.x;
	mul.wide.u32 %rd2, %r4, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r5, [%rd3];
	setp.ne.u32 %p1, %r5, 77777;
	@%p1 bra $out;
	mov.u32 %r2, 0;
$loop:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, %r1;
	@%p2 bra $loop;
	atom.global.add.u32 %r6, [%rd1], 0;
$out:
	ret;
}
`

const matchJob = `module = "match.ptx"
grid = [1, 1, 1]
block = [40, 1, 1]
vectors = 3
[[param]]
name = "v"
type = "u32"
count = 40
init = "uniform(0, 1000000)"
[[param]]
name = "n"
type = "u32"
range = [1, 9]
`

// needSolvers skips a test where the solvers are not installed.
func needSolvers(t testing.TB) {
	t.Helper()
	smttest.Need(t, smt.Z3(), smt.CVC5())
}

func loadText(t testing.TB, job, module string) *Job {
	t.Helper()
	j, err := LoadFS(fstest.MapFS{"job.toml": {Data: []byte(job)}, "match.ptx": {Data: []byte(module)}}, "job.toml", LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func searchOptions(runs int, strategies ...string) SearchOptions {
	opts := SearchOptions{Strategies: strategies, Settings: DefaultSearchSettings(), Explore: DefaultExploreOptions()}
	opts.Settings.Runs, opts.Settings.Population = runs, 20
	return opts
}

func mustSearch(t testing.TB, j *Job, opts SearchOptions) *Found {
	t.Helper()
	f, err := j.Search(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSearch finds what drawing inputs does not, and its inputs take as long as it says.
func TestSearch(t *testing.T) {
	needSolvers(t)
	j := loadText(t, matchJob, matchModule)
	opts := searchOptions(80, SearchStrategies()...)
	opts.Bounds = &AnalyzeOptions{}
	f := mustSearch(t, j, opts)
	d := f.Search
	if d.Best != "gdivan" || f.Interrupted || len(d.Violated) > 0 || d.Runs() > 240 {
		t.Errorf("best %s of %d runs, interrupted %t, violated %v", d.Best, d.Runs(), f.Interrupted, d.Violated)
	}
	if x := d.Explored; x == nil || len(x.Sides) != 4 || x.Count(estimate.SideCovered) != 4 || len(x.Paths) < 10 {
		t.Errorf("explored %+v", x)
	}
	v, n := f.Best.in.Buffers[0], f.Best.in.Scalars[1]
	for i := range 40 {
		if got := binary.LittleEndian.Uint32(v[4*i:]); got != 77777 {
			t.Errorf("element %d is %d", i, got)
		}
	}
	if n[0] != 9 {
		t.Errorf("n is %d", n)
	}
	e := f.Analysis.Estimates[len(f.Analysis.Estimates)-1]
	if e.Method != "search" || e.Evidence != Observed || e.Bounds() || f.Analysis.Tightest() == nil || f.Analysis.Tightest().Method == "search" {
		t.Errorf("estimate %+v, tightest %v", e, f.Analysis.Tightest())
	}
	if got := f.Analysis.Inputs; len(got) != 1 || got[0].Cycles != e.Cycles || f.Analysis.Observed.Max != e.Cycles || f.Analysis.Runs != 4 {
		t.Errorf("inputs %v of %d cycles, %d runs", got, e.Cycles, f.Analysis.Runs)
	}
	if len(d.Below) != 2 || d.Below[0].Percent < 0 {
		t.Errorf("below %v", d.Below)
	}
	for _, x := range d.Strategies {
		if last := x.History[len(x.History)-1]; last.Cycles != x.Cycles || last.Runs != x.Found || x.Found > x.Runs {
			t.Errorf("%+v", x)
		}
		if (x.Strategy == "gdivan") != (x.Cycles == e.Cycles) {
			t.Errorf("%s found %d cycles, all together %d", x.Strategy, x.Cycles, e.Cycles)
		}
	}
}

// TestSearchResume interrupts a search each time that it is saved and goes on from what was
// saved: the result is that of the search that was not interrupted, whatever the processors.
func TestSearchResume(t *testing.T) {
	needSolvers(t)
	j := loadText(t, matchJob, matchModule)
	strategies := []string{"gdivan", "random"}
	want := mustSearch(t, j, searchOptions(60, strategies...))
	saves := 0
	opts := searchOptions(60, strategies...)
	opts.Save = func(*SearchState, *SavedInputs) error { saves++; return nil }
	mustSearch(t, j, opts)
	if saves < 5 {
		t.Fatalf("saved only %d times", saves)
	}
	for stop := 1; stop <= saves; stop++ {
		ctx, cancel := context.WithCancel(context.Background())
		opts := searchOptions(60, strategies...)
		var text bytes.Buffer
		var last *SavedInputs
		seen := 0
		opts.Save = func(s *SearchState, best *SavedInputs) error {
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
		f, err := j.Search(ctx, opts)
		switch {
		case stop == 1: // the kernel was explored, and nothing was run
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		case err != nil:
			t.Fatal(err)
		case stop < saves && (!f.Interrupted || !f.Search.Interrupted):
			t.Errorf("not interrupted after %d", stop)
		case last == nil || f.Best.in == nil:
			t.Errorf("nothing is best after %d", stop)
		}
		opts = searchOptions(60, strategies...)
		if opts.Resume, err = ReadSearchState(&text); err != nil {
			t.Fatal(err)
		}
		got := mustSearch(t, j, opts)
		if diff := cmp.Diff(want.Search, got.Search); diff != "" {
			t.Errorf("resumed after %d: %s", stop, diff)
		}
		if diff := cmp.Diff(want.Best.in, got.Best.in); diff != "" {
			t.Errorf("resumed after %d, inputs differ: %s", stop, diff)
		}
	}
}

// What was searched for something else cannot be resumed.
func TestSearchResumeOfAnother(t *testing.T) {
	j := loadText(t, matchJob, matchModule)
	var state *SearchState
	opts := searchOptions(20, "random")
	opts.Save = func(s *SearchState, _ *SavedInputs) error { state = s; return nil }
	mustSearch(t, j, opts)
	opts.Save, opts.Resume = nil, state
	for _, c := range []struct {
		name   string
		job    *Job
		change func(*SearchOptions)
		want   string
	}{
		{"range", loadText(t, strings.Replace(matchJob, "[1, 9]", "[1, 8]", 1), matchModule), nil, "another job"},
		{"seed", loadText(t, matchJob+"\n", strings.Replace(matchModule, "0;", "0; ", 1)), nil, "another job"},
		{"limit", j, func(o *SearchOptions) { o.MaxCycles = 1 << 20 }, "another job"},
		{"population", j, func(o *SearchOptions) { o.Settings.Population++ }, "other settings"},
		{"strategy", j, func(o *SearchOptions) { o.Strategies = nil }, "gdivan needs a search of its own"},
		{"nothing", j, nil, ""},
	} {
		changed := opts
		if c.change != nil {
			c.change(&changed)
		}
		_, err := c.job.Search(context.Background(), changed)
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
		if _, err := ReadSearchState(bytes.NewReader(damaged)); err == nil {
			t.Fatalf("read with another byte %d", i)
		}
		if _, err := ReadSearchState(bytes.NewReader(damaged[:i])); err == nil {
			t.Fatalf("%d bytes are read", i)
		}
	}
}

// TestSearchFaults counts inputs with which the kernel fails instead of stopping at them.
func TestSearchFaults(t *testing.T) {
	job := strings.Replace(matchJob, "[1, 9]", "[1, 100000]", 1)
	j := loadText(t, strings.Replace(job, "1000000)", "80000)", 1), strings.Replace(matchModule, "setp.ne.u32 %p1, %r5, 77777", "setp.lt.u32 %p1, %r5, 7777", 1))
	opts := searchOptions(60, "random+ga")
	opts.MaxCycles = 400_000
	var failed *SavedInputs
	opts.Failed = func(in SavedInputs, fault string) error {
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
	if err := j.bound.Admit(failed.in); err != nil {
		t.Error(err)
	}
	opts.Failed = func(SavedInputs, string) error { return os.ErrPermission }
	if _, err := j.Search(context.Background(), opts); !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
	opts.Failed, opts.MaxCycles = nil, 10
	if _, err := j.Search(context.Background(), opts); err == nil || !strings.Contains(err.Error(), "none of") {
		t.Error(err)
	}
}

func TestSearchRefuses(t *testing.T) {
	fixed := strings.Replace(strings.Replace(matchJob, "range = [1, 9]", "value = 1", 1), "uniform(0, 1000000)", "zeros", 1)
	brain := strings.Replace(matchJob, `"u32"
count = 40
init = "uniform(0, 1000000)"`, `"bf16"
count = 80
init = "uniform(0, 1)"`, 1)
	mixed := strings.Replace(matchJob, `"u32"
range = [1, 9]`, `"b32"
range = [-10, 3000000000]`, 1)
	for _, c := range []struct {
		name, job string
		change    func(*SearchOptions)
		want      string
	}{
		{"nothing varies", fixed, nil, "job.toml:1:1: no input is drawn at random"},
		{"bf16", brain, nil, `job.toml:5:3: param "v": numbers of type bf16`},
		{"mixed", mixed, nil, `job.toml:10:3: param "n": neither as signed nor as unsigned`},
		{"strategy", matchJob, func(o *SearchOptions) { o.Strategies = []string{"luck"} }, `no strategy "luck"`},
		{"solver", matchJob, func(o *SearchOptions) { o.Explore.Solver = "no-such-solver -x" }, "no-such-solver"},
		{"no solver", matchJob, func(o *SearchOptions) { o.Explore.FloatSolver = " " }, "no solver is named"},
		{"population", matchJob, func(o *SearchOptions) { o.Settings.Population = 0; o.Strategies = []string{"random"} }, "population"},
	} {
		opts := searchOptions(20, "gdivan")
		if c.change != nil {
			c.change(&opts)
		}
		_, err := loadText(t, c.job, matchModule).Search(context.Background(), opts)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestSearchWithoutSolver(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := loadText(t, matchJob, matchModule).Search(context.Background(), searchOptions(20, "gdivan"))
	if err == nil || !strings.Contains(err.Error(), "please install the Debian package z3") {
		t.Error(err)
	}
	mustSearch(t, loadText(t, matchJob, matchModule), searchOptions(20, "random+ga"))
}

// A kernel that cannot be executed symbolically is searched all the same.
func TestSearchUnexplored(t *testing.T) {
	needSolvers(t)
	module := strings.Replace(matchModule, "setp.ne.u32 %p1", "vote.sync.any.pred %p1, %p1, -1;\n\tsetp.ne.u32 %p1", 1)
	f := mustSearch(t, loadText(t, matchJob, module), searchOptions(30, "gdivan"))
	if x := f.Search.Explored; x == nil || len(x.Paths) > 0 || len(x.Notes) != 1 || !strings.Contains(x.Notes[0], "match.ptx:17:2: vote") {
		t.Errorf("%+v", x)
	}
}

// TestSearchBelowBounds holds what searches find against all static bounds of the machine.
func TestSearchBelowBounds(t *testing.T) {
	bounds := 0
	for _, kernel := range []string{"bfs", "insertionSort", "petriSmall", "substringSearch", "histogram64"} {
		for _, machine := range []string{"predictable-rr", "gcn3-split", "integrated-fermi"} {
			j, err := Load("kernels/"+kernel+"/job.toml", LoadOptions{Machine: machine})
			if err != nil {
				t.Fatal(err)
			}
			opts := searchOptions(12, "random+ga")
			opts.Settings.Population = 6
			opts.Bounds = &AnalyzeOptions{Methods: slices.DeleteFunc(Methods(), func(m string) bool { return measures(m) || !j.Supports(m) })}
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
	job := "machine = \"predictable-rr\"\n" + matchJob + "[loop]\n\"$loop\" = 1\n"
	opts := searchOptions(30, "gdivan")
	opts.Bounds = &AnalyzeOptions{}
	f := mustSearch(t, loadText(t, job, matchModule), opts)
	if len(f.Search.Below) != 1 || !slices.Equal(f.Search.Violated, []string{"static/cta"}) {
		t.Errorf("below %v, violated %v", f.Search.Below, f.Search.Violated)
	}
	warned := slices.ContainsFunc(f.Analysis.Warnings, func(w Warning) bool {
		return w.ID == "no-bounds" && strings.Contains(w.Text, "bound 1 (annotated) is wrong")
	})
	if !warned {
		t.Errorf("warnings %v", f.Analysis.Warnings)
	}
}

// Bounds below what inputs take are found out.
func TestHold(t *testing.T) {
	a := &Analysis{SplitMode: "dws", Estimates: []Estimate{
		{Method: "hybrid/warp", Cycles: 1, Evidence: Observed}, {Method: "hybrid/waves", Cycles: 90, Evidence: Observed},
		{Method: "split/none", Cycles: 50, Evidence: Proven}, {Method: "split/dws", Cycles: 80, Evidence: Proven},
		{Method: "static/cta", Cycles: 100, Evidence: Annotated}, {Method: "other", Cycles: 200, Evidence: Proven},
	}}
	d := &estimate.Search{}
	hold(a, 100, d)
	want := []estimate.SearchBelow{
		{Method: "hybrid/waves", Cycles: 90, Evidence: Observed, Percent: -100.0 / 9}, {Method: "split/dws", Cycles: 80, Evidence: Proven, Percent: -25},
		{Method: "static/cta", Cycles: 100, Evidence: Annotated}, {Method: "other", Cycles: 200, Evidence: Proven, Percent: 50},
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
	j := loadText(t, matchJob, matchModule)
	opts := searchOptions(30, "gdivan")
	opts.Save = func(s *SearchState, _ *SavedInputs) error {
		var text bytes.Buffer
		if err := s.Write(&text); err != nil {
			return err
		}
		first := text.String()
		again, err := ReadSearchState(&text)
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
