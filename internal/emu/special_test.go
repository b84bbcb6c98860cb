package emu_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/test/emutest"
)

// TestSpecialResults executes instructions on operands for which the PTX manual states the result:
// conversions of NaN and of what no integer is near to, divisions, and approximations where they
// are not near to anything. In a kernel the assembler's text passes through everything that may
// change it.
func TestSpecialResults(t *testing.T) {
	const (
		nan32, inf32 = "0f7FC00000", "0f7F800000"
		nan64, inf64 = "0d7FF8000000000000", "0d7FF0000000000000"
	)
	rows := []struct {
		instr string   // without its result and with a comma where that would stand
		want  []uint64 // either of these
	}{
		// "cvt", Integer Notes: NaN, and what is clamped.
		{"cvt.rzi.s32.f32," + nan32, []uint64{0}},
		{"cvt.rzi.u32.f32," + nan32, []uint64{0}},
		{"cvt.rzi.s64.f32," + nan32, []uint64{1 << 63}},
		{"cvt.rzi.u64.f32," + nan32, []uint64{1 << 63}},
		{"cvt.rzi.s32.f64," + nan64, []uint64{1 << 31}},
		{"cvt.rzi.u32.f64," + nan64, []uint64{1 << 31}},
		{"cvt.rzi.s64.f64," + nan64, []uint64{1 << 63}},
		{"cvt.rzi.u64.f64," + nan64, []uint64{1 << 63}},
		{"cvt.rni.s16.f64," + nan64, []uint64{0xffff8000}},
		{"cvt.rni.u8.f64," + nan64, []uint64{0x80}},
		{"cvt.rpi.s8.f32," + nan32, []uint64{0}},
		{"cvt.rzi.s32.f64," + inf64, []uint64{1<<31 - 1}},
		{"cvt.rzi.u32.f64," + inf64, []uint64{1<<32 - 1}},
		{"cvt.rzi.s64.f64," + inf64, []uint64{1<<63 - 1}},
		{"cvt.rzi.u64.f64," + inf64, []uint64{1<<64 - 1}},
		{"cvt.rzi.u32.f64,0dC000000000000000", []uint64{0}},
		{"cvt.rzi.u64.f32,0fC0000000", []uint64{0}},
		{"cvt.rzi.s32.f32,0f4F000000", []uint64{1<<31 - 1}},
		{"cvt.rzi.s32.f32,0fCF800000", []uint64{1 << 31}},

		// "div": the approximation by a divisor beyond 2^126 is zero, unless it divides infinity.
		// The full one is a quotient.
		{"div.approx.f32,0f3F800000,0f7F000000", []uint64{0}},
		{"div.approx.f32,0fC0400000,0f7F400000", []uint64{1 << 31, 0}},
		{"div.approx.f32," + inf32 + ",0f7F000000", []uint64{0x7fffffff}},
		{"div.approx.f32,0f3F800000,0f7E800000", []uint64{0x00800000}},
		{"div.approx.f32,0f71800000,0f7F000000", []uint64{0}},
		{"div.full.f32,0f71800000,0f7F000000", []uint64{0x32000000}},
		{"div.full.f32,0fC0400000,0f7F400000", []uint64{0x80800000}},
		{"div.full.f32," + inf32 + ",0f7F000000", []uint64{0x7f800000}},
		{"div.full.f32,0f3F800000,0f7F000000", []uint64{0x00400000}},
		{"div.full.ftz.f32,0f3F800000,0f7F000000", []uint64{0}},
		{"div.full.ftz.f32,0f80000001,0f3F800000", []uint64{1 << 31}},

		// "ex2", "lg2", "sin", "cos", "rsqrt", "rcp", "sqrt", "tanh".
		{"ex2.approx.f32,0fFF800000", []uint64{0}},
		{"ex2.approx.ftz.f32,0f80000001", []uint64{0x3f800000}},
		{"ex2.approx.f32,0f43000000", []uint64{0x7f800000}},
		{"ex2.approx.f32,0fC30C0000", []uint64{0x00000200}},
		{"ex2.approx.ftz.f32,0fC30C0000", []uint64{0}},
		{"lg2.approx.f32,0f80000000", []uint64{0xff800000}},
		{"lg2.approx.f32,0fBF800000", []uint64{0x7fffffff}},
		{"lg2.approx.f32," + inf32, []uint64{0x7f800000}},
		{"lg2.approx.f32,0f00000001", []uint64{0xc3150000}},
		{"lg2.approx.ftz.f32,0f00000001", []uint64{0xff800000}},
		{"sin.approx.f32," + inf32, []uint64{0x7fffffff}},
		{"sin.approx.f32,0f80000000", []uint64{1 << 31}},
		{"cos.approx.f32,0f80000000", []uint64{0x3f800000}},
		{"rsqrt.approx.f32,0f80000000", []uint64{0xff800000}},
		{"rsqrt.approx.f32,0fBF800000", []uint64{0x7fffffff}},
		{"rsqrt.approx.f32," + inf32, []uint64{0}},
		{"rcp.approx.f32,0f80000000", []uint64{0xff800000}},
		{"rcp.approx.ftz.f32,0f7F000000", []uint64{0}},
		{"rcp.approx.f32,0f7F000000", []uint64{0x00400000}},
		{"sqrt.approx.f32,0fBF800000", []uint64{0x7fffffff}},
		{"sqrt.approx.f32,0f80000000", []uint64{1 << 31}},
		{"sqrt.approx.f32,0f40800000", []uint64{0x40000000}},
		{"tanh.approx.f32,0fFF800000", []uint64{0xbf800000}},
		{"tanh.approx.f32,0f80000000", []uint64{1 << 31}},
		{"tanh.approx.f32,0f00000001", []uint64{1}},

		// "rcp.approx.ftz.f64" and "rsqrt.approx.ftz.f64": upper words.
		{"rcp.approx.ftz.f64,0d4008000000000000", []uint64{0x3fd5555500000000}},
		{"rcp.approx.ftz.f64,0d40080000FFFFFFFF", []uint64{0x3fd5555500000000}},
		{"rcp.approx.ftz.f64,0d7FF0000000000001", []uint64{0}},
		{"rcp.approx.ftz.f64," + nan64, []uint64{0x7fffffff00000000}},
		{"rcp.approx.ftz.f64,0d800FFFFFFFFFFFFF", []uint64{0xfff0000000000000}},
		{"rcp.approx.ftz.f64,0d7FE0000000000000", []uint64{0}},
		{"rsqrt.approx.ftz.f64,0d4000000000000000", []uint64{0x3fe6a09e00000000}},
		{"rsqrt.approx.ftz.f64,0dFFF0000000000000", []uint64{0x7fffffff00000000}},
		{"rsqrt.approx.ftz.f64,0d8000000000000000", []uint64{0xfff0000000000000}},
	}
	var body strings.Builder
	for i, r := range rows {
		mnemonic, operands, _ := strings.Cut(r.instr, ",")
		result, parts := "%r", strings.Split(mnemonic, ".")
		typ := parts[len(parts)-1]
		if parts[0] == "cvt" {
			typ = parts[2]
		}
		if strings.HasSuffix(typ, "64") {
			result = "%d"
		}
		fmt.Fprintf(&body, "%s %s, %s;\n", mnemonic, result, operands)
		if result == "%r" {
			body.WriteString("cvt.u64.u32 %d, %r;\n")
		}
		fmt.Fprintf(&body, "st.global.u64 [%%p+%d], %%d;\n", 8*i)
	}
	code := emutest.Code(t, `.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r; .reg .b64 %p, %d;
	ld.param.u64 %p, [p];
	`+body.String()+`
	ret;
}
`)
	mem := new(emu.Memory)
	launch := emutest.Launch(t, mem, 8*len(rows), 1, 32)
	g, err := emu.NewGrid(code, launch, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := emu.Run(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	memory := mem.Bytes(binary.LittleEndian.Uint64(launch.Params))
	for i, r := range rows {
		if got := binary.LittleEndian.Uint64(memory[8*i:]); !slices.Contains(r.want, got) {
			t.Errorf("%s gives 0x%x, want 0x%x", r.instr, got, r.want)
		}
	}
}
