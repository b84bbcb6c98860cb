package racefree

import (
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/affine"
	"warpbound/internal/isa"
)

// witnessed reports whether two threads of the launch access the same bytes at the two instructions, and come there as far as
// conditions differ between threads.
func (p *pair) witnessed() bool {
	if !p.a.Conditions || !p.b.Conditions || p.a.Reason != "" || p.b.Reason != "" {
		return false
	}
	a, okA := p.byThread(p.a)
	b, okB := p.byThread(p.b)
	if !okA || !okB {
		return false
	}
	pointerA, okA := base(p.a)
	pointerB, okB := base(p.b)
	if !okA || !okB || (pointerA == nil) != (pointerB == nil) || pointerA != nil && pointerA.Name != pointerB.Name {
		return false
	}
	local := p.graph.Kernel.Instrs[p.a.Instr].Space == isa.Shared
	first := [3]int{}
	if p.concurrent && p.aligned && !p.orderly(true) && p.overlap(a, b, first, first) {
		return true
	}
	if local {
		return false
	}
	for axis := range 3 {
		second := first
		second[axis] = 1
		if p.values.Launch.Grid[axis] > 1 && (p.overlap(a, b, first, second) || p.overlap(a, b, second, first)) {
			return true
		}
	}
	return false
}

// overlap reports whether threads of two CTAs, or two of one, access the same bytes, whatever the terms that are not their
// indices are.
func (p *pair) overlap(a, b []at, ctaA, ctaB [3]int) bool {
	same := ctaA == ctaB
	rest := p.difference(false, func(t *access.Term) bool { return isOwn(t) || t.Role == access.CTAIndex })
	add := func(x *access.Address, cta [3]int, sign int64) {
		for i := range x.Terms {
			if t := &x.Terms[i]; t.Role == access.CTAIndex {
				n := int64(cta[t.Axis])
				rest.add(sign*t.Coef, affine.Range{Min: n, Max: n}, none)
			}
		}
	}
	add(p.a, ctaA, 1)
	add(p.b, ctaB, -1)
	if !rest.fits() || rest.lo != rest.hi {
		return false
	}
	lanes := p.values.Launch.Lanes()
	return anyWithin(a, b, 1-int64(p.a.Width)-rest.lo, int64(p.b.Width)-1-rest.lo, func(x, y at) bool {
		if same && (x.thread == y.thread || p.opts.LockStep && p.a != p.b && x.thread/lanes == y.thread/lanes) {
			return false
		}
		return p.a.AllowedTo(x.thread, ctaA) && p.b.AllowedTo(y.thread, ctaB)
	})
}
