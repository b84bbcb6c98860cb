package absexec

import (
	"math"
	"math/bits"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/semantics"
)

// access finds what a load, a store or an atomic operation does to memory, for the lanes
// of mask.
func (x *execution) access(pc int, mask uint64) (*Access, error) {
	in := x.instr(pc)
	a := &x.acc
	*a = Access{Space: in.Space}
	operand := in.Src[0]
	switch in.Op {
	case isa.Ld, isa.Atom:
		a.Bytes = len(in.Dst) * in.Type.Bytes()
	case isa.St, isa.Red:
		a.Bytes = (len(in.Src) - 1) * in.Type.Bytes()
	case isa.LdMatrix, isa.StMatrix:
		a.Bytes = isa.MatrixRow
	case isa.CpAsync:
		operand = in.Src[1]
		a.Space, a.Bytes = isa.Global, int(in.Src[2].Imm)
	}
	a.addr = x.address(operand, mask)
	if n := in.MatrixRows(); n > 0 {
		a.addr.repeatFirst(n, mask)
	}
	if err := x.need(a.addr, mask, forAddress); err != nil {
		return nil, err
	}
	a.Known = a.addr.known & mask
	if a.Space != isa.Generic {
		a.Lanes[a.Space] = a.Known
		return a, nil
	}
	return a, x.findSpaces(in, a)
}

// findSpaces finds the spaces that the lanes of a generic access are in. Of one that may be in
// several the address counts as not known.
func (x *execution) findSpaces(in *isa.Instr, a *Access) error {
	for m := a.Known; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		lo, hi, err := x.knownSpan(in, a, lane)
		if err != nil {
			return err
		}
		if s, ok := x.space(uint64(lo), uint64(hi)); ok {
			a.Lanes[s] |= 1 << lane
		} else {
			a.Known &^= 1 << lane
		}
	}
	return nil
}

// knownSpan returns the least and the largest address of a lane in all CTAs of the box, where it is
// known. Known addresses do not wrap around (moveAddress).
func (x *execution) knownSpan(in *isa.Instr, a *Access, lane int) (lo, hi int64, err error) {
	l := a.addr.lane(lane)
	lo, hi, ok := x.box.span(ramp{int64(l.base), l.steps(64)})
	if !ok {
		return 0, 0, diag.Errorf(in.Pos, "internal error: the known address of an access wraps around among CTAs")
	}
	return lo, hi, nil
}

// repeatFirst gives the lanes of mask from number n on, which name nothing to access, the address of the
// first lane, so that they add nothing to what is accessed.
func (v *value) repeatFirst(n int, mask uint64) {
	if v == unknown {
		return
	}
	first := v.lane(0)
	for m := mask &^ (1<<n - 1); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		v.known = v.known&^(1<<lane) | v.known&1<<lane
		v.nonAffine = v.nonAffine&^(1<<lane) | v.nonAffine&1<<lane
		v.alike &^= 1 << lane
		set(v.base, lane, first.base)
		for axis, steps := range v.step {
			if steps != nil {
				set(steps, lane, first.step[axis])
			}
		}
	}
}

// space returns the space in which all generic addresses from lo to hi lie. It is false
// if they may lie in several.
func (x *execution) space(lo, hi uint64) (isa.Space, bool) {
	s := semantics.Space(lo)
	if s != semantics.Space(hi) || s != isa.Global {
		return s, s == semantics.Space(hi)
	}
	some, all := x.launch.InConstants(lo, hi)
	if all {
		return isa.Const, true
	}
	return s, !some
}

// address returns the addresses that an operand means. They do not wrap around in the
// box where they are known.
func (x *execution) address(o isa.Operand, mask uint64) *value {
	fixed, ok := o.Imm, true
	if o.Kind == isa.KindVarAddr {
		fixed, ok = x.launch.Constant(o, x.box.Lo, x.warp, 0)
	}
	if !ok {
		return unknown
	}
	v := &value{known: mask, base: vectors(x.launch.Width())}
	from := &value{known: mask, base: v.base}
	width := 64 // of the register
	if o.Reg != isa.NoReg {
		from, width = x.top().state.regs[o.Reg], x.width(o)
		v.known, v.nonAffine, v.cut = mask&from.known, mask&from.nonAffine, from.cut
		v.alike, v.on = mask&from.alike, from.on
	}
	last := uint64(math.MaxInt64)
	if x.kernel.AddressWidth(o) == 32 {
		last = math.MaxUint32
	}
	if !from.moves() {
		for m := v.known; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			a := fixed
			if o.Reg != isa.NoReg {
				a += at(from.base, lane)
			}
			if a &= last; a > math.MaxInt64 {
				v.known &^= 1 << lane
			}
			set(v.base, lane, a)
		}
		return v
	}
	for m := v.known; m != 0; m &= m - 1 {
		x.moveAddress(v, from.lane(bits.TrailingZeros64(m)), bits.TrailingZeros64(m), width, fixed, last)
	}
	return v
}

// moveAddress sets an address that depends on the CTA.
func (x *execution) moveAddress(v *value, l linear, lane, width int, fixed, last uint64) {
	// In fewer bits than addresses have, what begins an address in a window may be negative.
	r, c := x.box.exact([]linear{l}, 0, width, width < x.kernel.AddressBits)
	var ok bool
	if r.base, ok = add(r.base, int64(fixed)); c.none() {
		lo, hi, fits := x.box.span(r)
		if !ok || !fits || lo < 0 || uint64(hi) > last {
			c = x.box.halve(r.depends())
			ok = false
		}
	}
	switch {
	case !c.none():
		v.known &^= 1 << lane
		v.nonAffine |= 1 << lane
		v.cut = c
		return
	case !ok:
		v.known &^= 1 << lane
		return
	}
	set(v.base, lane, uint64(r.base))
	v.setSteps(lane, r.step, ^uint64(0))
}

