package emu

import (
	"testing"
)

// mbarrierVars are an mbarrier, shared words and words in global memory.
const mbarrierVars = `.shared .align 8 .b64 m[2]; .shared .align 16 .b32 s[64]; .global .align 16 .b32 g[64];`

// begun is a body in which the first thread has initialised m for so many arrivals.
func begun(count, rest string) scenario {
	return scenario{vars: mbarrierVars, body: `
setp.eq.u32 %p1, %r0, 0; mov.u32 %r19, m; mov.u32 %r18, s; mov.u64 %rd9, g;
@%p1 mbarrier.init.shared.b64 [%r19], ` + count + `; bar.sync 0;
` + rest}
}

// alone is begun for one thread, which gives %r1.
func alone(count, rest string) scenario {
	s := begun(count, rest+"; st.global.u32 [%rd1], %r1; ret;")
	s.block = 1
	return s
}

// selects gives 1 in %r1 for %p2.
const selects = "; selp.u32 %r1, 1, 0, %p2"

func TestMbarrier(t *testing.T) {
	for _, c := range []struct {
		name, count, body string
		want              uint32
	}{
		{"nobody has arrived", "1", "mbarrier.test_wait.parity.shared.b64 %p2, [m], 0" + selects, 0},
		{"the phase before the first is over", "1", "mbarrier.test_wait.parity.shared.b64 %p2, [m], 1" + selects, 1},
		{"the only arrival", "1", "mbarrier.arrive.shared.b64 %rd2, [m]; mbarrier.test_wait.shared.b64 %p2, [m], %rd2" + selects, 1},
		{"one of two", "2", "mbarrier.arrive.shared.b64 %rd2, [m]; mbarrier.test_wait.shared.b64 %p2, [m], %rd2" + selects, 0},
		{"two at once", "2", "mbarrier.arrive.shared::cta.b64 %rd2, [m], 2; mbarrier.try_wait.shared::cta.b64 %p2, [m], %rd2" + selects, 1},
		{"a generic address", "1", "mov.u64 %rd3, m; cvta.shared.u64 %rd3, %rd3; mbarrier.arrive.b64 _, [%rd3]; mbarrier.try_wait.parity.b64 %p2, [%rd3], 0, 1000" + selects, 1},
		{"release and acquire of the CTA", "1", "mbarrier.arrive.release.cta.shared::cta.b64 _, [m]; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [m], 0" + selects, 1},
		{"arrivals pending before", "5", "mbarrier.arrive.noComplete.shared.b64 %rd2, [m], 2; mbarrier.arrive.shared.b64 %rd2, [m]; mbarrier.pending_count.b64 %r1, %rd2", 3},
		{"bytes are expected", "1", "mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [m], 32; mbarrier.test_wait.shared.b64 %p2, [m], %rd2" + selects, 0},
		{"all bytes came", "1", "mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [m], 32; mbarrier.complete_tx.shared::cta.b64 [m], 32; mbarrier.test_wait.shared.b64 %p2, [m], %rd2" + selects, 1},
		{"bytes that came early", "1", "mbarrier.complete_tx.shared::cta.b64 [m], 32; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 32; mbarrier.test_wait.parity.shared.b64 %p2, [m], 0" + selects, 0},
		{"bytes that came early, then an arrival", "1", "mbarrier.complete_tx.shared::cta.b64 [m], 32; mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 32; mbarrier.test_wait.parity.shared.b64 %p2, [m], 0" + selects, 1},
		{"the second phase", "1", "mbarrier.arrive.shared.b64 _, [m]; mbarrier.test_wait.parity.shared.b64 %p2, [m], 1" + selects, 0},
		{"a phase expects what init said", "2", "mbarrier.arrive.shared.b64 _, [m], 2; mbarrier.arrive.shared.b64 %rd2, [m]; mbarrier.pending_count.b64 %r1, %rd2", 2},
		{"less what was dropped", "3", "mbarrier.arrive_drop.shared.b64 _, [m]; mbarrier.arrive.shared.b64 _, [m], 2; mbarrier.arrive.shared.b64 %rd2, [m]; mbarrier.pending_count.b64 %r1, %rd2", 2},
		{"copies that the phase does not expect", "1", "cp.async.ca.shared.global [%r18], [%rd9], 16; cp.async.mbarrier.arrive.shared.b64 [m]; mbarrier.test_wait.parity.shared.b64 %p2, [m], 0" + selects, 0},
		{"copies that it expects", "1", "cp.async.ca.shared.global [%r18], [%rd9], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [m]; mbarrier.test_wait.parity.shared.b64 %p2, [m], 0" + selects, 1},
		{"initialised again for more", "1", "mbarrier.init.shared.b64 [m], 2; mbarrier.arrive.shared.b64 _, [m]; mbarrier.test_wait.parity.shared.b64 %p2, [m], 0" + selects, 0},
		{"used for something else and again", "1", "mbarrier.inval.shared.b64 [m]; st.shared.u64 [m], 7; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.shared.b64 _, [m]; mbarrier.test_wait.parity.shared.b64 %p2, [m], 0" + selects, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := alone(c.count, c.body)
			s.expect(t, func(int) uint32 { return c.want })
		})
	}
}

