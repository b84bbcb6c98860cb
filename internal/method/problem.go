package method

import (
	"math"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/value"
	"warpbound/internal/graph"
	"warpbound/internal/machine"
	"warpbound/internal/semantics"
)

// Problem is a launch on a machine with what is known of it before it runs. It does not change, and
// several methods may be asked about it at a time. A measured method looks at Graph, Machine, Resident,
// CTAs, Warps, Varies, Bounds and Facts alone.
type Problem struct {
	Graph *cfg.Graph // of the kernel that is launched
	// Machine is the machine as the kernel finds it. If it splits wavefronts in mode PWS, its
	// split SIMDs are those that the kernel uses (machine.Machine.Reuse).
	Machine  *machine.Machine
	Launch   *semantics.Launch
	Resident int // CTAs that an SM holds at a time
	CTAs     int // of the launch
	Warps    int // of a CTA
	// Varies reports whether inputs of runs are sampled.
	Varies bool
	Ways   int // lines per set of the L1 that the launch leaves (machine.Occupancy); 0 for all

	// Inputs are the bytes of parameters and constant memory whose contents are not those that
	// the launch has.
	Inputs []absexec.Range
	// Fixed are the buffers that hold the same in all executions when the kernel starts.
	Fixed []absexec.Buffer

	// Uniform reports whether the lanes of a warp that execute the branch at the end of a block always
	// go the same way, Together whether all threads of a CTA do in the same iterations of the
	// loops around it. Nil if that is not known of any, for the reason NoUniform if there is one.
	Uniform, Together func(block int) bool
	NoUniform         error
	LimitedUniform    []diag.Warning // that less may be known of it than could be, since there are limits of work
	// Values are the numbers that registers can hold; nil if nothing is known of them. Counted are the bounds of loops that follow from them for a thread,
	// by header: how often it returns there for one entry of the loop, at most (see Count). Useless says of the
	// other loops that have a bound what it is, one that rests on the range of a type alone.
	Values  *value.Result
	Counted map[int]int64
	Useless map[int]string

	// Solved are the loops whose bound in Counted a solver has proved, in ascending order of their headers, By that.
	Solved []Solved
	By     string // name and version of the solver
	// NoSolver is why a solver that was asked for more such bounds gave none; nil if it did not fail.
	NoSolver error

	Bounds []LoopBound // that the job states, in its order
	// Stated are further bounds of loops that follow from what read-only buffers hold if no run writes to them, which the
	// job says of the buffers Trusted and nothing proves.
	Stated  []LoopBound
	Trusted []string
	Facts   []Fact // that the job states
	// PublishedEdges takes the edges that the published algorithm (Fig. 3 of Betts and Donaldson) adds to
	// the flow graph for divergence instead of all that it can make. They are incomplete: a run that makes
	// another transition is an error.
	PublishedEdges bool
	Splits         []int // blocks whose branch splits the wavefront in mode PWS, or may in mode DWS
	CPU            CPU   // beside the kernel, on machines with one
	Warm           *Warm // what earlier launches may have left in a shared cache, nil if it is empty; for Warmed methods alone

	// Effort is how much work analyses may do.
	Effort budget.Effort
	// Executed, unless nil, is told how many instructions an analysis has looked at, in any of its steps.
	Executed func(instructions int64)
}

// LoopBound says that a warp returns at most Max times to the header of a loop for one entry of the
// loop.
type LoopBound struct {
	Header int // block
	Max    int64
	Pos    diag.Pos // where that is stated
}

// Solved is a bound of a loop that a solver has proved, like a counter's: of a thread.
type Solved struct {
	Header   int // block
	Max      int64
	Function string // that decreases in every iteration, for readers
}

// Solve enters bounds of loops that a solver has proved.
func (p *Problem) Solve(by string, solved []Solved) {
	p.By, p.Solved = by, solved
	for _, s := range solved {
		if p.Counted == nil {
			p.Counted = make(map[int]int64)
		}
		p.Counted[s.Header] = s.Max
		delete(p.Useless, s.Header)
	}
}

// Fact is a linear flow fact: for every warp, the sum of coefficients times executions of blocks is
// at least Min and at most Max, of which either may be nil.
type Fact struct {
	Name     string // for messages
	Terms    []FactTerm
	Min, Max *int64
	Evidence estimate.Evidence
	// Implied says that bounds of loops follow from the same statement, so that a method may do without the fact where it
	// does not see all blocks.
	Implied bool
}

