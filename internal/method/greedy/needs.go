package greedy

import (
	"encoding/binary"
	"maps"
	"slices"

	"warpbound/internal/saturating"
)

// needs are what each instruction adds to the sums of a warp. Behind these come in each row the three lengths of path.all, and the barriers.
type needs map[int]sums

func (n needs) row(pc, columns int) sums {
	row := n[pc]
	if row == nil {
		row = make(sums, columns)
		n[pc] = row
	}
	return row
}

// columns is how many a row has.
func (m *model) columns() int { return m.lengthAt(lengths) + 1 }

// lengthAt is the column of a length of path.all; behind them is that of the barriers.
func (m *model) lengthAt(measure int) int { return common + 2*len(m.pipes) + measure }

// addTimes adds other needs, n addTimes.
func (n needs) addTimes(other needs, times saturating.Int) {
	for pc, row := range other {
		n.row(pc, len(row)).times(row, times)
	}
}

// takeColumns replaces the columns for which from is set by those of other needs.
func (n needs) takeColumns(other needs, from []bool) {
	for _, row := range n {
		for i, is := range from {
			if is {
				row[i] = 0
			}
		}
	}
	for pc, row := range other {
		to := n.row(pc, len(row))
		for i, is := range from {
			if is {
				to[i] = row[i]
			}
		}
	}
}

// account is needs in short: for each instruction its number, how many columns are not 0, and which and how much these are. Those of paths that
// do the same are one.
type account string

// shorten returns the account of needs.
func (a *analysis) shorten(n needs) account {
	var text []byte
	for _, pc := range slices.Sorted(maps.Keys(n)) {
		row := n[pc]
		count := 0
		for _, x := range row {
			if x > 0 {
				count++
			}
		}
		text = binary.AppendUvarint(text, uint64(pc))
		text = binary.AppendUvarint(text, uint64(count))
		for i, x := range row {
			if x > 0 {
				text = binary.AppendUvarint(text, uint64(i))
				text = binary.AppendUvarint(text, uint64(x.Int64()))
			}
		}
	}
	if known, ok := a.accounts[account(text)]; ok {
		return known
	}
	kept := account(text)
	a.accounts[kept] = kept
	return kept
}

// each calls visit for all that is in the account.
func (c account) each(visit func(pc, column int, n saturating.Int)) {
	text := []byte(c)
	next := func() int {
		x, length := binary.Uvarint(text)
		text = text[length:]
		return int(x)
	}
	for len(text) > 0 {
		pc := next()
		for range next() {
			column := next()
			visit(pc, column, saturating.Of(next()))
		}
	}
}
