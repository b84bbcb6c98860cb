package warpbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/instrument"
	"warpbound/internal/ipet"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/provenance"
	"warpbound/internal/trace"
)

// AnalyzeOptions say how a job is analysed.
type AnalyzeOptions struct {
	Vectors   int       // random test vectors to run; 0 for the job's number
	MaxCycles int64     // give up a run after so many cycles; 0 for 2^30
	Methods   []string  // names of Methods to report; nil for all
	Ipoints   Placement // blocks to record; nil for every block

	// Inputs are run after the random test vectors, and count like these.
	Inputs []SavedInputs

	// Repeats is how often a device runs each input; 0 for 3, or for 1 on what stands in for a
	// GPU. Simulators run each input once.
	Repeats int

	// EndToEnd measures only how long runs take. Nothing is recorded, and there are no
	// estimates of the hybrid methods.
	EndToEnd bool

	// Observe makes runs although no method that is asked for needs them.
	Observe bool

	// PublishedEdges takes the edges that Fig. 3 of Betts and Donaldson adds to the
	// flow graph instead of all that divergence can make. They are incomplete: a
	// run that makes another transition is an error.
	PublishedEdges bool

	// Traces are read instead of running the job, in the binary format or as CSV;
	// TracesName is their name for messages.
	Traces     io.Reader
	TracesName string

	LP       io.Writer             // where to write the path model in CPLEX LP format; nil for nowhere
	Proof    io.Writer             // where to write the certificate of the longest path of a warp; nil for nowhere
	Progress func(done, total int) // called after each run, by one goroutine at a time; may be nil
}

// Analyze bounds the worst-case execution time of the job. For the hybrid methods it runs
// the job's test vectors, or reads traces, builds the profile of all transitions between
// Ipoints, and composes them to estimates. Static methods need no runs, and none are made
// if only these are asked for. The result does not depend on the number of processors.
//
// It is an error if the job has several launches in a run, if the kernel has a loop without exit,
// if a run fails, if a trace is
// damaged or does not belong to the kernel, if there are both traces and saved inputs, if an annotated bound is contradicted by a
// run, or if a static method is asked for by name that has no bound.
func (j *Job) Analyze(ctx context.Context, opts AnalyzeOptions) (*Analysis, error) {
	if err := j.oneLaunch("an analysis bounds"); err != nil {
		return nil, err
	}
	if endless := j.graph.Endless(); len(endless) > 0 {
		return nil, endless[0]
	}
	if opts.Traces != nil && opts.Inputs != nil {
		return nil, fmt.Errorf("%s: inputs are run only where no traces are read", j.Name())
	}
	a := j.analysis()
	estimates, warnings, err := j.static(ctx, &opts)
	if err != nil {
		return nil, err
	}
	if opts.measured() {
		found, err := j.measured(ctx, &opts, a)
		if err != nil {
			return nil, err
		}
		warnings = append(warnings, found...)
	}
	a.Estimates = append(a.Estimates, estimates...)
	explain(a.Estimates)
	a.Warnings = estimate.Warnings(slices.Concat(j.warnings, warnings))
	return a, nil
}

// measured adds what was observed, and the estimates of the hybrid method if warps of the
// job are at one place at a time.
func (j *Job) measured(ctx context.Context, opts *AnalyzeOptions, a *Analysis) ([]diag.Warning, error) {
	if opts.EndToEnd {
		return j.endToEnd(ctx, opts, a)
	}
	if j.division == nil || j.machine.Split.Mode.Value == machine.SplitNone {
		return j.hybrid(ctx, opts, a)
	}
	if opts.Traces != nil || opts.LP != nil || opts.Proof != nil || slices.ContainsFunc(opts.Methods, measures) {
		return nil, &diag.UnsupportedError{Methods: []string{"hybrid/warp", "hybrid/dynamic", "hybrid/waves"}, Err: fmt.Errorf(
			"%s: the hybrid method needs warps that are at one place at a time, but wavefronts split in mode %s: set mode = \"none\" in the job's [split] table",
			j.Name(), j.Mode())}
	}
	var err error
	a.Runs, a.Observed, a.Inputs, err = j.observe(ctx, opts)
	return nil, err
}

