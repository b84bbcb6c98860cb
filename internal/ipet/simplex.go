package ipet

import (
	"context"
	"slices"
)

// simplex solves a program by the revised simplex method with bounded
// variables, in exact rational arithmetic: there are no tolerances, and what it
// finds optimal is optimal. A column outside the basis stands at its lower or
// upper bound.
//
// Nothing is computed anew for a pivot: the reduced costs change by a multiple
// of one row of the inverse, the values by a multiple of one column.
type simplex struct {
	ctx     context.Context
	program *program
	low     []int64 // bounds of the columns, in place of the program's
	high    []int64

	basis  []int  // the column of every row
	rowOf  []int  // the row of every column in the basis, -1 outside
	atHigh []bool // for every column outside the basis
	x      []Rational
	factors

	reduced []Rational // costs of the columns outside the basis, once priced
	gaining tournament // of the columns that gain
	movable []bool     // by column: outside the basis, and its bounds differ
	dual    []Rational // the multipliers of the rows, once solved

	excess    []Rational // by how much the column of every row violates its bounds, in the dual method
	violating tournament // of the rows whose columns do

	// across holds, of the columns outside the basis that can move, what a unit
	// of each takes from the column of a row, where that is not zero.
	across []crossing
	sums   []Rational // working memory: of every column the same, zero between uses

	alpha *vector // a column in terms of the basis
	ray   *vector // a row of the inverse, and working memory; zero between uses
}

type crossing struct {
	column int
	value  Rational
}

// status is how a linear program ended.
type status int

const (
	optimal status = iota
	infeasible
	unbounded
)

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
	s.reduced, s.sums = make([]Rational, len(p.columns)), make([]Rational, len(p.columns))
	s.movable = make([]bool, len(p.columns))
	s.x, s.dual, s.excess = make([]Rational, len(p.rhs)), make([]Rational, len(p.rhs)), make([]Rational, len(p.rhs))
	s.alpha, s.ray = newVector(len(p.rhs)), newVector(len(p.rhs))
	s.rowOf = make([]int, len(p.columns))
	return s.refactor()
}

// refactor factors the basis anew and computes the values of its columns.
func (s *simplex) refactor() error {
	p := s.program
	s.clear(s.alpha) // by the steps as they were
	basis, err := s.factor(p.columns, s.basis)
	if err != nil {
		return err
	}
	s.basis = basis
	fill(s.rowOf, -1)
	for c := range p.columns {
		s.movable[c] = s.low[c] != s.high[c]
	}
	for row, c := range basis {
		s.rowOf[c] = row
		s.movable[c] = false
	}
	for row, b := range p.rhs {
		s.put(s.ray, row, integer(b))
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
				s.put(s.ray, e.row, s.ray.at[e.row].sub(integer(e.coef).mul(integer(at))))
			}
		}
	}
	s.forward(s.ray)
	copy(s.x, s.ray.at)
	s.clear(s.ray)
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
	s.price()
	if !s.feasible() {
		costs := s.dualFeasible()
		if st, err := s.dualSimplex(costs); st != optimal || err != nil {
			return st, -1, err
		}
		if !costs {
			s.price()
		}
	}
	return s.primal() // which has nothing to do after a dual simplex with costs
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

// price computes the reduced cost of every column outside the basis: what a
// unit of it gains.
func (s *simplex) price() {
	s.multipliers()
	for c := range s.program.columns {
		if s.rowOf[c] < 0 {
			s.reduced[c] = integer(s.program.columns[c].cost).sub(s.dot(s.dual, c))
		}
	}
	s.gaining.reset(len(s.program.columns), s.gains, s.gainsMore)
}

func (s *simplex) gains(c int) bool { return s.gain(c).sign() > 0 }

func (s *simplex) gainsMore(c, than int) bool { return s.gain(c).cmp(s.gain(than)) > 0 }

