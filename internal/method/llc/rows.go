package llc

import (
	"math/bits"

	"warpbound/internal/method/llc/reuse"
)

// This file finds banks of the DRAM that open one row in a launch, and never close it: no core accesses another row of the bank, and
// the shared cache holds all lines, so that nothing is written back. Once a core has read from such a bank, its later reads find the row open, or
// being opened.

// noBank is the bank of an access of which the row may change.
const noBank = -1

// banks returns for each access of each SM its bank if that opens one row only, else noBank. It returns nil if lines may be written back.
func (a *analysis) banks(streams []*stream) [][]int32 {
	sets, ways := uint64(a.machine.LLC.Sets.Value), int(a.machine.LLC.Ways.Value)
	shift := bits.TrailingZeros64(uint64(a.machine.DRAM.Row.Value / a.machine.L1.Line.Value))
	banks := uint64(a.machine.DRAM.Banks.Value)
	lines := make(map[uint64]bool)
	held := make([]int, sets)
	rows := make(map[uint64]uint64) // by bank
	several := make(map[uint64]bool)
	add := func(all []reuse.Access) bool {
		for _, x := range all {
			if x.First != x.Last || x.Min != 1 || x.Max != 1 {
				return false
			}
			if lines[x.First] {
				continue
			}
			lines[x.First] = true
			if held[x.First%sets]++; held[x.First%sets] > ways {
				return false
			}
			row := x.First >> shift
			if other, ok := rows[row%banks]; ok && other != row {
				several[row%banks] = true
			}
			rows[row%banks] = row
		}
		return true
	}
	if !add(a.cpu.accesses) {
		return nil
	}
	for _, s := range streams {
		if !add(s.sent) {
			return nil
		}
	}
	all := make([][]int32, len(streams))
	for sm, s := range streams {
		for _, x := range s.sent {
			bank := x.First >> shift % banks
			if several[bank] {
				all[sm] = append(all[sm], noBank)
			} else {
				all[sm] = append(all[sm], int32(bank))
			}
		}
	}
	return all
}