// endToEnd adds how long runs take.
func (j *Job) endToEnd(ctx context.Context, opts *AnalyzeOptions, a *Analysis) ([]diag.Warning, error) {
	if opts.Traces != nil || opts.LP != nil || opts.Proof != nil || slices.ContainsFunc(opts.Methods, measures) {
		return nil, fmt.Errorf("%s: the hybrid method needs Ipoints, and none are recorded", j.Name())
	}
	if j.device != nil {
		_, warnings, err := j.measureOnDevice(ctx, nil, nil, opts, a)
		return warnings, err
	}
	var err error
	a.Runs, a.Observed, a.Inputs, err = j.observe(ctx, opts)
	return nil, err
}

// hybrid adds what was observed and the estimates of the hybrid method.
func (j *Job) hybrid(ctx context.Context, opts *AnalyzeOptions, a *Analysis) ([]diag.Warning, error) {
	code, ipg, err := j.points(opts)
	if err != nil {
		return nil, err
	}
	bounds, warnings, err := j.loopBounds(ipg)
	if err != nil {
		return nil, err
	}
	profile, found, err := j.profile(ctx, code, ipg, opts, a)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, found...)
	result, err := hybrid.Analyze(ctx, profile, bounds)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", j.graph.Kernel.Name, err)
	}
	if opts.LP != nil {
		if err := ipet.WriteLP(opts.LP, result.Model); err != nil {
			return nil, err
		}
	}
	if opts.Proof != nil {
		if err := ipet.WriteCertificate(opts.Proof, result.Solution.Certificate); err != nil {
			return nil, err
		}
	}
	if opts.Traces == nil && opts.Inputs == nil && !j.bound.Job.Varies() {
		warnings = append(warnings, diag.Warning{
			Pos: diag.Pos{File: j.bound.Job.File, Line: 1, Col: 1}, ID: "fixed-inputs",
			Text: "no input is drawn at random, so all runs would be the same: one was made",
		})
	}
	a.Runs, a.Observed = profile.Runs(), profile.Observed()
	for _, e := range result.Estimates() {
		if opts.wants(e.Method) {
			if d := a.Device; d != nil {
				e.Assumptions = append(e.Assumptions, fmt.Sprintf(
					"times are those of the kernel with recording code, with which it takes %.1f %% longer (observed)", d.Overhead.Percent))
			}
			a.Estimates = append(a.Estimates, e)
		}
	}
	return warnings, nil
}

// points returns the graph of the job's Ipoints, and the code that records them on a device.
func (j *Job) points(opts *AnalyzeOptions) (*instrument.Code, *hybrid.IPG, error) {
	if j.device != nil {
		return j.recording(opts.Ipoints, opts.PublishedEdges, j.flowFacts())
	}
	ipg, err := j.ipg(opts.Ipoints, opts.PublishedEdges, j.flowFacts())
	return nil, ipg, err
}

// profile reads traces or makes runs, and adds to a what is known of these beside their traces.
func (j *Job) profile(ctx context.Context, code *instrument.Code, ipg *hybrid.IPG, opts *AnalyzeOptions, a *Analysis) (*hybrid.Profile, []diag.Warning, error) {
	if opts.Traces != nil {
		p, err := j.readTraces(ctx, ipg, opts.Traces)
		if err != nil {
			return nil, nil, &diag.TraceError{File: opts.TracesName, Err: err}
		}
		return p, nil, nil
	}
	if j.device != nil {
		return j.measureOnDevice(ctx, code, ipg, opts, a)
	}
	p, inputs, err := j.measure(ctx, ipg, opts)
	a.Inputs = inputs
	return p, nil, err
}

// analysis returns an analysis without results.
func (j *Job) analysis() *Analysis {
	spec := j.bound.Job
	return &Analysis{
		Provenance: provenance.Of(),
		Job:        j.Name(), Kernel: j.graph.Kernel.Name,
		Machine: j.machine.Name, MachineHash: j.machine.Hash(), ModuleHash: j.module, JobHash: spec.Hash,
		Launch:    estimate.Launch{Grid: spec.Grid, Block: spec.Block},
		SplitMode: j.Mode(),
		Seed:      spec.Seed,
		Estimates: []Estimate{},
	}
}

