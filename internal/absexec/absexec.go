package absexec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/semantics"
)

// The limits that a Config has if it states none.
const (
	DefaultBoxes = 64
	defaultSteps = 1 << 24
)

// Config is what a warp is executed with.
type Config struct {
	Launch *semantics.Launch
	Graph  *cfg.Graph // of the launch's kernel
	// Inputs are the bytes of parameters and constant memory whose contents are not
	// those that the launch has.
	Inputs []Range
	// Fixed are buffers that hold what the launch has in every execution, unless the kernel
	// writes to them. That it does not is checked: a *WriteError tells that it may.
	Fixed []Range
	// Assumed are buffers that hold what the launch has in every execution, to which the kernel is taken not to
	// write without a check: a run that does is one that fails.
	Assumed []Range
	// Uniform reports whether the lanes of a warp that execute the branch at the end of a
	// block always go the same way. Nil if that is not known of any.
	Uniform func(block int) bool
	// Bound returns how often control returns to the header of a loop at most for one
	// entry of the loop by a warp, if that is known. Nil if it is not known of any.
	Bound func(header int) (iterations int, ok bool)
	// Annotated returns what a job states of the same, and where, if it does. It is an error if a warp surely makes more
	// iterations. Nil if nothing is stated of any loop.
	Annotated func(header int) (iterations int64, at diag.Pos, ok bool)
	// Useless says of loops, by header, the range of which type alone bounds them: for messages.
	Useless map[int]string
	// Infeasible are edges of the flow graph along which control never passes, as the analysis of values has found.
	Infeasible map[graph.Edge]bool
	// MaxBoxes limits the boxes of CTAs that are told apart for one warp. Beyond it what
	// depends on the CTA in a way that a box has no form for is unknown.
	MaxBoxes int
	MaxSteps int64 // instructions of one warp, all alternatives together
	// Executed, unless nil, is told how many instructions were executed, after each execution.
	Executed func(instructions int64)
}

// stepsError is the error of a warp that executes more than Config.MaxSteps instructions.
type stepsError struct {
	kernel string
	warp   int
	steps  int64
	box    Box
}

func (e *stepsError) Error() string {
	return fmt.Sprintf("kernel %s: warp %d executes more than %d instructions in the CTAs %s: an infinite loop, or too many paths", e.kernel, e.warp, e.steps, e.box)
}

// Range is a range of addresses.
type Range struct {
	Addr  uint64
	Bytes int
}

// Executor executes warps of one launch. It may be used by one goroutine at a time.
type Executor struct {
	config Config
	launch *semantics.Launch
	kernel *isa.Kernel
	graph  *cfg.Graph
	eval   *semantics.Evaluator
	around [][]int // for each block: the loops around it, the outermost first
	ctx    context.Context

	annotated []int64        // by loop: Config.Annotated, or the greatest number
	returning []map[int]bool // by loop: the blocks from which every way leads to its header; nil before it is asked for

	summaries summaries
	few       int          // iterations that are worth a summary, at least
	ways      map[int]*way // by block at the end of which is a branch: see wayFrom
	parted    bool         // lanes have parted at a branch to which they may come again before they reconverge
	crowds    bool         // what they do then is bounded by lanes
}

// New returns an executor.
func New(c Config) *Executor {
	if c.MaxBoxes == 0 {
		c.MaxBoxes = DefaultBoxes
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = defaultSteps
	}
	x := &Executor{config: c, launch: c.Launch, kernel: c.Launch.Kernel(), graph: c.Graph, ways: make(map[int]*way), eval: c.Launch.Evaluator(), few: fewIterations}
	loops := c.Graph.Loops()
	x.returning = make([]map[int]bool, len(loops.Loops))
	x.around = make([][]int, c.Graph.Len())
	for b := range x.around {
		for l := loops.Innermost(b); l >= 0; l = loops.Loops[l].Parent {
			x.around[b] = append(x.around[b], l)
		}
		slices.Reverse(x.around[b])
	}
	x.annotated = make([]int64, len(loops.Loops))
	for i := range x.annotated {
		x.annotated[i] = math.MaxInt64
		if c.Annotated == nil {
			continue
		}
		if n, _, ok := c.Annotated(loops.Loops[i].Header); ok {
			x.annotated[i] = n
		}
	}
	return x
}

// Result is one execution: what a warp does in every CTA of a box.
type Result struct {
	Box     Box
	Visitor Visitor // that was told of the execution
	Steps   int64   // instructions executed, all alternatives together
	// Loops holds what was seen of each loop of the flow graph's forest.
	Loops []LoopFact
}

// Warp executes a warp of every CTA of the grid. The results are boxes that make up the
// grid, in no particular order. begin is called for every execution that is begun, and
// returns the visitor that is told of it; a visitor of an execution that ends because its
// box has to be cut is in no result.
//
// Errors are a *UnboundedLoop, a *WriteError, an instruction at which every execution fails, a bound that
// is surely exceeded, instructions that are not followed (Unfollowed), more than Config.MaxSteps instructions, and that of ctx.
func (x *Executor) Warp(ctx context.Context, warp int, begin func(Box) Visitor) ([]Result, error) {
	x.ctx = ctx
	if err := Unfollowed(x.graph); err != nil {
		return nil, err
	}
	for {
		results, err := x.cover(warp, begin)
		switch {
		case !errors.As(err, new(*stepsError)):
			return results, err
		case x.parted && !x.crowds:
			x.crowds = true // from now on
		case x.summaries == coarseSummaries:
			return results, err
		default:
			x.summaries++ // likewise
		}
	}
}

// Summarises reports whether a warp has executed too many instructions to follow every iteration of its loops, or every way that
// its lanes may go, so that from then on many are executed at a time.
func (x *Executor) Summarises() bool { return x.summaries != noSummaries || x.crowds }

// cover executes a warp of every CTA of the grid.
func (x *Executor) cover(warp int, begin func(Box) Visitor) ([]Result, error) {
	var results []Result
	queue := []Box{{Hi: x.launch.Grid()}}
	for len(queue) > 0 {
		box := queue[0]
		queue = queue[1:]
		e := x.execution(warp, box, len(results)+len(queue)+1)
		e.visitor = begin(box)
		err := e.run(0)
		if x.config.Executed != nil {
			x.config.Executed(e.steps)
		}
		var c *cutError
		switch {
		case errors.As(err, &c):
			first, second := box.parts(c.cut)
			queue = append(queue, first, second)
		case err != nil:
			return nil, err
		default:
			results = append(results, Result{Box: box, Visitor: e.visitor, Steps: e.steps, Loops: e.facts})
		}
	}
	return results, nil
}
