package ipet

import "slices"

// triangles splits a basis into the pivots of a leading triangle, those of a
// trailing one, and the bump that is left between.
type triangles struct {
	front, tail []pivotAt // the tail in reverse
	inner       []int     // the places of the bump, in order
	usedRow     []bool    // rows outside the bump

	usedPlace            []bool
	start, places        []int // for every row, the places with an entry in it
	rowCount, placeCount []int // entries that are left
	rows, columns        []int // that may have come down to one
}

type pivotAt struct{ place, row int }

// find splits the basis.
func (t *triangles) find(columns []column, basis []int) {
	t.index(columns, basis)
	t.front, t.tail, t.inner = t.front[:0], t.tail[:0], t.inner[:0]
	for len(t.rows)+len(t.columns) > 0 {
		if last := len(t.rows) - 1; last >= 0 {
			row := t.rows[last]
			t.rows = t.rows[:last]
			if t.usedRow[row] || t.rowCount[row] != 1 {
				continue
			}
			for _, place := range t.places[t.start[row]:t.start[row+1]] {
				if !t.usedPlace[place] {
					t.front = append(t.front, pivotAt{place, row})
					t.use(columns[basis[place]], pivotAt{place, row})
					break
				}
			}
			continue
		}
		last := len(t.columns) - 1
		place := t.columns[last]
		t.columns = t.columns[:last]
		if t.usedPlace[place] || t.placeCount[place] != 1 {
			continue
		}
		for _, e := range columns[basis[place]].entries {
			if !t.usedRow[e.row] {
				t.tail = append(t.tail, pivotAt{place, e.row})
				t.use(columns[basis[place]], pivotAt{place, e.row})
				break
			}
		}
	}
	for place, used := range t.usedPlace {
		if !used {
			t.inner = append(t.inner, place)
		}
	}
}

// index counts the entries of the rows and the places.
func (t *triangles) index(columns []column, basis []int) {
	n := len(basis)
	for _, counts := range []*[]int{&t.rowCount, &t.placeCount, &t.rows, &t.columns} {
		*counts = slices.Grow((*counts)[:0], n)[:n]
		clear(*counts)
	}
	for _, used := range []*[]bool{&t.usedRow, &t.usedPlace} {
		*used = slices.Grow((*used)[:0], n)[:n]
		clear(*used)
	}
	total := 0
	for place, c := range basis {
		for _, e := range columns[c].entries {
			t.rowCount[e.row]++
		}
		t.placeCount[place] = len(columns[c].entries)
		total += len(columns[c].entries)
	}
	t.start = append(t.start[:0], 0)
	for _, count := range t.rowCount {
		t.start = append(t.start, t.start[len(t.start)-1]+count)
	}
	t.places = slices.Grow(t.places[:0], total)[:total]
	fill := t.rows
	copy(fill, t.start)
	for place, c := range basis {
		for _, e := range columns[c].entries {
			t.places[fill[e.row]] = place
			fill[e.row]++
		}
	}
	for i := range n {
		t.rows[i], t.columns[i] = i, i
	}
}

// use takes a pivot out of what is left.
func (t *triangles) use(c column, at pivotAt) {
	t.usedRow[at.row], t.usedPlace[at.place] = true, true
	for _, e := range c.entries {
		if t.rowCount[e.row]--; t.rowCount[e.row] == 1 {
			t.rows = append(t.rows, e.row)
		}
	}
	for _, place := range t.places[t.start[at.row]:t.start[at.row+1]] {
		if t.placeCount[place]--; t.placeCount[place] == 1 {
			t.columns = append(t.columns, place)
		}
	}
}
