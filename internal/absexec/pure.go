package absexec

import (
	"math/bits"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// pure executes an instruction whose results depend on nothing but its sources, for
// the lanes of mask, for certain those of must.
func (x *execution) pure(pc int, must, mask uint64) {
	in := x.instr(pc)
	if mask == 0 {
		return
	}
	var src [maxOperands]*value
	for i := range in.Src {
		src[i] = x.source(pc, i)
	}
	known, nonAffine, by := x.determined(in, src[:len(in.Src)], mask)
	if in.Op.Info().Effect&isa.Crosslane != 0 {
		known, nonAffine, by = x.together(nonAffine, by, src[:len(in.Src)], must, mask)
		if x.missingLanes(pc, must) != 0 {
			known, nonAffine = 0, 0 // others may take part, with the operands of other instructions
		}
	}
	results := x.results(in)
	if known != 0 {
		unsettled, ok := x.evaluate(pc, mask, results, src[:len(in.Src)], &known)
		if !ok {
			known, nonAffine = 0, 0 // no execution comes past a failure
		}
		known &^= unsettled
		nonAffine &^= unsettled
	}
	st, owners := x.top().state, x.owners()
	for i, o := range in.Dst {
		if o.Kind != isa.KindReg {
			continue
		}
		v := results[i]
		v.known, v.nonAffine, v.cut = known, nonAffine, by
		x.move(in, i, v, src[:len(in.Src)])
		x.liken(in, v, x.isPredicate(o), src[:len(in.Src)], mask)
		st.write(o.Reg, v, must, mask, owners)
	}
}

// maxOperands is the largest number of sources or results of a pure instruction.
const maxOperands = 16

// isPredicate reports whether the operand is a truth value.
func (x *execution) isPredicate(o isa.Operand) bool {
	return o.Kind == isa.KindReg && x.kernel.Regs[o.Reg].Type == isa.Pred ||
		o.Kind == isa.KindSpecial && o.Special.Bits() == 1
}

// results returns new values for the results of an instruction.
func (x *execution) results(in *isa.Instr) []*value {
	v := make([]*value, len(in.Dst))
	for i, o := range in.Dst {
		v[i] = &value{}
		if !x.isPredicate(o) {
			v[i].base = vectors(x.launch.Width())
		}
	}
	return v
}

// determined returns the lanes in which the sources, predicates aside, tell the
// result, and those in which they would for a smaller box, with the cut.
func (x *execution) determined(in *isa.Instr, src []*value, mask uint64) (known, nonAffine uint64, by cut) {
	known, may := mask, mask
	for i, v := range src {
		need := mask
		if in.Op == isa.Selp {
			switch p := src[2]; i {
			case 0:
				need &^= p.known &^ (p.bits ^ negated(in.Src[2]))
			case 1:
				need &^= p.known & (p.bits ^ negated(in.Src[2]))
			}
		}
		if !x.isPredicate(in.Src[i]) {
			known &= v.known | ^need
		}
		may &= v.known | v.nonAffine | ^need
		if v.nonAffine&need != 0 && by.none() {
			by = v.cut
		}
	}
	return known, may, by
}

func negated(o isa.Operand) uint64 {
	if o.Not {
		return ^uint64(0)
	}
	return 0
}

// together returns the same for an operation across lanes: its results are known only
// if all sources are, in all lanes, and the lanes surely take part.
func (x *execution) together(may uint64, by cut, src []*value, must, mask uint64) (known, nonAffine uint64, c cut) {
	known = mask
	for _, v := range src {
		known &= v.known
		if v.moves() {
			known = 0
			if by.none() {
				by = x.box.halve(v.depends())
			}
		}
	}
	switch {
	case must != mask || may != mask:
		return 0, 0, by
	case known != mask:
		return 0, mask, by
	}
	return mask, mask, by
}

// evaluate computes the results for the first CTA of the box. Where predicates are unknown it tries
// both truth values, and takes the lanes out of known in which that makes a difference. Unsettled
// are lanes of known in which the results may be others than the emulator's. It is not ok if the
// instruction fails.
func (x *execution) evaluate(pc int, mask uint64, results, src []*value, known *uint64) (unsettled uint64, ok bool) {
	in := x.instr(pc)
	for i, v := range src {
		x.src[i] = alu.Lanes{Num: v.base, Bits: v.bits}
	}
	for i, v := range results {
		x.dst[i] = alu.Lanes{Num: v.base}
	}
	eval := func() bool {
		lanes, err := x.eval.Eval(pc, mask, x.dst[:len(results)], x.src[:len(src)])
		unsettled |= lanes & *known
		return err == nil
	}
	if !eval() {
		return unsettled, false
	}
	for i, v := range results {
		v.bits = x.dst[i].Bits
	}
	var open []int // predicate sources that are unknown somewhere
	for i, v := range src {
		if x.isPredicate(in.Src[i]) && mask&^v.known != 0 {
			open = append(open, i)
		}
	}
	for choice := 1; choice < 1<<len(open); choice++ {
		for k, i := range open {
			x.src[i].Bits = src[i].bits
			if choice>>k&1 != 0 {
				x.src[i].Bits ^= ^src[i].known
			}
		}
		for i, v := range results {
			if v.base != nil {
				x.dst[i].Num = vectors(x.launch.Width())
			}
		}
		if !eval() {
			return unsettled, false
		}
		for i, v := range results {
			w := &value{bits: x.dst[i].Bits, base: x.dst[i].Num}
			for m := *known; m != 0; m &= m - 1 {
				if lane := bits.TrailingZeros64(m); !v.equal(w, lane, lane) {
					*known &^= 1 << lane
				}
			}
		}
	}
	return unsettled, true
}

// move finds how result i depends on the CTA, and marks as non-affine lanes in which it does in no
// known way.
func (x *execution) move(in *isa.Instr, i int, v *value, src []*value) {
	var moving uint64
	for k, s := range src {
		if s.moves() && !x.isPredicate(in.Src[k]) {
			moving = v.known
		}
	}
	if moving == 0 {
		v.nonAffine &^= v.known
		return
	}
	apply := x.rule(in, i)
	var numbers [maxOperands]linear
	for m := moving; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		s := numbers[:0]
		depends := false
		for k, o := range in.Src {
			if x.isPredicate(o) {
				continue
			}
			var l linear
			if src[k].base != nil && src[k].known>>lane&1 != 0 {
				l = src[k].lane(lane)
			}
			depends = depends || l.moves()
			s = append(s, l)
		}
		if in.Op == isa.Selp {
			p := src[2]
			if p.known>>lane&1 == 0 && s[0] != s[1] {
				v.known &^= 1 << lane
				continue
			}
			s = s[pick((p.bits^negated(in.Src[2]))>>lane&1 == 0):][:1]
			depends = s[0].moves()
		}
		if !depends {
			continue
		}
		step, c := apply(x.box, in, x.width(in.Dst[i]), s)
		if !c.none() {
			v.known &^= 1 << lane
			if v.cut.none() {
				v.cut = c
			}
			continue
		}
		v.setSteps(lane, linear{step: step}.steps(64), ^uint64(0)>>(64-x.width(in.Dst[i])))
	}
	v.nonAffine &^= v.known
}

// width returns the bits of the register that an operand is.
func (x *execution) width(o isa.Operand) int { return x.kernel.Regs[o.Reg].Type.Bits() }

// rule returns how result i of an instruction depends on the CTA.
func (x *execution) rule(in *isa.Instr, i int) rule {
	halveNonAffine := func(b Box, _ *isa.Instr, _ int, s []linear) ([Axes]uint64, cut) { return b.halveNonAffine(s) }
	r, ok := rules[in.Op]
	if in.Op == isa.Selp {
		r, ok = copied, true
	}
	if !ok || i > 0 && in.Op != isa.Setp {
		return halveNonAffine
	}
	bits := in.Type.Bits()
	if in.Op == isa.MulWide || in.Op == isa.MadWide {
		bits *= 2
	}
	if reg := x.width(in.Dst[i]); reg != bits && in.Op != isa.Setp && in.Op != isa.Cvt && in.Op != isa.Set {
		return halveNonAffine
	}
	return r
}
