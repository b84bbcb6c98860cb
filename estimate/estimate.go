// Package estimate holds the results of all commands: what was observed, what each
// method bounds and what each bound rests on, with the methods' own figures; what runs,
// searches, splits, quotas and calibrations gave; and what is known of a module.
//
// The JSON names are a contract with the users of `--format json`; docs/schema.json
// describes them and is made of these types. The package computes nothing and imports
// only diag, so that programs which embed the tool can name all that is in a result.
package estimate

import (
	"slices"
	"strings"

	"warpbound/diag"
)

// Evidence tells how a fact is known.
type Evidence string

// The kinds of evidence, weakest first.
const (
	Observed  Evidence = "observed"  // seen in runs; other inputs may exceed it
	Annotated Evidence = "annotated" // stated by the user
	Proven    Evidence = "proven"    // follows from the program and the machine
)

var strength = []Evidence{Observed, Annotated, Proven}

// Weakest returns the weakest of the given evidence, Proven if there is none.
// Anything that is no evidence counts as the weakest.
func Weakest(evidence ...Evidence) Evidence {
	at := len(strength) - 1
	for _, e := range evidence {
		at = min(at, max(slices.Index(strength, e), 0))
	}
	return strength[at]
}

// Estimate is the answer of one method.
type Estimate struct {
	Method      string   `json:"method"` // for example "hybrid/dynamic"
	Cycles      int64    `json:"cycles"`
	Evidence    Evidence `json:"evidence"` // the weakest fact that it used
	Assumptions []string `json:"assumptions"`
	Detail      Detail   `json:"detail"` // the method's own figures
	Breakdown   []Share  `json:"breakdown,omitempty"`
	// ByLine says what the estimate charges to lines; nil of a method that cannot tell.
	ByLine *ByLine `json:"by_line,omitempty"`
	// Partition is nil if the bound was asked for all inputs at once, and else the figures are those of one part.
	Partition *Partition `json:"partition,omitempty"`

	// Numbers counts those of the machine on which the estimate may depend; nil if the machine does not say what any of its
	// numbers rests on: then it is a model by definition.
	Numbers *Numbers `json:"numbers,omitempty"`

	// Solver is what proved bounds of loops on which the estimate rests; nil if no solver did.
	Solver *Solver `json:"solver,omitempty"`

	// Holdout tells how an estimate does on test vectors that it is not made of; nil if it was not tried.
	Holdout *Holdout `json:"holdout,omitempty"`

	// Prediction tells of an estimate that is tried on the runs it is made of; nil of others.
	Prediction *Prediction `json:"prediction,omitempty"`

	// Selected tells that an estimate is the least of several that the same runs give, as those runs have it. Further runs exceed it sooner
	// than one that was fixed before, so that it decides neither the answer of an analysis nor a check.
	Selected bool `json:"selected,omitempty"`

	// Convergence tells of an estimate that is made of several runs what it would be if there had been fewer, in ascending order; the last
	// point is the estimate itself. Nil of others.
	Convergence []ConvergencePoint `json:"convergence,omitempty"`

	// Explain says in one line for readers what Cycles is a bound of; empty if nobody does.
	Explain string `json:"-"`
}

// Numbers counts the numbers of a machine that a kernel exercises, by what they rest on.
type Numbers struct {
	Measured  int `json:"measured"`  // on the GPU
	Published int `json:"published"` // by who makes the GPU
	Derived   int `json:"derived"`   // from measured and published ones
	Assumed   int `json:"assumed"`   // and those of which the machine does not say it
}

// All returns how many there are.
func (n *Numbers) All() int { return n.Measured + n.Published + n.Derived + n.Assumed }

// Solver is a solver of formulas whose answers are taken for right.
type Solver struct {
	Name    string       `json:"name"`
	Version string       `json:"version"` // in its own words
	Loops   []SolvedLoop `json:"loops"`   // that it bounds
}

// SolvedLoop is a loop that a solver bounds.
type SolvedLoop struct {
	Name       string `json:"name"` // of its header
	Pos        string `json:"pos"`
	Iterations int64  `json:"iterations"` // of a thread, for one entry, at most
	Ranking    string `json:"ranking"`    // what decreases in every iteration
}

