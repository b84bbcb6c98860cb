package search

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/smt"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// Without solvers guided searches all the same, which a warning tells, after it is resumed, too. The paper's method does not.
func TestGuidedWithoutSolver(t *testing.T) {
	j := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule)
	opts := searchOptions(60, "guided")
	opts.Explore.Solver = "no-such-solver"
	var text bytes.Buffer
	opts.Save = func(s *State, _ *workload.SavedInputs) error {
		text.Reset()
		return s.Write(&text)
	}
	want := mustSearch(t, j, opts)
	opts.Save = nil
	var err error
	if opts.Resume, err = ReadState(&text); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Found{want, mustSearch(t, j, opts)} {
		all := f.Analysis.Warnings
		if w := all[len(all)-1]; w.ID != "no-solver" || !strings.Contains(w.Text, "no-such-solver") {
			t.Errorf("warnings %v", all)
		}
		if diff := cmp.Diff(want.Search, f.Search); diff != "" {
			t.Error(diff)
		}
	}
	opts.Strategies = []string{"gdivan"}
	if _, err := runOn(context.Background(), j, opts); err == nil || !strings.Contains(err.Error(), "gdivan needs a search of its own") {
		t.Error(err)
	}
	opts.Resume = nil
	if _, err := runOn(context.Background(), j, opts); err == nil || !strings.Contains(err.Error(), "no-such-solver") {
		t.Error(err)
	}
}

// A job may say the sizes of its launches alone.
func TestGuidedSizesOfLaunches(t *testing.T) {
	opts := searchOptions(12, "guided")
	opts.Explore.Solver = "no-such-solver"
	f := mustSearch(t, jobtest.Load(t, kernels.Suite(), "relaxation/application.toml", ""), opts)
	if got := f.Search.Strategies[0]; got.Runs != 12 || got.Faults > 0 || got.Cycles == 0 {
		t.Errorf("%+v", got)
	}
}

