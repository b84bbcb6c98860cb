package ipet

import (
	"context"
	"slices"
)

// simplex solves a program by the revised simplex method with bounded
// variables, in exact rational arithmetic: there are no tolerances, and what it
// finds optimal is optimal. A column outside the basis stands at its lower or
// upper bound.
type simplex struct {
	ctx     context.Context
	program *program
	low     []int64 // bounds of the columns, in place of the program's
	high    []int64

	basis  []int  // the column of every row
	rowOf  []int  // the row of every column in the basis, -1 outside
	atHigh []bool // for every column outside the basis
	x      []Rational
	*factors
	refactorAt int // number of etas at which to factor anew

	alpha, dual []Rational // working memory: a column, the dual values
}

// status is how a linear program ended.
type status int

const (
	optimal status = iota
	infeasible
	unbounded
)

// updates is the number of eta matrices that pivots may add to a fresh
// factorisation.
const updates = 64

// patience is the number of pivots without progress, for each row, after which
// Bland's rule takes over until there is progress. It excludes cycling.
const patience = 2

func newSimplex(ctx context.Context, p *program) *simplex {
	s := &simplex{ctx: ctx, program: p}
	for _, c := range p.columns {
		s.low = append(s.low, c.low)
		s.high = append(s.high, c.high)
	}
	return s
}

// position is a basis and which other columns stand at their upper bounds. It
// stays valid when bounds change and rows are added.
type position struct {
	basis  []int
	atHigh []bool
}

func (s *simplex) position() position {
	return position{slices.Clone(s.basis), slices.Clone(s.atHigh)}
}

// start moves to a position, with the slacks of rows added since in the basis.
func (s *simplex) start(at position) error {
	p := s.program
	s.basis = slices.Clone(at.basis)
	for row := len(s.basis); row < len(p.rhs); row++ {
		s.basis = append(s.basis, p.slackOf(row))
	}
	s.atHigh = make([]bool, len(p.columns))
	copy(s.atHigh, at.atHigh)
	for c := len(s.low); c < len(p.columns); c++ {
		s.low = append(s.low, p.columns[c].low)
		s.high = append(s.high, p.columns[c].high)
	}
	s.x = make([]Rational, len(p.rhs))
	s.alpha = make([]Rational, len(p.rhs))
	s.dual = make([]Rational, len(p.rhs))
	return s.refactor()
}

// refactor inverts the basis anew and computes the values of its columns.
func (s *simplex) refactor() error {
	p := s.program
	f, basis, err := factor(p.columns, s.basis)
	if err != nil {
		return err
	}
	s.factors, s.basis = f, basis
	s.refactorAt = len(f.etas) + updates
	s.rowOf = filled(len(p.columns), -1)
	for row, c := range basis {
		s.rowOf[c] = row
	}
	for row, b := range p.rhs {
		s.x[row] = integer(b)
	}
	for c, col := range p.columns {
		if s.rowOf[c] >= 0 {
			continue
		}
		if s.high[c] == unlimited {
			s.atHigh[c] = false // its limit was lifted
		}
		if at := s.bound(c); at != 0 {
			for _, e := range col.entries {
				s.x[e.row] = s.x[e.row].sub(integer(e.coef).mul(integer(at)))
			}
		}
	}
	f.forward(s.x, 0)
	return s.ctx.Err()
}

// bound returns where a column outside the basis stands.
func (s *simplex) bound(c int) int64 {
	if s.atHigh[c] {
		return s.high[c]
	}
	return s.low[c]
}

// solve finds an optimum from the current basis. After infeasible, dual holds
// multipliers that prove it; after optimal, those that prove the optimum. After
// unbounded it also returns the column that grows, and alpha is as primal says.
func (s *simplex) solve() (status, int, error) {
	if s.feasible() {
		return s.primal()
	}
	s.price(true)
	costs := s.dualFeasible()
	if st, err := s.dualSimplex(costs); st != optimal || err != nil {
		return st, -1, err
	}
	return s.primal() // which has nothing to do where costs is true
}

func (s *simplex) feasible() bool {
	for row := range s.basis {
		if s.violation(row).sign() != 0 {
			return false
		}
	}
	return true
}

// violation returns by how much the column of a row is above its upper bound,
// or below its lower one, as a negative number.
func (s *simplex) violation(row int) Rational {
	c := s.basis[row]
	if d := s.x[row].sub(integer(s.low[c])); d.sign() < 0 {
		return d
	}
	if s.high[c] != unlimited {
		if d := s.x[row].sub(integer(s.high[c])); d.sign() > 0 {
			return d
		}
	}
	return Rational{}
}

// price computes the dual values of the rows, with the costs or with none.
func (s *simplex) price(costs bool) {
	clear(s.dual)
	if !costs {
		return
	}
	for row, c := range s.basis {
		s.dual[row] = integer(s.program.columns[c].cost)
	}
	s.backward(s.dual)
}

