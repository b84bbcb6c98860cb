package reproduce

import (
	"fmt"
	"strings"

	"warpbound"
	"warpbound/jobs"
)

// microbenchmark is a kernel of one warp whose time is that of one thing many times.
type microbenchmark struct {
	name    string
	before  string // what is executed once
	body    string // what is executed again and again; %d stands for a register that is the next one each time
	unroll  int    // how often the body stands there
	iterate int    // how often that is executed, in a loop if it is more than once
	per     int    // into how many parts its time is divided
}

// Instructions in a line of the instruction cache of gtx480, and lines of straight code.
const (
	lineInstrs    = 16
	straightLines = 8
)

// chain is a loop of instructions each of which depends on the one before. The loop takes some of the time.
func chain(name, before, instr string) microbenchmark {
	const unroll, iterate = 32, 1000
	return microbenchmark{name, before, instr, unroll, iterate, unroll * iterate}
}

// fermiChains are what the latencies of gtx480 are set by.
func fermiChains() []microbenchmark {
	return []microbenchmark{
		chain("chain of FMAs", "mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f3F000000;", "fma.rn.f32 %f0, %f0, %f1, %f1;"),
		chain("chain of integer additions", "mov.u32 %r0, 1; mov.u32 %r1, 3;", "add.u32 %r0, %r0, %r1;"),
		chain("chain of rsqrt", "mov.f32 %f0, 0f40000000;", "rsqrt.approx.f32 %f0, %f0;"),
		chain("chain of loads from shared memory", "mov.u32 %r0, word; st.shared.u32 [%r0], %r0;", "ld.shared.u32 %r0, [%r0];"),
		chain("chain of loads that hit the L1", "ld.param.u64 %rd0, [self];", "ld.global.u64 %rd0, [%rd0];"),
		// The last line has one instruction less than the others, since the kernel ends there.
		{"line of 16 instructions of straight code", "", "mov.u32 %r%d, 7;", straightLines*lineInstrs - 1, 1, straightLines},
	}
}

// job makes a launch of the microbenchmark on a machine. Its parameter is the address of a word that holds it.
func (b *microbenchmark) job(machine string) (*warpbound.Job, error) {
	var text strings.Builder
	text.WriteString(`.version 6.3
.target sm_20
.address_size 64
.visible .entry chain(.param .u64 self)
{
.reg .pred %p; .reg .b32 %r<18>, %n; .reg .b64 %rd<2>; .reg .f32 %f<18>;
.shared .align 4 .b32 word;
` + b.before + "\n")
	if b.iterate > 1 {
		text.WriteString("mov.u32 %n, 0;\nagain:\n")
	}
	for i := range b.unroll {
		text.WriteString(strings.ReplaceAll(b.body, "%d", fmt.Sprint(i%lineInstrs)) + "\n")
	}
	if b.iterate > 1 {
		fmt.Fprintf(&text, "add.u32 %%n, %%n, 1; setp.lt.u32 %%p, %%n, %d; @%%p bra again;\n", b.iterate)
	}
	text.WriteString("ret;\n}\n")
	return warpbound.New(jobs.Job{
		Name: b.name, Module: jobs.Text("chain.ptx", text.String()), Machine: machine, Grid: jobs.Dim(1), Block: jobs.Dim(32),
		Params: []jobs.Param{jobs.Buffer("self", jobs.U64, 1, jobs.Addresses("self"))},
	}, warpbound.LoadOptions{})
}
