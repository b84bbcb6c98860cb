package ipet

// tournament finds the best of some columns, where few change from one time to the
// next. It is a binary tree: every node has the better one of the winners below it.
type tournament struct {
	leaves int
	winner []int32 // the root is 1, the children of i are 2i and 2i+1; -1 is none
}

// reset takes all columns that take part.
func (t *tournament) reset(columns int, takesPart func(c int) bool, better func(c, than int) bool) {
	t.leaves = 1
	for t.leaves < columns {
		t.leaves *= 2
	}
	t.winner = make([]int32, 2*t.leaves)
	for c := range t.leaves {
		t.winner[t.leaves+c] = -1
		if c < columns && takesPart(c) {
			t.winner[t.leaves+c] = int32(c)
		}
	}
	for i := t.leaves - 1; i > 0; i-- {
		t.winner[i] = t.play(i, better)
	}
}

// change notes that a column has changed.
func (t *tournament) change(c int, takesPart bool, better func(c, than int) bool) {
	i := t.leaves + c
	if t.winner[i] < 0 && !takesPart {
		return
	}
	t.winner[i] = -1
	if takesPart {
		t.winner[i] = int32(c)
	}
	for i /= 2; i > 0; i /= 2 {
		before := t.winner[i]
		t.winner[i] = t.play(i, better)
		if t.winner[i] == before && before != int32(c) {
			break
		}
	}
}

func (t *tournament) play(i int, better func(c, than int) bool) int32 {
	a, b := t.winner[2*i], t.winner[2*i+1]
	if a < 0 || b >= 0 && better(int(b), int(a)) {
		return b
	}
	return a
}

// best returns the best column, the first one among equals, or -1.
func (t *tournament) best() int { return int(t.winner[1]) }

// first returns the first column, or -1.
func (t *tournament) first() int {
	i := 1
	for i < t.leaves {
		if i *= 2; t.winner[i] < 0 {
			i++
		}
	}
	return int(t.winner[i])
}
