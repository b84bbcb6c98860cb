package ipet

import (
	"errors"
	"slices"
)

// factors is the inverse of a basis matrix in product form: E_k ... E_2 E_1,
// where each eta matrix E differs from the identity in one column.
type factors struct {
	etas []eta
	work []Rational
}

// eta is an eta matrix: column row holds pivot at row and the values of rest
// elsewhere.
type eta struct {
	row   int
	pivot Rational
	rest  []scaled
}

type scaled struct {
	row   int
	value Rational
}

var errSingular = errors.New("internal error: singular basis")

// factor inverts the matrix of the columns of basis, one for every row. It
// returns the factors and the basis ordered so that the column at place i is
// the one that was pivoted on row i.
//
// Rows with a single column left go first and columns with a single row left go
// last, in reverse. Neither fills in: in a basis of a flow problem that is
// nearly everything.
func factor(columns []column, basis []int) (*factors, []int, error) {
	n := len(basis)
	f := &factors{work: make([]Rational, n)}
	ordered := filled(n, -1)
	front, tail, bump, inBump := triangles(columns, basis)
	for _, at := range front {
		ordered[at.row] = basis[at.place]
		f.pushColumn(columns[basis[at.place]], at.row)
	}
	slices.SortStableFunc(bump, func(a, b int) int {
		return len(columns[basis[a]].entries) - len(columns[basis[b]].entries)
	})
	start := len(f.etas)
	for _, place := range bump {
		f.load(columns[basis[place]])
		f.forward(f.work, start)
		row := -1
		for r, open := range inBump {
			if open && !f.work[r].isZero() && (row < 0 || simpler(f.work[r], f.work[row])) {
				row = r
			}
		}
		if row < 0 {
			return nil, nil, errSingular
		}
		inBump[row] = false
		ordered[row] = basis[place]
		f.push(f.work, row)
		clear(f.work)
	}
	for _, at := range slices.Backward(tail) {
		ordered[at.row] = basis[at.place]
		f.pushColumn(columns[basis[at.place]], at.row)
	}
	return f, ordered, nil
}

// simpler prefers pivots of plus or minus one.
func simpler(a, b Rational) bool {
	isUnit := func(r Rational) bool { return r.den == 0 && (r.num == 1 || r.num == -1) }
	return isUnit(a) && !isUnit(b)
}

type pivotAt struct{ place, row int }

// triangles splits a basis into the pivots of a leading triangle, those of a
// trailing one, and the places and rows that are left between.
func triangles(columns []column, basis []int) (front, tail []pivotAt, bump []int, inBump []bool) {
	n := len(basis)
	byRow := make([][]int, n) // places with an entry in the row
	rowCount, placeCount := make([]int, n), make([]int, n)
	for place, c := range basis {
		for _, e := range columns[c].entries {
			byRow[e.row] = append(byRow[e.row], place)
			rowCount[e.row]++
			placeCount[place]++
		}
	}
	usedRow, usedPlace := make([]bool, n), make([]bool, n)
	var rows, places []int // that may have come down to one
	for i := range n {
		rows, places = append(rows, i), append(places, i)
	}
	use := func(at pivotAt) {
		usedRow[at.row], usedPlace[at.place] = true, true
		for _, e := range columns[basis[at.place]].entries {
			rowCount[e.row]--
			rows = append(rows, e.row)
		}
		for _, place := range byRow[at.row] {
			placeCount[place]--
			places = append(places, place)
		}
	}
	for len(rows)+len(places) > 0 {
		if last := len(rows) - 1; last >= 0 {
			row := rows[last]
			rows = rows[:last]
			if usedRow[row] || rowCount[row] != 1 {
				continue
			}
			place := byRow[row][slices.IndexFunc(byRow[row], func(p int) bool { return !usedPlace[p] })]
			front = append(front, pivotAt{place, row})
			use(front[len(front)-1])
			continue
		}
		last := len(places) - 1
		place := places[last]
		places = places[:last]
		if usedPlace[place] || placeCount[place] != 1 {
			continue
		}
		entries := columns[basis[place]].entries
		row := entries[slices.IndexFunc(entries, func(e entry) bool { return !usedRow[e.row] })].row
		tail = append(tail, pivotAt{place, row})
		use(tail[len(tail)-1])
	}
	inBump = make([]bool, n)
	for i := range n {
		inBump[i] = !usedRow[i]
		if !usedPlace[i] {
			bump = append(bump, i)
		}
	}
	return front, tail, bump, inBump
}

// load sets the working vector, which is zero, to a column.
func (f *factors) load(c column) {
	for _, e := range c.entries {
		f.work[e.row] = integer(e.coef)
	}
}

// push appends the eta matrix that turns v into the unit vector of row.
func (f *factors) push(v []Rational, row int) {
	e := eta{row: row, pivot: integer(1).div(v[row])}
	for i, x := range v {
		e.append(i, x)
	}
	f.pushEta(e)
}

// pushColumn is push for a column that the factors leave as it is.
func (f *factors) pushColumn(c column, row int) {
	at := slices.IndexFunc(c.entries, func(e entry) bool { return e.row == row })
	e := eta{row: row, pivot: integer(1).div(integer(c.entries[at].coef))}
	for _, x := range c.entries {
		e.append(x.row, integer(x.coef))
	}
	f.pushEta(e)
}

func (e *eta) append(row int, x Rational) {
	if row != e.row && !x.isZero() {
		e.rest = append(e.rest, scaled{row, x.neg().mul(e.pivot)})
	}
}

func (f *factors) pushEta(e eta) {
	if len(e.rest) > 0 || e.pivot != integer(1) {
		f.etas = append(f.etas, e)
	}
}

// forward replaces v by E_k ... E_from v.
func (f *factors) forward(v []Rational, from int) {
	for i := range f.etas[from:] {
		e := &f.etas[from+i]
		x := v[e.row]
		if x.isZero() {
			continue
		}
		v[e.row] = x.mul(e.pivot)
		for _, s := range e.rest {
			v[s.row] = v[s.row].add(x.mul(s.value))
		}
	}
}

// backward replaces v by its product with the inverse from the right.
func (f *factors) backward(v []Rational) {
	for i := len(f.etas) - 1; i >= 0; i-- {
		e := &f.etas[i]
		sum := v[e.row].mul(e.pivot)
		for _, s := range e.rest {
			if x := v[s.row]; !x.isZero() {
				sum = sum.add(x.mul(s.value))
			}
		}
		v[e.row] = sum
	}
}
