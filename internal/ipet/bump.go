package ipet

import "slices"

// bump is what elimination leaves of the part of a basis between its triangles.
// Every step takes the pivot that is likely to fill in least (Markowitz): in a
// column with fewest entries the row with fewest.
type bump struct {
	columns  [][]scaled // by place: the entries that are left, rows of the tail included
	left     []int      // how many of these are in rows of the bump, 0 of a column that is done
	rows     [][]int    // by row: the places that may have an entry there
	rowCount []int      // how many have
	done     []bool     // by row: it is not in the bump, or not any more
	at       []int      // by row: where the column at hand has it, and 1; zero between uses
	queue    [][]int    // places by the number of entries that they had
	fewest   int        // no place has fewer
	pivots   []int      // by place: the row
}

// eliminate takes the steps of the bump.
func (f *factors) eliminate(columns []column, basis, ordered []int) error {
	b := &f.elimination
	b.reset(f.usedRow)
	for _, place := range f.inner {
		for _, e := range columns[basis[place]].entries {
			b.add(place, scaled{e.row, integer(e.coef)})
		}
		b.enqueue(place)
	}
	start := len(f.upperRows.entries)
	for k := f.bump.from; k < f.bump.to; k++ {
		place, at := b.pivot()
		if place < 0 {
			return errSingular
		}
		pivot := b.columns[place][at]
		inverse := integer(1).div(pivot.value)
		f.order[k] = pivot.row
		f.inverse = append(f.inverse, inverse)
		ordered[pivot.row] = basis[place]
		for i, e := range b.columns[place] {
			if i != at {
				f.lower.entries = append(f.lower.entries, scaled{e.row, e.value.neg()})
			}
		}
		f.lower.end()
		b.finish(place, pivot.row)
		lower := f.lower.of(k)
		for _, other := range b.rows[pivot.row] {
			if a, ok := b.take(other, pivot.row); ok {
				u := a.mul(inverse)
				f.upperRows.entries = append(f.upperRows.entries, scaled{other, u.neg()})
				b.subtract(other, u, lower)
			}
		}
		f.upperRows.end()
	}
	for i := range f.upperRows.entries[start:] { // places become rows
		e := &f.upperRows.entries[start+i]
		e.row = b.pivots[e.row]
	}
	return nil
}

// reset makes an empty bump of the rows that are not used.
func (b *bump) reset(used []bool) {
	n := len(used)
	b.done = append(b.done[:0], used...)
	for _, counts := range []*[]int{&b.left, &b.rowCount, &b.at, &b.pivots} {
		*counts = slices.Grow((*counts)[:0], n)[:n]
		clear(*counts)
	}
	b.columns = slices.Grow(b.columns[:0], n)[:n]
	b.rows = slices.Grow(b.rows[:0], n)[:n]
	for i := range n {
		b.columns[i], b.rows[i] = b.columns[i][:0], b.rows[i][:0]
	}
	for i := range b.queue {
		b.queue[i] = b.queue[i][:0]
	}
	b.fewest = 0
}

// add adds an entry to a column that has none in its row.
func (b *bump) add(place int, e scaled) {
	b.columns[place] = append(b.columns[place], e)
	if !b.done[e.row] {
		b.left[place]++
		b.rows[e.row] = append(b.rows[e.row], place)
		b.rowCount[e.row]++
	}
}

func (b *bump) enqueue(place int) {
	count := b.left[place]
	for len(b.queue) <= count {
		b.queue = append(b.queue, nil)
	}
	b.queue[count] = append(b.queue[count], place)
	b.fewest = min(b.fewest, count)
}

// finish takes the column and the row of a pivot out.
func (b *bump) finish(place, row int) {
	for _, e := range b.columns[place] {
		b.rowCount[e.row]--
	}
	b.columns[place], b.left[place] = b.columns[place][:0], 0
	b.done[row] = true
	b.pivots[place] = row
}

// pivot returns the place of the next pivot and where in its column it is; -1 if
// all that is left is zero.
func (b *bump) pivot() (place, at int) {
	for ; b.fewest < len(b.queue); b.fewest++ {
		q := &b.queue[b.fewest]
		for len(*q) > 0 {
			last := len(*q) - 1
			place := (*q)[last]
			*q = (*q)[:last]
			if b.left[place] != b.fewest || b.left[place] == 0 {
				continue // it has changed, is done, or makes the basis singular
			}
			at = -1
			for i, e := range b.columns[place] {
				if !b.done[e.row] && (at < 0 || b.better(e, b.columns[place][at])) {
					at = i
				}
			}
			return place, at
		}
	}
	return -1, -1
}

// better compares two pivots of one column: those of plus or minus one go first,
// so that few numbers become fractions.
func (b *bump) better(e, than scaled) bool {
	if e.isUnit() != than.isUnit() {
		return e.isUnit()
	}
	return b.rowCount[e.row] < b.rowCount[than.row]
}

func (e scaled) isUnit() bool { return e.value.den == 0 && (e.value.num == 1 || e.value.num == -1) }

// take removes the entry of a column in a row that has just been taken.
func (b *bump) take(place, row int) (Rational, bool) {
	i := slices.IndexFunc(b.columns[place], func(e scaled) bool { return e.row == row })
	if i < 0 {
		return Rational{}, false
	}
	c := b.columns[place]
	a := c[i].value
	c[i] = c[len(c)-1]
	b.columns[place] = c[:len(c)-1]
	b.left[place]--
	return a, true
}

// subtract adds u times a column of L, whose signs are opposite, to a column.
func (b *bump) subtract(place int, u Rational, lower []scaled) {
	for i, e := range b.columns[place] {
		b.at[e.row] = i + 1
	}
	for _, l := range lower {
		x := u.mul(l.value)
		if i := b.at[l.row]; i > 0 {
			e := &b.columns[place][i-1]
			e.value = e.value.add(x)
			continue
		}
		b.add(place, scaled{l.row, x})
		b.at[l.row] = len(b.columns[place])
	}
	kept := b.columns[place][:0]
	for _, e := range b.columns[place] {
		b.at[e.row] = 0
		switch {
		case !e.value.isZero():
			kept = append(kept, e)
		case !b.done[e.row]:
			b.left[place]--
			b.rowCount[e.row]--
		}
	}
	b.columns[place] = kept
	b.enqueue(place)
}