// dot returns the product of a vector over the rows and a column.
func (s *simplex) dot(y []Rational, c int) Rational {
	var sum Rational
	for _, e := range s.program.columns[c].entries {
		switch e.coef {
		case 1:
			sum = sum.add(y[e.row])
		case -1:
			sum = sum.sub(y[e.row])
		default:
			sum = sum.add(y[e.row].mul(integer(e.coef)))
		}
	}
	return sum
}

// reducedCost is what a unit of the column gains, given dual.
func (s *simplex) reducedCost(c int) Rational {
	return integer(s.program.columns[c].cost).sub(s.dot(s.dual, c))
}

// dualFeasible reports whether no column outside the basis gains by moving.
func (s *simplex) dualFeasible() bool {
	for c := range s.program.columns {
		if s.rowOf[c] < 0 && s.gain(c).sign() > 0 {
			return false
		}
	}
	return true
}

// gain is what a column outside the basis gains for each unit that it moves
// away from its bound, or 0 where it cannot move.
func (s *simplex) gain(c int) Rational {
	if s.low[c] == s.high[c] {
		return Rational{}
	}
	d := s.reducedCost(c)
	if s.atHigh[c] {
		return d.neg()
	}
	return d
}

// primal improves a feasible basis until it is optimal. Where the optimum is
// unbounded it returns the column that can grow for ever; each unit of it takes
// alpha[row] from the basic columns.
func (s *simplex) primal() (status, int, error) {
	stalled := 0
	for {
		s.price(true)
		c := s.entering(stalled > patience*len(s.basis))
		if c < 0 {
			return optimal, -1, nil
		}
		s.column(c)
		step, row := s.ratioTest(c)
		if row < 0 && s.high[c] == unlimited {
			return unbounded, c, nil
		}
		if stalled++; step.sign() > 0 {
			stalled = 0
		}
		if err := s.move(c, row, step); err != nil {
			return 0, -1, err
		}
	}
}

// entering returns the column that gains most, under Bland's rule the first
// that gains, or -1.
func (s *simplex) entering(bland bool) int {
	best, at := Rational{}, -1
	for c := range s.program.columns {
		if s.rowOf[c] >= 0 {
			continue
		}
		if g := s.gain(c); g.sign() > 0 && (at < 0 || g.cmp(best) > 0) {
			if best, at = g, c; bland {
				break
			}
		}
	}
	return at
}

// column sets alpha to the column c in terms of the basis.
func (s *simplex) column(c int) {
	clear(s.alpha)
	for _, e := range s.program.columns[c].entries {
		s.alpha[e.row] = integer(e.coef)
	}
	s.forward(s.alpha, 0)
}

// ratioTest returns how far column c can move from its bound, and the row whose
// column then leaves the basis: -1 if c itself reaches its other bound, or if
// nothing stops it. Among equals the column of least index leaves.
func (s *simplex) ratioTest(c int) (step Rational, row int) {
	row = -1
	bounded := s.high[c] != unlimited
	if bounded {
		step = integer(s.high[c] - s.low[c])
	}
	for r, a := range s.alpha {
		if a.isZero() {
			continue
		}
		// The basic column falls where a, seen in the direction of c, is
		// positive.
		if s.atHigh[c] {
			a = a.neg()
		}
		b := s.basis[r]
		var room Rational
		if a.sign() > 0 {
			room = s.x[r].sub(integer(s.low[b])).div(a)
		} else if s.high[b] != unlimited {
			room = s.x[r].sub(integer(s.high[b])).div(a)
		} else {
			continue
		}
		if bounded {
			if d := room.cmp(step); d > 0 || d == 0 && (row < 0 || s.basis[row] < b) {
				continue
			}
		}
		step, row, bounded = room, r, true
	}
	return step, row
}

// move moves column c by step away from its bound. Unless row is -1 it takes the
// place of that row's column in the basis.
func (s *simplex) move(c, row int, step Rational) error {
	if s.atHigh[c] {
		step = step.neg()
	}
	value := integer(s.bound(c)).add(step)
	if !step.isZero() {
		for r, a := range s.alpha {
			if !a.isZero() {
				s.x[r] = s.x[r].sub(a.mul(step))
			}
		}
	}
	if row < 0 {
		s.atHigh[c] = !s.atHigh[c]
		return nil
	}
	out := s.basis[row]
	s.atHigh[out] = s.high[out] != unlimited && s.x[row].cmp(integer(s.low[out])) != 0
	s.rowOf[out], s.rowOf[c] = -1, row
	s.basis[row] = c
	s.x[row] = value
	s.push(s.alpha, row)
	if len(s.etas) >= s.refactorAt {
		return s.refactor()
	}
	return nil
}