// Partition says of an estimate that it is the greatest of bounds that hold for parts of the inputs: the ranges of integer
// arguments were cut.
type Partition struct {
	Inputs  string `json:"inputs"`  // the part with the greatest bound, for example "n = 64, m in [1, 4]"
	Parts   int    `json:"parts"`   // that make up all inputs
	Bounded int    `json:"bounded"` // parts of which a bound was asked, larger ones included
	// Misses and AllMisses are the greatest of those of the parts, for a method that bounds the misses in a shared cache: by SMs, and
	// by all cores. The part with the greatest bound may have fewer.
	Misses    int64 `json:"misses,omitempty"`
	AllMisses int64 `json:"all_misses,omitempty"`
}

// Bounds reports whether the estimate bounds the kernel, instead of one warp of it, or is
// the longest time that a search has found.
func (e *Estimate) Bounds() bool { return e.Method != "hybrid/warp" && e.Method != SearchMethod }

// Exact reports whether every run takes as many cycles as the estimate says: all is known on which the time depends.
func (e *Estimate) Exact() bool {
	d, ok := e.Detail.(interface{ Exact() bool })
	return ok && e.Partition == nil && d.Exact()
}

// SharedCache is what the detail of an estimate tells if it bounds the misses in a cache that SMs share, too.
type SharedCache interface {
	// MaxMisses returns how many of how many accesses of the SMs miss, both at most.
	MaxMisses() (misses, accesses int64)
	// Ordered reports whether it is known in which order each SM issues; otherwise the estimate is a sum.
	Ordered() bool
	// Optional returns of how many of the accesses, in that order, it is not known whether they are made.
	Optional() int64
}

// Share is the part of an estimate that one place in the program carries.
type Share struct {
	Name   string `json:"name"` // of the block or transition
	Pos    string `json:"pos"`  // file:line:col, in the compiler's source if it is known
	Count  int64  `json:"count"`
	Cycles int64  `json:"cycles"` // all Count executions together
}

// Observation sums up the end-to-end times of all runs, in cycles from the
// launch to the last retirement. Max is the high-water mark.
type Observation struct {
	Min  int64   `json:"min"`
	Mean float64 `json:"mean"`
	Max  int64   `json:"max"`
}

// InputRun is the run of saved inputs.
type InputRun struct {
	File   string `json:"file"`
	Cycles int64  `json:"cycles"`
}

// AdversarialRun is the run of inputs that were made to take long.
type AdversarialRun struct {
	Name   string `json:"name"`            // for sim --adversarial
	Cycles int64  `json:"cycles"`          // 0 of a run that fails
	Fault  string `json:"fault,omitempty"` // why it fails; empty of others
}

// Launch is the shape of the launch in x, y and z.
type Launch struct {
	Grid  [3]int `json:"grid"`  // CTAs
	Block [3]int `json:"block"` // threads per CTA
}

// Warning is a diag.Warning as it is printed.
type Warning struct {
	Pos  string `json:"pos"`
	ID   string `json:"id"`
	Text string `json:"text"`
}

// UndefinedBehaviour is the ID of the warning that a run did what the manual leaves undefined: what
// it takes on a GPU does not follow from it, so that no bound decides a verdict.
const UndefinedBehaviour = "undefined-behaviour"

// WarpSynchronous is the ID of the warning that lanes of a warp exchange values in an order that
// only lock-step gives, on a machine whose threads are scheduled independently.
const WarpSynchronous = "warp-synchronous"

// Warnings converts and sorts by position.
func Warnings(found []diag.Warning) []Warning {
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b diag.Warning) int { return a.Pos.Compare(b.Pos) })
	out := make([]Warning, len(sorted))
	for i, w := range sorted {
		out[i] = Warning{Pos: w.Pos.String(), ID: w.ID, Text: w.Text}
	}
	return out
}

