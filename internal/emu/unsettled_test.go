package emu_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/test/emutest"
)

// TestUnsettled makes integers of words that are NaN in some lanes, under a guard in others, in the
// register of the source, and of an immediate. Results are those of other code, which tells
// nothing.
func TestUnsettled(t *testing.T) {
	code := emutest.Code(t, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %q; .reg .b32 %t, %x, %y, %z, %w; .reg .b64 %p, %l, %d;
	ld.param.u64 %p, [p];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %l, %t, 16;
	add.u64 %p, %p, %l;
	add.u32 %x, %t, 0x7f7ffff0;
	mul.wide.u32 %d, %t, 1;
	add.u64 %d, %d, 0x7feffffffffffff0;
	setp.lt.u32 %q, %t, 20;
	mov.u32 %y, 7;
	@%q cvt.rzi.u32.f32 %y, %x;
	cvt.rni.s64.f64 %d, %d;
	cvt.u32.u64 %z, %d;
	cvt.rzi.s32.f64 %w, 0d7FF8000000000000;
	st.global.v4.u32 [%p], {%x, %y, %z, %w};
	ret;
}
`)
	results := func(c *emu.Code) (memory []byte, lanes map[int]uint64) {
		mem, lanes := new(emu.Memory), make(map[int]uint64)
		launch := emutest.Launch(t, mem, 16*32, 1, 32)
		g, err := emu.NewGrid(c, launch, mem, 32)
		if err != nil {
			t.Fatal(err)
		}
		var cta emu.CTA
		g.StartCTA(&cta, 0)
		env, eff := &emu.Env{SMs: 1}, new(emu.Effect)
		for w := &cta.Warps[0]; !w.Done(); {
			if err := w.Step(env, eff); err != nil {
				t.Fatal(err)
			}
			if eff.Unsettled != 0 {
				lanes[eff.PC] = eff.Unsettled
			}
		}
		return mem.Bytes(binary.LittleEndian.Uint64(launch.Params)), lanes
	}
	want, none := results(code)
	got, lanes := results(code.WithUnsettled())
	if string(got) != string(want) || len(none) > 0 {
		t.Errorf("memory is %x, not %x; other code tells of %x", got, want, none)
	}
	var conversions []uint64
	for pc := range code.Len() {
		if n := lanes[pc]; n != 0 {
			conversions = append(conversions, n)
		}
	}
	// Numbers up to infinity, 0x7f800000 in lane 16, are settled.
	if !slices.Equal(conversions, []uint64{0x000e0000, 0xfffe0000, 1<<32 - 1}) {
		t.Errorf("lanes %x are unsettled", conversions)
	}
}
