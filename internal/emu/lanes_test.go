package emu

import "testing"

func TestLanes(t *testing.T) {
	for _, c := range []struct {
		name string
		scenario
		want func(tid int) uint32
	}{
		{"ballot", scenario{body: `
and.b32 %r1, %r0, 3; setp.eq.u32 %p0, %r1, 1; vote.ballot.b32 %r2, %p0; st.global.u32 [%rd1], %r2; ret;`},
			func(int) uint32 { return 0x22222222 }},
		{"votes of some lanes", scenario{body: `
setp.ge.u32 %p0, %r0, 8; @%p0 ret;
setp.lt.u32 %p1, %r0, 4; setp.lt.u32 %p2, %r0, 8;
vote.sync.all.pred %p3, %p1, 0xff; vote.sync.any.pred %p4, %p1, 0xff; vote.sync.uni.pred %p5, %p1, 0xff;
vote.sync.all.pred %p6, %p2, 0xff; vote.sync.uni.pred %p7, !%p2, 0xff; activemask.b32 %r2;
selp.u32 %r3, 256, 0, %p3; add.u32 %r2, %r2, %r3; selp.u32 %r3, 512, 0, %p4; add.u32 %r2, %r2, %r3;
selp.u32 %r3, 1024, 0, %p5; add.u32 %r2, %r2, %r3; selp.u32 %r3, 2048, 0, %p6; add.u32 %r2, %r2, %r3;
selp.u32 %r3, 4096, 0, %p7; add.u32 %r2, %r2, %r3;
bar.warp.sync 0xffffffff;
st.global.u32 [%rd1], %r2; ret;`}, func(tid int) uint32 {
			if tid >= 8 {
				return 0
			}
			return 255 + 512 + 2048 + 4096
		}},
		{"shfl down in segments of 8", scenario{body: `
shfl.sync.down.b32 %r1|%p0, %r0, 3, 0x181f, 0xffffffff; selp.u32 %r2, 100, 0, %p0; add.u32 %r1, %r1, %r2;
st.global.u32 [%rd1], %r1; ret;`}, func(tid int) uint32 {
			if tid%8+3 < 8 {
				return uint32(tid + 3 + 100)
			}
			return uint32(tid)
		}},
		{"shfl up", scenario{body: `
shfl.sync.up.b32 %r1|%p0, %r0, 5, 0, 0xffffffff; selp.u32 %r2, 100, 0, %p0; add.u32 %r1, %r1, %r2;
st.global.u32 [%rd1], %r1; ret;`}, func(tid int) uint32 {
			if tid%32 >= 5 {
				return uint32(tid - 5 + 100)
			}
			return uint32(tid)
		}},
		{"shfl bfly", scenario{body: `shfl.sync.bfly.b32 %r1, %r0, 9, 31, 0xffffffff; st.global.u32 [%rd1], %r1; ret;`},
			func(tid int) uint32 { return uint32(tid ^ 9) }},
		{"shfl idx in segments of 4", scenario{body: `shfl.sync.idx.b32 %r1, %r0, 2, 0x1c1f, 0xffffffff; st.global.u32 [%rd1], %r1; ret;`},
			func(tid int) uint32 { return uint32(tid&^3 | 2) }},
		{"shfl from a lane that does not take part", scenario{body: `
setp.ge.u32 %p0, %r0, 4; @%p0 ret;
shfl.down.b32 %r1, %r0, 1, 31; st.global.u32 [%rd1], %r1; ret;`}, func(tid int) uint32 {
			return []uint32{1, 2, 3, 3, 0}[min(tid, 4)]
		}},
		{"lane masks", scenario{body: `
mov.u32 %r1, %lanemask_eq; mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %lanemask_le; mov.u32 %r4, %lanemask_gt; mov.u32 %r5, %lanemask_ge;
sub.u32 %r3, %r3, %r2; xor.b32 %r3, %r3, %r1; sub.u32 %r5, %r5, %r4; xor.b32 %r5, %r5, %r1; or.b32 %r3, %r3, %r5;
or.b32 %r4, %r4, %r2; or.b32 %r4, %r4, %r1; not.b32 %r4, %r4; or.b32 %r3, %r3, %r4;
popc.b32 %r2, %r2; mov.u32 %r6, %laneid; sub.u32 %r2, %r2, %r6; or.b32 %r3, %r3, %r2;
st.global.u32 [%rd1], %r3; ret;`}, func(int) uint32 { return 0 }},
	} {
		t.Run(c.name, func(t *testing.T) { c.expect(t, c.want) })
	}
}

