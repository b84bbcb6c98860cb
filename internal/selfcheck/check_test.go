package selfcheck

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"warpbound"
	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/kernelgen"
	"warpbound/internal/platform"
)

// kernel is an instance with a body: %t is the thread, %x the thread's word of the buffer, at
// %a, %u a word of shared memory, at %s.
func kernel(t *testing.T, body string) Files {
	t.Helper()
	module := `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 buf)
{
	.reg .pred %p;
	.reg .b32 %t, %x, %u, %i;
	.reg .b64 %a, %s;
	.shared .align 4 .b8 tile[256];
	ld.param.u64 %a, [buf];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %a;
	ld.global.u32 %x, [%a];
	mov.u64 %s, tile;
	mad.wide.u32 %s, %t, 4, %s;
` + body + "\n\tret;\n}\n"
	job := `module = "kernel.ptx"
machine = "machine.toml"
grid = [1]
block = [60]

[[param]]
name = "buf"
type = "u32"
count = 64
init = "uniform(0, 9)"
`
	return Files{
		kernelgen.ModuleFile: module, jobFile: job, "narrow1.toml": strings.Replace(job, "uniform(0, 9)", "uniform(9, 9)", 1),
		machineFile: string(builtins(t, "predictable-rr")[0].Format()),
	}
}

const (
	fine = "st.global.u32 [%a], %x;"
	// The neighbour's word is read without a barrier.
	racing = "st.shared.u32 [%s], %t; ld.shared.u32 %u, [%s+4]; st.global.u32 [%a], %u;"
	// As many iterations as the thread's word says, which the kernel then changes.
	loop = "mov.u32 %i, 0;\nL:\n\tadd.s32 %i, %i, 1; setp.lt.u32 %p, %i, %x; @%p bra L;\n\tst.global.u32 [%a], %i;"
)

func TestReplay(t *testing.T) {
	annotated := func(f Files, bound string) Files {
		for _, name := range append(f.narrower(), jobFile) {
			f = f.with(name, f[name]+"\n[loop]\nL = "+bound+"\n")
		}
		return f
	}
	for _, test := range []struct {
		name       string
		files      Files
		kind, text string
	}{
		{"nothing", kernel(t, fine), "", ""},
		{"annotated loop", annotated(kernel(t, loop), "8"), "", ""},
		{"race", kernel(t, racing), kindResult, "thread by thread"},
		{"no PTX", kernel(t, "frobnicate;"), kindFailure, "loading job.toml: kernel.ptx:16:1: "},
		{"fault", kernel(t, "st.global.u32 [%s], %x;"), kindFailure, "simulating job.toml: "},
		{"unknown to the interpreter", kernel(t, "mov.u32 %u, %laneid;"), kindFailure, "executing job.toml: thread by thread: kernel.ptx:16"},
		{"wrong annotation", annotated(kernel(t, loop), "1"), kindFailure, "annotating "},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := Replay(context.Background(), test.files, test.files.narrower(), []string{"static/cta"})
			switch {
			case err != nil:
				t.Fatal(err)
			case v == nil && test.kind != "":
				t.Error("no bound is violated")
			case v != nil && (v.Kind != test.kind || !strings.Contains(v.Text, test.text)):
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestVoidBoundIsViolation: a method that says that something proven does not hold is wrong, which is no refusal.
func TestVoidBoundIsViolation(t *testing.T) {
	c := checker{methods: []string{"static/cta"}, analyze: func(context.Context, *platform.Job, analysis.Request) (*estimate.Analysis, error) {
		return nil, fmt.Errorf("kernel k: %w", &diag.VoidBoundError{Err: errors.New("more often than is proven")})
	}}
	files := kernel(t, fine)
	out, err := c.check(t.Context(), files, files.narrower())
	if err != nil || out.Violation == nil || out.Violation.Kind != kindFailure {
		t.Fatalf("%v, %+v", err, out.Violation)
	}
}

// TestRefusalIsNoViolation checks what is said of a kernel that a method refuses.
func TestRefusalIsNoViolation(t *testing.T) {
	c := newRunner(Config{Methods: warpbound.Methods()}).checker
	files := kernel(t, loop)
	out, err := c.check(context.Background(), files, files.narrower())
	if err != nil || out.Violation != nil {
		t.Fatalf("%v, %+v", err, out.Violation)
	}
	for _, a := range out.Answers {
		if a.Other || a.Method == "static/oblivious" { // whose loop depends on inputs
			continue
		}
		if refused := a.Method == "static/cta"; refused != strings.Contains(a.Refusal, "annotate it") || refused != (a.Ratio == 0) {
			t.Errorf("%+v", a)
		}
	}
}