// load executes a load by the lanes of mask, for certain by those of must.
func (x *execution) load(in *isa.Instr, a *Access, must, mask uint64) {
	st, owners := x.top().state, x.owners()
	loaded := make([]*value, len(in.Dst))
	for i := range in.Dst {
		loaded[i] = x.element(in, a, uint64(i*in.Type.Bytes()))
	}
	for i, o := range in.Dst {
		if o.Kind == isa.KindReg {
			st.write(o.Reg, x.likenLoaded(a, x.extend(in, loaded[i], x.width(o)), mask), must, mask, owners)
		}
	}
}

// element returns what the lanes of an access load from their addresses and offset.
func (x *execution) element(in *isa.Instr, a *Access, offset uint64) *value {
	v := unknown
	from := a.Lanes[isa.Local] | a.Lanes[isa.Param] | a.Lanes[isa.Const]
	n := in.Type.Bytes()
	if len(x.config.Fixed)+len(x.config.Assumed) > 0 {
		v = x.fixedElement(a, offset, n)
	}
	if a.Moves() {
		return v
	}
	for from != 0 {
		var addr, same uint64
		addr, same, from = firstAddress(a.addr, from)
		var got *value
		if same&a.Lanes[isa.Local] != 0 {
			got = x.top().state.load(addr+offset, n, same, x.launch.Width())
		} else {
			got = x.constant(addr+offset, n)
		}
		if got != unknown {
			v = mix(v, got, same)
		}
	}
	return v
}

// firstAddress returns the address of the first lane of mask, the lanes of mask that have
// it, and the rest of mask.
func firstAddress(v *value, mask uint64) (addr, same, rest uint64) {
	addr = at(v.base, bits.TrailingZeros64(mask))
	for m := mask; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); at(v.base, lane) == addr {
			same |= 1 << lane
		}
	}
	return addr, same, mask &^ same
}

// isInput reports whether some of n bytes from addr are inputs.
func (x *execution) isInput(addr uint64, n int) bool {
	return slices.ContainsFunc(x.config.Inputs, func(r Range) bool {
		return addr < r.Addr+uint64(r.Bytes) && r.Addr < addr+uint64(n)
	})
}

// constant returns n bytes of memory that no instruction can write and that are no
// input.
func (x *execution) constant(addr uint64, n int) *value {
	data := x.launch.ReadOnly(addr, n)
	if data == nil || x.isInput(addr, n) {
		return unknown
	}
	v := &value{known: ^uint64(0), base: vectors(x.launch.Width())}
	word := uint64(0)
	for i, b := range data {
		word |= uint64(b) << (8 * i)
	}
	for k := range v.base {
		for i := range v.base[k] {
			v.base[k][i] = word
		}
	}
	return v
}

// extend gives a loaded element as a register of width bits holds it.
func (x *execution) extend(in *isa.Instr, v *value, width int) *value {
	size := in.Type.Bits()
	if width == size || v.known == 0 {
		return v
	}
	all := ^uint64(0) >> (64 - width)
	e := &value{known: v.known, nonAffine: v.nonAffine, cut: v.cut, base: vectors(x.launch.Width())}
	for m := v.known; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		l := v.lane(lane)
		low := l.base & (^uint64(0) >> (64 - size))
		if in.Type.IsSigned() {
			low = uint64(signed(low, size)) & all
		}
		set(e.base, lane, low)
		if !l.moves() {
			continue
		}
		r, c := x.box.exact([]linear{l}, 0, size, in.Type.IsSigned())
		if !c.none() {
			e.known &^= 1 << lane
			e.nonAffine |= 1 << lane
			e.cut = c
			continue
		}
		e.setSteps(lane, r.step, all)
	}
	return e
}

// store makes local memory what a store or an atomic operation by the lanes of mask
// leaves, for certain by those of must.
func (x *execution) store(in *isa.Instr, a *Access, must, mask uint64) {
	if in.Space != isa.Generic && in.Space != isa.Local {
		return
	}
	st, owners := x.top().state, x.owners()
	lost := mask &^ a.Known
	if a.Moves() || in.Op != isa.St {
		lost |= a.Lanes[isa.Local]
	}
	if lost != 0 {
		st.forgetLocal(lost)
	}
	n := in.Type.Bytes()
	for rest := a.Lanes[isa.Local] &^ lost; rest != 0; {
		var addr, same uint64
		addr, same, rest = firstAddress(a.addr, rest)
		for i, o := range in.Src[1:] {
			if o.Kind == isa.KindSink {
				continue
			}
			v := x.truncate(x.source(x.top().pc, i+1), 8*n)
			st.store(addr+uint64(i*n), n, v, must&same, same, owners)
		}
	}
}

// truncate returns the low bits of a number.
func (x *execution) truncate(v *value, size int) *value {
	if size == 64 || v.known == 0 {
		return v
	}
	low := ^uint64(0) >> (64 - size)
	t := *v
	t.base = vectors(x.launch.Width())
	for k := range t.base {
		for i, n := range v.base[k] {
			t.base[k][i] = n & low
		}
	}
	return &t
}
