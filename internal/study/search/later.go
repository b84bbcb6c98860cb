package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warpbound/diag"
	"warpbound/internal/adversary"
	"warpbound/internal/job"
	method "warpbound/internal/method/search"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
	"warpbound/internal/workload"
)

// Limits of the exploration of later launches. Together these have as many paths and questions as the first one has.
const (
	laterEach  = 2       // times that one of the job's launches is explored
	laterAll   = 6       // launches that are explored
	laterSteps = 1 << 27 // instructions of warps, of the run that leads to them
)

// laterSeed stands for the inputs of that run. They do not depend on the seed of the search, so that its paths do not.
const laterSeed = 1<<32 | 1

// exploresLater reports whether launches behind the first are explored for some strategies.
func exploresLater(w *workload.Workload, strategies []string) bool {
	return w.Several() && slices.Contains(strategies, string(method.Guided))
}

// later explores the launches behind the first of a run on sampled inputs, each as it begins. Buffers hold what the run has left
// there. Of those that vary, the ones that it has not changed are symbolic, as numbers are. What other inputs would leave there is
// not known, so that paths found may not exist and others be missed: atoms of them are suggestions, and no verdict rests on them. A launch
// that is executed again has atoms only if it takes new outcomes.
type later struct {
	solvers smt.Config
	common  method.TrimConfig // but for what belongs to a launch
	whole   *workload.Workload
	inputs  *job.Inputs // with buffers that vary
	until   time.Time
	begun   []int // how often each launch was, by job.Job.Runs
	count   int   // of launches explored
	covered map[launchOutcome]bool
	plans   []*method.Plan
	notes   []string
	stopped bool // because it took too long
}

// newLater explores until some time as the first launch was explored.
func newLater(s *searching, solvers smt.Config, first method.TrimConfig, until time.Time) *later {
	in := s.space.Sample(laterSeed)
	if s.space.Settle != nil {
		s.space.Settle(in)
	}
	whole := s.Whole()
	l := &later{
		solvers: solvers, common: first, whole: whole, inputs: s.fitness.whole(in), until: until,
		begun: make([]int, len(whole.Kernels)), covered: make(map[launchOutcome]bool), plans: []*method.Plan{},
	}
	counts, _ := whole.Spec.Executions()
	n := -1 // launches that may be explored
	for _, count := range counts {
		n += int(min(count, laterEach))
	}
	n = min(max(n, 1), laterAll)
	l.common.MaxPaths, l.common.MaxQueries = explorePaths/n, exploreQueries/n
	return l
}

// errEnough ends the run once there is nothing more to explore.
var errEnough = errors.New("all launches are explored")

// all explores launches until it has all or time is up. It is an error if ctx ends.
func (l *later) all(ctx context.Context) error {
	limited, cancel := context.WithDeadline(ctx, l.until)
	defer cancel()
	before := func(i int, e *workload.Emulator) error {
		first := !slices.ContainsFunc(l.begun, func(n int) bool { return n > 0 })
		if l.begun[i]++; first || l.begun[i] > laterEach {
			return nil
		}
		if err := l.explore(ctx, i, e); err != nil {
			return err
		}
		if l.count == laterAll || !slices.ContainsFunc(l.begun, func(n int) bool { return n < laterEach }) {
			return errEnough
		}
		return nil
	}
	err := workload.Emulate(limited, l.whole, l.inputs, workload.Emulation{Limit: laterSteps, Before: before})
	switch {
	case err == nil || errors.Is(err, errEnough):
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		l.stopped = true
	default:
		l.notes = append(l.notes, fmt.Sprintf("what a run launches behind an error is not explored: %v", err))
	}
	return nil
}

// explore explores a launch that begins. That it cannot be explored is noted.
func (l *later) explore(ctx context.Context, i int, e *workload.Emulator) error {
	c, k := l.common, l.whole.Kernels[i]
	c.Space = l.space(k, e.Buffers())
	if c.Space.Check() != nil {
		return nil // nothing varies
	}
	l.count++
	launch, addresses, err := e.Image()
	if err != nil {
		return err
	}
	c.Launch, c.Buffers, c.Limit = launch, symbolic(l.whole.Spec, addresses), max(1, time.Until(l.until))
	c.Relations, c.Integers = listRelations(k)
	name := fmt.Sprintf("%s in execution %d of launch %d of a run", k.Bound.Kernel.Readable(), l.begun[i], i+1)
	found, err := trim(ctx, l.solvers, c)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		l.notes = append(l.notes, fmt.Sprintf("%s is not explored: %v", name, err))
		return nil
	}
	l.stopped = l.stopped || found.Stopped
	kept := 0
	if fresh := l.cover(i, found); l.begun[i] == 1 || fresh {
		kept = len(found.Plan.Atoms)
	}
	if kept > 0 {
		l.plans = append(l.plans, found.Plan)
	}
	l.notes = append(l.notes, fmt.Sprintf("%s, with what one run has left in memory, has %d paths; inputs of %d are kept", name, len(found.Paths), kept))
	return nil
}

// launchOutcome is an outcome of a branch in a launch, by its number in job.Job.Runs.
type launchOutcome struct {
	launch         int
	branch, target diag.Pos
}

// cover notes which outcomes the paths of a launch take, and reports whether there are new ones.
func (l *later) cover(launch int, found *method.Trimmed) (fresh bool) {
	for _, o := range found.Outcomes {
		if at := (launchOutcome{launch, o.Branch, o.Target}); o.Verdict == symexec.Covered && !l.covered[at] {
			l.covered[at], fresh = true, true
		}
	}
	return fresh
}

// space returns what varies of the inputs of a launch, to which memory holds buffers when it begins.
func (l *later) space(k *workload.Kernel, buffers [][]byte) method.Space {
	s := l.common.Space
	s.Params = slices.Clone(s.Params)
	for i := range s.Params {
		switch p := &s.Params[i]; {
		case p.Count == 0:
		case l.whole.Spec.Params[i].Kind != job.Buffer:
			p.Array, p.Offset = adversary.NumberOf(k, i)
		case !bytes.Equal(buffers[i], l.inputs.Buffers[i]):
			p.Count = 0
		}
	}
	return s
}