// annotations returns the job's loop bounds, in its order. A place inside a loop
// stands for the innermost loop around it.
func (j *Job) annotations() ([]method.LoopBound, error) {
	var bounds []method.LoopBound
	loops := j.graph.Loops()
	for _, l := range j.bound.Loops {
		for _, instr := range l.Instrs {
			at := loops.Innermost(j.graph.BlockOf(instr))
			if at < 0 {
				return nil, diag.Errorf(l.Pos, "there is no loop around %s of kernel %s",
					j.graph.Name(j.graph.BlockOf(instr)), j.graph.Kernel.Name)
			}
			bounds = append(bounds, method.LoopBound{Header: loops.Loops[at].Header, Max: l.Bound, Pos: l.Pos})
		}
	}
	return bounds, nil
}

// loopBounds returns the job's loop bounds as those of the hybrid method. A bound of a
// loop whose iterations no transition surely shows can neither be used nor checked,
// which is a warning.
func (j *Job) loopBounds(ipg *hybrid.IPG) (hybrid.Bounds, []diag.Warning, error) {
	annotated, err := j.annotations()
	if err != nil {
		return nil, nil, err
	}
	stated := &method.Problem{Bounds: annotated}
	bounds := hybrid.Bounds{}
	var warnings []diag.Warning
	loops := j.graph.Loops()
	for _, l := range j.bound.Loops {
		for _, instr := range l.Instrs {
			at := loops.Innermost(j.graph.BlockOf(instr))
			if len(ipg.Loops[at].Iter) == 0 {
				warnings = append(warnings, diag.Warning{Pos: l.Pos, ID: "unused-loop-bound", Text: fmt.Sprintf(
					"the bound of loop %s has no effect and was not checked: with these Ipoints, no transition shows for certain that the loop goes back to its head",
					ipg.Loops[at].Name)})
				continue
			}
			header := loops.Loops[at].Header
			most, _ := stated.Annotated(header)
			bounds[header] = hybrid.LoopBound{Max: most, Evidence: estimate.Annotated}
		}
	}
	return bounds, warnings, nil
}

// flowFacts returns the job's flow facts over blocks.
func (j *Job) flowFacts() []method.Fact {
	var facts []method.Fact
	for _, f := range j.bound.Facts {
		fact := method.Fact{Name: f.Pos.String(), Min: f.Min, Max: f.Max, Evidence: estimate.Annotated}
		for _, t := range f.Sum {
			fact.Terms = append(fact.Terms, method.FactTerm{Block: j.graph.BlockOf(t.Instr), Coef: t.Coef})
		}
		facts = append(facts, fact)
	}
	return facts
}

// measure runs the test vectors on as many simulators as there are processors
// and merges what they saw. It returns how long the saved inputs took, too.
func (j *Job) measure(ctx context.Context, ipg *hybrid.IPG, opts *AnalyzeOptions) (*hybrid.Profile, []estimate.InputRun, error) {
	q := j.vectors(opts)
	workers := j.workers(q.total)
	profiles := make([]*hybrid.Profile, workers)
	var group sync.WaitGroup
	for w := range workers {
		profiles[w] = hybrid.NewProfile(ipg)
		group.Go(func() { j.work(ctx, q, ipg, opts.MaxCycles, profiles[w]) })
	}
	group.Wait()
	if q.err != nil {
		return nil, nil, q.err
	}
	merged := profiles[0]
	for _, p := range profiles[1:] {
		if err := merged.Merge(p); err != nil {
			return nil, nil, err
		}
	}
	return merged, q.inputs(), nil
}

// work runs vectors from q until there are none left.
func (j *Job) work(ctx context.Context, q *vectors, ipg *hybrid.IPG, maxCycles int64, p *hybrid.Profile) {
	t, err := j.target(asIs, ipg, SimulateOptions{MaxCycles: maxCycles})
	if err != nil {
		q.fail(0, err)
		return
	}
	var own job.Inputs
	var run trace.Run
	for v, in, ok := q.next(&own); ok; v, in, ok = q.next(&own) {
		run.Reset(v)
		out, err := t.Run(ctx, in, &run)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				err = fmt.Errorf("%s: %w", q.name(v), err)
			}
			q.fail(v, err)
			return
		}
		if err := run.Replay(p); err != nil {
			q.fail(v, err)
			return
		}
		q.done(v, out.Cycles)
	}
}