// TestMembersThatExit runs operations whose member masks name lanes that have exited or
// are on their way to the exit, as CUDA programs with early returns do.
func TestMembersThatExit(t *testing.T) {
	const before = "setp.lt.u32 %p0, %r0, 5; mov.u32 %r6, 0; "
	const work = `bar.warp.sync 0xffffffff; vote.sync.ballot.b32 %r2, 1, 0xffffffff;
shfl.sync.idx.b32 %r3, %r0, 7, 31, 0xffffffff; add.u32 %r6, %r2, %r3; `
	for _, c := range []struct{ name, body string }{
		{"at once", "@%p0 exit; " + work + "st.global.u32 [%rd1], %r6; ret;"},
		{"by a branch to the only end", "@%p0 bra gone; " + work + "st.global.u32 [%rd1], %r6; gone: ret;"},
		{"by way of shared work", "@%p0 bra gone; " + work + "gone: st.global.u32 [%rd1], %r6; ret;"},
		{"by way of work of their own", "@!%p0 bra on; st.global.u32 [%rd1], %r6; bra gone; on: " + work + "st.global.u32 [%rd1], %r6; gone: ret;"},
		{"the same with the others first", "@%p0 bra over; " + work + "st.global.u32 [%rd1], %r6; bra gone; over: st.global.u32 [%rd1], %r6; gone: ret;"},
		{"behind a barrier", "@%p0 bra gone; bar.sync 0; " + work + "gone: st.global.u32 [%rd1], %r6; ret;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{body: before + c.body, block: 32}
			s.expect(t, func(tid int) uint32 {
				if tid < 5 {
					return 0
				}
				return 0xffffffe0 + 7
			})
		})
	}
}

func TestLaneErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		scenario
		want []string
	}{
		{"missing member", scenario{body: "setp.lt.u32 %p0, %r0, 5; @%p0 bar.warp.sync 0xffffffff; ret;"},
			[]string{"thread (5,0,0)", "does not take part: the guard of the instruction does not hold in lanes 0xffffffe0"}},
		{"member elsewhere", scenario{body: `setp.lt.u32 %p0, %r0, 5; @%p0 bra on; bar.warp.sync 0xffffffff;
on: st.global.u32 [%rd1], 1; bar.warp.sync 0xffffffff; ret;`},
			[]string{"thread (0,0,0)", "does not take part: lanes 0x1f are yet to execute st.global.u32 [%rd1], 0x1 (k.ptx:12:5)", "exit before"}},
		{"member on its way to a barrier", scenario{body: `setp.lt.u32 %p0, %r0, 5; @%p0 bra on; vote.sync.any.pred %p1, %p0, -1;
on: bar.sync 0; ret;`}, []string{"thread (0,0,0)", "lanes 0x1f are yet to execute bar.sync"}},
		{"not named", scenario{body: "vote.sync.any.pred %p0, %p1, 0xfffffff0; ret;"}, []string{"thread (0,0,0)", "not named"}},
		{"masks differ", scenario{body: "vote.sync.any.pred %p0, %p1, %r0; ret;"}, []string{"member mask 1, which is 0 in thread (0,0,0)"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.expectError(t, nil, c.want...) })
	}
}