// A search ends after a time, by every strategy, if no number of runs is asked for.
func TestTime(t *testing.T) {
	j := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule)
	opts := searchOptions(0, "guided", "random")
	opts.Explore.Solver, opts.Time, opts.Settings.Patience = "no-such-solver", 300*time.Millisecond, 0
	f, err := runOn(t.Context(), j, opts)
	for err != nil && strings.Contains(err.Error(), "no input was run") { // the computer is slow
		opts.Time *= 2
		f, err = runOn(t.Context(), j, opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	d := f.Search
	for _, x := range d.Strategies {
		if x.Stop != "time" || x.Runs == 0 || x.Cycles == 0 {
			t.Errorf("%+v", x)
		}
	}
	if d.Interrupted || d.Settings.Runs != 0 || d.Settings.Seconds != opts.Time.Seconds() || d.Runs() == 0 {
		t.Errorf("%+v", d)
	}
}

// A search ends as soon as a run takes as long as a proven bound, and otherwise tells how far it is from that.
func TestGap(t *testing.T) {
	j := jobtest.Load(t, kernels.Suite(), "insertionSort/tiny.toml", "predictable-rr")
	for _, strategy := range []string{"guided", "random"} {
		opts := searchOptions(40, strategy)
		opts.Explore.Solver, opts.Bounds = smt.Z3().Name+"-is-missing", &analysis.Request{}
		d := mustSearch(t, j, opts).Search
		best := d.Strategies[0].Cycles
		if g := d.Gap; g == nil || g.Bound != best+g.Cycles || g.Cycles <= 0 || g.Share != float64(g.Cycles)/float64(g.Bound) || d.Strategies[0].Stop != "runs" {
			t.Fatalf("%s: gap %+v of a best of %d, %+v", strategy, g, best, d.Strategies[0])
		}
		var bound, run int64
		for i, p := range d.Gap.Parts {
			if p.Bound != nil {
				bound += *p.Bound
			}
			if p.Run != nil {
				run += *p.Run
			}
			if i > 0 && p.Weight() > d.Gap.Parts[i-1].Weight() || p.Run != nil && p.Pos == "" {
				t.Errorf("%s: part %+v", strategy, p)
			}
		}
		if bound != d.Gap.Bound || run <= best/2 || run > best { // what no block takes is left out of the run
			t.Errorf("%s: parts make %d of %d cycles of the bound, and %d of %d of the run", strategy, bound, d.Gap.Bound, run, best)
		}
		for _, b := range d.Below {
			if b.Evidence == estimate.Proven && b.Cycles < d.Gap.Bound {
				t.Errorf("%s: %s is below the least proven bound", strategy, b.Method)
			}
		}
		s, err := newSearching(j.Platform, j.Workload, opts)
		if err != nil {
			t.Fatal(err)
		}
		if s.prove(context.Background()); s.enough != d.Gap.Bound {
			t.Errorf("the search would end at %d, the bound is %d", s.enough, d.Gap.Bound)
		}
		if err := s.plan(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.enough = best
		if err := s.run(context.Background(), strategy); err != nil || s.results[0].Stop != "proven" || s.best < best {
			t.Errorf("%s: stopped with %q at %d, error %v", strategy, s.results[0].Stop, s.best, err)
		}
		if err := s.fitness.close(); err != nil {
			t.Error(err)
		}
	}
}

// In a quarter of the runs that all inputs of a small sort take, guided comes within a fiftieth of the worst case with any seed.
func TestGuidedNearExact(t *testing.T) {
	for _, kernel := range []string{"insertionSort", "knapsack", "petriSmall"} {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			j := jobtest.Load(t, kernels.Suite(), kernel+"/tiny.toml", "")
			longest, inputs, err := SimulateExhaustively(context.Background(), j.Platform, j.Workload, 1<<13)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range int64(5) {
				opts := searchOptions(inputs/4, "guided")
				opts.Explore.Solver, opts.Settings.Patience = "no-such-solver", 0
				s, err := newSearching(j.Platform, j.Workload, opts)
				if err != nil {
					t.Fatal(err)
				}
				s.opts.Settings.Seed = seed
				if err := s.all(context.Background()); err != nil {
					t.Fatal(err)
				}
				if s.best > longest || float64(s.best) < 0.98*float64(longest) {
					t.Errorf("seed %d: %d cycles of %d", seed, s.best, longest)
				}
				if err := s.fitness.close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestConcurrentExploring: guided has run its first inputs when the solver answers for the first time, and with a limited time goes on until it does. The
// result of a number of runs is that of a search which knew the plan before.
func TestConcurrentExploring(t *testing.T) {
	needSolvers(t)
	j := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule)
	opts := searchOptions(100, "guided")
	var states []*State
	opts.Save = func(s *State, _ *workload.SavedInputs) error {
		copied := *s
		states = append(states, &copied)
		return nil
	}
	want := mustSearch(t, j, opts)
	if first := states[0]; first.Guided.Runs != 10 || first.Guided.Joined != 0 {
		t.Errorf("the first state has %d runs, and atoms since generation %d", first.Guided.Runs, first.Guided.Joined)
	}
	last := states[len(states)-1]
	if last.Guided.Joined != 1 || last.Plan == nil || len(last.Plan.Atoms) == 0 {
		t.Errorf("atoms since generation %d of %d", last.Guided.Joined, last.Guided.Generation)
	}
	opts.Save, opts.Before = nil, last
	if diff := cmp.Diff(want.Search, mustSearch(t, j, opts).Search); diff != "" {
		t.Error("with a plan that was known:", diff)
	}
	opts.Before = nil
	for _, s := range states {
		opts.Resume = s
		if diff := cmp.Diff(want.Search, mustSearch(t, j, opts).Search); diff != "" {
			t.Errorf("resumed after %d runs: %s", s.Guided.Runs, diff)
		}
	}
	opts.Resume, opts.Time = nil, time.Hour
	s, err := newSearching(j.Platform, j.Workload, opts)
	if err != nil {
		t.Fatal(err)
	}
	s.exploration = &exploration{done: make(chan struct{}), plan: last.Plan}
	if plans, err := s.atoms(t.Context()); plans != nil || err != nil {
		t.Errorf("a search in limited time waits for the plan: %v", err)
	}
	close(s.exploration.done)
	if plans, err := s.atoms(t.Context()); err != nil || len(plans) != 1 || plans[0] != last.Plan {
		t.Errorf("it does not take the plan: %v", err)
	}
}

// TestPathsAreKept: a search with another seed begins with the paths that one before found, unless they were found in another way.
func TestPathsAreKept(t *testing.T) {
	needSolvers(t)
	var before *State
	for _, c := range []struct {
		name    string
		seed    int
		threads int
		module  string
		found   bool // anew
	}{
		{"first", 1, 2, jobtest.MatchModule, true},
		{"another seed", 2, 2, jobtest.MatchModule, false},
		{"fewer threads", 1, 1, jobtest.MatchModule, true},
		{"another module", 1, 1, jobtest.MatchModule + "\n", true},
	} {
		j := jobtest.Text(t, jobtest.MatchJob, c.module)
		j.Workload.Spec.Seed = int64(c.seed)
		opts := searchOptions(40, "gdivan")
		opts.Explore.Threads, opts.Before = c.threads, before
		paths := 0
		opts.Progress = func(p Progress) { paths = p.Paths }
		opts.Save = func(s *State, _ *workload.SavedInputs) error {
			before = s
			return nil
		}
		f := mustSearch(t, j, opts)
		if (paths > 0) != c.found || f.Search.Explored == nil {
			t.Errorf("%s: %d paths found, %+v", c.name, paths, f.Search.Explored)
		}
	}
}
