package search

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"warpbound/internal/test/jobtest"
)

const assuming = `module = "` + jobtest.MatchFile + `"
grid = [1]
block = [32]
[[param]]
name = "rows"
type = "u32"
count = 6
init = "uniform(0, 9)"
[[param]]
name = "n"
type = "u32"
range = [1, 5]
[[param]]
name = "m"
type = "u32"
range = [1, 40]
[[assume]]
monotone = "rows"
step = [0, 3]
[[assume]]
expr = "m % 4 == 0 && n * 8 <= m"
`

// ends loops as often as rows and m say, and fails where these are not as the job assumes.
const ends = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 rows, .param .u32 n, .param .u32 m) {
.reg .pred %p; .reg .b32 %n, %m, %i, %a, %b; .reg .b64 %x;
ld.param.u64 %x, [rows]; ld.param.u32 %n, [n]; ld.param.u32 %m, [m];
and.b32 %i, %m, 3; setp.ne.u32 %p, %i, 0; @%p trap;
shl.b32 %i, %n, 3; setp.gt.u32 %p, %i, %m; @%p trap;
K: ld.global.u32 %a, [%x]; ld.global.u32 %b, [%x+4]; sub.u32 %b, %b, %a;
setp.gt.u32 %p, %b, 3; @%p trap;
L: setp.eq.u32 %p, %b, 0; @%p bra E; sub.u32 %b, %b, 1; bra L;
E: add.u64 %x, %x, 4; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra K;
ret;
}
`

// All that a search runs is as the job assumes: by any strategy, and exhaustively.
func TestAssumed(t *testing.T) {
	needSolvers(t)
	j := jobtest.Text(t, assuming, ends)
	f := mustSearch(t, j, searchOptions(60, Strategies()...))
	for _, s := range f.Search.Strategies {
		if s.Faults > 0 {
			t.Errorf("%s: %d runs fail: %s", s.Strategy, s.Faults, s.Fault)
		}
	}
	if err := j.First().Bound.Admit(f.Best.Inputs); err != nil {
		t.Error(err)
	}
	if n := binary.LittleEndian.Uint32(f.Best.Inputs.Scalars[1]); n != 5 {
		t.Errorf("the longest run has n = %d", n)
	}
	small := strings.NewReplacer("count = 6", "count = 3", "uniform(0, 9)", "uniform(0, 4)", "[1, 5]", "[2, 2]", "[1, 40]", "[14, 24]").Replace(assuming)
	j = jobtest.Text(t, small, ends)
	_, inputs, err := SimulateExhaustively(context.Background(), j.Platform, j.Workload, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0 // of 5^3, those in order with steps of at most 3
	for a := range 5 {
		for b := a; b < 5 && b <= a+3; b++ {
			for c := b; c < 5 && c <= b+3; c++ {
				rows++
			}
		}
	}
	if want := 3 * rows; inputs != want { // and 16, 20, 24
		t.Errorf("%d inputs, want %d", inputs, want)
	}
}