// Simulation is what one simulated run of a job gave.
type Simulation struct {
	Provenance
	Job             string `json:"job"`
	Kernel          string `json:"kernel"`
	KernelDemangled string `json:"kernel_demangled,omitempty"` // the name in the source, where Kernel is a mangled symbol
	Machine         string `json:"machine"`
	MachineHash     string `json:"machine_hash"`
	ModuleHash      string `json:"module_hash"` // SHA-256 of the module's text
	JobHash         string `json:"job_hash"`    // of the job's file, of the data files that it names, and of inputs that are kept beside it
	// Threads is how the job has the threads of a warp scheduled, "lockstep" or "independent";
	// empty for as the machine has it.
	Threads string `json:"threads,omitempty"`

	Launch Launch `json:"launch"`
	Seed   int64  `json:"seed"`
	Vector int    `json:"vector"`
	// Adversarial is the name of the inputs, which are those of no test vector then; empty of others.
	Adversarial string `json:"adversarial,omitempty"`
	Cycles      int64  `json:"cycles"`       // from the launch to the last retirement, of all launches together
	CTAsPerSM   int    `json:"ctas_per_sm"`  // resident at a time, at most
	Limit       string `json:"ctas_limited"` // by what
	Registers   int    `json:"registers"`    // per thread

	// Rounds is how often the kernels of a job that repeats them were launched, and Kernels how
	// long each took, in the order of a round. Other jobs have none of either.
	Rounds  int          `json:"rounds,omitempty"`
	Kernels []KernelTime `json:"kernels,omitempty"`

	// Launches are those of a job with several in a run, in the order in which it states them. Other
	// jobs have none.
	Launches []LaunchTime `json:"launches,omitempty"`

	Counters map[string]int64 `json:"counters"`
	// Scheduler adds up, over all schedulers, the cycles in which one issued and
	// those in which it did not, by reason.
	Scheduler map[string]int64 `json:"scheduler_cycles"`

	// Cores are the counters of the cores that share a last-level cache, the SMs and then
	// the CPU, and Intervals how many the regulator of their accesses began. Other machines
	// have none of either.
	Cores     []map[string]int64 `json:"cores,omitempty"`
	Intervals int64              `json:"intervals,omitempty"`

	// Device is the GPU on which the job ran, nil if it was simulated. There are no counters
	// then.
	Device *Device `json:"device,omitempty"`

	// Races are the data races of the run, and those with its inputs in other orders of warps; left
	// out where nobody has looked for them.
	Races []Race `json:"races,omitzero"`

	// Chain is the chain of causes of the run; nil if that was not asked for.
	Chain *Chain `json:"chain,omitempty"`

	Warnings []Warning `json:"warnings"`

	// Interrupted is nil if the run has ended. Otherwise Cycles are those until then, and nothing is counted.
	Interrupted *Interruption `json:"interrupted,omitempty"`
}

// KernelTime is how long all launches of a kernel took together, in cycles.
type KernelTime struct {
	Kernel string `json:"kernel"`
	Cycles int64  `json:"cycles"`
}

