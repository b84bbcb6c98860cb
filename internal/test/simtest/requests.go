package simtest

import (
	"math/bits"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// Requests counts the requests of an access by looking at every byte of every lane, and adds
// what it finds to the counters of the run.
func Requests(m *machine.Machine, eff *emu.Effect, counters *sim.Counters) int64 {
	acc := &eff.Access
	kinds := map[isa.Space]uint64{}
	if acc.Space != isa.Generic {
		kinds[acc.Space] = eff.Mask
	} else {
		for space, lanes := range acc.Lanes {
			if lanes != 0 {
				kinds[isa.Space(space)] = lanes
			}
		}
	}
	total := int64(0)
	for space, lanes := range kinds {
		segments, words, addresses := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
		bankWords, bankLanes := map[uint64]map[uint64]bool{}, map[uint64]map[int]bool{}
		for lane := range emu.MaxWidth {
			if lanes>>lane&1 == 0 {
				continue
			}
			addresses[acc.Addr[lane]] = true
			for b := range uint64(acc.Bytes) {
				a := acc.Addr[lane] + b
				segments[a/uint64(m.Memory.Segment.Value)] = true
				words[a/4] = true
				word := a / uint64(m.Shared.BankBytes.Value)
				bank := word % uint64(m.Shared.Banks.Value)
				if bankWords[bank] == nil {
					bankWords[bank], bankLanes[bank] = map[uint64]bool{}, map[int]bool{}
				}
				bankWords[bank][word], bankLanes[bank][lane] = true, true
			}
		}
		k := 0
		switch {
		case m.Memory.Requests.Value == machine.ByAccess:
			k = 1
		case space == isa.Local:
			k = len(words)
		case space == isa.Const || space == isa.Param:
			k = len(addresses)
		case space == isa.Global && acc.Kind == emu.Atomic:
			k = bits.OnesCount64(lanes)
		case space == isa.Global:
			k = len(segments)
		default:
			for bank := range bankWords {
				if acc.Kind == emu.Atomic {
					k = max(k, len(bankLanes[bank]))
				} else {
					k = max(k, len(bankWords[bank]))
				}
			}
		}
		switch space {
		case isa.Shared:
			counters.SharedConflicts += int64(k) - 1
		case isa.Const, isa.Param:
			counters.ConstReplays += int64(k) - 1
		default:
			counters.Transactions += int64(k)
		}
		total += int64(k)
	}
	if m.Memory.Requests.Value == machine.ByAccess {
		return 1
	}
	return total
}

// Serialised counts, lane by lane, the operations of an atomic instruction on addresses that a lane
// before has operated on.
func Serialised(eff *emu.Effect) int64 {
	if eff.Access.Kind != emu.Atomic {
		return 0
	}
	seen, count := map[uint64]bool{}, int64(0)
	for lane := range emu.MaxWidth {
		if eff.Mask>>lane&1 == 0 {
			continue
		}
		if addr := eff.Access.Addr[lane]; seen[addr] {
			count++
		} else {
			seen[addr] = true
		}
	}
	return count
}
