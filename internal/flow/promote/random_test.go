package promote_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/promote"
	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

const randomJob = `module = "k.ptx"
kernel = "k"
machine = "fermi-c2050"
target = "sm_70"
grid = [2, 1, 1]
block = [32, 1, 1]
[[param]]
name = "in"
type = "u32"
count = 64
init = "uniform(0, 4294967295)"
[[param]]
name = "out"
type = "u64"
count = 1024
init = "zeros"
[[param]]
name = "n"
type = "u32"
value = 5
`

// The variables of random kernels: numbers of all widths lie in the first one up to pointersAt,
// then two addresses, and the counter of a loop.
const (
	pointersAt = 64
	counterAt  = 80
	firstBytes = 96
	allBytes   = 128
)

// source writes a random kernel that keeps numbers and addresses in local memory.
type source struct {
	*rand.Rand
	strings.Builder
	temps    int
	pointers bool // those in memory are set
	escapes  bool // addresses are used in ways beyond promotion
	strays   bool // accesses may leave the first variable for the second one
	chooses  bool // addresses are selected
	looping  bool
}

func (s *source) line(format string, args ...any) { fmt.Fprintf(s, "\t"+format+";\n", args...) }

func (s *source) temp(kind string) string {
	s.temps++
	return fmt.Sprintf("%%%s%d", kind, s.temps)
}

func (s *source) number(wide bool) string {
	if wide {
		return fmt.Sprintf("%%d%d", s.IntN(4))
	}
	return fmt.Sprintf("%%r%d", s.IntN(4))
}

// access writes a load or a store of one number at an address.
func (s *source) access(guard, space, address string, log int) {
	bits := 8 << log
	wide := bits == 64 || s.IntN(3) == 0
	reg := s.number(wide)
	if s.IntN(2) == 0 {
		s.line("%sst%s.%s%d [%s], %s", guard, space, []string{"u", "b", "s"}[s.IntN(3)], bits, address, reg)
	} else {
		s.line("%sld%s.%s%d %s, [%s]", guard, space, []string{"u", "b", "s"}[s.IntN(3)], bits, reg, address)
	}
}

// place returns the log of the width of a number and a place that is a multiple of the width.
func (s *source) place() (log, at int) {
	log = s.IntN(4)
	at = s.IntN(pointersAt) &^ (1<<log - 1)
	if s.IntN(8) > 0 { // mostly words, apart
		log, at = 2, at&^3
	}
	return log, at
}

func (s *source) indexed() {
	log, at := s.place()
	maximum := (pointersAt-at)>>log - 1
	if s.strays && s.IntN(3) == 0 {
		maximum = (allBytes-at)>>log - 1
	}
	mask := 1
	for 2*mask+1 <= maximum {
		mask = 2*mask + 1
	}
	if maximum == 0 {
		mask = 0
	}
	i, scaled, p := s.temp("t"), s.temp("a"), s.temp("a")
	s.line("and.b32 %s, %s, %d", i, s.number(false), mask)
	s.line("mul.wide.u32 %s, %s, %d", scaled, i, 1<<log)
	base := []string{"%SP", "%SPL"}[s.IntN(2)]
	s.line("add.s64 %s, %s, %s", p, base, scaled)
	s.access("", map[string]string{"%SP": "", "%SPL": ".local"}[base], fmt.Sprintf("%s+%d", p, at), log)
}

// escape uses an address of the first variable in a way that leads to it behind promotion's back.
func (s *source) escape() {
	a, b := s.temp("a"), s.temp("a")
	at := s.IntN(pointersAt) &^ 3
	s.line("add.u64 %s, %%SP, %d", a, at)
	switch s.IntN(7) {
	case 0:
		s.line("st.global.u64 [%%out], %s", a)
		s.line("ld.global.u64 %s, [%%out]", b)
	case 1:
		t := s.temp("t")
		s.line("cvt.u32.u64 %s, %s", t, a)
		s.line("cvt.u64.u32 %s, %s", b, t)
	case 2:
		s.line("xor.b64 %s, %s, -1", b, a)
		s.line("xor.b64 %s, %s, -1", b, b)
	case 3:
		s.line("mov.b64 {%s, %s}, %s", s.temp("t"), s.temp("t"), a)
		s.line("mov.b64 %s, {%%t%d, %%t%d}", b, s.temps-1, s.temps)
	case 4:
		s.line("sub.u64 %s, 0, %s", b, a)
		s.line("sub.u64 %s, 0, %s", b, b)
	case 5: // one of its halves is taken from memory
		s.line("st.u64 [%%SP+%d], %s", pointersAt, a)
		t := s.temp("t")
		s.line("ld.u32 %s, [%%SP+%d]", t, pointersAt)
		s.line("cvt.u64.u32 %s, %s", b, t)
	case 6:
		s.line("mad.lo.u64 %s, %s, 1, 0", b, a)
	}
	s.access("", "", b, 2)
}

