package symexec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"warpbound/diag"
	"warpbound/internal/contract"
	"warpbound/internal/isa"
	"warpbound/internal/semantics"
	"warpbound/internal/smt"
)

// Thread is a thread of a launch.
type Thread struct {
	CTA        [3]int // index of its CTA in x, y and z
	Warp, Lane int    // in the CTA and in the warp
}

// Buffer is a buffer of a launch. Its name is that of its array in models: no two have one, nor
// is it Parameters.
type Buffer struct {
	Name     string
	Address  uint64
	Bytes    int
	Symbolic bool    // any contents are tried; otherwise those that it has, which make terms as long as the buffer where indices are symbolic
	Element  Element // of symbolic contents; an element is taken to be in range once it is read
}

// Range is bytes of the parameter block.
type Range struct {
	Offset, Bytes int
	Element       Element // all are in range from the start
}

// Parameters is the name of the array in models that holds the symbolic bytes of the
// parameter block.
const Parameters = "parameters"

// Options says what to explore.
type Options struct {
	Launch  *semantics.Launch
	Threads []Thread // that run, in this order; those of a CTA together
	Buffers []Buffer // all of the launch
	Params  []Range  // of the parameter block that are symbolic
	Indices []Index  // only of a single thread

	Relations []contract.Relation // that hold of the numbers Integers, by their index
	Integers  []Integer

	// Later is for Prove: other launches come before this one in a run, and leave anything in the
	// buffers and variables that kernels can write.
	Later bool

	Solver     *smt.Solver
	Builder    *smt.Builder // of the solver's terms
	MaxPaths   int          // to be found; more wait
	MaxSteps   int          // instructions of one path, of all threads; it is cut off there
	MaxQueries int          // to the solver; 0 stands for any number. When paths are explored, those that it does not answer count several times
}

// BranchOutcome is an outcome of a branch: the instruction at which control goes on. The zero BranchOutcome is none.
type BranchOutcome struct{ Branch, Target int }

// Path is one path of the threads through the kernel.
type Path struct {
	Formula      []*smt.Term // holds for just the inputs that take it
	Ranges       []int       // conditions of the formula that only say what inputs may be, by index
	Model        *smt.Model  // such inputs
	Threads      []ThreadPath
	Reads        []Read // of symbolic elements, each once for a thread and an offset, in order of first reading
	Communicates bool   // for the model, a thread got what another had written or had: bytes, a vote at a barrier, what lanes exchange
	Fault        error  // why the path ended but by the threads' ends: the instruction that fails
	Unfollowed   error  // why the path is not known further, and counts as cut off: an instruction that takes threads together of which some are not explored

	doubts []*smt.Term // conditions under which results are unsettled: a device may go on otherwise
}

// ThreadPath is what one thread does on a path.
type ThreadPath struct {
	Instructions int             // executed, also those whose guard does not hold
	Outcomes     []BranchOutcome // taken, in order
	Barriers     []int           // for each barrier that it arrived at, how many outcomes had been taken
	Conditions   []int           // those of the formula that came of what it executed, by index
}

// Read is a read of an element of a symbolic buffer or parameter.
type Read struct {
	Array  string
	Offset *smt.Term // of the element in bytes
	At     uint64    // the offset for the path's model
	Bytes  int       // of the element; of the access if the contents have none
	Thread int       // that reads it, by index
}

// Verdict is what is known of an outcome of a branch.
type Verdict uint8

// The verdicts.
const (
	Open       Verdict = iota // no path was found, and none excluded
	Covered                   // by a path, which may have been cut off
	Infeasible                // no path takes it: all were found, and no result on them is unsettled
)

// String returns the verdict in a word.
func (v Verdict) String() string { return [...]string{"open", "covered", "infeasible"}[v] }

// Result is what exploration found.
type Result struct {
	Paths     []Path
	Outcomes  map[BranchOutcome]Verdict   // of every outcome of every branch that has several
	Remaining map[BranchOutcome]Remaining // of the outcomes that paths took
	Complete  bool                        // all paths were found
	CutOff    int                         // paths that were cut off after MaxSteps, because there were too many terms, or where they are not known further
	Queries   int                         // to the solver
	Unknown   int                         // paths of which no solver knows whether they exist
}