// Analysis is everything known of one job.
type Analysis struct {
	Provenance
	Job             string `json:"job"`
	Kernel          string `json:"kernel"`
	KernelDemangled string `json:"kernel_demangled,omitempty"` // the name in the source, where Kernel is a mangled symbol
	Machine         string `json:"machine"`
	MachineHash     string `json:"machine_hash"`
	ModuleHash      string `json:"module_hash"` // SHA-256 of the module's text
	JobHash         string `json:"job_hash"`    // of the job's file, of the data files that it names, and of inputs that are kept beside it
	Launch          Launch `json:"launch"`
	// Occupancy is nil of several launches.
	Occupancy *Occupancy   `json:"occupancy,omitempty"`
	SplitMode string       `json:"split_mode,omitempty"` // how wavefronts split; empty where no machine can
	Seed      int64        `json:"seed"`
	Runs      int          `json:"runs"`
	Observed  *Observation `json:"observed"` // nil where nothing ran
	// Times counts the runs by how long they took, and Longest is the first of the longest; left out where nothing ran, and of a GPU, whose recorded
	// runs take longer than others.
	Times   *Histogram  `json:"times,omitempty"`
	Longest *LongestRun `json:"longest_run,omitempty"`
	// Stopped is after how many cycles a run was given up, which takes longer; nil if none was.
	Stopped *int64     `json:"stopped_run,omitempty"`
	Inputs  []InputRun `json:"inputs,omitempty"` // saved ones, which count among the runs
	// Adversarial are the runs of inputs that were made to take long, which count likewise.
	Adversarial []AdversarialRun `json:"adversarial,omitempty"`
	// Coverage is what the runs exercised of the kernel; left out where there were none, and of a job with several launches.
	Coverage *Coverage `json:"coverage,omitempty"`

	// Convergence says why there are no more runs; left out where there were to be all vectors, whatever they show.
	Convergence *Convergence `json:"convergence,omitempty"`
	Device      *Device      `json:"device,omitempty"` // nil if no run was made on a GPU
	// Contract is what the job declares of its inputs, in its order, and which of it bounds rest on.
	Contract  []Contract `json:"contract,omitzero"`
	ClockMode string     `json:"clock_mode,omitempty"` // the mode of the machine whose clocks it has; empty for [clock] of its file
	Threads   string     `json:"threads,omitempty"`    // how the job has the threads of a warp scheduled, as in a Simulation
	// Alone is set if estimates and runs are those of a kernel that is alone on the GPU: nobody is known to use the machine's DRAM meanwhile.
	Alone bool `json:"alone,omitempty"`
	// Verdict holds the analysis against a budget; nil if there is none.
	Verdict *Verdict `json:"verdict"`
	// Answer is the least estimate with the strongest evidence; nil if none bounds the whole.
	Answer    *Answer         `json:"answer"`
	Estimates []Estimate      `json:"estimates"`
	Refused   []MethodRefusal `json:"refused"` // methods that were asked for and have no estimate of the whole
	// Assumed says which assumed numbers of the machine decide the least bound; nil if there is none, or if no number is assumed.
	Assumed *AssumedNumbers `json:"assumed,omitempty"`

	// Sensitivity says how far all this moves with the numbers of the machine; nil if that was not asked for.
	Sensitivity *Sensitivity `json:"sensitivity,omitempty"`
	// Policies says how far the times of runs move with the choices of the machine; nil if that was not asked for.
	Policies *Policies `json:"policies,omitempty"`
	// Placements says how far all this moves with the addresses of the buffers; nil if that was not asked for.
	Placements *Placements `json:"placements,omitempty"`
	// IfConversion is the module that was written with selections in place of branches; nil if that was not asked for.
	IfConversion *IfConversion `json:"if_convert,omitempty"`
	// Races are the data races of the first test vector's run, and those with its inputs in other orders of warps; left
	// out where none was simulated.
	Races []Race `json:"races,omitzero"`
	// RaceVerdict is what is known of data races for all inputs; left out where the values of the kernel are not known,
	// and of jobs with several launches in a run.
	RaceVerdict *RaceVerdict `json:"race_verdict,omitempty"`
	Warnings    []Warning    `json:"warnings"`
	// Void are the bounds that runs exceed: they bound nothing.
	Void []VoidBound `json:"void_bounds,omitempty"`

	// Launches are those of a job with several in a run, in the order in which it states them; all else
	// is of whole runs then. Other jobs have none.
	Launches []LaunchAnalysis `json:"launches,omitempty"`

	Interrupted *Interruption `json:"interrupted,omitempty"` // nil if the analysis is complete
	Explored    *Exploration  `json:"explored,omitempty"`    // by a search that was interrupted before its first run
}

// Hz returns the clock at which the cycles of the analysis become the longest time, in
// cycles per second: the lowest that was seen of a device, else that of the machine.
func (a *Analysis) Hz(machine float64) float64 {
	if a.Device != nil {
		return a.Device.SlowestHz()
	}
	return machine
}

// Tightest returns the estimate to hold against a deadline: of those that bound
// the kernel, as its wavefronts split, and rest on the strongest evidence, the smallest. It
// is nil if there is none.
func (a *Analysis) Tightest() *Estimate {
	var best *Estimate
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if a.counts(e) && (best == nil || stronger(e, best)) {
			best = e
		}
	}
	return best
}

// OtherMode returns the way in which wavefronts split that an estimate bounds, if that is not
// the one of the analysis.
func (a *Analysis) OtherMode(e *Estimate) (mode string, other bool) {
	mode, splits := strings.CutPrefix(e.Method, "split/")
	return mode, splits && mode != a.SplitMode
}

// Watched is a detail that has runs of its own, in its mode of splitting.
type Watched interface {
	Runs() *Observation   // nil if nothing ran
	Watch(o *Observation) // notes how long runs took
}

// Covered returns the runs of which an estimate bounds the time: those in its own mode of
// splitting. It is nil if there are none, and for estimates that bound no kernel.
func (a *Analysis) Covered(e *Estimate) *Observation {
	if !e.Bounds() {
		return nil
	}
	if _, other := a.OtherMode(e); !other {
		return a.Observed
	}
	if d, ok := e.Detail.(Watched); ok {
		return d.Runs()
	}
	return nil
}

func stronger(e, f *Estimate) bool {
	if e.Evidence != f.Evidence {
		return Weakest(e.Evidence, f.Evidence) == f.Evidence
	}
	return e.Cycles < f.Cycles
}
