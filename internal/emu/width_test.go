package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
)

// TestWidths executes instructions on registers of another width than they work on, in warps of
// one and of two vectors.
func TestWidths(t *testing.T) {
	odd := "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1;"
	for _, c := range []struct {
		name, vars, body string
		want             func(tid int) uint32
	}{
		{"a count of a wide source", "", `
			cvt.u64.u32 %rd2, %r0; shl.b64 %rd2, %rd2, 33; popc.b64 %r2, %rd2; st.global.u32 [%rd1], %r2; ret;`,
			func(tid int) uint32 {
				n := uint32(0)
				for x := tid; x > 0; x /= 2 {
					n += uint32(x % 2)
				}
				return n
			}},
		{"a count of a wide source in some lanes", "", odd + `
			mov.u32 %r2, 77; mov.u64 %rd2, 0x1100000000; @%p0 popc.b64 %r2, %rd2; st.global.u32 [%rd1], %r2; ret;`,
			func(tid int) uint32 { return []uint32{77, 2}[tid%2] }},
		{"a wide bit field at narrow positions", "", `
			mov.u64 %rd2, 0x123456789abcdef0; and.b32 %r2, %r0, 15; shl.b32 %r2, %r2, 2; mov.u32 %r3, 4;
			bfe.u64 %rd3, %rd2, %r2, %r3; cvt.u32.u64 %r4, %rd3; st.global.u32 [%rd1], %r4; ret;`,
			func(tid int) uint32 { return uint32(uint64(0x123456789abcdef0) >> (tid % 16 * 4) & 15) }},
		{"words loaded into wide registers", "", odd + `
			mov.u64 %rd2, 0x700000003; st.global.u32 [%rd1], %r0; @%p0 ld.global.u32 %rd2, [%rd1];
			shr.b64 %rd3, %rd2, 32; add.u64 %rd3, %rd3, %rd2; cvt.u32.u64 %r2, %rd3; st.global.u32 [%rd1], %r2; ret;`,
			func(tid int) uint32 { return []uint32{7 + 3, uint32(tid)}[tid%2] }},
		{"words stored from wide registers", "", `
			mov.u64 %rd2, 0x500000009; st.global.u32 [%rd1], %rd2; shr.b64 %rd3, %rd2, 32; ld.global.u32 %r2, [%rd1];
			cvt.u32.u64 %r3, %rd3; mad.lo.u32 %r2, %r2, 16, %r3; st.global.u32 [%rd1], %r2; ret;`,
			func(int) uint32 { return 0x95 }},
		{"narrow addresses", ".shared .align 4 .b8 s[256];", `
			mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 4, %r1; st.shared.u32 [%r1], %r0; bar.sync 0;
			xor.b32 %r2, %r0, 1; mov.u32 %r3, s; mad.lo.u32 %r3, %r2, 4, %r3; ld.shared.u32 %r4, [%r3];
			st.global.u32 [%rd1], %r4; ret;`,
			func(tid int) uint32 { return uint32(tid ^ 1) }},
		{"a byte of a wide source", "", `
			mad.wide.u32 %rd2, %r0, 256, 5; add.u64 %rd2, %rd2, %rd1; sub.u64 %rd2, %rd2, %rd1; shr.b64 %rd2, %rd2, 8;
			cvt.u32.u8 %r2, %rd2; st.global.u32 [%rd1], %r2; ret;`,
			func(tid int) uint32 { return uint32(tid) }},
		{"words in place of narrow sources", "", `
			cvt.u64.u32 %rd2, %r0; mad.wide.u32 %rd2, %r0, 3, %rd2; cvt.u32.u64 %r1, %rd2; st.global.u32 [%rd1], %r1; ret;`,
			func(tid int) uint32 { return uint32(4 * tid) }},
	} {
		for _, width := range []int{32, 64} {
			t.Run(fmt.Sprintf("%s/%d", c.name, width), func(t *testing.T) {
				s := scenario{vars: c.vars, body: c.body, width: width}
				s.expect(t, c.want)
			})
		}
	}
}

// TestRegistersBegin checks that registers which are read before they are written are zero in every
// CTA, also in one that comes to a slot where another has been.
func TestRegistersBegin(t *testing.T) {
	s := scenario{body: `
		mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 128; add.u64 %rd1, %rd1, %rd2;
		cvt.u32.u64 %r2, %rd3; add.u32 %r2, %r2, %r5; st.global.u32 [%rd1], %r2;
		mov.u32 %r5, 7; mov.u64 %rd3, 9; cvt.u32.u64 %r2, %rd3; add.u32 %r2, %r2, %r5; st.global.u32 [%rd1+64], %r2; ret;`}
	mem := new(Memory)
	out, err := mem.Alloc("out", 256)
	if err != nil {
		t.Fatal(err)
	}
	launch := Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{16, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, out)}
	g, err := NewGrid(decode(t, s.kernel(t)), launch, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		want := uint32(i / 16 % 2 * 16)
		if got := binary.LittleEndian.Uint32(mem.Bytes(out)[4*i:]); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
}
