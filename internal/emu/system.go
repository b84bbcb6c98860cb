package emu

import (
	"errors"
	"fmt"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// system is a call of a function of the CUDA runtime, thread by thread in
// ascending order.
type system struct {
	what   isa.System
	args   []alu.Slot
	d      alu.Slot
	reason string // of SysStop
}

func (d *decoder) system() operation {
	in := d.in
	op := &system{what: in.System, reason: in.Reason}
	for i := range in.Src {
		op.args = append(op.args, d.source(i, true))
	}
	if len(in.Dst) > 0 {
		bits := 32
		if in.System == isa.SysAlloc {
			bits = d.kernel.AddressBits
		}
		op.d = d.dest(0, bits)
	}
	switch in.System {
	case isa.SysPrint, isa.SysAlloc, isa.SysFree, isa.SysAssert, isa.SysStop:
	default:
		d.unsupported()
	}
	return op
}

// ErrAssert is the cause of a fault by an assertion that does not hold.
var ErrAssert = errors.New("assertion failed")

func (op *system) exec(w *Warp, mask uint64, eff *Effect) error {
	pc := int32(eff.PC)
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		var arg [5]uint64
		for i, s := range op.args {
			arg[i] = w.regs.At(s, lane)
		}
		result, err := op.call(w, lane, arg)
		if err != nil {
			return w.fault(pc, lane, err)
		}
		w.regs.Broadcast(op.d, result, 1<<lane)
	}
	return nil
}

func (op *system) call(w *Warp, lane int, arg [5]uint64) (uint64, error) {
	mem := w.cta.grid.mem
	switch op.what {
	case isa.SysPrint:
		n, err := w.print(lane, arg[0], arg[1])
		return uint64(uint32(n)), err
	case isa.SysAlloc:
		addr := mem.malloc(arg[0])
		if w.cta.grid.code.checked && addr != 0 {
			w.cta.grid.watch(mem.find(addr))
		}
		return addr, nil
	case isa.SysFree:
		return 0, mem.free(arg[0])
	case isa.SysAssert:
		var text [3]string // the condition, the file and the function
		for i, at := range [3]uint64{arg[0], arg[1], arg[3]} {
			var err error
			if text[i], err = w.text(lane, at); err != nil {
				return 0, err
			}
		}
		return 0, fmt.Errorf("%w: %s, at %s:%d in %s", ErrAssert, text[0], text[1], uint32(arg[2]), text[2])
	}
	return 0, errors.New(op.reason)
}
