// Package runner is the contract of whatever runs workloads: simulators and devices. A Platform
// is a machine or a device that jobs name; it opens Runners, which run one workload again and
// again, each time on other inputs.
//
// What measures and what searches sees this package alone, so that it does not tell a simulator
// from a GPU. runner must not import simulators, drivers or methods.
package runner

import (
	"context"
	"errors"
	"io"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/job"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Platform is what a workload runs on. It does not change.
type Platform interface {
	workload.Target

	// Name is the name by which jobs ask for it.
	Name() string
	// Described is an error that says why static methods have no bound there: its machine is
	// not described well enough.
	Described() error
	// Clocks says what the clocks of its multiprocessors have in common.
	Clocks() trace.Clocks
	// Workers returns how many runners with the same options make n runs beside each other.
	Workers(n int, opts Options) int
	// Repeats returns how often each input is run if a user asks for n, or for nothing (0).
	Repeats(n int) int
	// Recordable returns the blocks of the first kernel of a workload that can carry an Ipoint
	// where all of chosen are to carry one.
	Recordable(w *workload.Workload, chosen []bool) ([]bool, error)
	// Open makes a runner. It is an error if the launch does not fit the machine, or if the
	// platform cannot do what the options ask for.
	Open(w *workload.Workload, opts Options) (Runner, error)
}

// Options say what a runner does besides running.
type Options struct {
	MaxCycles int64     // a run that takes longer is an error; 0 for 2^30
	Record    []*Record // what to record, by launch of a run (job.Job.Runs); nil for nothing
	Repeats   int       // how often the caller runs each input, as Platform.Repeats says
	Averaged  bool      // the time of a run is the mean of several, where times vary
	Checked   bool      // tell of reads of memory that nothing has written
	Races     bool      // look for data races, on one core, and in other orders of warps if these decide what threads do
	Unordered bool      // with Races: program order orders nothing for other lanes of a warp, even in lock-step
	Chain     bool      // find the chain of causes of each run, on one core
	Follow    bool      // follow what the sampled inputs reach, on one core
	Reach     bool      // a run ends where they first reach what its time depends on; with Follow
	Orders    bool      // what nothing but the order of threads decides is followed as inputs are; with Follow
	Out       io.Writer // where what the kernel prints goes; nil for nowhere
	Cores     int       // that may simulate one run together; one if it is less

	// OneCore, unless nil, is called if a run of many CTAs keeps to one core although it might use more,
	// the first time with what the kernel does that makes it so, as in "kernel k uses atomics".
	OneCore func(why string)

	// Issue, unless nil, is called for every instruction that a warp executes, in the order of
	// cycles for the warps of one multiprocessor.
	Issue func(*Issue)
	// Step is the same for people.
	Step func(*estimate.Step)
	// Access, unless nil, is called for every access to a last-level cache that cores share, in
	// the order in which the cache serves them.
	Access func(*estimate.LLCAccess)
}

// DefaultCycles is the limit of a run unless a caller gives another, in cycles.
const DefaultCycles = 1 << 30

// Limit returns the limit of a run in cycles.
func (o *Options) Limit() int64 {
	if o.MaxCycles == 0 {
		return DefaultCycles
	}
	return o.MaxCycles
}

// Recorded returns what is to be recorded of a launch, nil for nothing.
func (o *Options) Recorded(launch int) *Record {
	if launch >= len(o.Record) {
		return nil
	}
	return o.Record[launch]
}

// Record says what a runner records of a launch.
type Record struct {
	Chosen []bool         // by block: it was to carry an Ipoint
	Points []trace.Ipoint // by instruction, which carries an Ipoint; trace.None for none
	// Graph tells which Ipoint can follow which.
	Graph interface {
		Follows(from, to trace.Ipoint) bool
	}
}

// Issue is an instruction that a warp executed.
type Issue struct {
	Launch        int   // by job.Job.Runs
	Execution     int   // of the launch, from 0
	Cycle         int64 // in which it issued, since this execution began
	SM, CTA, Warp int   // the CTA in the grid, the warp in the CTA
	Split         int   // the split SIMD on which a part of a split wavefront executes, from 1; else 0
	PC            int   // index of the instruction in the kernel

	Alive, Active, Executed uint64 // lanes that have not exited, that the warp ran with, and of those lanes whose guard held

	Wait string // with Options.Chain: what the warp waited for last, a kind of its chain of causes

	// Counter tells the counters of a simulator apart, which count for an SM or for the whole run, and Transactions is how many lines of global and
	// local memory had been accessed before, by that counter: so the difference to the next issue of the same counter is that of this one.
	Counter      int
	Transactions int64
}

// Runner runs a workload again and again. It may be used by one goroutine at a time.
type Runner interface {
	// Run runs the workload on in and gives rec, unless it is nil, the Ipoint records of all
	// launches. The outcome is valid until the next Run.
	Run(ctx context.Context, in *job.Inputs, rec *Recorder) (*Outcome, error)
	// Report tells what the runs so far showed beside their outcomes.
	Report() Report
	// Close gives back what the runner holds.
	Close() error
}

// Recorder takes the records of a run, launch after launch. A runner calls Begin and End around each.
type Recorder struct {
	Number int // of the run, from 0
	// Take takes what an execution of a launch recorded, which is valid until it returns.
	Take func(launch int, run *trace.Run) error

	run trace.Run
}

// Begin returns where the records of a launch go, nil if r is.
func (r *Recorder) Begin() *trace.Run {
	if r == nil {
		return nil
	}
	r.run.Reset(r.Number)
	return &r.run
}

// End hands on the records of a launch, unless r is nil.
func (r *Recorder) End(launch int) error {
	if r == nil {
		return nil
	}
	return r.Take(launch, &r.run)
}

// ErrTrace is the error of a run with several launches of which a trace is wanted.
var ErrTrace = errors.New("a trace holds one launch, and the job has several in a run")

// ErrRaces is the error of a platform that is asked to look for data races and does not simulate.
var ErrRaces = errors.New("data races are looked for on simulated machines")

// ErrChain is the error of a platform that is asked for the chain of causes of a run and does not simulate.
var ErrChain = errors.New("chains of causes are found on simulated machines")

// ErrFollow is the error of a platform that is asked to follow inputs and does not simulate.
var ErrFollow = errors.New("inputs are followed on simulated machines")

// Reached is a place where sampled inputs reach what the time of a run depends on.
type Reached struct {
	Pos  diag.Pos        // of the instruction; where the job says at what the host looks, if it is the host
	What string          // that they can change, as in "an address"
	By   estimate.Source // what comes there
	// Chain is by which instructions it comes there, from the last one back to the input.
	Chain []Link
}

// Link is an instruction that hands on what an input can change, or the input.
type Link struct {
	Pos  diag.Pos
	Text string
}

// Outcome is what a run gave.
type Outcome struct {
	Cycles     int64      // from launch to last retirement, of all launches together
	Rounds     int        // executions of the first launch
	Launches   []Launch   // by job.Job.Runs
	Buffers    [][]byte   // contents after the run, by parameter; nil for what is no buffer
	Statistics Statistics // what a simulator counted; nil if the runner is none
	Turned     bool       // diverged paths of a warp took turns, in a simulator

	// Of a run whose inputs are followed (Options.Follow): they reach nothing that time depends on, so that a run takes
	// the same time with whatever is sampled, and has the same records; or the first place where they do.
	Invariant bool
	Reached   *Reached
}

// Launch adds up the executions of one of the launches of a run.
type Launch struct {
	Kernel     string
	Executions int
	Cycles     int64 // of all executions
	Min, Max   int64 // of one, in cycles
}

// Reset makes it one without executions.
func (l *Launch) Reset() { *l = Launch{Kernel: l.Kernel} }

// Add adds an execution.
func (l *Launch) Add(cycles int64) {
	if l.Executions == 0 {
		l.Min = cycles
	}
	l.Executions++
	l.Cycles += cycles
	l.Min, l.Max = min(l.Min, cycles), max(l.Max, cycles)
}

// UninitialisedRead is the warning that a kernel reads memory that nothing has written.
const UninitialisedRead = "uninitialised-read"

// PathsTookTurns is the warning that diverged paths of a warp took turns, because threads are scheduled independently.
const PathsTookTurns = "paths-took-turns"

// Statistics are what a simulator counted in a run.
type Statistics interface {
	// Describe adds the figures to a result.
	Describe(s *estimate.Simulation)
	// Novelty appends the counters that tell what a run met with besides time, in the order of
	// NoveltyCounters.
	Novelty(to []int64) []int64
	// Warnings tells of reads of memory that nothing had written, of barriers that only some threads
	// reached, of paths that took turns, and of what the manual leaves undefined.
	Warnings() []diag.Warning
	// Races are the data races of the run, and behind them those with its inputs in other orders of warps: none unless
	// Options.Races asks for them.
	Races() []estimate.Race
	// Chain is the chain of causes of the run; without segments unless Options.Chain asks for it.
	Chain() *estimate.Chain
}

// NoveltyCounters returns the names of the counters that a search may take for novelty, in a fixed
// order. Those that a platform does not have are 0.
func NoveltyCounters() []string {
	return []string{
		"divergent_branches", "serialised_atomics", "shared_conflicts", "const_replays", "transactions",
		"l1_misses", "l2_misses", "l2_write_backs", "dram_row_misses", "throttled_cycles", "splits", "warp_instructions",
	}
}

// Report is what runs showed beside their outcomes.
type Report struct {
	Device   *estimate.Device      // conditions and times of a device; nil of a simulator
	Runs     int                   // of the device
	Observed *estimate.Observation // times of a device by events, in cycles of the highest clock
	Warnings []diag.Warning
}

// UnusableError says that a platform cannot be used, which says nothing of the inputs that were to be run.
type UnusableError struct{ Err error }

// Error returns the message of the cause.
func (e *UnusableError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnusableError) Unwrap() error { return e.Err }
