package scalar

import (
	"encoding/binary"
	"strings"
	"testing"
)

// TestMbarrier makes the first thread, which is executed first, wait for a word of the second.
func TestMbarrier(t *testing.T) {
	out, trips, err := execute(t, `
	.shared .align 16 .b8 words[16];
	.shared .align 8 .b64 full, empty;
	.reg .b64 %s;
	setp.ne.u32 %p, %t, 0;
	@%p bra B;
	mbarrier.init.shared.b64 [full], 1;
	mbarrier.init.shared.b64 [empty], 1;
B:	bar.sync 0;
	@%p bra CONSUME;
W:	mbarrier.try_wait.parity.shared.b64 %p, [empty], 0;
	@!%p bra W;
	ld.shared.u32 %x, [words];
	st.global.u32 [%a], %x;
	ret;
CONSUME: mul.lo.u32 %x, %x, 10;
	st.shared.u32 [words], %x;
	mbarrier.arrive.shared.b64 %s, [empty];
	mbarrier.expect_tx.shared.b64 [full], 16;
	mbarrier.complete_tx.shared.b64 [full], 16;
	mbarrier.arrive.shared.b64 %s, [full];
	mbarrier.test_wait.shared.b64 %p, [full], %s;
	selp.u32 %x, 1, 0, %p;
	st.global.u32 [%a], %x;`)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := binary.LittleEndian.Uint32(out), binary.LittleEndian.Uint32(out[4:]); a != 70 || b != 1 || trips[0] != 1 {
		t.Errorf("words %d and %d, want 70 and 1; the loop goes back %d times, want 1", a, b, trips[0])
	}
	out, _, err = execute(t, `
	.shared .align 16 .b8 from[16], to[16];
	.shared .align 8 .b64 m;
	.reg .b64 %s;
	mbarrier.init.shared.b64 [m], 1;
	st.shared.u32 [from+8], 77;
	mov.u64 %s, from; cvta.shared.u64 %s, %s; // generic addresses do not tell their memory here
	cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [to], [%s], 16, [m];
	mbarrier.arrive.expect_tx.shared.b64 %s, [m], 16;
	mbarrier.test_wait.shared.b64 %p, [m], %s;
	ld.shared.u32 %x, [to+8];
	selp.u32 %x, %x, 0, %p;
	st.global.u32 [%a], %x;`)
	if err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint32(out); got != 77 {
		t.Errorf("copied word %d, want 77", got)
	}
	for body, want := range map[string]string{
		".shared .align 8 .b64 m; mbarrier.arrive.shared.b64 _, [m];":                                                               "there is no mbarrier",
		".shared .align 8 .b64 m; mbarrier.init.shared.b64 [m], 1; W: mbarrier.test_wait.parity.shared.b64 %p, [m], 0; @!%p bra W;": "more than",
		".shared .align 16 .b8 s[16]; cp.async.bulk.global.shared::cta.bulk_group [%a], [s], 16;":                                   "copies",
	} {
		if _, _, err := execute(t, body); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", body, err, want)
		}
	}
}
