package split

import (
	"cmp"
	"container/heap"
	"slices"

	"warpbound/internal/saturating"
)

// launch is a bound of all workgroups of the CU that takes longest. They are on a chain, on which each
// begins in the slot of the one before it.
type launch struct {
	full    []*group         // by class: a workgroup that is not the last; nil if there is none
	before  []saturating.Int // by class: those before the last
	last    *group
	service saturating.Int // of all accesses, if it counts separately
	issue   saturating.Int // of all passes of all ports, if they count separately
	cycles  saturating.Int
}

// rounds is how many workgroups are on the chain.
func (l *launch) rounds() saturating.Int { return saturating.Sum(l.before...).Add(1) }

// groups calls visit for the groups on the chain, and how many of each there are; false from it ends that.
func (l *launch) groups(visit func(g *group, n saturating.Int) bool) {
	if !visit(l.last, 1) {
		return
	}
	for class, n := range l.before {
		if n > 0 && !visit(l.full[class], n) {
			return
		}
	}
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
		l := &launch{full: full, before: []saturating.Int{r.rounds().Sub(1)}, last: last[0]}
		a.sum(l, a.total)
		return l, nil
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
	return longest, nil
}

// sum adds up the cycles of a launch on a CU with a demand.
func (a *analysis) sum(l *launch, d demand) {
	if l.last.rule != countAll {
		l.service = d.service
	}
	if l.last.rule == countNeither {
		l.issue = d.passes.Mul(a.timing.pass())
	}
	l.cycles = saturating.Sum(a.timing.dispatch(), l.last.cycles, l.service, l.issue)
	for class, n := range l.before {
		if n > 0 {
			l.cycles = l.cycles.AddMul(n, a.timing.dispatch().Add(l.full[class].cycles))
		}
	}
}

// slot is when a slot is free, and behind which workgroup.
type slot struct {
	free  saturating.Int
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
	l := &launch{full: full, before: make([]saturating.Int, len(a.classes))}
	for _, c := range classes {
		if l.last == nil || last[c].cycles > l.last.cycles {
			l.last = last[c]
		}
	}
	over := len(classes) - int(a.resident.last().Int64()) // when they are, no more are left than in the last round
	if over <= 0 {
		return l
	}
	free := slices.Repeat(slots{{0, -1}}, int(min(a.resident.slots, saturating.Of(len(classes))).Int64()))
	ends := make(slots, len(classes))
	before := make([]int, len(classes)) // in the same slot
	for i, c := range classes {
		before[i] = free[0].group
		free[0] = slot{saturating.Sum(free[0].free, a.timing.dispatch(), full[c].cycles), i}
		ends[i] = free[0]
		heap.Fix(&free, 0)
	}
	slices.SortStableFunc(ends, func(s, t slot) int { return cmp.Compare(s.free, t.free) })
	first := ends[over-1].group
	if end := ends[len(ends)-1]; end.free < saturating.Sum(ends[over-1].free, a.timing.dispatch(), l.last.cycles) {
		l.last, first = full[classes[end.group]], before[end.group]
	}
	for i := first; i >= 0; i = before[i] {
		before := &l.before[classes[i]]
		*before = before.Add(1)
	}
	return l
}
