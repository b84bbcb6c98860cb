package greedy

import (
	"testing"

	"warpbound/internal/machine"
)

// TestL1Sets works out by hand to which of 32 sets lines of 128 bytes belong (docs/machine-model/memory.md).
func TestL1Sets(t *testing.T) {
	for index, want := range map[machine.Index]map[uint64]uint64{
		machine.Linear: {0: 0, 128: 1, 31 * 128: 31, 32 * 128: 0, 1 << 13: 0, 1 << 19: 0},
		machine.Fermi: {
			0: 0, 128: 1, 31 * 128: 31, 32 * 128: 0, 1 << 13: 1, 1 << 14: 2, 1 << 15: 4, 1 << 16: 0, 1 << 17: 8, 1 << 18: 0, 1 << 19: 16, 1 << 20: 0,
			1<<13 + 128: 0, 5<<13 + 3*128: 6, 1<<19 + 1<<17 + 7<<13: 31,
		},
		machine.Hashed: {0: 0, 128: 1, 32 * 128: 1, (1 + 2<<5 + 3<<10) * 128: 0, (1 + 2<<5 + 4<<10) * 128: 7, 1 << 52 * 128: 4},
	} {
		a := &analysis{model: &model{Machine: &machine.Machine{}}}
		a.L1.Index.Value, a.L1.Sets.Value, a.L1.Line.Value = index, 32, 128
		for addr, set := range want {
			if got := a.l1set(addr); got != set {
				t.Errorf("%v: address %#x belongs to set %d, want %d", index, addr, got, set)
			}
		}
	}
}