// TestImage tries that memory tells the states of an mbarrier apart, so that a write of other instructions is found out.
func TestImage(t *testing.T) {
	states := map[uint64]mbarrier{}
	for _, b := range []mbarrier{
		{}, {phase: 1}, {expected: 1}, {expected: mbarrierMax}, {pending: 1}, {pending: mbarrierMax}, {bytes: 1}, {bytes: -1},
		{bytes: mbarrierMax}, {bytes: -mbarrierMax}, {phase: 1, expected: 3, pending: 2, bytes: 16},
	} {
		image := b.image()
		if other, ok := states[image]; ok {
			t.Errorf("%+v and %+v have the image %#x", b, other, image)
		}
		if image>>62 != 1 {
			t.Errorf("%+v has the image %#x, which is not marked as that of an mbarrier", b, image)
		}
		states[image] = b
	}
}

func TestMbarrierErrors(t *testing.T) {
	for _, c := range []struct {
		count, body string
		cause       error
		part        string
	}{
		{"0", "", errMbarrier, "expect 0 arrivals"},
		{"1048576", "", errMbarrier, "1048576 arrivals"},
		{"1", "mbarrier.arrive.shared.b64 _, [m+8]", errMbarrier, "there is none at"},
		{"1", "mbarrier.inval.shared.b64 [m]; mbarrier.test_wait.parity.shared.b64 %p2, [m], 0", errMbarrier, "mbarrier.init has to come first"},
		{"1", "mbarrier.arrive.shared.b64 _, [m+4]", ErrMisaligned, "8 bytes"},
		{"1", "mbarrier.arrive.b64 _, [%rd9]", errMbarrier, "not in shared memory"},
		{"1", "mbarrier.arrive.shared.b64 _, [m], 2", errMbarrier, "2 arrivals, where the phase waits for 1 more"},
		{"1", "mbarrier.arrive.shared.b64 _, [m], 0", errMbarrier, "0 arrivals"},
		{"1", "mbarrier.arrive.noComplete.shared.b64 _, [m], 1", errMbarrier, ".noComplete"},
		{"1", "mbarrier.expect_tx.shared::cta.b64 [m], 1048575; mbarrier.expect_tx.shared::cta.b64 [m], 1", errMbarrier, "tx-count becomes 1048576"},
		{"1", "mbarrier.complete_tx.shared::cta.b64 [m], 1048575; mbarrier.complete_tx.shared::cta.b64 [m], 1", errMbarrier, "tx-count becomes -1048576"},
		{"1", "mbarrier.expect_tx.shared::cta.b64 [m], 16; mbarrier.arrive.shared.b64 _, [m]; mbarrier.arrive.shared.b64 _, [m]", errMbarrier, "waits for 0 more"},
		{"1", "mbarrier.test_wait.parity.shared.b64 %p2, [m], 2", errMbarrier, "parity 2"},
		{"1", "mbarrier.arrive.shared.b64 %rd2, [m]; mbarrier.arrive.shared.b64 _, [m]; mbarrier.test_wait.shared.b64 %p2, [m], %rd2", errMbarrier, "the state is that of phase 0"},
		{"1", "st.shared.u64 [m], 0; mbarrier.arrive.shared.b64 _, [m]", errMbarrier, "written by other instructions"},
		{"1048575", "cp.async.mbarrier.arrive.shared.b64 [m]", errMbarrier, "one more"},
		{"1", "W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; @!%p2 bra W", ErrDeadlock, "m+0) waits for 1 arrivals and 0 bytes"},
	} {
		s := alone(c.count, c.body)
		s.expectError(t, c.cause, c.part)
	}
}

// TestMbarrierBetweenWarps makes a warp wait for another that comes after it.
func TestMbarrierBetweenWarps(t *testing.T) {
	s := begun("32", `
setp.ge.u32 %p3, %r0, 32; @%p3 bra PRODUCE;
W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; @!%p2 bra W;
shl.b32 %r1, %r0, 2; add.u32 %r1, %r1, %r18; ld.shared.u32 %r2, [%r1+128]; st.global.u32 [%rd1], %r2; ret;
PRODUCE: shl.b32 %r1, %r0, 2; add.u32 %r1, %r1, %r18; mul.lo.u32 %r2, %r0, 3; st.shared.u32 [%r1], %r2;
mbarrier.arrive.shared.b64 _, [m]; st.global.u32 [%rd1], %r2; ret;`)
	s.expect(t, func(tid int) uint32 {
		if tid < 32 {
			return uint32(3 * (tid + 32))
		}
		return uint32(3 * tid)
	})
}

// TestMbarrierDeadlock checks that a warp at a barrier does not hide that others wait in vain, and that one that is busy does.
func TestMbarrierDeadlock(t *testing.T) {
	s := begun("1", `
setp.ge.u32 %p3, %r0, 32; @%p3 bra LAST;
W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; @!%p2 bra W;
LAST: bar.sync 0; ret;`)
	s.expectError(t, ErrDeadlock, "mbarrier.try_wait", "and none can complete the phase")
	s = begun("1", `
@%p1 bra LAST;
W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; @!%p2 bra W; ret;
LAST: mbarrier.arrive.shared.b64 _, [m]; ret;`)
	s.block = 32
	s.expectError(t, ErrDeadlock, "go on where these reconverge")
	s = begun("1", `
setp.ge.u32 %p3, %r0, 32; @%p3 bra BUSY;
W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; @!%p2 bra W; bra LAST;
BUSY: mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 40000; @%p2 bra L;
setp.eq.u32 %p3, %r0, 32; @%p3 mbarrier.arrive.shared.b64 _, [m];
LAST: st.global.u32 [%rd1], 5; ret;`)
	s.expect(t, func(int) uint32 { return 5 })
}
