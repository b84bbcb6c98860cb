package scalar

import (
	"fmt"

	"warpbound/internal/isa"
)

// warpThreads is the number of threads of a warp of which PTX knows.
const warpThreads = 32

// members returns those lanes that an operation across the lanes of a warp is for, as a mask.
func (t *thread) members(in *isa.Instr) uint64 {
	return t.value(in.Src[len(in.Src)-1], isa.U32)
}

// exchange executes an operation across the lanes of a warp for which all have come that it is for, and reports whether there was one.
func (m *machine) exchange(threads []thread) (bool, error) {
	for first := 0; first < len(threads); first += warpThreads {
		warp := threads[first:min(first+warpThreads, len(threads))]
		for i := range warp {
			if !warp[i].joining {
				continue
			}
			lanes, err := party(warp, i)
			if err != nil || lanes == nil {
				if err != nil {
					return false, err
				}
				continue
			}
			return true, m.cross(warp, lanes)
		}
	}
	return false, nil
}

// party returns the lanes that take part in what a lane of a warp waits for, nil if not all of them have come.
func party(warp []thread, lane int) ([]int, error) {
	t := &warp[lane]
	in := &t.m.kernel.Instrs[t.pc-1]
	mask := t.members(in)
	if mask>>lane&1 == 0 {
		return nil, fmt.Errorf("%s: thread %v takes part in %s and is not among its members", in.Pos, t.tid, in)
	}
	var lanes []int
	for i := range warp {
		u := &warp[i]
		if u.ended || mask>>i&1 == 0 {
			continue
		}
		at := &u.m.kernel.Instrs[max(u.pc, 1)-1]
		switch {
		case !u.joining:
			return nil, nil
		case u.pc != t.pc && (!sameOperation(in, at) || u.members(at) != mask):
			return nil, nil // it waits for others first
		case u.members(at) != mask:
			return nil, fmt.Errorf("%s: threads %v and %v do not agree on the members of %s", in.Pos, t.tid, u.tid, in)
		}
		lanes = append(lanes, i)
	}
	return lanes, nil
}

// sameOperation reports whether threads at two instructions may take part in one operation: all is
// the same but operands.
func sameOperation(a, b *isa.Instr) bool {
	return a.Op == b.Op && a.Type == b.Type && a.Lane == b.Lane && a.Atom == b.Atom && a.Barrier == b.Barrier
}

// cross executes the operation that some lanes wait for.
func (m *machine) cross(warp []thread, lanes []int) error {
	at := func(lane int) *isa.Instr { return &m.kernel.Instrs[warp[lane].pc-1] }
	values, part := map[int]uint64{}, uint64(0)
	for _, i := range lanes {
		in, typ := at(i), isa.U32
		switch in.Op {
		case isa.Vote:
			typ = isa.Pred
		case isa.Redux:
			typ = in.Type
		}
		values[i] = warp[i].value(in.Src[0], typ)
		part |= 1 << i
	}
	results := make([][2]uint64, len(lanes))
	for n, i := range lanes {
		var known bool
		if results[n], known = crossed(at(i), &warp[i], i, values, part); !known {
			return unknown(at(i))
		}
	}
	for n, i := range lanes {
		warp[i].joining = false
		for j, d := range at(i).Dst {
			if d.Kind == isa.KindReg {
				warp[i].regs[d.Reg] = truncate(results[n][j], m.kernel.Regs[d.Reg].Type.Bits())
			}
		}
	}
	return nil
}

// crossed gives the results in one lane, of the values of those that take part.
func crossed(in *isa.Instr, t *thread, lane int, values map[int]uint64, part uint64) (results [2]uint64, known bool) {
	own := values[lane]
	same, yes := uint64(0), uint64(0)
	for i, v := range values {
		if v == own {
			same |= 1 << i
		}
		if v == 1 {
			yes |= 1 << i
		}
	}
	switch in.Op {
	case isa.BarWarp:
		return results, true
	case isa.Vote:
		switch in.Lane {
		case isa.VoteAll:
			results[0] = truth(yes == part)
		case isa.VoteAny:
			results[0] = truth(yes != 0)
		case isa.VoteUni:
			results[0] = truth(yes == 0 || yes == part)
		default:
			results[0] = yes
		}
		return results, true
	case isa.Match:
		if in.Lane == isa.MatchAny {
			return [2]uint64{same, 0}, true
		}
		if same == part {
			return [2]uint64{part, 1}, true
		}
		return results, true
	case isa.Redux:
		first := true
		for _, v := range values {
			if first {
				results[0], first = v, false
			} else {
				results[0] = update(in, results[0], v)
			}
		}
		return results, true
	case isa.Shfl:
		return shuffled(in, t, lane, values), true
	}
	return results, false
}

// shuffled gives a lane the value of another, or its own if there is none, and whether the other is within bounds.
func shuffled(in *isa.Instr, t *thread, lane int, values map[int]uint64) [2]uint64 {
	b, c := int(t.value(in.Src[1], isa.U32)%warpThreads), t.value(in.Src[2], isa.U32)
	segment, clamp := int(c>>8%warpThreads), int(c%warpThreads)
	low := lane & segment
	high := low | clamp&^segment
	from, within := low|b&^segment, false
	switch in.Lane {
	case isa.ShflUp:
		from = lane - b
		within = from >= high
	case isa.ShflDown:
		from = lane + b
		within = from <= high
	case isa.ShflBfly:
		from = lane ^ b
		within = from <= high
	default:
		within = from <= high
	}
	if v, there := values[from]; within && there {
		return [2]uint64{v, 1}
	}
	return [2]uint64{values[lane], truth(within)}
}
