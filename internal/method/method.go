// Package method is the contract of the methods that bound the time of a launch: what they are told
// (Problem), what they answer (Answer), and what can be asked of any of them (Method). A method is
// a value of a package of its own below this one; which of them there are is for others to list.
//
// method imports what describes a launch: cfg, semantics, machine, absexec, flow/value, ipet, estimate, trace
// and diag. It must not import a method, nor what runs, simulates or loads kernels.
package method

import (
	"context"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/ipet"
	"warpbound/internal/machine"
	"warpbound/internal/trace"
)

// Name describes one of the estimates that a method makes.
type Name struct {
	ID      string // for example static/cta, by which users ask for it
	Explain string // one line for reports: what the figure is a bound of, and what it is made of
	// Part is what the estimate bounds if that is not the launch: a warp, for example.
	Part string
}

// Method is a way to bound the time of a launch. It is Static, Followed or Measured.
type Method interface {
	// Names describes the estimates, in the order in which they are made: at least one.
	Names() []Name
	// Applies returns nil if launches on the machine can have a bound, and otherwise why
	// none has. Of a machine that splits wavefronts the mode is as the machine says.
	Applies(m *machine.Machine) error
}

// Static is a method that needs no runs.
type Static interface {
	Method
	// Bound bounds the time of every run of the launch. Errors are that of Applies, that of ctx,
	// and reasons that lie in the kernel, with position.
	Bound(ctx context.Context, p *Problem) (*Answer, error)
}

// Warmed is a static method that bounds launches also where they find in a shared cache what earlier ones left there.
type Warmed interface {
	Static
	// Touches tells which lines of the shared cache every run of the launch accesses, whatever the contents of its inputs
	// and of its buffers. Where too little is known, it says so in Touched.Any. The error is that of ctx.
	Touches(ctx context.Context, p *Problem) (*Touched, error)
}

// Followed is a method that needs one run, in which inputs are followed to all that its time depends on.
type Followed interface {
	Method
	// Conclude says what such a run tells of every run. It is an error, with position, if that is nothing.
	Conclude(r *Run) (*Answer, error)
}

// Run is a run of which is known what its inputs reach.
type Run struct {
	Machine    *machine.Machine
	Cycles     int64 // from launch to last retirement, of all its launches together
	Executions int   // of launches
	CPU        bool  // accesses memory meanwhile, as the job says

	ByLine *estimate.ByLine // what its chain of causes charges to lines; nil if nobody knows it

	// Reached is the first place where inputs reach what time depends on, and Unwritten the first where the kernel reads memory that
	// nothing has written; nil if there is none.
	Reached   *estimate.Sink
	Unwritten *diag.Warning
}

// Measured is a method that needs to know when warps passed which Ipoints in runs.
type Measured interface {
	Method
	// Reads returns nil if runs can be recorded whose cycles count as clocks says, and otherwise why not.
	Reads(clocks trace.Clocks) error
	// Record says which Ipoints are to be recorded. It is an error if at fails, or if something
	// in the problem is about a place that no Ipoint shows.
	Record(p *Problem, at Placement) (Recording, error)
}

// Recording is what a measured method wants to know of runs, and makes of what it got to know.
type Recording interface {
	// Ipoints describes the Ipoints that are to be recorded.
	Ipoints() []trace.IpointInfo
	// Points returns the Ipoint of each instruction of the kernel, which a warp passes when it
	// issues the instruction; trace.None where there is none.
	Points() []trace.Ipoint
	// Follows reports whether a warp that passed one Ipoint may pass another one next.
	Follows(from, to trace.Ipoint) bool
	// Sink returns what takes runs whose cycles count as clocks says, for one goroutine.
	Sink(clocks trace.Clocks) trace.Sink
	// Interleaved tells, before Bound, that diverged paths of a warp took turns in some run.
	Interleaved()
	// Invariant tells, before Bound, that no input that is sampled reaches what the time of runs depends on.
	Invariant()
	// Bound bounds the time of the launch from what the sinks took, of which each is one that Sink
	// returned for the same clocks, used for other runs and without error. They may take further runs
	// after that, and be bounded again. Errors are that of ctx, and reasons that lie in the runs.
	Bound(ctx context.Context, sinks []trace.Sink) (*Answer, error)
}

// Reserving is a Recording whose estimate rests the more on the runs, the nearer it is to the longest of them.
type Reserving interface {
	Recording
	// Reserve says how far above the longest run an estimate is to be, in thousandths. alike says that less is enough where several runs take as
	// long as that.
	Reserve(thousandths int64, alike bool)
}

// Answer is what a method says of a launch.
type Answer struct {
	Estimates []estimate.Estimate // in the order of Names
	Warnings  []diag.Warning      // what makes estimates greater than they need to be, or is not as expected

	Runs     int                   // that were recorded
	Observed *estimate.Observation // how long they took; nil of a static method

	Coverage *estimate.Coverage // what the runs exercised; nil of a method that cannot tell

	Model       *ipet.Model       // of the longest path of a warp; nil if there is no such model
	Certificate *ipet.Certificate // that no path of it is longer; nil if there is none
}
