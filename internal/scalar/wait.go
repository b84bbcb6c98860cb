package scalar

import (
	"fmt"

	"warpbound/internal/isa"
)

// arrive lets a thread wait at a barrier, or only arrive there.
func (t *thread) arrive(in *isa.Instr) {
	t.waiting = in.Barrier != isa.BarrierArrive
	t.at, t.expect = t.value(in.Src[0], isa.U32), 0
	if n := counted(in); n != nil {
		t.expect = int(t.value(*n, isa.U32))
	}
	switch in.Barrier {
	case isa.BarrierArrive:
		t.m.arrived[t.at]++
	case isa.BarrierRedPopc, isa.BarrierRedAnd, isa.BarrierRedOr:
		t.vote = t.value(in.Src[len(in.Src)-1], isa.Pred) == 1
	}
}

// counted returns the number of threads that a barrier names, or nil.
func counted(in *isa.Instr) *isa.Operand {
	sources := in.Src
	if len(in.Dst) > 0 {
		sources = sources[:len(sources)-1]
	}
	if len(sources) < 2 || sources[1].Kind == isa.KindSpecial {
		return nil
	}
	return &sources[1]
}

// release lets threads go on for whose barrier all that it is for have arrived, and reports whether there are some.
func (m *machine) release(threads []thread) (bool, error) {
	waiting := map[uint64][]*thread{} // at barriers for so many threads
	var all []*thread                 // at one for all
	live := 0
	for i := range threads {
		switch t := &threads[i]; {
		case t.ended:
		case t.waiting && t.expect > 0:
			live++
			waiting[t.at] = append(waiting[t.at], t)
		default:
			live++
			all = append(all, t)
		}
	}
	for at, list := range waiting {
		if len(list)+m.arrived[at] == list[0].expect {
			m.arrived[at] = 0
			m.complete(list)
			return true, nil
		}
	}
	if live == 0 {
		return false, nil
	}
	for _, t := range all {
		if len(all) < live || !t.waiting || t.pc != all[0].pc && !sameBarrier(t, all[0]) {
			return false, fmt.Errorf("threads of CTA %v wait at different barriers", t.ctaid)
		}
	}
	if len(all) == 0 {
		return false, fmt.Errorf("threads of CTA %v wait at barriers for others", threads[0].ctaid)
	}
	m.complete(all)
	return true, nil
}

// sameBarrier reports whether threads that wait at two instructions wait at one barrier.
func sameBarrier(t, u *thread) bool {
	a, b := &t.m.kernel.Instrs[t.pc-1], &u.m.kernel.Instrs[u.pc-1]
	return a.Unaligned && b.Unaligned && t.at == u.at && sameOperation(a, b)
}

// complete lets threads go on that wait at one barrier, with its result.
func (m *machine) complete(threads []*thread) {
	yes := 0
	for _, t := range threads {
		if t.vote {
			yes++
		}
	}
	for _, t := range threads {
		t.waiting, t.vote = false, false
		in := &m.kernel.Instrs[t.pc-1]
		x := uint64(yes)
		switch in.Barrier {
		case isa.BarrierRedAnd:
			x = truth(yes == len(threads))
		case isa.BarrierRedOr:
			x = truth(yes > 0)
		case isa.BarrierRedPopc:
		default:
			continue
		}
		t.regs[in.Dst[0].Reg] = x
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
