package calibrate

import (
	"fmt"
	"strings"
)

// kernel is a microbenchmark: how long a warp takes for a section of code, by the clock of
// its SM. The section is executed several times in a loop, and the last time counts, so
// that its instructions are in the instruction cache.
type kernel struct {
	name    string
	shared  int    // bytes of shared memory sh
	entry   string // executed first
	prepare string // executed once, before the loop
	begin   string // executed in each round before the clock is read, after a barrier
	section string // what is timed; reads %dep, which is 0 and known after the first reading
	// sink are instructions that make a word %sink of all results. The clock is read again
	// when it is known.
	sink string
	// finish is executed once after the loop, before the record is written.
	finish string
}

// What kernels can use: registers, the constant ring, which holds zeros, and shared memory.
// The parameters are known when the kernel runs, so that no compiler can use their values.
const (
	header = `.version 6.0
.target sm_30
.address_size 64
.visible .const .align 256 .b32 ring[64];
`
	declarations = `	.reg .pred %p<32>, %go, %more, %on, %lead;
	.reg .b32 %r<64>, %a<16>, %dep, %sink, %tmp, %thread, %warp, %warps, %round, %zero, %three, %top, %active, %rounds, %n, %stride, %spread, %core;
	.reg .f32 %f<64>, %ftwo, %fthree;
	.reg .f64 %d<64>, %dtwo, %dthree;
	.reg .b64 %w<16>, %l<16>, %c0, %c1, %out, %data, %to, %off;
`
	prologue = `	ld.param.u64 %out, [out];
	ld.param.u64 %data, [data];
	ld.param.u32 %zero, [zero];
	ld.param.u32 %three, [three];
	ld.param.u32 %top, [top];
	ld.param.u32 %active, [active];
	ld.param.u32 %rounds, [rounds];
	ld.param.u32 %n, [n];
	ld.param.u32 %stride, [stride];
	ld.param.u32 %spread, [spread];
	ld.param.f32 %ftwo, [ftwo];
	ld.param.f64 %dtwo, [dtwo];
	mov.u32 %thread, %tid.x;
	shr.u32 %warp, %thread, 5;
	mov.u32 %warps, %ntid.x;
	shr.u32 %warps, %warps, 5;
	shr.u32 %tmp, %active, %warp;
	and.b32 %tmp, %tmp, 1;
	setp.ne.u32 %on, %tmp, 0;
	mov.u64 %c0, 0;
	mov.u64 %c1, 0;
	mov.u32 %sink, 0;
	mov.u32 %round, 0;
`
	// The first instruction of a section waits for %dep, and so for the clock; the second
	// reading waits for %sink by its guard, which always holds.
	roundBegin = `	mov.u64 %c0, %clock64;
	cvt.u32.u64 %dep, %c0;
	and.b32 %dep, %dep, %zero;
`
	roundEnd = `	setp.le.u32 %go, %zero, %sink;
	@%go mov.u64 %c1, %clock64;
`
	epilogue = `	mov.u32 %core, %smid;
	mov.u32 %tmp, %ctaid.x;
	mad.lo.u32 %tmp, %tmp, %warps, %warp;
	mul.wide.u32 %off, %tmp, 32;
	add.u64 %to, %out, %off;
	and.b32 %tmp, %thread, 31;
	setp.eq.u32 %lead, %tmp, 0;
	@%lead st.global.u64 [%to], %c0;
	@%lead st.global.u64 [%to+8], %c1;
	@%lead st.global.u32 [%to+16], %core;
	@%lead st.global.u32 [%to+20], %sink;
	ret;
`
	// parameters in the order of arguments.
	parameters = `	.param .u64 out, .param .u64 data, .param .u32 zero, .param .u32 three, .param .u32 top, .param .u32 active,
	.param .u32 rounds, .param .u32 n, .param .u32 stride, .param .u32 spread, .param .f32 ftwo, .param .f64 dtwo
`
)

// ringBytes are the bytes of the constant ring.
const ringBytes = 256

// module returns the PTX of kernels. It is valid for sm_30 and later devices and for
// drivers from CUDA 9.0 on.
func module(kernels ...kernel) []byte {
	var b text
	b.WriteString(header)
	for _, k := range kernels {
		k.write(&b)
	}
	return []byte(b.String())
}

func (k *kernel) write(b *text) {
	fmt.Fprintf(b, ".visible .entry %s(\n%s)\n{\n%s", k.name, parameters, declarations)
	if k.shared > 0 {
		fmt.Fprintf(b, "\t.shared .align 16 .b8 sh[%d];\n", k.shared)
	}
	b.WriteString(k.entry)
	b.WriteString(prologue)
	b.WriteString(k.prepare)
	b.WriteString("ROUND:\n\t.pragma \"nounroll\";\n\tbar.sync 0;\n\t@!%on bra IDLE;\n")
	b.WriteString(k.begin)
	b.WriteString(roundBegin)
	b.WriteString(k.section)
	b.WriteString(k.sink)
	b.WriteString(roundEnd)
	b.WriteString("IDLE:\n\tadd.u32 %round, %round, 1;\n\tsetp.lt.u32 %more, %round, %rounds;\n\t@%more bra ROUND;\n")
	b.WriteString(k.finish)
	b.WriteString(epilogue)
	b.WriteString("}\n")
}

// text is PTX being written.
type text = strings.Builder
