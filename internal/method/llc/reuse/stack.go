package reuse

import "math"

// Never is the reuse distance of the first access to a line.
const Never = math.MaxInt64

// Stack computes the reuse distances of a stream of accesses: how many different other lines of the
// same set were accessed since the last access to the line (section III of the paper). An
// access to a cache of w ways hits if its distance is less than w, whatever w is.
//
// Each access takes O(log n) steps, n the number of different lines of its set, and allocates
// only if its line is new. The memory is proportional to the number of different lines.
type Stack struct {
	lines map[uint64]int32 // numbers of the lines
	last  []int32          // by number: the time of the last access, in the line's set
	sets  []history
}

// history is what one set knows of its accesses. Times are slots that are distributed from 1;
// those of accesses that are not the last ones of their lines are free again once all are used.
type history struct {
	line []int32 // by slot: the line whose last access it is, or -1
	tree []int32 // Fenwick tree over the slots that are last accesses
	now  int32   // the last slot that was given out
	live int32   // lines
}

// NewStack returns the stack of a cache with the given number of sets, at least 1, in which line
// l is in set l % sets.
func NewStack(sets int) *Stack {
	return &Stack{lines: make(map[uint64]int32), sets: make([]history, sets)}
}

// Access returns the reuse distance of an access to the line, which is Never for the first one.
func (s *Stack) Access(line uint64) int64 {
	h := &s.sets[line%uint64(len(s.sets))]
	if int(h.now)+1 >= len(h.line) {
		h.renumber(s.last)
	}
	h.now++
	id, known := s.lines[line]
	if !known {
		id = int32(len(s.last))
		s.lines[line] = id
		s.last = append(s.last, h.now)
		h.live++
		h.line[h.now] = id
		add(h.tree, h.now, 1)
		return Never
	}
	before := s.last[id]
	distance := h.live - sum(h.tree, before)
	add(h.tree, before, -1)
	h.line[before] = -1
	add(h.tree, h.now, 1)
	h.line[h.now] = id
	s.last[id] = h.now
	return int64(distance)
}

// renumber gives the last accesses the first slots, in their order, and makes at least as many
// free ones.
func (h *history) renumber(last []int32) {
	const minimum = 64
	old := h.line
	if size := max(minimum, 2*(int(h.live)+1)); size > len(old) {
		h.line = make([]int32, 2*size)
		h.tree = make([]int32, 2*size)
	}
	slot := int32(0)
	for _, id := range old {
		if id >= 0 {
			slot++
			h.line[slot] = id
			last[id] = slot
		}
	}
	h.now = slot
	clear(h.tree)
	for i := int32(1); i < int32(len(h.tree)); i++ {
		if i <= slot {
			h.tree[i]++
		} else {
			h.line[i] = -1
		}
		if above := i + i&-i; above < int32(len(h.tree)) {
			h.tree[above] += h.tree[i]
		}
	}
	h.line[0] = -1
}

// add changes the number at a place, from 1, of a Fenwick tree.
func add(tree []int32, at, by int32) {
	for ; at < int32(len(tree)); at += at & -at {
		tree[at] += by
	}
}

// sum adds up the numbers at the places 1 to at of a Fenwick tree.
func sum(tree []int32, at int32) int32 {
	total := int32(0)
	for ; at > 0; at &= at - 1 {
		total += tree[at]
	}
	return total
}
