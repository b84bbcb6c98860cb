package analysis

import (
	"context"
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// follow makes the run that a method asks for, of the first test vector, and returns what the method concludes from it for whole runs,
// and for one execution of each launch if there are several.
func follow(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, m method.Followed) (answer *method.Answer, parts []*method.Answer, err error) {
	f, err := noted(req.Campaign.Keep, m.Names()[0].ID, func() (followed, error) { return followRun(ctx, p, w, req, m, nil) })
	if err != nil {
		return nil, nil, err
	}
	run := method.Run{Machine: w.Machine, CPU: w.Machine.Core == machine.Integrated && w.Spec.CPU.Stream != nil, Reached: f.Reached, Unwritten: f.Unwritten}
	conclude := func(cycles int64, executions int) (*method.Answer, error) {
		one := run
		one.Cycles, one.Executions = cycles, executions
		return m.Conclude(&one)
	}
	executions := 0
	if run.Reached != nil || run.Unwritten != nil {
		_, err = conclude(f.Cycles, 0)
		return nil, nil, err
	}
	for i := range f.Launches {
		l := &f.Launches[i]
		executions += l.Executions
		part, err := conclude(l.Max, 1)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, part)
	}
	if run.ByLine, err = chargeRun(ctx, p, w, req, &f, m.Names()[0].ID); err != nil {
		return nil, nil, err
	}
	if answer, err = conclude(f.Cycles, executions); err != nil {
		return nil, nil, err
	}
	if !w.Several() {
		parts = nil
	}
	return answer, parts, nil
}

// followShortly is follow for so long as a run may take that tries bounds.
func followShortly(
	ctx context.Context, p runner.Platform, w *workload.Workload, req Request, m method.Followed,
) (answer *method.Answer, parts []*method.Answer, err error) {
	limited, stop := context.WithTimeout(ctx, triedTime)
	defer stop()
	answer, parts, err = follow(limited, p, w, req, m)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("its run takes more than %v; analyze makes it to its end", triedTime)
	}
	return answer, parts, err
}

// followed is what is known of a run whose inputs were followed.
type followed struct {
	Cycles    int64
	Launches  []runner.Launch
	Reached   *estimate.Sink
	Unwritten *diag.Warning
}

// followRun makes such a run of the first test vector, and tells issue of each instruction unless that is nil.
func followRun(
	ctx context.Context, p runner.Platform, w *workload.Workload, req Request, m method.Followed, issue func(*runner.Issue),
) (f followed, err error) {
	r, err := p.Open(w, runner.Options{
		MaxCycles: req.MaxCycles, Repeats: 1, Follow: true, Reach: true, Orders: true, Checked: true, Issue: issue,
	})
	if errors.Is(err, runner.ErrFollow) {
		err = &diag.UnsupportedError{Methods: []string{m.Names()[0].ID}, Err: err}
	}
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := r.Run(ctx, w.First().Bound.Vector(0), nil)
	if err != nil {
		return f, err
	}
	return followed{out.Cycles, out.Launches, sink(out.Reached), unwrittenRead(out)}, nil
}

// sink is what a runner tells of what inputs reach.
func sink(r *runner.Reached) *estimate.Sink {
	if r == nil {
		return nil
	}
	s := &estimate.Sink{Pos: r.Pos.String(), What: r.What, By: r.By, SourceChain: []estimate.SourceLink{}}
	for _, l := range r.Chain {
		s.SourceChain = append(s.SourceChain, estimate.SourceLink{Pos: l.Pos.String(), Text: l.Text})
	}
	return s
}

// unwrittenRead returns the first read of memory that nothing had written, nil if there was none.
func unwrittenRead(out *runner.Outcome) *diag.Warning {
	for _, warning := range out.Statistics.Warnings() {
		if warning.ID == runner.UninitialisedRead {
			return &warning
		}
	}
	return nil
}
