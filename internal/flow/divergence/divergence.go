package divergence

import (
	"context"
	"fmt"
	"strings"

	"warpbound/diag"
	"warpbound/internal/budget"
	"warpbound/internal/constraint"
	"warpbound/internal/flow/gated"
	"warpbound/internal/isa"
)

// Result is what is known of the values of a kernel. It does not change.
type Result struct {
	Form   *gated.Form
	values []Verdict
	from   []gated.ID // by value: the operand that makes it as divergent as it is, or None
	work   *budget.Work
}

// Analyze finds the verdicts of a kernel in gated form, for complete runs of launches of
// the given shape.
//
// It is an error, with positions, if the syncs of a kernel whose lanes reconverge AtSyncs do not
// fit its branches (cfg.Graph.CheckSyncs).
//
// It takes for granted what PTX does of memory that is read only: that nothing writes
// what a kernel reads from constant memory.
//
// If ctx ends, the error is that of ctx.
func Analyze(ctx context.Context, f *gated.Form, l Launch) (*Result, error) {
	return TraceAnalysis(ctx, f, l, nil)
}

// TraceAnalysis is Analyze with a trace of the verdicts of values and of branches. trace may be
// nil.
func TraceAnalysis(ctx context.Context, f *gated.Form, l Launch, trace constraint.Trace) (*Result, error) {
	if err := f.Graph.CheckSyncs(); err != nil {
		return nil, err
	}
	a := &analysis{
		Result: Result{
			Form: f, values: make([]Verdict, len(f.Values)), from: make([]gated.ID, len(f.Values)),
			work: budget.NewWork(l.Effort),
		},
		launch:      l,
		trace:       trace,
		memory:      contents(f.Graph.Kernel),
		divergedOps: make(map[isa.Op]bool),
		leading:     leadingToLanes(f.Graph),
		diverged:    make([]bool, len(f.Graph.Blocks)),
		skewed:      make([]bool, len(f.Loops)),
		split:       make([]bool, len(f.Graph.Blocks)),
		seen:        make([]int, len(f.Graph.Blocks)+1),
	}
	for v := range a.from {
		a.from[v] = gated.None
	}
	values := a.makeSystem()
	var err error
	constraint.Iterate(len(f.Graph.Blocks), func(pass int) (news bool) {
		if err = values.SolveWithin(ctx); err == nil {
			news, err = a.part(ctx, pass)
		}
		return news
	})
	if err != nil {
		return nil, err
	}
	return &a.Result, nil
}

// Value returns the verdict of a value.
func (r *Result) Value(v gated.ID) Verdict { return r.values[v] }

// Branch returns the verdict of the choice at the end of a block: that of the lanes
// that take one edge or another, or end.
func (r *Result) Branch(block int) Verdict {
	guard, index := r.Form.Selectors(block)
	verdict := Grid
	for _, v := range []gated.ID{guard, index} {
		if v != gated.None {
			verdict = max(verdict, r.values[v])
		}
	}
	return verdict
}

// Uniform reports whether lanes that execute the end of a block together surely go the
// same way.
func (r *Result) Uniform(block int) bool {
	return len(r.Form.Graph.Succ(block)) < 2 || r.Branch(block) < Divergent
}

// Limited warns of a limit of work at which the analysis gave up; nil if there is none.
func (r *Result) Limited() []diag.Warning {
	reached := r.work.Reached()
	if reached == nil {
		return nil
	}
	k := r.Form.Graph.Kernel
	return []diag.Warning{{Pos: k.Pos, ID: "facts-limited", Text: fmt.Sprintf(
		"branches of kernel %s were judged up to a limit of %s, so that lanes may seem to go different "+
			"ways where they do not; a greater --effort lifts it", k.Readable(), strings.Join(reached, ", "))}}
}

// Origin returns the value that makes another as divergent as it is: one whose operands
// are less divergent, such as the result of a load.
func (r *Result) Origin(v gated.ID) gated.ID {
	for r.from[v] != gated.None {
		v = r.from[v]
	}
	return v
}

