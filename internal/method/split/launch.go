package split

import (
	"cmp"
	"container/heap"
	"slices"
)

// launch is a bound of all workgroups of the CU that takes longest. They are on a chain, on which each
// begins in the slot of the one before it.
type launch struct {
	full    []*group // by class: a workgroup that is not the last; nil if there is none
	before  []int64  // by class: those before the last
	last    *group
	service int64 // of all accesses, if it counts separately
	issue   int64 // of all passes of all ports, if they count separately
	cycles  int64
}

// rounds is how many workgroups are on the chain.
func (l *launch) rounds() int64 {
	sum := int64(1)
	for _, n := range l.before {
		sum += n
	}
	return sum
}

// longest returns the longest of the groups before the last, nil if there is none.
func (l *launch) longest() *group {
	var longest *group
	for class, n := range l.before {
		if n > 0 && (longest == nil || l.full[class].cycles > longest.cycles) {
			longest = l.full[class]
		}
	}
	return longest
}

// launch bounds the workgroups of the CUs.
//
// If nothing counts separately, everything that a wavefront waits for is part of its time. Else
// the same is true of the time in which memory serves nobody, and no port issues.
func (a *analysis) launch(rule rule) (*launch, error) {
	r := &a.resident
	last, err := a.groups(a.share(r.last(), rule))
	if err != nil {
		return nil, err
	}
	var full []*group
	if r.rounds() > 1 {
		if full, err = a.groups(a.share(r.slots, rule)); err != nil {
			return nil, err
		}
	}
	if a.class == nil {
		l := &launch{full: full, before: []int64{r.rounds() - 1}, last: last[0]}
		a.sum(l, a.total)
		return l, a.err()
	}
	var longest *launch
	cus := len(a.demands)
	for cu := range min(cus, len(a.class)) {
		var classes []int32
		for group := cu; group < len(a.class); group += cus {
			classes = append(classes, a.class[group])
		}
		l := a.chain(classes, full, last)
		a.sum(l, a.demands[cu])
		if longest == nil || l.cycles > longest.cycles {
			longest = l
		}
	}
	return longest, a.err()
}

// sum adds up the cycles of a launch on a CU with a demand.
func (a *analysis) sum(l *launch, d demand) {
	if l.last.rule != countAll {
		l.service = d.service
	}
	if l.last.rule == countNeither {
		l.issue = a.mul(d.passes, a.Machine.Split.Pass.Value)
	}
	l.cycles = a.add(a.Machine.SM.Dispatch.Value, l.last.cycles, l.service, l.issue)
	for class, n := range l.before {
		if n > 0 {
			l.cycles = a.add(l.cycles, a.mul(n, a.add(a.Machine.SM.Dispatch.Value, l.full[class].cycles)))
		}
	}
}

// slot is when a slot is free, and behind which workgroup.
type slot struct {
	free  int64
	group int // of the CU, or -1
}

// slots are slots of a CU, as a heap.
type slots []slot

func (s slots) Len() int           { return len(s) }
func (s slots) Less(i, k int) bool { return s[i].free < s[k].free }
func (s slots) Swap(i, k int)      { s[i], s[k] = s[k], s[i] }
func (s *slots) Push(x any)        { *s = append(*s, x.(slot)) }
func (s *slots) Pop() any          { panic("slots stay") }

// chain bounds the workgroups of a CU, of these classes in their order: each begins as soon as a slot
// is free, and takes the time of its class. When as few workgroups are left as in the last round, they take
// what they take by themselves.
func (a *analysis) chain(classes []int32, full, last []*group) *launch {
	l := &launch{full: full, before: make([]int64, len(a.classes))}
	for _, c := range classes {
		if l.last == nil || last[c].cycles > l.last.cycles {
			l.last = last[c]
		}
	}
	over := len(classes) - int(a.resident.last()) // when they are, no more are left than in the last round
	if over <= 0 {
		return l
	}
	free := slices.Repeat(slots{{0, -1}}, int(min(a.resident.slots, int64(len(classes)))))
	ends := make(slots, len(classes))
	before := make([]int, len(classes)) // in the same slot
	for i, c := range classes {
		before[i] = free[0].group
		free[0] = slot{a.add(free[0].free, a.Machine.SM.Dispatch.Value, full[c].cycles), i}
		ends[i] = free[0]
		heap.Fix(&free, 0)
	}
	slices.SortStableFunc(ends, func(s, t slot) int { return cmp.Compare(s.free, t.free) })
	first := ends[over-1].group
	if end := ends[len(ends)-1]; end.free < a.add(ends[over-1].free, a.Machine.SM.Dispatch.Value, l.last.cycles) {
		l.last, first = full[classes[end.group]], before[end.group]
	}
	for i := first; i >= 0; i = before[i] {
		l.before[classes[i]]++
	}
	return l
}
