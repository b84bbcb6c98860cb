package trace

import (
	"iter"
	"slices"
)

// Table holds values by number, such as those of the CTAs of a run. They lie in an array as long as
// the numbers come about in their order, and else in a map: a large number alone takes no memory.
// The zero Table is empty.
type Table[T any] struct {
	list []T
	far  map[int32]*T
}

// ahead is how many numbers may be left out before the next one.
const ahead = 64

// At returns the value of a number, zero at first. It is where the table has it until the next call.
func (t *Table[T]) At(number int32) *T {
	switch n := int(number); {
	case n >= 0 && n < len(t.list):
		return &t.list[n]
	case n >= 0 && n < 2*len(t.list)+ahead:
		t.grow(n + 1)
		return &t.list[n]
	}
	v := t.far[number]
	if v == nil {
		if t.far == nil {
			t.far = map[int32]*T{}
		}
		v = new(T)
		t.far[number] = v
	}
	return v
}

// grow has the array hold the first n values.
func (t *Table[T]) grow(n int) {
	t.list = slices.Grow(t.list, n-len(t.list))[:n]
	for number, v := range t.far {
		if number >= 0 && int(number) < n {
			t.list[number] = *v
			delete(t.far, number)
		}
	}
}

// All returns the values with their numbers, those of the array first. Some may be zero, which
// nobody has asked for.
func (t *Table[T]) All() iter.Seq2[int32, *T] {
	return func(yield func(int32, *T) bool) {
		for i := range t.list {
			if !yield(int32(i), &t.list[i]) {
				return
			}
		}
		for number, v := range t.far {
			if !yield(number, v) {
				return
			}
		}
	}
}
