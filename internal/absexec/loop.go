package absexec

import (
	"fmt"
	"slices"
	"strconv"

	"warpbound/diag"
	"warpbound/internal/symbol"
)

// loopCount is how often control has come back to the head of a loop that it is in,
// since it entered the loop.
type loopCount struct {
	loop int // in the flow graph's forest
	n    int
	open bool // a lane may have left the loop, or not

	seen       *arrival // at the header, for the summary of the iterations that follow; nil if it is not tried
	summarised int      // n when iterations were last summarised
}

// LoopFact is what was seen of a loop.
type LoopFact struct {
	// Iterations is how often control of a lane returned to the loop's header, at most,
	// for one entry of the loop.
	Iterations int
	// Forced is set if the loop was left by force at its bound, because it is not known
	// when lanes leave it. Otherwise the number is proven.
	Forced bool
}

// UnboundedLoop is the error of a loop that lanes leave for a reason that is not known,
// and for which there is no bound.
type UnboundedLoop struct {
	Kernel string
	Header int      // block
	Name   string   // of the header; its label, if it has one
	Pos    diag.Pos // of the header in the module
	Loc    diag.Pos // of the header in the compiler's source, if known
	Exit   diag.Pos // of the branch by which lanes may leave
	Range  string   // of which type, and of what, if that alone bounds the loop
}

// Error says how to give the bound.
func (e *UnboundedLoop) Error() string {
	where := ""
	if e.Loc.Known() {
		where = fmt.Sprintf(" (%s)", e.Loc)
	}
	annotate := fmt.Sprintf("annotate it in the job, for example: [loop] %q = 100, the maximum number of back edges to %s per entry of the loop", e.Place(), e.Name)
	why := fmt.Sprintf("no bound is known for the loop at %s since the branch at %s is data-dependent; %s", e.Name, e.Exit, annotate)
	if e.Range != "" {
		why = fmt.Sprintf("no useful bound is known for the loop at %s: only the range of %s limits its iterations; state in the job what that can be (the range of a parameter, what a buffer holds: init = \"uniform(0, 99)\"), or %s; --allow-absurd takes the bound as it is",
			e.Name, e.Range, annotate)
	}
	return fmt.Sprintf("%s:%s kernel %s: %s", e.Pos, where, symbol.Readable(e.Kernel), why)
}

// As makes it a *diag.UnboundedLoopError.
func (e *UnboundedLoop) As(target any) bool {
	to, ok := target.(**diag.UnboundedLoopError)
	if ok {
		*to = &diag.UnboundedLoopError{Kernel: e.Kernel, Loop: e.Place(), Pos: e.Pos, Source: e.Loc, Branch: e.Exit, Err: e}
	}
	return ok
}

// Place names the loop as a job does: by the label of its header, or by the line where it
// stands if the label is a number, as those of lines are.
func (e *UnboundedLoop) Place() string {
	if _, err := strconv.Atoi(e.Name); err == nil {
		return strconv.Itoa(int(e.Pos.Line))
	}
	return e.Name
}

// transfer goes from the running entry's block to the instruction pc, which begins one,
// and counts iterations of loops. If a loop that has to be left by now would go on, the
// entry loses its lanes.
func (x *execution) transfer(pc int) error {
	top := x.top()
	if back, err := x.body.turns(x, pc); back || err != nil {
		return err
	}
	top.loops = x.count(top.loops, x.graph.BlockOf(pc))
	top.pc = pc
	for i := range top.loops {
		c := &top.loops[i]
		if top.must != 0 && x.alternative == 0 && int64(c.n) > x.annotated[c.loop] {
			return x.contradicted(c)
		}
		if err := x.force(top, c); err != nil {
			return err
		}
		if top.may != 0 {
			x.facts[c.loop].Iterations = max(x.facts[c.loop].Iterations, c.n)
		}
	}
	if top.may != 0 && pc == top.rpc {
		x.arrive()
		return nil
	}
	return x.summarise(top, pc)
}

// count returns the counts of the loops around a block that control comes to.
func (x *execution) count(counts []loopCount, block int) []loopCount {
	around := x.around[block]
	if len(around) == 0 {
		return nil
	}
	next := make([]loopCount, len(around))
	inside := true // control was in the loop before
	for i, l := range around {
		inside = inside && i < len(counts) && counts[i].loop == l
		if !inside {
			next[i] = loopCount{loop: l}
			continue
		}
		next[i] = counts[i]
		if x.graph.Loops().Loops[l].Header == block {
			next[i].n++
		}
	}
	return next
}

// force takes the lanes of an entry away if a loop whose end is not known has iterated
// more often than its bound allows.
func (x *execution) force(top *entry, c *loopCount) error {
	if !c.open || c.n == 0 || top.may == 0 {
		return nil
	}
	header := x.graph.Loops().Loops[c.loop].Header
	bound, ok := 0, false
	if x.config.Bound != nil {
		bound, ok = x.config.Bound(header)
	}
	if !ok {
		return x.unbounded(c.loop)
	}
	if c.n <= bound {
		return nil
	}
	if top.must != 0 && x.alternative == 0 {
		return diag.Errorf(x.graph.Blocks[header].Pos, "%w", &diag.ContradictionError{Err: fmt.Errorf(
			"kernel %s: the loop at %s is known to make at most %d iterations, and iterates more often in the CTAs %s",
			x.kernel.Readable(), x.graph.Name(header), bound, x.box)})
	}
	x.facts[c.loop].Forced = true
	top.must, top.may = 0, 0
	return nil
}

// unbounded is the error of a loop without a bound.
func (x *execution) unbounded(loop int) error {
	header := x.graph.Loops().Loops[loop].Header
	b := &x.graph.Blocks[header]
	return &UnboundedLoop{Kernel: x.kernel.Name, Header: header, Name: b.Name, Pos: b.Pos, Loc: b.Loc, Exit: x.undecided[loop], Range: x.config.Useless[header]}
}

// contradicted is the error of a loop that surely iterates more often than the job states.
func (x *execution) contradicted(c *loopCount) error {
	header := x.graph.Loops().Loops[c.loop].Header
	bound, at, _ := x.config.Annotated(header)
	return diag.Errorf(at, "%w", &diag.ContradictionError{Err: fmt.Errorf(
		"kernel %s: the loop %s at %s is annotated with at most %d back edges per entry, and makes %d or more in the CTAs %s: correct the bound, or leave it out",
		x.kernel.Readable(), x.graph.Name(header), x.graph.Blocks[header].Pos, bound, c.n, x.box)})
}

// open marks the loops that lanes may leave or not at a branch, some of which go either
// way.
func (x *execution) open(top *entry, successors []successor) {
	top.loops = slices.Clone(top.loops)
	for i := range top.loops {
		l := &x.graph.Loops().Loops[top.loops[i].loop]
		var leave, stay uint64
		for _, s := range successors {
			if l.Contains(x.graph.BlockOf(s.pc)) {
				stay |= s.may
			} else {
				leave |= s.may
			}
		}
		if leave&stay != 0 {
			top.loops[i].open = true
			x.undecided[top.loops[i].loop] = x.instr(top.pc).Pos
		}
	}
}

// fewest returns the counts of lanes that come together at one place: for each loop the
// least, so that none is forced to leave before its own bound.
func fewest(a, b []loopCount) []loopCount {
	m := make([]loopCount, min(len(a), len(b)))
	for i := range m {
		m[i] = a[i]
		m[i].n = min(a[i].n, b[i].n)
		m[i].open = a[i].open || b[i].open
		if a[i].seen != b[i].seen {
			m[i].seen = nil
		}
	}
	return m
}
