package ipet

import (
	"errors"
	"slices"
)

// factors is a basis matrix B in a form in which systems of equations are
// solved quickly where right-hand sides and solutions are sparse: B is
// L U E_1 ... E_k up to the order of its rows, with triangular L and U, and an
// eta matrix E for every pivot since B was factored.
//
// The order is that of the elimination: at every step one row is the pivot.
// Column i of B is the one that is pivoted on row i.
type factors struct {
	order   []int      // the row of every step
	step    []int      // the step of every row
	inverse []Rational // of the pivot of every step, which is on the diagonal of L

	// What columns and rows of L and U, by step, hold beside the diagonal. Only
	// the columns of the bump have anything in U, whose diagonal is 1.
	lower, lowerRows lists
	upper, upperRows lists
	bump             span // the steps of the bump

	etas       []eta // at most updates
	etaEntries []etaEntry
	latest     []int      // by row: its last entry, or -1
	product    []Rational // of a vector with the entries of every eta, zero between uses
	left       steps      // the etas whose product may have changed
	triangles
	elimination bump
}

// updates is the number of pivots after which a basis is factored anew.
const updates = 256

// eta is the inverse of an eta matrix: the identity and, in the column of row,
// some entries more.
type eta struct {
	row     int
	entries span
}

// etaEntry is an entry of an eta.
type etaEntry struct {
	scaled
	eta    int // its number
	before int // the entry of the row in an eta before, or -1
}

type scaled struct {
	row   int
	value Rational
}

// span is a range of steps or entries, to excluded.
type span struct{ from, to int }

// lists are lists of matrix entries, one behind the other in one array. Those of
// L and U have the opposite sign of the matrix.
type lists struct {
	start   []int // of every list, and the end of the last
	entries []scaled
}

func (l *lists) of(i int) []scaled { return l.entries[l.start[i]:l.start[i+1]] }

func (l *lists) reset() {
	l.start, l.entries = append(l.start[:0], 0), l.entries[:0]
}

// end ends the list that entries were appended to.
func (l *lists) end() { l.start = append(l.start, len(l.entries)) }

// vector is a sparse vector over the rows of a program.
type vector struct {
	at []Rational
	// nonzero holds the steps of the rows that are not zero, and perhaps of some
	// that are.
	nonzero steps
}

func newVector(n int) *vector {
	return &vector{at: make([]Rational, n), nonzero: make(steps, (n+63)/64)}
}

var errSingular = errors.New("internal error: singular basis")

// factor factors the matrix of the columns of basis, one for every row. It
// returns the basis ordered so that the column at place i is the one that was
// pivoted on row i.
//
// Rows with a single column left go first and columns with a single row left go
// last, in reverse. Neither fills in: in a basis of a flow problem that is
// much of it.
func (f *factors) factor(columns []column, basis []int) ([]int, error) {
	n := len(basis)
	f.find(columns, basis)
	f.reset(n)
	ordered := filled(n, -1)
	for k, at := range f.front {
		ordered[at.row] = basis[at.place]
		f.take(columns[basis[at.place]], k)
	}
	if err := f.eliminate(columns, basis, ordered); err != nil {
		return nil, err
	}
	for i, at := range slices.Backward(f.tail) {
		ordered[at.row] = basis[at.place]
		f.take(columns[basis[at.place]], f.bump.to+len(f.tail)-1-i)
	}
	for k, row := range f.order {
		f.step[row] = k
	}
	f.lowerRows.transpose(&f.lower, f)
	f.upper.transpose(&f.upperRows, f)
	return ordered, nil
}

// reset begins a factorisation with the rows of the front, those of the bump in
// any order, and those of the tail.
func (f *factors) reset(n int) {
	f.order = slices.Grow(f.order[:0], n)
	for _, at := range f.front {
		f.order = append(f.order, at.row)
	}
	f.bump.from = len(f.order)
	f.order = f.order[:f.bump.from+len(f.inner)] // those of the bump are not known yet
	f.bump.to = len(f.order)
	for _, at := range slices.Backward(f.tail) {
		f.order = append(f.order, at.row)
	}
	f.step = slices.Grow(f.step[:0], n)[:n]
	f.inverse = f.inverse[:0]
	f.etas = f.etas[:0]
	f.etaEntries = f.etaEntries[:0]
	f.latest = slices.Grow(f.latest[:0], n)[:n]
	fill(f.latest, -1)
	if f.product == nil {
		f.product, f.left = make([]Rational, updates), make(steps, updates/64)
	}
	f.lower.reset()
	f.upperRows.reset()
}

// take makes a column that needs no elimination that of step k.
func (f *factors) take(c column, k int) {
	for _, e := range c.entries {
		if e.row == f.order[k] {
			f.inverse = append(f.inverse, integer(1).div(integer(e.coef)))
		} else {
			f.lower.entries = append(f.lower.entries, scaled{e.row, integer(-e.coef)})
		}
	}
	f.lower.end()
	f.upperRows.end()
}

