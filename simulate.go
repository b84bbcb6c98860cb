package warpbound

import (
	"context"
	"errors"
	"fmt"
	"io"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/platform"
	"warpbound/internal/study/profile"
)

// SimulateOptions say what one simulated run does.
type SimulateOptions struct {
	Vector      int       // which of the job's test vectors, from 0
	Adversarial string    // the inputs of this name (estimate.AdversarialRun) instead, unless it is empty
	MaxCycles   int64     // give up after so many cycles; 0 for 2^30
	Trace       io.Writer // where to write the Ipoint trace; nil for nowhere
	TraceCSV    bool      // as CSV instead of the binary format
	Ipoints     Placement // blocks to record
	Out         io.Writer // where what the kernel prints goes; nil for nowhere
	Races       bool      // look for data races, on one core, also of other orders of warps: Races is a list then
	Chain       bool      // find the chain of causes, on one core
	Cores       int       // that may simulate the run together; 0 for one. The run is the same in every bit

	// OneCore, unless nil, is told why a run of many CTAs keeps to one core although it may use more:
	// what the kernel does that makes it so, as in "kernel k uses atomics".
	OneCore func(why string)
	// Step, unless nil, is called after every instruction that a warp executes: in the order of cycles for the warps of one SM.
	Step func(*estimate.Step)
	// Access, unless nil, is called for every access to the last-level cache that the cores of an integrated machine share, in the cache's order.
	Access func(*estimate.LLCAccess)
}

// Run is what one simulated run gave.
type Run struct {
	estimate.Simulation
	buffers map[string][]byte
}

// Buffer returns the contents of a buffer of the job after the run, little-endian, or nil if the job has none of that name.
func (r *Run) Buffer(name string) []byte { return r.buffers[name] }

// Simulate runs the job once on its machine. Two runs of one job, seed and vector are the same in every bit. What threads read of shared
// and local memory and of the heap that nothing had written is among the warnings. A fault of the program, a barrier that is never
// satisfied and a run beyond the cycle limit are errors that name the place. If ctx ends, the error is that of ctx, and the run, unless
// nil, tells how many cycles were simulated.
func (j *Job) Simulate(ctx context.Context, opts SimulateOptions) (*Run, error) {
	run, err := analysis.Simulate(ctx, j.on.Platform, j.on.Workload, analysis.SimulateRequest{
		Vector: opts.Vector, Name: opts.Adversarial, MaxCycles: opts.MaxCycles, Trace: opts.Trace, TraceCSV: opts.TraceCSV,
		Ipoints: opts.Ipoints.at, Out: opts.Out, Step: opts.Step, Access: opts.Access,
		Cores: opts.Cores, OneCore: opts.OneCore, Races: opts.Races, Chain: opts.Chain,
	})
	if run == nil {
		return nil, err
	}
	return &Run{run.Simulation, run.Buffers}, err
}

// ProfileOptions say what is profiled.
type ProfileOptions struct {
	Run       estimate.LongestRun // of an analysis of the job on its simulated machine
	Inputs    *SavedInputs        // of the run; nil for those that Run names
	MaxCycles int64               // give up after so many cycles; 0 for 2^30

	// Issue, unless nil, is called for every instruction of a job with one launch, in the order of cycles for each warp.
	Issue func(*estimate.WarpIssue)
}

// ErrDevice is the error of Profile for a job on a device.
var ErrDevice = errors.New("only runs on simulators are profiled")

// Profile makes a run of an analysis of a job once more, and says where its time goes: by lines, over time, and by what caused what. It is an
// error on a device, and if the run takes another time than it did.
func Profile(ctx context.Context, j *Job, opts ProfileOptions) (*estimate.Profile, error) {
	if platform.IsDevice(j.on.Platform.Name()) {
		return nil, fmt.Errorf("%s: %w", j.on.Platform.Name(), ErrDevice)
	}
	in, err := analysis.Adversarial(j.on.Workload, opts.Run.Adversarial)
	if opts.Inputs != nil {
		in = opts.Inputs.saved.Inputs
	}
	if err != nil {
		return nil, err
	}
	return profile.Of(ctx, j.on.Platform, j.on.Workload, profile.Options{Run: opts.Run, Inputs: in, MaxCycles: opts.MaxCycles, Issue: opts.Issue})
}
