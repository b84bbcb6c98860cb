package split

import (
	"testing"

	"warpbound/internal/machine"
)

// TestSplit works out by hand how a wavefront splits at an if-else. On gcn3-split a pass has
// 4 cycles, a branch a latency of 8, e_s is 8 and e_m 4.
func TestSplit(t *testing.T) {
	checkSolo(t, gcn3(t, machine.PWS, 1), `
		setp.lt.u32 %p1, %t, 32;     // 0
		.pragma "split";
		@%p1 bra taken;              // 4 split, 16 branch; both sides from 24 on
		add.u32 %r1, %t, 1;          // 24, on the split SIMD
		add.u32 %r2, %r1, 1;         // 28
		bra done;                    // 32, at the merge at 40
	taken:
		add.u32 %r1, %t, 3;          // 24
	done:
		ret;                         // 40 merge, 48
	`, 0, 4, 16, 24, 24, 28, 32, 40, 48, 52)
}
