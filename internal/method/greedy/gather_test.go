package greedy_test

import (
	"fmt"
	"testing"
	"testing/fstest"
)

// TestGather loads words of a buffer that data choose, and between them always the same line: it stays in the L1 if the buffer leaves it
// room there.
func TestGather(t *testing.T) {
	const trips = 100
	for _, c := range []struct {
		words    int
		requests [2]int64 // so many at least, and at most
	}{
		{words: 32, requests: [2]int64{4, 4}}, // two lines, the store, and once more the line that it drops
		{words: 1 << 13, requests: [2]int64{2 * trips, 3*trips + 2}},
		{words: 1 << 14, requests: [2]int64{2 * trips, 3*trips + 2}},
	} {
		d := bound(t, fstest.MapFS{
			"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 py) {
	.reg .b32 %u, %v, %n;
	.reg .b64 %x, %y, %a;
	.reg .pred %p;
	ld.param.u64 %x, [px];
	ld.param.u64 %y, [py];
	mov.u32 %n, 0;
	ld.global.u32 %u, [%y];
LOOP:
	and.b32 %u, %u, ` + fmt.Sprint(c.words-1) + `;
	mad.wide.u32 %a, %u, 4, %x;
	ld.global.u32 %u, [%a];
	ld.global.u32 %v, [%y];
	add.u32 %u, %u, %v;
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, ` + fmt.Sprint(trips) + `;
	@%p bra LOOP;
	st.global.u32 [%y], %u;
	ret;
}
`)},
			"job.toml": {Data: fmt.Appendf(nil, `module = "k.ptx"
machine = "fermi-c2050"
grid = [1]
block = [1]
param = [{name = "x", type = "u32", count = %d, init = "uniform(0, 99999)"}, {name = "y", type = "u32", count = 1, init = "uniform(0, 9)"}]
`, c.words)},
		})
		if n := d.Requests; n < c.requests[0] || n > c.requests[1] {
			t.Errorf("%d words: %d requests, want %v", c.words, n, c.requests)
		}
	}
}