// explorer explores the paths of some threads.
type explorer struct {
	Options
	b       *smt.Builder
	launch  *semantics.Launch
	ctas    []int         // of threads: the first thread of its CTA
	warps   [][]int       // of threads: those of its warp by lane, negative where none is explored
	open    *openOutcomes // nil if lanes do not exchange
	regions []region
	arrays  []*smt.Term // what regions hold at first; nil if nobody asked

	outcomes  map[BranchOutcome]bool // of branches that have several; true
	covered   map[BranchOutcome]bool
	remaining map[BranchOutcome]Remaining // see Result
	waiting   []*state
	leftOut   bool                   // paths that waited
	tried     map[BranchOutcome]int  // how often a path was taken up that takes the outcome first, or could not be
	unknown   map[BranchOutcome]bool // whether a solver did not know if a path that takes the outcome first is feasible
	near      map[int]int            // see distances
	nearTo    int                    // how many outcomes were covered for it
	first     *smt.Model             // inputs of the first path; nil for zeros
	steering  *steering              // of a path that does not fork; nil if paths do
}

// Explore finds paths of threads until it has MaxPaths or all or has asked MaxQueries: those
// first that take branch outcomes which no other took, then those that leave the longest path
// found as early as possible. It is an error, with position, if a path needs an instruction
// without a meaning as formula, and if a solver fails or ctx ends; in the last case what was found
// until then is the result, too. Faults of the kernel are results.
func Explore(ctx context.Context, o Options) (*Result, error) {
	x, err := newExplorer(o)
	if err != nil {
		return nil, err
	}
	k := x.launch.Kernel()
	res := &Result{Outcomes: make(map[BranchOutcome]Verdict), Remaining: x.remaining}
	x.waiting = []*state{x.start()}
	var ended error
	for len(res.Paths) < x.MaxPaths {
		s, err := x.next(ctx, res)
		if err == nil && s != nil {
			err = x.follow(ctx, s, res)
		}
		if err != nil {
			err = fmt.Errorf("kernel %s: %w", k.Readable(), err)
		}
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if err != nil {
			ended, x.leftOut = err, true
		}
		if err != nil || s == nil {
			break
		}
	}
	res.Complete = len(x.waiting) == 0 && !x.leftOut && res.CutOff == 0 && res.Unknown == 0
	others := Open // of the outcomes that are not covered
	if res.Complete && len(x.covered) < len(x.outcomes) {
		settled, err := x.settled(ctx, res)
		if err != nil {
			ended = fmt.Errorf("kernel %s: %w", k.Readable(), err)
		}
		if err != nil && ctx.Err() == nil {
			return nil, ended
		}
		if settled {
			others = Infeasible
		}
	}
	for outcome := range x.outcomes {
		res.Outcomes[outcome] = others
		if x.covered[outcome] {
			res.Outcomes[outcome] = Covered
		}
	}
	return res, ended
}

// settled reports whether it is seen that no input has an unsettled result on its path. Then all
// that kernels do on devices is on one of the paths.
func (x *explorer) settled(ctx context.Context, res *Result) (bool, error) {
	for i := range res.Paths {
		p := &res.Paths[i]
		c := x.b.Truth(false)
		for _, doubt := range p.doubts {
			c = x.b.Or(c, doubt)
		}
		if v, isConst := c.Const(); isConst && v == 0 {
			continue
		}
		if !x.left(res) || smt.NewEvaluator(p.Model).Eval(c) == 1 {
			return false, nil
		}
		res.Queries++
		if never, err := x.Solver.Refutes(ctx, p.Formula, c); err != nil || !never {
			return false, err
		}
	}
	return true, nil
}

