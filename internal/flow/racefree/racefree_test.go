package racefree

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// verdict analyses a kernel for a launch.
func verdict(t *testing.T, g *cfg.Graph, launch launchfacts.Launch) Result {
	t.Helper()
	r := flowtest.Must(value.Analyze(t.Context(), g, launch))
	var opts Options
	if f, err := gated.New(t.Context(), g, 0); err == nil {
		d, err := divergence.Analyze(t.Context(), f, divergence.Launch{Grid: launch.Grid, Block: launch.Block, Width: launch.Lanes()})
		if err == nil {
			opts.Uniform = func(b int) bool { return d.Branch(b) <= divergence.CTA }
		}
	}
	got := flowtest.Must(Analyze(t.Context(), r, opts))
	holdClasses(t, r, opts, got)
	return got
}

// prelude is in front of all kernels: %t is the thread of 256 and %c its CTA of four, %i both as a number, [%g] its word in
// the first buffer and [%h] in the second, [%s] in shared memory; [%p], [%q] and [%b] are their beginnings.
const prelude = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)
{
	.shared .align 16 .b32 tile[512];
	.shared .align 16 .b32 other[256];
	.reg .b32 %t, %c, %i, %n, %s, %b, %r<9>;
	.reg .b64 %p, %q, %g, %h, %rd<9>;
	.reg .f32 %f<9>;
	.reg .pred %x<9>;
	ld.param.u64 %p, [p];
	ld.param.u64 %q, [q];
	ld.param.u32 %n, [n];
	mov.u32 %t, %tid.x;
	mov.u32 %c, %ctaid.x;
	mad.lo.u32 %i, %c, 256, %t;
	mad.wide.u32 %g, %i, 4, %p;
	mad.wide.u32 %h, %i, 4, %q;
	mov.u32 %b, tile;
	mad.lo.u32 %s, %t, 4, %b;
`

var cases = []struct{ name, body, want string }{
	{"only loads", "ld.global.u32 %r1, [%p];", "free"},
	{"a word for each thread", "st.global.u32 [%g], %t;", "free"},
	{"a copy", "ld.global.u32 %r1, [%g]; st.global.u32 [%h], %r1;", "free"},
	{"in place", "ld.global.u32 %r1, [%g]; add.u32 %r1, %r1, 1; st.global.u32 [%g], %r1;", "free"},
	{"behind a condition", "setp.ge.u32 %x1, %i, %n; @%x1 bra E; st.global.u32 [%g], %t; E: ret;", "free"},
	{"a neighbour's word", "ld.global.u32 %r1, [%g+4]; st.global.u32 [%g], %r1;", "may-race 0-1"},
	{"a neighbour's word of another buffer", "ld.global.u32 %r1, [%g+4]; st.global.u32 [%h], %r1;", "free"},
	{"one word", "st.global.u32 [%p], %t;", "may-race 0-0"},
	{"one word by one thread", "setp.eq.u32 %x1, %i, 0; @%x1 st.global.u32 [%p], %t;", "free"},
	{"one word by a thread of each CTA", "setp.eq.u32 %x1, %t, 0; @%x1 st.global.u32 [%p], %t;", "may-race 0-0"},
	{"one word by a thread of each CTA, behind a branch", "setp.ne.u32 %x1, %t, 0; @%x1 bra E; st.global.u32 [%p], %t; E: ret;", "may-race 0-0"},
	{"a word of each CTA by one thread", "mad.wide.u32 %rd1, %c, 4, %p; setp.ne.u32 %x1, %t, 0; @%x1 bra E; st.global.u32 [%rd1], %t; E: ret;", "free"},
	{"a word of each CTA", "mad.wide.u32 %rd1, %c, 4, %p; st.global.u32 [%rd1], %t;", "may-race 0-0"},
	{"a word behind an unknown condition", "ld.global.u32 %r1, [%h]; setp.ne.u32 %x1, %r1, 0; @%x1 st.global.u32 [%p], %t;", "unknown"},
	{"words that overlap", "mad.wide.u32 %rd1, %i, 4, %p; st.global.u64 [%rd1], %rd1;", "may-race 0-0"},
	{"fields of a record", "mad.wide.u32 %rd1, %i, 12, %p; st.global.u32 [%rd1], 1; st.global.u32 [%rd1+4], 2; ld.global.u32 %r1, [%rd1+8];", "free"},
	{"a place read from memory", "ld.global.u32 %r1, [%h]; mad.wide.u32 %rd1, %r1, 4, %p; st.global.u32 [%rd1], 1;", "unknown"},
	{"atomic operations", "ld.global.u32 %r1, [%h]; mad.wide.u32 %rd1, %r1, 4, %p; red.global.add.u32 [%rd1], 1;", "free"},
	{"atomic operations of a CTA", "red.relaxed.cta.global.add.u32 [%p], 1;", "may-race 0-0"},
	{"atomic operations on words and double words", "red.global.add.u32 [%p+4], 1; red.global.add.u64 [%p], 1;", "may-race 0-1"},
	{"an ordinary load beside atomic operations", "red.global.add.u32 [%p], 1; ld.global.u32 %r1, [%p];", "may-race 0-1"},
	{"a generic address", "st.u32 [%g], 1;", "unknown"},
	{"in strides of the grid", `mov.u32 %r1, %i;
	L:	mad.wide.u32 %rd1, %r1, 4, %p; st.global.u32 [%rd1], %r1; add.u32 %r1, %r1, 1024; setp.lt.u32 %x1, %r1, 10000; @%x1 bra L;`, "free"},
	{"in strides that are too small", `mov.u32 %r1, %i;
	L:	mad.wide.u32 %rd1, %r1, 4, %p; st.global.u32 [%rd1], %r1; add.u32 %r1, %r1, 512; setp.lt.u32 %x1, %r1, 10000; @%x1 bra L;`, "unknown"},
	{"a pointer in strides of the grid", `mov.u32 %r1, 0; mov.u64 %rd1, %g;
	L:	st.global.u32 [%rd1], %r1; add.u64 %rd1, %rd1, 4096; add.u32 %r1, %r1, 1; setp.lt.u32 %x1, %r1, 10; @%x1 bra L;`, "free"},
	{"a row for each thread", `mul.wide.u32 %rd1, %i, 40; add.u64 %rd1, %rd1, %p; mov.u32 %r1, 0;
	L:	mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %x1, %r1, 10; @%x1 bra L;`, "free"},
	{"a row for each thread and one more", `mul.wide.u32 %rd1, %i, 40; add.u64 %rd1, %rd1, %p; mov.u32 %r1, 0;
	L:	mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %x1, %r1, 11; @%x1 bra L;`, "unknown"},

	{"shared words", "st.shared.u32 [%s], %t; ld.shared.u32 %r1, [%s];", "free"},
	{"two variables", "mov.u32 %r1, other; st.shared.u32 [%s], %t; ld.shared.u32 %r2, [%r1];", "free"},
	{"two variables, outside of one", "mov.u32 %r1, other; st.shared.u32 [%s+2048], %t; ld.shared.u32 %r2, [%r1];", "unknown"},
	{"without a barrier", "st.shared.u32 [%s], %t; ld.shared.u32 %r1, [%b];", "may-race 0-1"},
	{"with a barrier", "st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %r1, [%b];", "free"},
	{"with a barrier for some threads", "st.shared.u32 [%s], %t; bar.sync 0, 64; ld.shared.u32 %r1, [%b];", "unknown"},
	{"a barrier in a loop", `mov.u32 %r1, 0;
	L:	st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %r2, [%b]; bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %x1, %r1, %n; @%x1 bra L;`, "free"},
	{"a barrier too few in a loop", `mov.u32 %r1, 0;
	L:	st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %r2, [%b]; add.u32 %r1, %r1, 1; setp.lt.u32 %x1, %r1, %n; @%x1 bra L;`, "may-race 0-2"},
	{"barriers in a loop that threads leave", `mov.u32 %r1, 0;
	L:	st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %r2, [%b]; bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %x1, %r1, %t; @%x1 bra L;
		st.shared.u32 [%s], 1;`, "unknown"},
	{"threads that end before", `setp.ge.u32 %x1, %i, %n; @%x1 bra E; st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %r1, [%b]; E: ret;`, "free"},
	{"threads that end behind an access", `st.shared.u32 [%s], %t; setp.ge.u32 %x1, %t, 100; @%x1 bra E; bar.sync 0; ld.shared.u32 %r1, [%b+1020]; E: ret;`, "unknown"},
	{"barriers on two ways", `setp.ge.u32 %x1, %t, 128; @%x1 bra E; st.shared.u32 [%s], %t; bar.sync 0; ret; E: bar.sync 0; ld.shared.u32 %r1, [%b]; ret;`, "unknown"},
	{"a barrier on a way that all go", `setp.ge.u32 %x1, %n, 128; @%x1 bra E; st.shared.u32 [%s], %t; bar.sync 0; ret; E: bar.sync 0; ld.shared.u32 %r1, [%b]; ret;`, "free"},
	{"halves of a table", "setp.ge.u32 %x1, %t, 128; @%x1 bra E; ld.shared.u32 %r1, [%s+512]; st.shared.u32 [%s], %r1; E: ret;", "free"},
	{"halves that overlap", "setp.ge.u32 %x1, %t, 129; @%x1 bra E; ld.shared.u32 %r1, [%s+512]; st.shared.u32 [%s], %r1; E: ret;", "may-race 0-1"},
	{"a transposed tile", "and.b32 %r1, %t, 15; shr.u32 %r2, %t, 4; mad.lo.u32 %r3, %r1, 17, %r2; mad.lo.u32 %r3, %r3, 4, %b; st.shared.u32 [%r3], %t;", "free"},
	{"a tile that is too narrow", "and.b32 %r1, %t, 15; shr.u32 %r2, %t, 4; mad.lo.u32 %r3, %r1, 15, %r2; mad.lo.u32 %r3, %r3, 4, %b; st.shared.u32 [%r3], %t;", "may-race 0-0"},
	{"shared atomic operations", "red.shared.add.u32 [%b], 1;", "free"},
	{"an asynchronous copy", "cp.async.ca.shared.global [%s], [%g], 4;", "unknown"},
}

func TestVerdicts(t *testing.T) {
	launch := launchfacts.Launch{Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1}, Params: []launchfacts.Word{
		{Offset: 0, Interval: strided.Multiples(64, 256)}, {Offset: 8, Interval: strided.Multiples(64, 256)}, {Offset: 16, Interval: strided.Const(32, 1000)},
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := flowtest.Graph(t, "k.ptx", prelude+c.body+"\nret;\n}\n")
			r := verdict(t, g, launch)
			if got := describe(g, r); got != c.want && !(r.Verdict == Unknown && c.want == "unknown") {
				t.Errorf("%s, %s: want %s", got, r.Reason, c.want)
			}
			if (r.Verdict == Unknown) != (r.Reason != "") {
				t.Errorf("%s for the reason %q", r.Verdict, r.Reason)
			}
		})
	}
}

// describe lists the pairs that may race, by number among the instructions that access memory.
func describe(g *cfg.Graph, r Result) string {
	number := make(map[int]int)
	for pc := range g.Kernel.Instrs {
		if in := &g.Kernel.Instrs[pc]; in.Space == isa.Global || in.Space == isa.Shared || in.Space == isa.Generic && in.Op.Info().Effect&(isa.ReadsMem|isa.WritesMem) != 0 || in.Op == isa.Bar {
			number[pc] = len(number)
		}
	}
	var b strings.Builder
	b.WriteString(r.Verdict.String())
	for _, p := range r.Pairs {
		fmt.Fprintf(&b, " %d-%d", number[p.First], number[p.Second])
	}
	return b.String()
}

// TestAliased checks that parameters which may be addresses in one buffer are not taken for two.
func TestAliased(t *testing.T) {
	g := flowtest.Graph(t, "k.ptx", prelude+"ld.global.u32 %r1, [%h]; st.global.u32 [%g], %r1;\nret;\n}\n")
	launch := launchfacts.Launch{Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1}}
	if r := verdict(t, g, launch); r.Verdict != Free {
		t.Errorf("two buffers: %v, %s", r.Verdict, r.Reason)
	}
	launch.Aliased = true
	if r := verdict(t, g, launch); r.Verdict != Unknown {
		t.Errorf("perhaps one buffer: %v", r.Verdict)
	}
}

// known returns what a job fixes of a launch.
func known(l *flowtest.Launch) launchfacts.Launch {
	grid := l.Grid.Launch()
	launch := launchfacts.Launch{Width: l.Grid.Width(), Grid: grid.Grid, Block: grid.Block}
	for _, p := range l.Kernel.Params {
		data, set := grid.Params[p.Offset:][:p.Bytes], strided.Interval{}
		switch p.Bytes {
		case 8:
			set = strided.Multiples(64, 256)
		case 4:
			set = strided.Const(32, uint64(binary.LittleEndian.Uint32(data)))
		}
		launch.Params = append(launch.Params, launchfacts.Word{Offset: p.Offset, Interval: set})
	}
	return launch
}

// races runs a launch and returns how many pairs of instructions race in it.
func races(t *testing.T, l *flowtest.Launch, lockStep bool) []emu.Race {
	t.Helper()
	raced := l.Raced(t, lockStep)
	raced.Run(t, raced.Grid.CTAs(), func(*emu.CTA, int) func(*emu.Effect) { return nil })
	return raced.Grid.Races()
}

// TestFreeKernelsDoNotRace runs random kernels, and such kernels of which something is changed. Where they are free of
// races none is found.
func TestFreeKernelsDoNotRace(t *testing.T) {
	counts := make(map[string]int)
	for _, seed := range effort.Draw(t, 600) {
		l := flowtest.Random(t, seed, kernelgen.Options{Statements: 12, Depth: 2, Trips: 4, Threads: 80, CTAs: 3})
		for _, change := range []string{"nothing", "barriers", "offsets", "strides"} {
			changed := l
			if change != "nothing" {
				k := mutate(l.Kernel, change, int(seed))
				g, err := cfg.Build(k)
				if err != nil {
					t.Fatal(err)
				}
				changed = l.Of(t, g)
			}
			r := verdict(t, changed.Graph, known(changed))
			counts[change+" "+r.Verdict.String()]++
			if r.Verdict == MayRace && len(races(t, changed, false)) > 0 {
				counts["found"]++
			}
			if r.Verdict != Free {
				continue
			}
			for _, lockStep := range []bool{true, false} {
				if found := races(t, changed, lockStep); len(found) > 0 {
					t.Errorf("seed %d, %s changed, in lock-step %t: %s and %s race", seed, change, lockStep, found[0].First.Instr, found[0].Second.Instr)
				}
			}
		}
	}
	if !effort.Many() {
		return
	}
	for _, want := range []string{"nothing free", "barriers free", "offsets free", "strides free", "barriers may-race", "strides may-race", "found"} {
		if counts[want] == 0 {
			t.Errorf("%v: want some %s", counts, want)
		}
	}
}

// mutate returns a kernel of which something is changed.
func mutate(k *isa.Kernel, what string, at int) *isa.Kernel {
	out := *k
	out.Instrs = append([]isa.Instr(nil), k.Instrs...)
	var places []int
	for pc := range out.Instrs {
		in := &out.Instrs[pc]
		switch {
		case what == "barriers" && in.Op == isa.Bar,
			what == "offsets" && in.Op == isa.St && in.Space == isa.Shared,
			what == "strides" && (in.Op == isa.Mul || in.Op == isa.MulWide || in.Op == isa.Mad || in.Op == isa.Shl) && in.Src[1].Kind == isa.KindImm:
			places = append(places, pc)
		}
	}
	if len(places) == 0 {
		return &out
	}
	in := &out.Instrs[places[at%len(places)]]
	switch what {
	case "barriers":
		*in = isa.Instr{Op: isa.Nop, Pos: in.Pos}
	case "offsets":
		in.Src = append([]isa.Operand(nil), in.Src...)
		in.Src[0].Imm += uint64(in.Type.Bytes())
	case "strides":
		in.Src = append([]isa.Operand(nil), in.Src...)
		in.Src[1].Imm /= 2
	}
	return &out
}
