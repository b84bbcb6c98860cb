package emu

import (
	"encoding/binary"
	"slices"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/test/isatest"
)

// TestParametersAhead loads parameters of every size, at once and ahead of their time.
func TestParametersAhead(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .align 8 .b8 p[16]) {
.reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .b16 %h<5>; .reg .pred %p;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x; mad.wide.u32 %rd1, %r0, 64, %rd0;
ld.param.s8 %r1, [p]; ld.param.u8 %r2, [p+1]; ld.param.s8 %h1, [p+2]; cvt.u32.u16 %r3, %h1;
ld.param.s16 %r4, [p+2]; ld.param.u16 %r5, [p+2]; ld.param.s32 %rd2, [p+4]; ld.param.u32 %rd3, [p+4];
ld.param.u64 %rd4, [p+8]; ld.param.s8 %rd5, [p+8]; ld.param.v2.u32 {%r6, %r7}, [p];
setp.eq.u32 %p, %r0, 1; mov.u32 %r8, 5; @%p ld.param.u32 %r8, [p+12];
st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3; st.global.u32 [%rd1+12], %r4;
st.global.u32 [%rd1+16], %r5; st.global.u64 [%rd1+24], %rd2; st.global.u64 [%rd1+32], %rd3; st.global.u64 [%rd1+40], %rd4;
st.global.u64 [%rd1+48], %rd5; st.global.u32 [%rd1+56], %r7; st.global.u32 [%rd1+60], %r8;
ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(p, "k")
	if err != nil {
		t.Fatal(err)
	}
	code := decode(t, k)
	for i := range k.Instrs {
		if in := &k.Instrs[i]; in.Op == isa.Ld && len(in.Dst) == 1 && code.Run(i) == 0 {
			t.Errorf("%s is not executed ahead", k.Format(in))
		}
	}
	contents := []byte{0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98}
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{2, 1, 1}, Params: append(binary.LittleEndian.AppendUint64(nil, 1<<32), contents...)}
	var probe Memory
	at, err := probe.Alloc("buffer", 128)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(launch.Params, at)
	want := []uint32{
		0xffffff81, 0x82, 0xff83, 0xffff8483, 0x8483, 0, 0x88878685, 0xffffffff, 0x88878685, 0,
		0x94939291, 0x98979695, 0xffffff91, 0xffffffff, 0x88878685,
	}
	for _, ahead := range []bool{false, true} {
		got, _, _, _, err := runWarps(code, launch, 32, 128, ahead)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, slices.Concat(want, []uint32{5}, want, []uint32{0x98979695})) {
			t.Errorf("ahead: %v: %x", ahead, got)
		}
	}
}
