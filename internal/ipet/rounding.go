package ipet

import "math"

// rounds is the number of times that the general solver adds roundings before it
// branches.
const rounds = 10

// round adds roundings that cut off the current solution, of the given value, and
// reports whether there are any. It does so before the first branch, as long as that
// lowers the bound, and where linear programs are left.
func (s *search) round(value int64) bool {
	if len(s.steps) > 1 || s.rounds == 0 || s.solved >= s.options.MaxNodes || value == s.rounded {
		return false
	}
	s.solved++
	s.rounds--
	s.rounded = value
	r := newRounder(s.lp)
	var found []Rounding
	for row, c := range s.lp.basis {
		if c < len(s.lp.program.edges) && !s.lp.x[row].isInteger() {
			if rounding, ok := r.round(row); ok {
				found = append(found, rounding)
			}
		}
	}
	for _, rounding := range found {
		s.lp.program.add(added{true, len(s.roundings)}, rounding.constraint())
		s.roundings = append(s.roundings, rounding)
	}
	return len(found) > 0
}

// rounder makes roundings of the rows of the inverse of a basis (Gomory, 1958). The row
// of a column with a fractional value weights the constraints such that the column and
// those outside the basis add up to that value, those at their bounds of 0 aside. Whole
// multiples of constraints take nothing away when coefficients are rounded, so that the
// fractions of the weights will do. They have the signs that inequalities need.
type rounder struct {
	*simplex
	nodes  []int      // by row of a node
	weight []Rational // by row; zero between uses
	seen   []bool     // by column; false between uses
}

func newRounder(lp *simplex) *rounder {
	p := lp.program
	r := &rounder{lp, make([]int, p.flowRows), make([]Rational, len(p.rhs)), make([]bool, len(p.columns))}
	for v, row := range p.nodeRow {
		if row >= 0 {
			r.nodes[row] = v
		}
	}
	return r
}

// round returns the rounding of a row, unless its numbers do not fit or it needs the law
// of conservation at all nodes up to one.
func (r *rounder) round(row int) (Rounding, bool) {
	rows, ok := r.weigh(row)
	defer func() {
		for _, row := range rows {
			r.weight[row] = Rational{}
		}
	}()
	if !ok {
		return Rounding{}, false
	}
	var rounding Rounding
	var bound Rational
	for _, row := range rows {
		bound = bound.add(r.weight[row].mul(integer(r.program.rhs[row])))
	}
	for _, c := range r.columnsOf(rows) {
		a := r.dot(r.weight, c)
		coef, fits := a.floor()
		if !fits || coef == math.MaxInt64 {
			return Rounding{}, false
		}
		if r.rowOf[c] < 0 && r.atHigh[c] && !a.isInteger() {
			coef++
			bound = bound.add(integer(coef).sub(a).mul(integer(r.high[c])))
		}
		if coef != 0 {
			rounding.Terms = append(rounding.Terms, Term{r.program.edges[c], coef})
		}
	}
	rounding.RHS, ok = bound.floor()
	rounding.Weights = r.weights(rows)
	return rounding, ok
}

// weigh sets weight to the fractions of a row of the inverse, and returns the rows that
// are not zero.
func (r *rounder) weigh(row int) (rows []int, ok bool) {
	r.inverseRow(row)
	defer r.clear(r.ray)
	for k := r.ray.nonzero.next(0); k >= 0; k = r.ray.nonzero.next(k + 1) {
		row := r.order[k]
		y := r.ray.at[row]
		whole, fits := y.floor()
		if !fits {
			return rows, false
		}
		y = y.sub(integer(whole))
		if y.isZero() {
			continue
		}
		if row < r.program.flowRows {
			if r.program.last[r.nodes[row]] {
				return rows, false
			}
		} else if slack := r.program.columns[r.program.slackOf(row)]; slack.entries[0].coef < 0 {
			y = y.sub(integer(1)) // of a lower bound
		}
		r.weight[row] = y
		rows = append(rows, row)
	}
	return rows, len(rows) > 0
}

// columnsOf returns the edge columns with entries in the rows.
func (r *rounder) columnsOf(rows []int) []int {
	var columns []int
	for _, row := range rows {
		for _, t := range r.program.rows[row] {
			if t.column < len(r.program.edges) && !r.seen[t.column] {
				r.seen[t.column] = true
				columns = append(columns, t.column)
			}
		}
	}
	for _, c := range columns {
		r.seen[c] = false
	}
	return columns
}

// weights names the constraints of rows and their weights.
func (r *rounder) weights(rows []int) Weights {
	var w Weights
	m, p := r.program.m, r.program
	for _, row := range rows {
		y, i := r.weight[row], row-p.flowRows
		switch {
		case i < 0:
			w.Nodes = append(w.Nodes, Weight{r.nodes[row], y})
		case i < len(m.Loops):
			w.Loops = append(w.Loops, Weight{i, y})
		case i < m.constraints():
			w.Facts = append(w.Facts, Weight{i - len(m.Loops), y})
		default:
			a := p.added[i-m.constraints()]
			to := &w.Cuts
			if a.rounding {
				to = &w.Roundings
			}
			*to = append(*to, Weight{a.index, y})
		}
	}
	return w
}
