package llc

import "warpbound/internal/machine"

// tags are the lines of an L1 with least recently used replacement, and for each the number of
// the access to the shared cache that fetches it.
type tags struct {
	sets [][]tag // in each, the line used last is the first
	ways int
}

type tag struct {
	line  uint64
	fetch int32
}

func newTags(m *machine.Machine) *tags {
	return &tags{sets: make([][]tag, m.L1.Sets.Value), ways: int(m.L1.Ways.Value)}
}

// find returns the set of a line, and its place there or -1.
func (t *tags) find(line uint64) (set *[]tag, at int) {
	set = &t.sets[line%uint64(len(t.sets))]
	for i, l := range *set {
		if l.line == line {
			return set, i
		}
	}
	return set, -1
}

// use makes a line the one used last and returns the access that fetches it. It is false if the
// line is not there.
func (t *tags) use(line uint64) (fetch int32, ok bool) {
	set, at := t.find(line)
	if at < 0 {
		return 0, false
	}
	l := (*set)[at]
	copy((*set)[1:at+1], (*set)[:at])
	(*set)[0] = l
	return l.fetch, true
}

// insert puts a line that is not there in place of the one that was not used for longest.
func (t *tags) insert(line uint64, fetch int32) {
	set, _ := t.find(line)
	if len(*set) < t.ways {
		*set = append(*set, tag{})
	}
	copy((*set)[1:], *set)
	(*set)[0] = tag{line, fetch}
}

// drop takes a line out if it is there.
func (t *tags) drop(line uint64) {
	if set, at := t.find(line); at >= 0 {
		*set = append((*set)[:at], (*set)[at+1:]...)
	}
}