// transpose makes the lists of rows from those of the columns, or the reverse,
// all of them by step.
func (l *lists) transpose(columns *lists, f *factors) {
	n := len(f.order)
	l.start = slices.Grow(l.start[:0], n+1)[:n+1]
	clear(l.start)
	for _, e := range columns.entries {
		l.start[f.step[e.row]]++
	}
	end := 0
	for k, count := range l.start {
		end += count
		l.start[k] = end
	}
	l.entries = slices.Grow(l.entries[:0], end)[:end]
	for k := n - 1; k >= 0; k-- {
		for _, e := range columns.of(k) {
			at := &l.start[f.step[e.row]]
			*at--
			l.entries[*at] = scaled{f.order[k], e.value}
		}
	}
}

// load adds a column to a vector of zeros.
func (f *factors) load(v *vector, c column) {
	for _, e := range c.entries {
		f.put(v, e.row, integer(e.coef))
	}
}

func (f *factors) put(v *vector, row int, x Rational) {
	v.at[row] = x
	v.nonzero.add(f.step[row])
}

// clear makes a vector zero.
func (f *factors) clear(v *vector) {
	for k := v.nonzero.next(0); k >= 0; k = v.nonzero.next(k + 1) {
		v.at[f.order[k]] = Rational{}
	}
	clear(v.nonzero)
}

// update appends the eta matrix of a pivot on a row, given the entering column
// in terms of the basis.
func (f *factors) update(alpha *vector, row int) {
	pivot := integer(1).div(alpha.at[row])
	e := eta{row: row, entries: span{from: len(f.etaEntries)}}
	for k := alpha.nonzero.next(0); k >= 0; k = alpha.nonzero.next(k + 1) {
		r := f.order[k]
		x := alpha.at[r]
		switch {
		case r == row:
			x = pivot.sub(integer(1))
		case !x.isZero():
			x = x.neg().mul(pivot)
		}
		if !x.isZero() {
			f.etaEntries = append(f.etaEntries, etaEntry{scaled{r, x}, len(f.etas), f.latest[r]})
			f.latest[r] = len(f.etaEntries) - 1
		}
	}
	e.entries.to = len(f.etaEntries)
	f.etas = append(f.etas, e)
}

// forward replaces v by the solution x of B x = v.
func (f *factors) forward(v *vector) {
	f.up(v, &f.lower, span{0, len(f.order)}, true)
	f.down(v, &f.upper, f.bump, false)
	for _, e := range f.etas {
		x := v.at[e.row]
		if x.isZero() {
			continue
		}
		for _, s := range f.etaEntries[e.entries.from:e.entries.to] {
			f.put(v, s.row, v.at[s.row].addProduct(x, s.value))
		}
	}
}

// backward replaces v by the solution y of y B = v.
func (f *factors) backward(v *vector) {
	for k := v.nonzero.next(0); k >= 0; k = v.nonzero.next(k + 1) {
		f.spread(f.order[k], v.at[f.order[k]], len(f.etas))
	}
	for i := f.left.previous(updates - 1); i >= 0; i = f.left.previous(i - 1) {
		row, change := f.etas[i].row, f.product[i]
		f.product[i] = Rational{}
		f.put(v, row, v.at[row].add(change))
		f.spread(row, change, i)
	}
	clear(f.left)
	f.up(v, &f.upperRows, f.bump, false)
	f.down(v, &f.lowerRows, span{0, len(f.order)}, true)
}

// spread adds what x in a row adds to the products with etas before one.
func (f *factors) spread(row int, x Rational, before int) {
	if x.isZero() {
		return
	}
	for i := f.latest[row]; i >= 0; i = f.etaEntries[i].before {
		if e := &f.etaEntries[i]; e.eta < before {
			f.product[e.eta] = f.product[e.eta].addProduct(x, e.value)
			f.left.add(e.eta)
		}
	}
}

// up eliminates the steps of a span, the first one first. Each of its lists
// names rows of later steps only.
func (f *factors) up(v *vector, l *lists, s span, scale bool) {
	for k := v.nonzero.next(s.from); k >= 0 && k < s.to; k = v.nonzero.next(k + 1) {
		f.at(v, l, k, scale)
	}
}

// down eliminates the steps of a span, the last one first. Each of its lists
// names rows of earlier steps only.
func (f *factors) down(v *vector, l *lists, s span, scale bool) {
	for k := v.nonzero.previous(s.to - 1); k >= s.from; k = v.nonzero.previous(k - 1) {
		f.at(v, l, k, scale)
	}
}

// at subtracts from v the multiple of a list that belongs to step k, whose value
// is divided by its pivot before if scale says so.
func (f *factors) at(v *vector, l *lists, k int, scale bool) {
	x := v.at[f.order[k]]
	if x.isZero() {
		return
	}
	if scale && f.inverse[k] != integer(1) {
		x = x.mul(f.inverse[k])
		v.at[f.order[k]] = x
	}
	for _, e := range l.of(k) {
		f.put(v, e.row, v.at[e.row].addProduct(x, e.value))
	}
}