// analysis computes the least verdicts that satisfy all rules: they begin with Grid and
// grow.
type analysis struct {
	Result
	launch Launch
	memory memory
	trace  constraint.Trace

	split       []bool          // by block: its branch is known to be divergent
	divergedOps map[isa.Op]bool // operations of a warp to which lanes may come apart from others that take part
	leading     []bool          // by block: lanes can come to an operation of a warp from there
	diverged    []bool          // by block: lanes may execute it one after another although they are in one iteration
	skewed      []bool          // by loop: lanes may be together in different iterations

	seen []int // by block and the virtual exit: the last walk that came to it
	walk int

	steps int // blocks that were walked
}

// makeSystem returns the rules of values, which have the verdicts for facts.
func (a *analysis) makeSystem() *constraint.System {
	return &constraint.System{
		Variables: len(a.values), Order: constraint.Ascending(len(a.values)), Height: int(Divergent) * len(a.values),
		Uses: a.visitOperands, Trace: a.trace, Describe: a.describeVerdict,
		Update: func(v int) bool {
			verdict, from := a.rule(gated.ID(v))
			if verdict <= a.values[v] {
				return false
			}
			a.values[v], a.from[v] = verdict, from
			return true
		},
	}
}

// visitOperands calls visit for the values on whose verdicts that of a value depends.
func (a *analysis) visitOperands(v int, visit func(int)) {
	value := &a.Form.Values[v]
	list := value.Args
	if value.Kind == gated.Result {
		list = a.Form.Reads(value.Instr)
	}
	for _, operand := range list {
		if operand != gated.None {
			visit(int(operand))
		}
	}
	if value.By != gated.None {
		visit(int(value.By))
	}
}

// describeVerdict returns how a value is made, with its place, and its verdict.
func (a *analysis) describeVerdict(v int) (name, fact string) {
	value, g := &a.Form.Values[v], a.Form.Graph
	pos, made := g.Blocks[value.Block].Source(), a.Form.Define(gated.ID(v))
	if value.Instr >= 0 {
		pos = g.Kernel.Instrs[value.Instr].Pos
	}
	if value.Kind != gated.Result {
		made = a.Form.Name(gated.ID(v)) + " = " + made
	}
	return fmt.Sprintf("%v: %s", pos, made), a.values[v].String()
}

// rule returns what follows for a value from its operands, and the operand from which
// it follows.
func (a *analysis) rule(v gated.ID) (Verdict, gated.ID) {
	value := &a.Form.Values[v]
	switch value.Kind {
	case gated.Result:
		return a.result(value.Instr)
	case gated.Mu:
		if a.skewed[value.Loop] {
			return Divergent, gated.None
		}
	}
	verdict, from := Grid, gated.None
	a.join(&verdict, &from, value.By)
	for _, arg := range value.Args {
		a.join(&verdict, &from, arg)
	}
	return verdict, from
}

func (a *analysis) join(verdict *Verdict, from *gated.ID, operand gated.ID) {
	if operand != gated.None && a.values[operand] > *verdict {
		*verdict, *from = a.values[operand], operand
	}
}

// result returns the verdict of the results of an instruction.
func (a *analysis) result(i int) (Verdict, gated.ID) {
	in := &a.Form.Graph.Kernel.Instrs[i]
	verdict, from := Grid, gated.None
	reads := a.Form.Reads(i)
	if in.Guard.Set {
		reads = reads[1:]
	}
	for _, v := range reads {
		a.join(&verdict, &from, v)
	}
	for _, o := range in.Src {
		if o.Kind == isa.KindSpecial {
			if s := a.launch.special(o.Special); s > verdict {
				verdict, from = s, gated.None
			}
		}
	}
	source := a.source(in)
	switch {
	case source == pure:
		return verdict, from
	case source == collective && (a.divergedOps[in.Op] || a.membersDiffer(i)):
		return Divergent, gated.None
	case source != private && !a.diverged[a.Form.Graph.BlockOf(i)] && (source == collective || verdict <= Warp):
		return Warp, gated.None
	}
	if verdict < Divergent {
		from = gated.None
	}
	return Divergent, from
}
