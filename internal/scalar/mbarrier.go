package scalar

import (
	"fmt"

	"warpbound/internal/isa"
)

// mbarrier counts what an mbarrier object counts.
type mbarrier struct {
	phase                    uint64
	expected, pending, bytes int64
}

// mbarrier does something to the object that the first source names. A test that finds the phase not complete ends the thread's turn.
func (t *thread) mbarrier(in *isa.Instr) error {
	addr := t.address(in.Src[0])
	n := int64(1)
	if len(in.Src) > 1 {
		n = int64(t.value(in.Src[1], isa.U64))
	}
	b := t.m.mbarriers[addr]
	if in.Mbarrier == isa.MbarrierInit {
		t.m.mbarriers[addr] = &mbarrier{expected: n, pending: n}
		return nil
	}
	if b == nil {
		return fmt.Errorf("%s: there is no mbarrier for %s", in.Pos, in)
	}
	state := b.phase<<32 | uint64(b.pending)
	switch in.Mbarrier {
	case isa.MbarrierInval:
		delete(t.m.mbarriers, addr)
	case isa.MbarrierArrive, isa.MbarrierArriveOnly:
		b.pending -= n
	case isa.MbarrierArriveExpect:
		b.bytes += n
		b.pending--
	case isa.MbarrierDrop, isa.MbarrierDropOnly:
		b.pending -= n
		b.expected -= n
	case isa.MbarrierDropExpect:
		b.bytes += n
		b.pending--
		b.expected--
	case isa.MbarrierExpect:
		b.bytes += n
	case isa.MbarrierComplete:
		b.bytes -= n
	case isa.MbarrierTest, isa.MbarrierTry:
		return t.found(in, b.phase != uint64(n)>>32)
	case isa.MbarrierTestParity, isa.MbarrierTryParity:
		return t.found(in, b.phase%2 != uint64(n))
	default:
		return unknown(in)
	}
	if b.pending < 0 {
		return fmt.Errorf("%s: %s arrives too often", in.Pos, in)
	}
	if b.pending == 0 && b.bytes == 0 {
		b.phase, b.pending = b.phase+1, b.expected
	}
	for _, d := range in.Dst {
		if d.Kind == isa.KindReg {
			t.regs[d.Reg] = state
		}
	}
	return nil
}

// found gives the result of a test.
func (t *thread) found(in *isa.Instr, over bool) error {
	result := uint64(0)
	if over {
		result = 1
	}
	if d := in.Dst[0]; d.Kind == isa.KindReg {
		t.regs[d.Reg] = result
	}
	t.polled = !over
	return nil
}

// bulkCopy copies bytes from the second source to the first, one after the other.
func (t *thread) bulkCopy(in *isa.Instr) error {
	to, from, n := t.address(in.Src[0]), t.address(in.Src[1]), t.value(in.Src[2], isa.U32)
	if to%16 != 0 || from%16 != 0 || n%16 != 0 {
		return fmt.Errorf("%s: %s copies %d bytes from %#x to %#x", in.Pos, in, n, from, to)
	}
	for i := range n {
		source, target := t.m.memory[(from+i)/t.m.window], t.m.memory[(to+i)/t.m.window]
		if (from+i)%t.m.window >= uint64(len(source)) || (to+i)%t.m.window >= uint64(len(target)) {
			return fmt.Errorf("%s: %s copies beyond a memory", in.Pos, in)
		}
		target[(to+i)%t.m.window] = source[(from+i)%t.m.window]
	}
	return nil
}

// address returns that which an operand names.
func (t *thread) address(o isa.Operand) uint64 {
	addr := o.Imm
	if o.Kind == isa.KindVarAddr {
		addr += t.m.variable(o.Var)
	}
	if o.Reg != isa.NoReg {
		addr += t.regs[o.Reg]
	}
	return truncate(addr, t.m.kernel.AddressWidth(o))
}
