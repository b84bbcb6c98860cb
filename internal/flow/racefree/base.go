package racefree

import (
	"warpbound/internal/flow/access"
	"warpbound/internal/isa"
)

// base returns the term from whose buffer or variable an address is computed, nil if there is none; false if
// there are several.
func base(x *access.Address) (found *access.Term, ok bool) {
	for i := range x.Terms {
		if t := &x.Terms[i]; t.Base && t.Coef == 1 {
			if found != nil {
				return nil, false
			}
			found = t
		}
	}
	return found, true
}

// basesDisjoint reports whether the accesses are to different buffers or variables, or what says why that is not known.
func (p *pair) basesDisjoint(space isa.Space) (disjoint bool, reason func() string) {
	a, okA := base(p.a)
	b, okB := base(p.b)
	switch {
	case !okA:
		return false, func() string { return p.of(p.a) + "its address may come from several pointers" }
	case !okB:
		return false, func() string { return p.of(p.b) + "its address may come from several pointers" }
	case a == nil && b == nil, a != nil && b != nil && a.Name == b.Name:
		return false, nil
	case a == nil || b == nil:
		return false, p.reason("the grid")
	case space == isa.Global && p.values.Launch.Aliased:
		return false, func() string { return p.reason("the grid")() + ": arguments may be addresses in one buffer" }
	case space == isa.Global:
		return true, nil
	case p.inVariable(p.a, a) && p.inVariable(p.b, b):
		return true, nil
	}
	return false, p.reason("a CTA")
}

// inVariable reports whether an access stays in the variable whose address is its base: in the least, if several have its
// name.
func (p *pair) inVariable(x *access.Address, base *access.Term) bool {
	inside := false
	for _, v := range p.graph.Kernel.Vars {
		if "&"+v.Name == base.Name {
			s := sum{bits: x.Bits, lo: x.Constant, hi: x.Constant}
			for i := range x.Terms {
				if t := &x.Terms[i]; t != base {
					s.add(t.Coef, rangeOf(x, t), none)
				}
			}
			if inside = s.fits() && s.lo >= 0 && s.hi+int64(x.Width) <= int64(v.Bytes); !inside {
				return false
			}
		}
	}
	return inside
}
