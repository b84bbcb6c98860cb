package symexec

import "slices"

// chain is a list that grows at its end and of which several share what they begin with. Nil is
// the empty one.
type chain[T any] struct {
	before *chain[T]
	last   T
	n      int
}

// with returns the chain with one element more.
func (c *chain[T]) with(v T) *chain[T] { return &chain[T]{before: c, last: v, n: c.len() + 1} }

func (c *chain[T]) len() int {
	if c == nil {
		return 0
	}
	return c.n
}

// list returns the elements, nil if there are none.
func (c *chain[T]) list() []T {
	var all []T
	for ; c != nil; c = c.before {
		all = append(all, c.last)
	}
	slices.Reverse(all)
	return all
}
