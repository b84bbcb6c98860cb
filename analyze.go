package warpbound

import (
	"context"
	"io"
	"time"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/fleet"
	"warpbound/internal/fleet/runs"
	"warpbound/internal/method"
	"warpbound/internal/study/sensitivity"
	"warpbound/internal/workload"
)

// AnalyzeOptions say what is asked of an analysis, how it is run, and what it writes.
type AnalyzeOptions struct {
	Methods []string  // names of Methods to report; nil for all
	Ipoints Placement // blocks to record

	// PublishedEdges takes the edges that Fig. 3 of Betts and Donaldson adds to the flow graph instead of all that divergence
	// can make. They are incomplete: a run that makes another transition is an error.
	PublishedEdges bool

	Runs  Runs
	Write Artifacts

	// Sensitivity analyses the job again on so many machines whose numbers are sampled from the ranges that the description of
	// its machine states, all of them together, and says how far results move (estimate.Analysis.Sensitivity); 0 for none. It is an error if there is
	// no range, if traces are read, or if the job was changed since it was loaded.
	Sensitivity int
	// Policies also runs the test vectors under every choice of policies that the machine leaves, and says how far the times of runs
	// are from each other (estimate.Analysis.Policies). No estimate depends on it. It is an error where machines leave no choice.
	Policies bool
	// Placements analyses the job again so often with its buffers at other addresses, drawn by the job's seed, and says how far results move
	// (estimate.Analysis.Placements). No estimate depends on it. It is an error on a device, and if there is no buffer or traces are read.
	Placements int
	// Sampled is called after each of these machines and placements; may be nil.
	Sampled func(done, total int)

	// Refusals lists methods that have no estimate (estimate.Analysis.Refused) although they are asked for by name, which
	// otherwise is an error.
	Refusals bool

	// Try, unless it is none, is a budget that proven bounds are held against. Runs are made as far as they can change the verdict.
	Try Budget

	// Phase, unless nil, is told what is done next: the name of a static method, "runs" or "races".
	Phase func(what string)

	// Grace is how long it may take to bound the runs so far if ctx ends; if it is 0 they are not bounded then.
	Grace time.Duration
}

// Runs say which runs an analysis makes, or reads the traces of.
type Runs struct {
	Vectors   int   // random test vectors to run; 0 for the job's number
	MaxCycles int64 // give up a run after so many cycles; 0 for 2^30

	// UntilStable ends the random test vectors before their number is reached when they have shown nothing new for long: none of
	// the last 50 or more, and of at least as many as were run before these. This is no proof that others show nothing new. The
	// result is that of as many vectors as were run.
	UntilStable bool

	RandomOnly bool // make no adversarial inputs, which otherwise are a third of ten vectors or more on a simulator
	// Inputs are run after the random test vectors, and count like these.
	Inputs []SavedInputs

	// Holdout is how many further test vectors, of another seed, are run to try the estimates (estimate.Estimate.Holdout); 0 for none.
	Holdout int

	// Repeats is how often a device runs each input; 0 for 3, or for 1 on what stands in for a GPU. Simulators run each input once.
	Repeats int

	EndToEnd bool // measure only how long runs take: nothing is recorded, and there are no estimates of the hybrid methods

	// Campaign is a directory that keeps what runs gave with their traces, which are not made again; "" for none. It is
	// an error if it has those of another job, machine, seed or tool, and on a device. Variants of the job are not kept.
	Campaign string
	// Fleet makes runs in workers, with the same result; none if its URL is "". It is an error if the job is not as its files say.
	Fleet Fleet

	Observe bool // make runs although no method that is asked for needs them

	// Traces are read instead of running the job, in the binary format or as CSV; TracesName is their name for messages.
	Traces     io.Reader
	TracesName string

	// Taken, unless nil, is told the time of each vector: of test vectors, then of saved inputs, then of held-out vectors, each in
	// their order, by one goroutine at a time. It is not told of runs of variants of the job.
	Taken    func(estimate.RunTime)
	Progress func(done, total int) // called after each run, by one goroutine at a time; may be nil
	// Begin, unless nil, is called before the first run, with how many are made at a time: once for each variant of the job.
	Begin func(atOnce int)

	// Cores and OneCore are as in SimulateOptions. They are for a run beside which there is no other.
	Cores   int
	OneCore func(why string)
}

