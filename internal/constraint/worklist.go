package constraint

import "math/bits"

// worklist holds the constraints that are to be updated, by their places in the order.
type worklist struct {
	waiting places
	users   []user
	last    []int32 // by variable: which of users was listed last, counted from 1 on; 0 if there is none
}

// user is a constraint that uses a variable.
type user struct {
	place int32
	next  int32 // another one that uses it, as in worklist.last
}

// newWorklist returns the worklist of a system with all constraints on it.
func newWorklist(s *System) *worklist {
	w := &worklist{waiting: newPlaces(len(s.Order)), last: make([]int32, s.Variables)}
	at := 0
	list := func(x int) {
		w.users = append(w.users, user{int32(at), w.last[x]})
		w.last[x] = int32(len(w.users))
	}
	for ; at < len(s.Order); at++ {
		w.waiting.add(at)
		s.Uses(s.Order[at], list)
	}
	return w
}

// wake puts the constraints that use a variable on the list.
func (w *worklist) wake(x int) {
	for i := w.last[x]; i > 0; i = w.users[i-1].next {
		w.waiting.add(int(w.users[i-1].place))
	}
}

// places is a set of places: a bit for each, and above each level of words another one with a bit
// for each word that is not zero. What is done with it takes a step for each level.
type places [][]uint64

// newPlaces returns the empty set of places below n.
func newPlaces(n int) places {
	var s places
	for {
		n = (n + 63) / 64
		s = append(s, make([]uint64, n))
		if n <= 1 {
			return s
		}
	}
}

func (s places) add(at int) {
	for _, level := range s {
		level[at/64] |= 1 << (at % 64)
		at /= 64
	}
}

func (s places) remove(at int) {
	for _, level := range s {
		level[at/64] &^= 1 << (at % 64)
		at /= 64
		if level[at] != 0 {
			return
		}
	}
}

// next returns the first place from one on that is in the set, -1 if there is none.
func (s places) next(at int) int {
	for l, level := range s {
		if at/64 >= len(level) {
			return -1
		}
		if found := level[at/64] >> (at % 64); found != 0 {
			at += bits.TrailingZeros64(found)
			for l--; l >= 0; l-- {
				at = at*64 + bits.TrailingZeros64(s[l][at])
			}
			return at
		}
		at = at/64 + 1
	}
	return -1
}