// multipliers computes the dual values of the rows.
func (s *simplex) multipliers() {
	for row, c := range s.basis {
		s.put(s.ray, row, integer(s.program.columns[c].cost))
	}
	s.backward(s.ray)
	copy(s.dual, s.ray.at)
	s.clear(s.ray)
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

// inverseRow sets ray to a row of the inverse, and across to its products with
// the columns outside the basis that can move.
func (s *simplex) inverseRow(row int) {
	s.put(s.ray, row, integer(1))
	s.backward(s.ray)
	touched := s.across[:0]
	for k := s.ray.nonzero.next(0); k >= 0; k = s.ray.nonzero.next(k + 1) {
		y := s.ray.at[s.order[k]]
		if y.isZero() {
			continue
		}
		for _, t := range s.program.rows[s.order[k]] {
			if !s.movable[t.column] {
				continue
			}
			sum := &s.sums[t.column]
			if sum.isZero() { // a column is touched again where its sum is zero
				touched = append(touched, crossing{column: t.column})
			}
			*sum = sum.addProduct(y, integer(t.coef))
		}
	}
	s.across = touched[:0]
	for _, a := range touched {
		if a.value = s.sums[a.column]; !a.value.isZero() {
			s.across = append(s.across, a)
			s.sums[a.column] = Rational{}
		}
	}
}

// reprice updates the reduced costs for a pivot of a column on the row that
// inverseRow was called for.
func (s *simplex) reprice(c, row int) {
	rate := s.reduced[c].div(s.alpha.at[row])
	loss := rate.neg()
	s.reduced[s.basis[row]] = loss // which gains nothing where it stands then
	for _, a := range s.across {
		s.reduced[a.column] = s.reduced[a.column].addProduct(loss, a.value)
		s.gaining.change(a.column, s.gains(a.column), s.gainsMore)
	}
}

// dualFeasible reports whether no column outside the basis gains by moving.
func (s *simplex) dualFeasible() bool { return s.entering(true) < 0 }

// gain is what a column gains for each unit that it moves away from its bound,
// or 0 where it cannot move or is in the basis.
func (s *simplex) gain(c int) Rational {
	switch {
	case !s.movable[c]:
		return Rational{}
	case s.atHigh[c]:
		return s.reduced[c].neg()
	}
	return s.reduced[c]
}

// primal improves a feasible basis that is priced until it is optimal. Where the
// optimum is unbounded it returns the column that can grow for ever; each unit
// of it takes alpha from the basic columns.
func (s *simplex) primal() (status, int, error) {
	stalled := 0
	for {
		c := s.entering(stalled > patience*len(s.basis))
		if c < 0 {
			s.multipliers()
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
		if row >= 0 {
			s.inverseRow(row)
			s.reprice(c, row)
			s.clear(s.ray)
		}
		if err := s.move(c, row, step); err != nil {
			return 0, -1, err
		}
	}
}

// entering returns the column that gains most, under Bland's rule any that
// gains, the first one among equals, or -1.
func (s *simplex) entering(bland bool) int {
	if bland {
		return s.gaining.first()
	}
	return s.gaining.best()
}

// column sets alpha to the column c in terms of the basis.
func (s *simplex) column(c int) {
	s.clear(s.alpha)
	s.load(s.alpha, s.program.columns[c])
	s.forward(s.alpha)
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
	for k := s.alpha.nonzero.next(0); k >= 0; k = s.alpha.nonzero.next(k + 1) {
		r := s.order[k]
		a := s.alpha.at[r]
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
	if back := step.neg(); !step.isZero() {
		for k := s.alpha.nonzero.next(0); k >= 0; k = s.alpha.nonzero.next(k + 1) {
			r := s.order[k]
			if a := s.alpha.at[r]; !a.isZero() {
				s.x[r] = s.x[r].addProduct(a, back)
			}
		}
	}
	if row < 0 {
		s.atHigh[c] = !s.atHigh[c] // where it gains no more
		s.gaining.change(c, false, s.gainsMore)
		return nil
	}
	out := s.basis[row]
	s.atHigh[out] = s.high[out] != unlimited && s.x[row].cmp(integer(s.low[out])) != 0
	s.rowOf[out], s.rowOf[c] = -1, row
	s.movable[out], s.movable[c] = s.low[out] != s.high[out], false
	s.basis[row] = c
	s.x[row] = value
	s.update(s.alpha, row)
	if len(s.etas) >= updates {
		return s.refactor()
	}
	return nil
}
