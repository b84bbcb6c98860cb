package emu

import "testing"

// bulk is a body for one warp whose first thread copies words of g, of which each thread has written one, in the given
// way; what the threads find in s then, they give.
func bulk(copies string) scenario {
	s := begun("1", `
mad.wide.u32 %rd2, %r0, 4, %rd9; st.global.u32 [%rd2], %r0; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r18; st.shared.u32 [%r2], 100;
bar.sync 0; @!%p1 bra W;
`+copies+`;
W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W;
ld.shared.u32 %r1, [%r2]; st.global.u32 [%rd1], %r1; ret;`)
	s.block = 32
	return s
}

// move copies n bytes from g at an offset to s at another.
func move(n, from, to string) string {
	return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], " + n +
		"; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+" + to + "], [g+" + from + "], " + n + ", [m]"
}

func TestBulkCopy(t *testing.T) {
	for _, c := range []struct {
		name, copies string
		want         func(tid int) uint32
	}{
		{"a part", move("48", "16", "32"), func(tid int) uint32 {
			if tid >= 8 && tid < 20 {
				return uint32(tid - 4)
			}
			return 100
		}},
		{"nothing", move("0", "16", "32"), func(int) uint32 { return 100 }},
		{"to the shared memory of the CTA, with a hint",
			"mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 128; mov.b64 %rd4, 0; mov.u32 %r5, 128; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r18], [%rd9], %r5, [%r19], %rd4",
			func(tid int) uint32 { return uint32(tid) }},
		{"there and back", move("64", "0", "0") + `; cp.async.bulk.global.shared::cta.bulk_group [g+64], [s], 64; cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0; cp.async.bulk.prefetch.L2.global [g], 64;
ld.global.u32 %r3, [g+64+12]; st.shared.u32 [s], %r3`, func(tid int) uint32 {
			switch {
			case tid == 0:
				return 3
			case tid < 16:
				return uint32(tid)
			}
			return 100
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := bulk(c.copies)
			s.expect(t, c.want)
		})
	}
}

func TestBulkCopyErrors(t *testing.T) {
	for _, c := range []struct {
		copies string
		cause  error
		part   string
	}{
		{move("24", "0", "0"), ErrMisaligned, "a bulk copy of 24 bytes, which is no multiple of 16"},
		{move("16", "8", "0"), ErrMisaligned, "offset 8 of g"},
		{move("16", "0", "4"), ErrMisaligned, "; s+4)"},
		{move("64", "208", "0"), ErrOutOfBounds, "64 bytes at"},
		{move("64", "0", "4000"), ErrOutOfBounds, "64 bytes at"},
		{"cvt.u64.u32 %rd5, %r18; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd5], 16, [m]", ErrOutOfBounds, "an offset in shared space is no address in global space"},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [m+8]", errMbarrier, "there is none"},
	} {
		s := bulk(c.copies)
		s.expectError(t, c.cause, c.part)
	}
	s := begun("1", "shl.b32 %r1, %r0, 4; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], %r1, [m]; ret;")
	s.expectError(t, nil, "different sizes")
}
