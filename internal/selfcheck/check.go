package selfcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/study/differential"
	"warpbound/internal/workload"
)

// Analyze is the function that is checked: that of the list of methods, but in tests.
type Analyze func(context.Context, *platform.Job, analysis.Request) (*estimate.Analysis, error)

// vectors are the test vectors of the job that are run, besides one of each narrower job.
const vectors = 2

// maxCycles ends runs that never would.
const maxCycles = 1 << 30

// The kinds of violations.
const (
	kindBound   = "bound"   // a run takes longer than an estimate says
	kindResult  = "result"  // two executions of one thing have different outcomes
	kindFailure = "failure" // something that should work is refused
)

// violation says what does not hold of an instance.
type violation struct {
	estimate.Violation
	Stage string // of a failure
}

// same reports whether two violations are of the same kind, so that one may stand for the
// other.
func (v *violation) same(w *violation) bool {
	return w != nil && v.Kind == w.Kind && v.Method == w.Method && v.Stage == w.Stage
}

// answer is what a method says of an instance.
type answer struct {
	Method  string
	Other   bool    // it is not for the instance's machine
	Refusal string  // why there is no estimate; empty if there is one
	Ratio   float64 // of the estimate to the longest run that it must cover
}

// outcome is what the check of an instance gave. encoding/gob keeps all of it.
type outcome struct {
	Runs      int
	Invariant bool // one run says that all take the same time
	Answers   []answer
	Violation *violation // the first, or nil
}

// simulated is one simulated run.
type simulated struct {
	job    string
	vector int
	mode   string // how wavefronts split; empty where they do not
	cycles int64
	misses int64 // in a shared cache

	launches []estimate.LaunchTime // if there are several
}

// of returns the runs in a mode.
func of(runs []simulated, mode string) []simulated {
	return slices.DeleteFunc(slices.Clone(runs), func(s simulated) bool { return s.mode != mode })
}

func longest(runs []simulated) simulated {
	return slices.MaxFunc(runs, func(a, b simulated) int { return int(a.cycles - b.cycles) })
}

// checker checks instances.
type checker struct {
	methods []string
	analyze Analyze
}

// check simulates the runs of an instance and compares. The jobs are jobFile and those with
// narrower inputs. The error is that of ctx.
func (c *checker) check(ctx context.Context, fsys fs.FS, narrower []string) (*outcome, error) {
	out := &outcome{}
	var runs []simulated
	var job *platform.Job
	warp := int64(0) // longest time of one warp in the runs of the job itself
	for _, name := range append([]string{jobFile}, narrower...) {
		j, err := platform.LoadFS(fsys, name, "")
		if err != nil {
			out.Violation = failure("loading", name, 0, err)
			return out, nil
		}
		count := 1
		if name == jobFile {
			job, count = j, vectors
		}
		for _, mode := range modes(j) {
			other, err := inMode(j, mode)
			if err != nil {
				out.Violation = failure("splitting", name, 0, err)
				return out, nil
			}
			traced := name == jobFile && !j.Several() && mode == j.Mode() && (mode == "" || mode == "none")
			for vector := range count {
				run, alone, v := simulate(ctx, other, name, vector, traced)
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if out.Violation = v; v != nil {
					return out, nil
				}
				warp = max(warp, alone)
				runs = append(runs, run)
			}
		}
	}
	out.Runs = len(runs)
	if out.Invariant, out.Violation = invariant(ctx, job, runs); ctx.Err() != nil || out.Violation != nil {
		return out, ctx.Err()
	}
	if err := c.hold(ctx, job, runs, warp, out); err != nil {
		return nil, err
	}
	if v := out.Violation; v != nil && v.Kind == kindBound {
		return out, c.confirm(ctx, fsys, v)
	}
	return out, ctx.Err()
}

// modes returns the modes in which a job is run: its own is the first, empty if there are
// none.
func modes(j *platform.Job) []machine.SplitMode {
	own := j.Mode()
	return append([]machine.SplitMode{own}, slices.DeleteFunc(j.Modes(), func(m machine.SplitMode) bool { return m == own })...)
}

func inMode(j *platform.Job, mode machine.SplitMode) (*platform.Job, error) {
	if mode == j.Mode() {
		return j, nil
	}
	return j.Split(workload.SplitOptions{Mode: mode})
}

// simulate simulates one run and compares its results with those of executions without
// time. It also returns the longest time of a warp, if that is wanted.
func simulate(ctx context.Context, j *platform.Job, name string, vector int, warps bool) (simulated, int64, *violation) {
	var records bytes.Buffer
	opts := analysis.SimulateRequest{Vector: vector, MaxCycles: maxCycles}
	if warps {
		opts.Trace = &records
	}
	run, err := analysis.Simulate(ctx, j.Platform, j.Workload, opts)
	if err != nil {
		return simulated{}, 0, failure("simulating", name, vector, err)
	}
	if vector == 0 {
		if v := chain(ctx, j, name, vector, run); v != nil {
			return simulated{}, 0, v
		}
	}
	alone := &spans{}
	if warps {
		if err := alone.read(&records); err != nil {
			return simulated{}, 0, failure("reading the trace of", name, vector, err)
		}
	}
	if err := differential.Compare(ctx, j.Workload, run); err != nil {
		if differs := (*diag.DifferenceError)(nil); errors.As(err, &differs) {
			return simulated{}, 0, result(name, vector, "%v", err)
		}
		return simulated{}, 0, failure("executing", name, vector, err)
	}
	return simulated{name, vector, string(j.Mode()), run.Cycles, run.Counters["l2_misses"], run.Launches}, alone.longest, nil
}

// invariant reports whether a run whose inputs are followed says that all take the same time, and holds that against the
// runs of the instance in its own mode, and against those of more vectors of the job itself.
func invariant(ctx context.Context, job *platform.Job, runs []simulated) (bool, *violation) {
	const vectors = 20
	cycles, err := differential.Invariant(ctx, job.Platform, job.Workload, vectors, maxCycles)
	if differs := (*diag.DifferenceError)(nil); errors.As(err, &differs) {
		return true, result(jobFile, 0, "%v", err)
	}
	if err != nil {
		return false, failure("following", jobFile, 0, err)
	}
	if cycles == 0 {
		return false, nil
	}
	for _, run := range of(runs, string(job.Mode())) {
		if run.cycles != cycles {
			return true, result(run.job, run.vector, "inputs reach nothing in a run of %d cycles, but test vector %d of %s takes %d", cycles, run.vector, run.job, run.cycles)
		}
	}
	return true, nil
}

func failure(stage, job string, vector int, err error) *violation {
	return &violation{Stage: stage, Violation: estimate.Violation{
		Kind: kindFailure, Job: job, Vector: vector, Text: fmt.Sprintf("%s %s: %v", stage, job, err),
	}}
}

func result(job string, vector int, format string, args ...any) *violation {
	return &violation{Violation: estimate.Violation{
		Kind: kindResult, Job: job, Vector: vector, Text: fmt.Sprintf(format, args...),
	}}
}
