package integrated

import (
	"math/bits"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
)

// lineAccess is the part of a warp's access that falls into one line.
type lineAccess struct {
	number     uint64
	local      bool
	operations int64 // most lanes on one address, if it is atomic; 1 otherwise
}

// gather notes the lines that the last instruction accesses in global and local memory, and
// returns its requests to what lies on the SM.
func (m *sm) gather(slot int) (onChip int64) {
	s, acc := m.sim, &m.sim.run.Effect.Access
	s.lines = s.lines[:0]
	switch {
	case acc.Kind == emu.NoAccess:
	case acc.Space != isa.Generic:
		onChip = m.gatherSpace(acc.Space, s.run.Effect.Mask, slot)
	default:
		for space, lanes := range acc.Lanes {
			if lanes != 0 {
				onChip += m.gatherSpace(isa.Space(space), lanes, slot)
			}
		}
	}
	s.run.Count.Transactions += int64(len(s.lines))
	return onChip
}

// gatherSpace does the same for some lanes, which access one space.
func (m *sm) gatherSpace(space isa.Space, lanes uint64, slot int) (onChip int64) {
	s, acc := m.sim, &m.sim.run.Effect.Access
	switch space {
	case isa.Shared, isa.Const, isa.Param:
		return s.run.Requests.Space(space, acc, lanes, &s.run.Count)
	case isa.Local:
		m.localLines(lanes, slot)
	default:
		first := len(s.lines)
		for _, number := range s.run.Requests.Pieces(acc, lanes, s.shift) {
			s.lines = append(s.lines, lineAccess{number: number, operations: 1})
		}
		if acc.Kind == emu.Atomic {
			countOperations(s.lines[first:], acc, lanes, s.shift)
		}
	}
	return 0
}

// localLines notes the lines of local memory, where words of the same address of all
// threads of the machine lie side by side.
func (m *sm) localLines(lanes uint64, slot int) {
	s, acc, sm := m.sim, &m.sim.run.Effect.Access, &m.sim.m.SM
	const word = 4
	width := uint64(sm.WarpSize.Value)
	threads := uint64(sm.Count.Value*sm.Warps.Value) * width
	first := (uint64(m.index)*uint64(sm.Warps.Value) + uint64(slot)) * width
	from := len(s.lines)
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros64(lanes)
		at := (acc.Addr[lane] - abi.LocalBase) / word
		for k := range uint64(max(acc.Bytes/word, 1)) {
			number := (abi.CachedLocalBase + ((at+k)*threads+first+uint64(lane))*word) >> s.shift
			if !has(s.lines[from:], number) {
				s.lines = append(s.lines, lineAccess{number: number, local: true, operations: 1})
			}
		}
	}
}

func has(lines []lineAccess, number uint64) bool {
	for i := range lines {
		if lines[i].number == number {
			return true
		}
	}
	return false
}

// countOperations finds out how many lanes access the same address in each line.
func countOperations(lines []lineAccess, acc *emu.Access, lanes uint64, shift int) {
	for lanes != 0 {
		a, same := acc.Addr[bits.TrailingZeros64(lanes)], uint64(0)
		for set := lanes; set != 0; set &= set - 1 {
			if i := bits.TrailingZeros64(set); acc.Addr[i] == a {
				same |= 1 << i
			}
		}
		lanes &^= same
		for i := range lines {
			if lines[i].number == a>>shift {
				lines[i].operations = max(lines[i].operations, int64(bits.OnesCount64(same)))
			}
		}
	}
}