// FactTerm is Coef times the executions of a block.
type FactTerm struct {
	Block int
	Coef  int64
}

// CPU is what the CPU does beside the kernel. The zero CPU does nothing.
type CPU struct {
	Accesses []CPUAccess // its first accesses, in order
	More     int64       // how many may follow, at most; of which nothing is known
}

// CPUAccess is an access of the CPU.
type CPUAccess struct {
	Address uint64
	Store   bool
}

// Touched is which lines of a cache that SMs and a CPU share a launch accesses, without those that the CPU does, by number:
// address by bytes of a line. Lists are ascending.
type Touched struct {
	Surely  []uint64 // in every run
	Perhaps []uint64 // all that it may access, those included,
	Any     bool     // but for others
}

// Warm is what is known of the launches of a run of which each finds in the shared cache what the ones before left there.
type Warm struct {
	All    []Touched // every launch of a run, in no particular order of executions
	Before int       // so many of the first ones surely were executed before this one, whichever of its executions it is
}

// Counts returns the bounds of loops that follow from the values of registers, by header, and which of them rest on the
// range of a type alone: on that of which one. v may be nil.
func Counts(v *value.Result) (counted map[int]int64, typed map[int]string) {
	if v == nil {
		return nil, nil
	}
	counted, typed = make(map[int]int64), make(map[int]string)
	for _, b := range v.Loops() {
		if !b.Known {
			continue
		}
		counted[b.Header] = b.Iterations
		if b.Range != "" {
			typed[b.Header] = b.Range
		}
	}
	return counted, typed
}

// Count enters the bounds of loops that follow from Values. Those that rest on the range of a type alone count where
// the job bounds the loop as well, which may be by more, or if absurd is set.
func (p *Problem) Count(absurd bool) {
	p.Counted, p.Useless = Counts(p.Values)
	for header := range p.Useless {
		if _, stated := p.Annotated(header); stated || absurd {
			delete(p.Useless, header)
		} else {
			delete(p.Counted, header)
		}
	}
}

// Annotated returns the least bound that the job states for the loop of a header.
func (p *Problem) Annotated(header int) (bound int64, ok bool) {
	bound, _, ok = p.annotated(header)
	return bound, ok
}

// annotated is Annotated with the place where the bound is stated.
func (p *Problem) annotated(header int) (bound int64, at diag.Pos, ok bool) {
	for _, b := range p.Bounds {
		if b.Header == header && (!ok || b.Max < bound) {
			bound, at, ok = b.Max, b.Pos, true
		}
	}
	return bound, at, ok
}

// maxCounted is the largest bound of a counter that abstract execution is given. Greater ones come
// of counters that are only known to end somewhere.
const maxCounted = 1 << 24

// LoopBound returns how often a warp returns to the header of a loop for one entry, at most: the lesser
// of what is stated and what follows from counters, and what it rests on.
func (p *Problem) LoopBound(header int) (int, estimate.Evidence, bool) {
	stated, ok := p.Annotated(header)
	counted, counts := p.Counted[header]
	if counts && counted <= p.Effort.Of(maxCounted) && (!ok || counted <= stated) {
		return int(counted), estimate.Proven, true
	}
	return int(min(stated, math.MaxInt)), estimate.Annotated, ok
}

// maxSteps limits the instructions that are executed abstractly of one warp, all alternatives
// together.
const maxSteps = 1 << 21

// MaxSteps returns how many instructions are executed abstractly of one warp at most.
func (p *Problem) MaxSteps() int64 { return p.Effort.Of(maxSteps) }

// Infeasible returns the edges of the flow graph along which control never passes, by what is known of values.
func (p *Problem) Infeasible() map[graph.Edge]bool {
	if p.Values == nil {
		return nil
	}
	return p.Values.Infeasible()
}

// Executor returns what executes warps of the launch abstractly, telling so many boxes of CTAs apart.
func (p *Problem) Executor(boxes int) *absexec.Executor {
	checked, assumed := absexec.Ranges(p.Fixed)
	return absexec.New(absexec.Config{
		Fixed: checked, Assumed: assumed, Launch: p.Launch, Graph: p.Graph, Inputs: p.Inputs, Uniform: p.Uniform,
		MaxBoxes: boxes, MaxSteps: p.MaxSteps(), Useless: p.Useless, Infeasible: p.Infeasible(), Executed: p.Executed,
		Bound: func(header int) (int, bool) {
			n, _, ok := p.LoopBound(header)
			return n, ok
		},
		Annotated: p.annotated,
	})
}
