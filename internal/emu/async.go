package emu

import (
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// asyncCopy copies bytes of global memory to shared memory, at once: a program
// that waits for its copies as it must cannot see the difference. The access is
// that to global memory.
type asyncCopy struct {
	access
	to      access
	count   alu.Slot // bytes to read, if counted; zeros follow them
	counted bool
	ignore  alu.Predicate // lanes that read nothing
}

func (op *asyncCopy) exec(w *Warp, mask uint64, eff *Effect) error {
	op.begin(eff)
	acc := &eff.Access
	from := op.access
	src := cursor{access: &from, w: w, eff: eff}
	dst := cursor{access: &op.to, w: w, eff: eff}
	reading := mask &^ w.regs.Mask(op.ignore)
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		to, err := dst.locate(lane, w.regs.At(op.to.base, lane))
		if err != nil {
			return err
		}
		acc.Near[lane] = acc.Addr[lane]
		n := op.bytes
		if op.counted {
			n = int(min(uint64(n), w.regs.At(op.count, lane)))
		}
		if n == 0 || reading>>lane&1 == 0 {
			reading &^= 1 << lane
			clear(to[:op.bytes])
			continue
		}
		from.total = op.bytes
		if n < op.bytes {
			from.total = 1
		}
		data, err := src.locate(lane, w.regs.At(op.base, lane))
		if err != nil {
			return err
		}
		if len(data) < n || acc.Addr[lane]%uint64(op.bytes) != 0 {
			from.total = n
			return from.fault(w, lane, eff)
		}
		copy(to[:n], data)
		clear(to[n:op.bytes])
	}
	if reading == 0 {
		acc.Kind = NoAccess
		return nil
	}
	src.end(reading)
	for m := mask &^ reading; m != 0; m &= m - 1 {
		acc.Addr[alu.First(m)] = acc.Addr[alu.First(reading)]
	}
	return nil
}

// asyncCopy decodes a copy: the address in shared memory, that in global memory,
// the number of bytes, and perhaps the number of them to read or a predicate.
func (d *decoder) asyncCopy() operation {
	in := d.in
	op := &asyncCopy{access: d.address(in.Src[1]), to: d.address(in.Src[0]), ignore: alu.Predicate{Not: ^uint64(0)}}
	size := in.Src[2].Imm
	if in.Src[2].Kind != isa.KindImm || size != 4 && size != 8 && size != 16 {
		d.fail("the number of bytes must be 4, 8 or 16")
	}
	op.kind, op.space, op.bytes, op.total = Load, isa.Global, int(size), int(size)
	op.to.kind, op.to.space, op.to.bytes, op.to.total = Store, isa.Shared, op.bytes, op.bytes
	if len(in.Src) > 3 {
		if o := in.Src[3]; o.Kind == isa.KindReg && d.kernel.Regs[o.Reg].Type == isa.Pred {
			op.ignore = d.test(o)
		} else {
			op.count, op.counted = d.source(3, false), true
		}
	}
	return op
}