// Follow returns the path that threads take on inputs, without asking the solver. The inputs are
// a model of buffers, parameters and indices; what it does not have in range is changed. It
// is an error if the path has more than MaxSteps instructions or one without a meaning as a formula,
// and if ctx ends.
func Follow(ctx context.Context, o Options, inputs *smt.Model) (*Path, error) {
	x, err := newExplorer(o)
	if err != nil {
		return nil, err
	}
	x.first = smt.NewModel()
	maps.Copy(x.first.Numbers, inputs.Numbers)
	for array, cells := range inputs.Cells {
		x.first.Cells[array] = maps.Clone(cells)
	}
	res, k := new(Result), o.Launch.Kernel()
	if err := x.follow(ctx, x.start(), res); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Readable(), err)
	}
	if len(res.Paths) == 0 {
		return nil, fmt.Errorf("kernel %s: the path has more than %d instructions", k.Readable(), o.MaxSteps)
	}
	return &res.Paths[0], nil
}

// newExplorer returns an explorer that has not begun.
func newExplorer(o Options) (*explorer, error) {
	x := &explorer{Options: o, b: o.Builder, launch: o.Launch, outcomes: make(map[BranchOutcome]bool), covered: make(map[BranchOutcome]bool), remaining: make(map[BranchOutcome]Remaining), tried: make(map[BranchOutcome]int), unknown: make(map[BranchOutcome]bool)}
	if err := x.admit(); err != nil {
		return nil, err
	}
	if err := x.layOut(o.Buffers); err != nil {
		return nil, err
	}
	k := o.Launch.Kernel()
	if Exchanges(k) {
		var err error
		if x.open, err = newOpenOutcomes(k); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.Readable(), err)
		}
	}
	for pc := range k.Instrs {
		if all := outcomesOf(pc, &k.Instrs[pc]); len(all) > 1 {
			for _, outcome := range all {
				x.outcomes[outcome] = true
			}
		}
	}
	return x, nil
}

// outcomesOf returns the outcomes of an instruction, each once; none if it is no branch.
func outcomesOf(pc int, in *isa.Instr) []BranchOutcome {
	var targets []int
	switch {
	case in.Op == isa.Bra && in.Guard.Set:
		targets = []int{in.Target, pc + 1}
	case in.Op == isa.BrxIdx:
		targets = slices.Clone(in.Targets)
		if in.Guard.Set {
			targets = append(targets, pc+1)
		}
	}
	slices.Sort(targets)
	var outcomes []BranchOutcome
	for _, t := range slices.Compact(targets) {
		outcomes = append(outcomes, BranchOutcome{Branch: pc, Target: t})
	}
	return outcomes
}

// follow executes a path to its end.
func (x *explorer) follow(ctx context.Context, s *state, res *Result) error {
	if s.first != (BranchOutcome{}) {
		s.take(s.first)
	}
	defer func() {
		for i := range s.threads {
			t := &s.threads[i]
			for c, m := t.outcomes, t.marks; c != nil; c, m = c.before, m.before {
				x.covered[c.last] = true
				x.remaining[c.last] = x.remaining[c.last].with(t.steps - m.last)
			}
		}
	}()
	s.trunk = &trunk{}
	for steps := s.steps(); !s.done && s.fault == nil && s.unfollowed == nil; steps++ {
		if steps >= x.MaxSteps || x.b.Len() >= maxTerms {
			res.CutOff++
			return nil
		}
		const often = 1 << 10
		if steps%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.now().pc >= len(x.launch.Kernel().Instrs) {
			return errors.New("control runs off the end")
		}
		if err := s.step(); err != nil {
			return err
		}
	}
	s.trunk.steps = s.steps()
	if s.unfollowed != nil {
		res.CutOff++
	}
	res.Paths = append(res.Paths, s.found())
	return nil
}

// text renders an instruction with the names of the kernel.
func (x *explorer) text(in *isa.Instr) string { return x.launch.Kernel().Format(in) }

// unsupported is the error of an instruction that has no meaning as formula.
func (x *explorer) unsupported(in *isa.Instr) error {
	return diag.Errorf(in.Pos, "%s has no meaning as a formula: the paths of this kernel cannot be explored", x.text(in))
}

// fit cuts a number to a width, or extends it by zeros.
func fit(b *smt.Builder, t *smt.Term, width int) *smt.Term {
	if t.Width() > width {
		return b.Extract(t, 0, width)
	}
	return b.ZeroExt(t, width)
}
