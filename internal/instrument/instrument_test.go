package instrument_test

import (
	"strings"
	"testing"

	"warpbound/internal/instrument"
	"warpbound/internal/method"
)

// job of the kernel k, which gets a buffer of words.
const jobText = `module = "k.ptx"
kernel = "k"
machine = "fermi-c2050"
grid = [3, 2, 1]
block = [10, 5, 2]
[[param]]
name = "out"
type = "u32"
count = 4096
init = "zeros"
`

func mustJob(t *testing.T, text, module string) *bench {
	t.Helper()
	b, err := jobOf(text, module)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// prologue computes the number of the thread in the grid into %n, that in the CTA into %t, and
// the address of its word of the buffer into %at.
const prologue = `
	.reg .pred %p<9>; .reg .b32 %r<30>, %t, %n; .reg .b64 %rd<9>, %at; .reg .u64 %wb_at;
	mov.u32 %r20, %tid.x; mov.u32 %r21, %tid.y; mov.u32 %r22, %tid.z;
	mad.lo.u32 %t, %r22, 5, %r21;
	mad.lo.u32 %t, %t, 10, %r20;
	mov.u32 %r20, %ctaid.x; mov.u32 %r21, %ctaid.y;
	mad.lo.u32 %n, %r21, 3, %r20;
	mad.lo.u32 %n, %n, 100, %t;
	ld.param.u64 %at, [k_out];
	mul.wide.u32 %rd1, %n, 4;
	add.u64 %at, %at, %rd1;
`

// kernel puts a body into the kernel k behind functions.
func kernel(version, target, functions, body string) string {
	return ".version " + version + "\n.target " + target + "\n.address_size 64\n" + functions +
		".visible .entry k(.param .u64 k_out)\n{" + prologue + body + "\n}\n"
}

// bodies are kernels with all kinds of control flow, by name.
var bodies = map[string]struct{ functions, body string }{
	"straight":        {"", "st.global.u32 [%at], %t; ret;"},
	"runs out":        {"", "st.global.u32 [%at], %t;"},
	"label at end":    {"", "setp.lt.u32 %p1, %t, 40; @%p1 bra done; st.global.u32 [%at], %t; done:"},
	"guarded returns": {"", "setp.lt.u32 %p1, %t, 7; st.global.u32 [%at], 1; @%p1 ret; st.global.u32 [%at], 2; setp.lt.u32 %p1, %t, 50; @!%p1 exit; st.global.u32 [%at], 3; ret;"},
	"loop": {"", `mov.u32 %r1, 0; and.b32 %r2, %t, 7;
		head: add.u32 %r1, %r1, %t; sub.u32 %r2, %r2, 1; setp.gt.s32 %p1, %r2, 0; @%p1 bra head;
		st.global.u32 [%at], %r1; ret;`},
	"loop at entry": {".func (.reg .u32 %x) f(.reg .u32 %y)\n{ .reg .pred %q; mov.u32 %x, 0; again: add.u32 %x, %x, 1; setp.lt.u32 %q, %x, %y; @%q bra again; ret; }\n",
		"and.b32 %r2, %t, 3; call (%r1), f, (%r2); st.global.u32 [%at], %r1; ret;"},
	"pragmas": {"", `mov.u32 %r1, 0; head: .pragma "nounroll"; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %t; .pragma "split"; @%p1 bra head;
		.loc 1 2 3
		st.global.u32 [%at], %r1; ret;`},
	"returns inside": {"", `and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; @%p1 bra a; setp.eq.u32 %p1, %r1, 1; @%p1 bra b;
		st.global.u32 [%at], 5; ret; a: st.global.u32 [%at], 6; exit; b: st.global.u32 [%at], 7; ret;`},
	"switch": {"", `and.b32 %r1, %t, 3; ts: .branchtargets L0, L1, L2, L1; brx.idx %r1, ts;
		L0: add.u32 %r1, %r1, 10; L1: add.u32 %r1, %r1, 20; bra L3; L2: mov.u32 %r1, 9; L3: st.global.u32 [%at], %r1; ret;`},
	"barriers": {"", `.shared .b32 s[100]; mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.u32 %r2, %r1, %r2; st.shared.u32 [%r2], %t; bar.sync 0;
		setp.lt.u32 %p1, %t, 30; @%p1 bra low; ld.shared.u32 %r3, [%r1+4]; bra meet; low: ld.shared.u32 %r3, [%r1+80]; meet: bar.sync 0;
		st.global.u32 [%at], %r3; ret;`},
	"carry": {"", `add.cc.u32 %r1, %t, 0xffffffff; setp.gt.u32 %p1, %t, 20; @%p1 bra over; addc.u32 %r2, 0, 0; st.global.u32 [%at], %r2; ret;
		over: st.global.u32 [%at], %r1; ret;`},
	"functions": {twice, `
		setp.lt.u32 %p1, %t, 33; @%p1 bra right;
		{ .param .b32 a; .param .b32 b; st.param.b32 [a], %t; call.uni (b), twice, (a); ld.param.b32 %r1, [b]; }
		bra join;
		right: { .param .b32 a; .param .b32 b; st.param.b32 [a], 3; call.uni (b), twice, (a); ld.param.b32 %r1, [b]; }
		join: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r1, [b]; }
		{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r1, [b]; }
		st.global.u32 [%at], %r1; ret;`},
	"function in loop": {twice, `mov.u32 %r1, %t; and.b32 %r2, %t, 3;
		head: call (%r1), twice, (%r1); setp.eq.u32 %p1, %r2, 0; sub.u32 %r2, %r2, 1; @!%p1 bra head;
		st.global.u32 [%at], %r1; ret;`},
	"guarded call": {twice + ".func nothing()\n{ ret; }\n.func stop(.reg .u32 %x)\n{ .reg .pred %q; setp.gt.u32 %q, %x, 60; @%q exit; ret; }\n", `
		setp.lt.u32 %p1, %t, 20; mov.u32 %r1, %t;
		@%p1 call (%r1), twice, (%r1); call nothing; @!%p1 call nothing; call stop, (%t); call stop, (%r1);
		st.global.u32 [%at], %r1; ret;`},
	"call by address": {twice + ".func (.reg .u32 %r) other(.reg .u32 %x)\n{ .reg .pred %q; setp.lt.u32 %q, %x, 40; @%q bra out; add.u32 %x, %x, 1; out: mov.u32 %r, %x; ret; }\n", `
		mov.u64 %rd1, twice; mov.u64 %rd2, other; setp.lt.u32 %p1, %t, 45; selp.b64 %rd1, %rd1, %rd2, %p1;
		list: .calltargets twice, other; call (%r1), %rd1, (%t), list; st.global.u32 [%at], %r1; ret;`},
	"recursion": {`.func (.reg .u32 %r) count(.reg .u32 %x)
{ .reg .pred %q; .reg .u32 %y; setp.eq.u32 %q, %x, 0; mov.u32 %r, 0; @%q bra out; sub.u32 %y, %x, 1; call (%r), count, (%y); add.u32 %r, %r, %x; out: ret; }
`, "and.b32 %r1, %t, 7; call (%r1), count, (%r1); st.global.u32 [%at], %r1; ret;"},
}

// twice has two paths and a loop.
const twice = `.func (.param .b32 res) twice(.param .b32 x)
{
	.reg .pred %p; .reg .b32 %a, %i;
	ld.param.b32 %a, [x];
	setp.gt.u32 %p, %a, 50;
	@%p bra big;
	mov.u32 %i, 0;
again:
	add.u32 %a, %a, 7;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 3;
	@%p bra again;
	st.param.b32 [res], %a;
	ret;
big:
	shl.b32 %a, %a, 1;
	st.param.b32 [res], %a;
	ret;
}
`

// TestControlFlow records kernels with all kinds of control flow, with and without
// activemask and the global timer.
func TestControlFlow(t *testing.T) {
	for name, k := range bodies {
		for _, dialect := range [][2]string{{"6.3", "sm_70"}, {"3.0", "sm_20"}} {
			if name == "switch" && dialect[1] == "sm_20" {
				continue // brx.idx came with sm_30
			}
			t.Run(name+" "+dialect[1], func(t *testing.T) {
				t.Parallel()
				b := mustJob(t, jobText, kernel(dialect[0], dialect[1], k.functions, k.body))
				for _, place := range placements() {
					m := mustCheck(t, b, place)
					if err := same(&m.recorded, &m.without); err != nil {
						t.Error(err)
					}
					if m.Ambiguous > 0 {
						t.Errorf("%d warps have several paths", m.Ambiguous)
					}
				}
			})
		}
	}
}

// TestAmbiguous: where a function without parameters begins with a loop, nothing in the text tells
// that a warp comes to a copy of it from that it goes around in another one. Warps of which
// this is so are counted.
func TestAmbiguous(t *testing.T) {
	const spin = ".func spin()\n{ .reg .pred %q; .reg .b32 %i; again: add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3; @%q bra again; ret; }\n"
	b := mustJob(t, jobText, kernel("6.3", "sm_70", spin,
		"setp.lt.u32 %p1, %t, 40; call spin; @%p1 bra over; call spin; over: call spin; st.global.u32 [%at], %t; ret;"))
	m, err := b.record(method.LoopHeaders(), instrument.NewCapacity(100))
	if err != nil {
		t.Fatal(err)
	}
	if m.Ambiguous != 6*4 || m.Total() != 0 {
		t.Errorf("%d warps, %d unknown transitions", m.Ambiguous, m.Total())
	}
}

// TestText checks that every line of an instrumented module knows where it is from.
func TestText(t *testing.T) {
	module := kernel("6.3", "sm_70", twice, bodies["functions"].body)
	b := mustJob(t, jobText, module)
	m := mustCheck(t, b, method.EveryBlock())
	text, lines, err := m.code.Text()
	if err != nil {
		t.Fatal(err)
	}
	printed, own := strings.Split(text, "\n"), strings.Split(module, "\n")
	found := 0
	for i, line := range printed {
		for _, part := range []string{"shl.b32 %a, %a, 1", "setp.lt.u32 %p1, %t, 33", "again:"} {
			if strings.Contains(line, part) {
				found++
				if !strings.Contains(own[lines[i].Line-1], part) {
					t.Errorf("line %d, %s: from line %d, %s", i+1, line, lines[i].Line, own[lines[i].Line-1])
				}
			}
		}
	}
	if found != 3 {
		t.Errorf("%d lines found", found)
	}
}