func (s *source) statement(depth int) {
	log, at := s.place()
	switch kind := s.IntN(14); {
	case kind < 4:
		base := []string{"%SP", "%SPL"}[s.IntN(2)]
		s.access("", map[string]string{"%SP": "", "%SPL": ".local"}[base], fmt.Sprintf("%s+%d", base, at), log)
	case kind == 4:
		s.indexed()
	case kind == 5:
		op := []string{"add.u32", "xor.b32", "mul.lo.u32"}[s.IntN(3)]
		s.line("%s %s, %s, %s", op, s.number(false), s.number(false), s.number(false))
	case kind == 6:
		s.line("cvt.u64.u32 %s, %s", s.number(true), s.number(false))
	case kind == 7:
		s.line("setp.lt.u32 %%p0, %s, %s", s.number(false), s.number(false))
		s.access("@%p0 ", "", fmt.Sprintf("%%SP+%d", at), log)
	case kind == 8:
		at &^= 7
		if s.IntN(2) == 0 {
			s.line("st.v2.u32 [%%SP+%d], {%s, %s}", at, s.number(false), s.number(false))
		} else {
			s.line("ld.v2.u32 {%%r0, %%r%d}, [%%SP+%d]", 1+s.IntN(3), at)
		}
	case kind == 9 && s.pointers:
		p := s.temp("a")
		s.line("ld.u64 %s, [%%SP+%d]", p, pointersAt+8*s.IntN(2))
		s.access("", "", p, 2)
	case kind == 10 && s.chooses:
		p, q := s.temp("a"), s.temp("a")
		s.line("add.u64 %s, %%SP, %d", p, at&^7)
		s.line("add.u64 %s, %%SPL, %d", q, s.IntN(pointersAt)&^7)
		s.line("setp.lt.u32 %%p0, %s, %s", s.number(false), s.number(false))
		s.line("selp.b64 %s, %s, %s, %%p0", p, p, q)
		s.access("", "", p, log)
	case kind == 11 && depth < 3:
		label := s.temp("L")[1:]
		s.line("setp.gt.u32 %%p0, %s, %d", s.number(false), s.Uint32())
		s.line("@%%p0 bra %s", label)
		for range 1 + s.IntN(4) {
			s.statement(depth + 1)
		}
		fmt.Fprintf(s, "%s:\n", label)
	case kind == 12 && !s.looping:
		label := s.temp("L")[1:]
		s.looping = true
		s.line("st.u32 [%%SP+%d], 3", counterAt)
		fmt.Fprintf(s, "%s:\n", label)
		for range 1 + s.IntN(5) {
			s.statement(depth + 1)
		}
		t := s.temp("t")
		s.line("ld.u32 %s, [%%SP+%d]", t, counterAt)
		s.line("sub.u32 %s, %s, 1", t, t)
		s.line("st.u32 [%%SP+%d], %s", counterAt, t)
		s.line("setp.ne.u32 %%p0, %s, 0", t)
		s.line("@%%p0 bra %s", label)
		s.looping = false
	case kind == 13 && s.escapes:
		s.escape()
	}
}

