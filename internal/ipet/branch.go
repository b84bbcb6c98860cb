package ipet

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
)

// Options are what a caller may choose about a solution. The zero Options are
// good defaults.
type Options struct {
	// MaxNodes bounds the number of linear programs that branch and bound
	// solves for each independent part of a model; 0 stands for DefaultMaxNodes.
	// When they are used up, the solution is a bound but not Exact.
	MaxNodes int
	// AllowDetached keeps flow that circulates without being reached from the
	// source. Conservation of flow admits it, but no execution does: by default
	// the general solver excludes it by cuts wherever an edge of it has a limit.
	AllowDetached bool
}

// DefaultMaxNodes is the number of linear programs that are solved by default for a part.
const DefaultMaxNodes = 400

// Solve solves the model with SolveStructured where that applies, and otherwise
// like SolveGeneral, whose options and errors see, but with SolveStructured for each
// part where that applies. The solution's certificate has been checked; one that proves
// nothing is an error.
func Solve(ctx context.Context, m *Model, o Options) (*Solution, error) {
	s, err := SolveStructured(m)
	if errors.Is(err, ErrNotStructured) {
		s, err = solveInParts(m, func(part *Model) (*Solution, error) {
			s, err := SolveStructured(part)
			if errors.Is(err, ErrNotStructured) {
				return solveWhole(ctx, part, o)
			}
			return s, err
		})
	}
	if err != nil {
		return nil, err
	}
	if err := s.Certificate.Check(); err != nil {
		return nil, fmt.Errorf("the %s solver gave a bound of %d without a proof: %w", s.Method, s.Cycles, err)
	}
	return s, nil
}

// SolveGeneral solves any model, each part that is independent of the others by branch
// and bound over linear programs in exact arithmetic. The error is an *InfeasibleError
// or *UnboundedError where the model has no solution, wraps ErrOverflow where its cost
// does not fit, and is that of ctx where it ended first.
func SolveGeneral(ctx context.Context, m *Model, o Options) (*Solution, error) {
	return solveInParts(m, func(part *Model) (*Solution, error) { return solveWhole(ctx, part, o) })
}

// solveWhole solves a model by branch and bound without a search for parts.
func solveWhole(ctx context.Context, m *Model, o Options) (*Solution, error) {
	return solveRounding(ctx, m, o, rounds)
}

// solveRounding is solveWhole with as many rounds of roundings as told.
func solveRounding(ctx context.Context, m *Model, o Options, rounds int) (*Solution, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	net, err := newNetwork(m)
	if err != nil {
		return nil, err
	}
	if o.MaxNodes == 0 {
		o.MaxNodes = DefaultMaxNodes
	}
	s := &search{m: m, options: o, lp: newSimplex(ctx, newProgram(m, net)), bestCost: -1, rounds: rounds, rounded: -1}
	if err := s.run(); err != nil {
		return nil, err
	}
	return s.solution()
}

// search is the state of a branch and bound. Nodes are explored best bound
// first, but from each the better child is followed down at once, so that
// integer solutions are found early.
type search struct {
	m       *Model
	options Options
	lp      *simplex
	solved  int // linear programs

	steps []Step // the proof so far
	cuts  []Cut

	rounds    int   // of roundings that may follow
	rounded   int64 // the floor of the relaxation before the last round, or -1
	roundings []Rounding

	open     queue
	best     []int64 // the best integer solution found, or nil
	bestCost int64   // its cost, or -1
}

// node is an open node: its relaxation is solved and not integer.
type node struct {
	step   int   // its place in the proof, a leaf so far
	value  int64 // floor of its relaxation
	edge   int   // with a fractional count
	at     int64 // the floor of that count
	bounds *bounds
	basis  position
}

// queue is a heap of open nodes, those of the greatest value first and among
// these the latest.
type queue []*node

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].value != q[j].value {
		return q[i].value > q[j].value
	}
	return q[i].step > q[j].step
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*node)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (s *search) run() error {
	s.steps = append(s.steps, Step{})
	at, err := s.explore(0, nil, s.lp.program.start())
	if err != nil {
		return err
	}
	for {
		if at == nil || at.value <= s.bestCost {
			if s.open.Len() == 0 || s.open[0].value <= s.bestCost {
				return nil
			}
			at = heap.Pop(&s.open).(*node)
		}
		if s.solved+2 > s.options.MaxNodes {
			heap.Push(&s.open, at)
			return nil
		}
		if at, err = s.branch(at); err != nil {
			return err
		}
	}
}

