package symexec

import (
	"cmp"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// address returns the address of an access.
func (s *state) address(o isa.Operand) (*smt.Term, bool) {
	b := s.x.b
	base := b.Number(indexBits, o.Imm)
	if o.Kind == isa.KindVarAddr {
		addr, ok := s.constant(o)
		if !ok {
			return nil, false
		}
		base = b.Number(indexBits, addr)
	} else if o.Kind != isa.KindAddr {
		return nil, false
	}
	if o.Reg != isa.NoReg {
		base = b.Add(b.ZeroExt(s.now().regs[o.Reg], indexBits), base)
	}
	if s.x.launch.Kernel().AddressWidth(o) == 32 {
		base = b.ZeroExt(b.Extract(base, 0, 32), indexBits)
	}
	return base, true
}

// resolve returns the region in which an access lies for the state's model, and its offset.
// The state is then one for which it lies there; for others it forks. Where the access lies
// in no region the path ends: the index is then negative.
func (s *state) resolve(in *isa.Instr, total int, writes bool) (int, *smt.Term, error) {
	x := s.x
	addr, ok := s.address(in.Src[0])
	if !ok || total&(total-1) != 0 || in.Type.Bytes() < 1 || in.Type.Bytes() > 8 {
		return 0, nil, x.unsupported(in)
	}
	at := s.eval().Eval(addr)
	permitted := func(r *region) bool { return r.isOf(s) && r.permits(in, total, writes) }
	for i := range x.regions {
		r := &x.regions[i]
		if !permitted(r) || !r.contains(at, total) {
			continue
		}
		inside := x.within(r, addr, total)
		s.retry(x.b.Not(inside))
		s.assume(inside)
		return i, x.b.Sub(addr, x.b.Number(indexBits, r.base)), nil
	}
	for i := range x.regions {
		if r := &x.regions[i]; permitted(r) {
			c := x.within(r, addr, total)
			s.retry(c)
			s.assume(x.b.Not(c))
		}
	}
	s.fault = diag.Errorf(in.Pos, "%s accesses %d bytes at 0x%x, which is outside of all memory or not aligned", s.x.text(in), total, at)
	return -1, nil, nil
}

// access executes a load, a store or an atomic.
func (s *state) access(in *isa.Instr) error {
	count := cmp.Or(len(in.Dst), len(in.Src)-1)
	switch in.Op {
	case isa.St:
		count = len(in.Src) - 1
	case isa.Atom, isa.Red:
		count = 1
	}
	size := in.Type.Bytes()
	r, offset, err := s.resolve(in, count*size, in.Op != isa.Ld)
	if err != nil || r < 0 {
		return err
	}
	offset = s.locate(r, offset, in.Op != isa.Ld)
	s.track(in, r, offset, count*size)
	b := s.x.b
	at := func(i int) *smt.Term { return b.Add(offset, b.Number(indexBits, uint64(i*size))) }
	switch in.Op {
	case isa.Ld:
		values := make([]*smt.Term, count)
		for i := range values {
			values[i] = s.load(r, at(i), size)
		}
		for i, o := range in.Dst {
			s.assign(in, o, values[i])
		}
		return nil
	case isa.St:
		for i := range count {
			value, err := s.operand(in, in.Src[1+i])
			if err != nil {
				return err
			}
			s.store(r, at(i), fit(b, value, 8*size))
		}
		return nil
	}
	return s.atomic(in, r, offset)
}

// track takes note of who writes what, and of reads of what others wrote.
func (s *state) track(in *isa.Instr, r int, offset *smt.Term, bytes int) {
	if len(s.threads) == 1 || s.x.regions[r].thread >= 0 {
		return
	}
	const maximum = 40 // bits of an offset
	at := uint64(r)<<maximum + s.eval().Eval(offset)
	for i := range uint64(bytes) {
		if writer, written := s.writers.get(at + i); written && writer != s.at && len(in.Dst) > 0 {
			s.talks = true
		}
		if in.Op != isa.Ld {
			s.writers = s.writers.with(at+i, s.at)
		}
	}
}

// extended returns a number of an instruction's type in the width of a register.
func extended(b *smt.Builder, in *isa.Instr, value *smt.Term, width int) *smt.Term {
	if in.Type.IsSigned() && width > value.Width() {
		return b.SignExt(value, width)
	}
	return fit(b, value, width)
}

// assign writes a number of the instruction's type to a register.
func (s *state) assign(in *isa.Instr, o isa.Operand, value *smt.Term) {
	if o.Kind == isa.KindReg {
		s.now().regs[o.Reg] = extended(s.x.b, in, value, s.x.launch.Kernel().Regs[o.Reg].Type.Bits())
	}
}