func randomKernel(seed uint64) string {
	s := &source{Rand: rand.New(rand.NewPCG(seed, 7))}
	s.pointers, s.escapes, s.strays, s.chooses = s.IntN(3) > 0, s.IntN(4) == 0, s.IntN(4) == 0, s.IntN(6) == 0
	for i := range 4 {
		s.line("ld.global.u32 %%r%d, [%%in+%d]", i, 4*i)
		s.line("cvt.u64.u32 %%d%d, %%r%d", i, i)
	}
	s.line("mov.u64 %%OTHER, other")
	s.line("st.local.u32 [%%OTHER], 7")
	written := s.IntN(2) == 0
	for at := 0; at < pointersAt && written; at += 4 {
		s.line("st.u32 [%%SP+%d], %s", at, s.number(false))
	}
	for i := range 2 {
		if s.pointers {
			p := s.temp("a")
			s.line("add.u64 %s, %%SP, %d", p, s.IntN(pointersAt)&^3)
			s.line("st.u64 [%%SP+%d], %s", pointersAt+8*i, p)
		}
	}
	for range 25 {
		s.statement(0)
	}
	for i := range 4 {
		s.line("st.global.u32 [%%out+%d], %%r%d", 8*i, i)
		s.line("st.global.u64 [%%out+%d], %%d%d", 8*i+32, i)
	}
	s.line("ld.local.u32 %%r0, [%%OTHER]")
	s.line("st.global.u32 [%%out+4], %%r0")
	for at := 0; at < pointersAt; at += 4 {
		s.line("ld.u32 %%r0, [%%SP+%d]", at)
		s.line("st.global.u32 [%%out+%d], %%r0", 64+at)
	}
	return fmt.Sprintf(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n)
{
	.local .align 8 .b8 first[%d];
	.local .align 8 .b8 other[%d];
	.reg .b64 %%SP, %%SPL, %%OTHER, %%in, %%out, %%at, %%d<4>, %%a<%d>;
	.reg .b32 %%tid, %%cta, %%r<4>, %%t<%d>;
	.reg .pred %%p0;
	mov.u64 %%SPL, first;
	cvta.local.u64 %%SP, %%SPL;
	mov.u32 %%tid, %%tid.x;
	mov.u32 %%cta, %%ctaid.x;
	mad.lo.u32 %%tid, %%cta, 32, %%tid;
	mul.wide.u32 %%at, %%tid, 128;
	ld.param.u64 %%out, [p_out];
	add.u64 %%out, %%out, %%at;
	and.b32 %%tid, %%tid, 15;
	mul.wide.u32 %%at, %%tid, 4;
	ld.param.u64 %%in, [p_in];
	add.u64 %%in, %%in, %%at;
%s	ret;
}
`, firstBytes, allBytes-firstBytes, s.temps+1, s.temps+1, s.String())
}

// endless is more instructions than a kernel executes whose loops end. Those of a kernel need not
// that stores to the counters of its loops.
const endless = 100_000

// results runs a launch and returns its buffers, nil if it does not end.
func results(t *testing.T, l *flowtest.Launch) (buffers [][]byte) {
	defer func() {
		if r := recover(); r == endless {
			buffers = nil
		} else if r != nil {
			panic(r)
		}
	}()
	steps := 0
	l.Run(t, 2, func(*emu.CTA, int) func(*emu.Effect) {
		if steps++; steps > endless {
			panic(endless)
		}
		return nil
	})
	return l.Buffers
}

// A kernel whose slots are registers computes what the kernel does.
func TestPromotedKernelsComputeTheSame(t *testing.T) {
	promoted, refused := 0, 0
	seeds := effort.Draw(t, 2000)
	for _, seed := range seeds {
		text := randomKernel(seed)
		l := flowtest.Job(t, randomJob, text)
		g, values, err := promote.Slots(t.Context(), l.Graph, launchfacts.Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		if g == l.Graph {
			refused++
			continue
		}
		if values != nil && values.Graph != g {
			t.Fatalf("seed %d: the values are those of another graph", seed)
		}
		promoted += len(g.Kernel.Regs) - len(l.Kernel.Regs)
		of := l.Of(t, g)
		want, got := results(t, l), results(t, of)
		if (want == nil) != (got == nil) {
			t.Fatalf("seed %d: the kernel ends: %t, with slots promoted: %t", seed, want != nil, got != nil)
		}
		for i := range want {
			if !bytes.Equal(want[i], got[i]) {
				t.Fatalf("seed %d: buffer %d differs\n%s\nbecomes\n%s", seed, i, text, listing(g.Kernel))
			}
		}
	}
	if effort.Many() && promoted < len(seeds)*5/2 {
		t.Errorf("only %d registers in place of slots; %d kernels were left as they are", promoted, refused)
	}
}

func listing(k *isa.Kernel) string {
	var b strings.Builder
	for i := range k.Instrs {
		in := k.Instrs[i]
		in.Text = ""
		fmt.Fprintln(&b, k.Format(&in))
	}
	return b.String()
}