// branch splits a node, and returns the better one of its children that are
// open; the other one joins the queue.
func (s *search) branch(n *node) (*node, error) {
	below := len(s.steps)
	s.steps[n.step] = Step{Split: &Split{Edge: n.edge, At: n.at, Below: below, Above: below + 1}}
	s.steps = append(s.steps, Step{}, Step{})
	a, err := s.explore(below, &bounds{n.edge, true, n.at, n.bounds}, n.basis)
	if err != nil {
		return nil, err
	}
	b, err := s.explore(below+1, &bounds{n.edge, false, n.at, n.bounds}, n.basis)
	if err != nil {
		return nil, err
	}
	switch {
	case a == nil:
		return b, nil
	case b == nil:
		return a, nil
	case a.value > b.value:
		a, b = b, a
	}
	heap.Push(&s.open, a)
	return b, nil
}

// explore solves the relaxation of a node from a basis and writes its step of
// the proof. It returns nil where the node is closed.
func (s *search) explore(step int, b *bounds, from position) (*node, error) {
	s.solved++
	s.lp.restrict(b)
	for {
		if err := s.lp.start(from); err != nil {
			return nil, err
		}
		st, column, err := s.lp.solve()
		if err != nil {
			return nil, err
		}
		s.steps[step] = Step{
			Empty:       st == infeasible,
			Multipliers: s.lp.program.multipliers(s.lp.dual),
		}
		switch st {
		case infeasible:
			return nil, nil
		case unbounded:
			return nil, s.lp.unboundedError(column)
		}
		value, ok := s.lp.objective().floor()
		if !ok {
			return nil, ErrOverflow
		}
		if value <= s.bestCost {
			return nil, nil
		}
		if s.addCuts() {
			from = s.lp.position()
			continue
		}
		edge, at, err := s.lp.fractional()
		if err != nil {
			return nil, err
		}
		if edge >= 0 && s.round(value) {
			from = s.lp.position()
			continue
		}
		if edge >= 0 {
			return &node{step, value, edge, at, b, s.lp.position()}, nil
		}
		counts, err := s.lp.counts()
		if err != nil {
			return nil, err
		}
		s.best, s.bestCost = counts, value
		return nil, nil
	}
}

// solution puts the result together.
func (s *search) solution() (*Solution, error) {
	for i := range s.steps { // earlier steps know fewer
		if y := s.steps[i].Multipliers; y != nil {
			y.Cuts = append(y.Cuts, make([]Rational, len(s.cuts)-len(y.Cuts))...)
			y.Roundings = append(y.Roundings, make([]Rational, len(s.roundings)-len(y.Roundings))...)
		}
	}
	c := &Certificate{Model: s.m, Counts: s.best, Cuts: s.cuts, Roundings: s.roundings, Steps: s.steps}
	if s.best == nil && s.open.Len() == 0 {
		return nil, newInfeasibleError(c)
	}
	c.Cycles = s.bestCost
	if s.open.Len() > 0 {
		c.Cycles = max(c.Cycles, s.open[0].value)
	}
	return &Solution{
		Cycles:      c.Cycles,
		Counts:      s.best,
		Exact:       c.Cycles == s.bestCost,
		Walk:        s.best != nil && connected(s.m, s.best),
		Method:      MethodGeneral,
		Certificate: c,
	}, nil
}

// addCuts cuts off what of the current solution circulates detached from the
// source: in each such component the edge nearest to its limit.
func (s *search) addCuts() bool {
	if s.options.AllowDetached {
		return false
	}
	found := false
	for _, nodes := range s.lp.detached() {
		edge := s.lp.tightest(nodes)
		if edge < 0 {
			continue
		}
		cut := Cut{Nodes: nodes, Edge: edge}
		s.lp.program.add(added{index: len(s.cuts)}, cut.constraint(s.m))
		s.cuts = append(s.cuts, cut)
		found = true
	}
	return found
}