// Artifacts are what an analysis writes besides its result.
type Artifacts struct {
	LP io.Writer // the path model in CPLEX LP format; nil for nowhere
	// Certificate is that of the one estimate that is asked for; if none is named, of the least of those with the
	// strongest evidence. Nil for nowhere.
	Certificate io.Writer
}

// Placement chooses the blocks whose execution is recorded (Ipoints). The zero Placement is every block.
type Placement struct {
	at   method.Placement
	text string
}

// ParsePlacement reads "blocks" (every block), "headers" (of loops), "every:N" (every N-th block) or "labels:NAME,NAME".
func ParsePlacement(s string) (Placement, error) {
	at, err := method.ParsePlacement(s)
	return Placement{at, s}, err
}

// Analyze bounds the worst-case execution time of the job. For the hybrid methods it runs the job's test vectors, or reads
// traces, builds the profile of all transitions between Ipoints, and finds the longest path of a warp. Static methods need no
// runs: none are made if only these are asked for. The result does not depend on the number of processors. Of a job with several
// launches in a run the estimates are of the whole, as sums over launches.
//
// It is an error if a kernel has a loop without exit, if a run fails, if a trace is damaged or does not belong to the kernel,
// if there are both traces and saved inputs, if a path or traces are asked for although the job has several launches in a
// run, or if a static method is asked for by name that has no bound. If ctx ends, the error is that of ctx, and the analysis,
// unless nil, is what was known until then: its Interrupted says what it lacks. Runs are those of the first test vectors, so
// that as many vectors give the same again with RandomOnly. Nothing is written then. If a run exceeds bounds, Void says which, and the error
// is a *diag.VoidBoundError if one is proven, else a *diag.ContradictionError.
func (j *Job) Analyze(ctx context.Context, opts AnalyzeOptions) (*estimate.Analysis, error) {
	req := opts.request()
	req.Try = opts.Try.is.MaxCycles(j.ClockHz())
	end, err := runs.Share(ctx, &req.Campaign, j.on, opts.Runs.Campaign, fleet.Config(opts.Runs.Fleet))
	if err != nil {
		return nil, err
	}
	defer end()
	answer, err := sensitivity.Analyze(ctx, j.on.Platform, j.on.Workload, req, sensitivity.Options{
		Samples: opts.Sensitivity, Policies: opts.Policies, Placements: opts.Placements, Progress: opts.Sampled, On: j.on.OnMachine, With: j.on.WithChange,
	})
	switch {
	case answer == nil:
		return nil, err
	case err != nil:
		return answer.Analysis, j.on.Reproduced(err, answer.LongestInputs(j.on.Workload))
	}
	return answer.Analysis, answer.Write(opts.Write.LP, opts.Write.Certificate)
}

// request is what the options ask for.
func (o *AnalyzeOptions) request() analysis.Request {
	r := &o.Runs
	return analysis.Request{
		Methods: o.Methods, Ipoints: o.Ipoints.at, PublishedEdges: o.PublishedEdges,
		Path: o.Write.LP != nil, Certify: o.Write.Certificate != nil, Placed: o.Ipoints.text,
		Campaign: campaign.Spec{Vectors: r.Vectors, UntilStable: r.UntilStable, Inputs: inputs(r.Inputs), Repeats: r.Repeats, Taken: r.Taken, Progress: r.Progress, Begin: r.Begin, Cores: r.Cores, OneCore: r.OneCore}, MaxCycles: r.MaxCycles,
		EndToEnd: r.EndToEnd, Observe: r.Observe, Adversarial: !r.RandomOnly, Holdout: r.Holdout, Traces: r.Traces, TracesName: r.TracesName,
		Refusals: o.Refusals, Phase: o.Phase, Grace: o.Grace,
	}
}

// inputs returns saved inputs as workloads have them.
func inputs(all []SavedInputs) []workload.SavedInputs {
	var out []workload.SavedInputs
	for _, s := range all {
		out = append(out, s.saved)
	}
	return out
}
