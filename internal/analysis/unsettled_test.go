package analysis

import (
	"fmt"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/jobtest"
)

// dividingModule is a kernel that makes an integer of a/b, as the code in it says, and goes round a
// loop so often, but no more than 2000 times.
const dividingModule = `.version 8.0
.target sm_90
.address_size 64
.visible .entry rounds(.param .u64 out, .param .u32 a, .param .u32 b)
{
	.reg .pred %%p;
	.reg .b16 %%h;
	.reg .b32 %%a, %%b, %%n, %%i;
	.reg .f32 %%f;
	.reg .b64 %%out, %%l;
	.reg .f64 %%x, %%y, %%q;
	ld.param.u64 %%out, [out];
	ld.param.u32 %%a, [a];
	ld.param.u32 %%b, [b];
	cvt.rn.f64.u32 %%x, %%a;
	cvt.rn.f64.u32 %%y, %%b;
	div.rn.f64 %%q, %%x, %%y;
	%s
	min.u32 %%n, %%n, 2000;
	mov.u32 %%i, 0;
LOOP:
	setp.ge.u32 %%p, %%i, %%n;
	@%%p bra END;
	add.u32 %%i, %%i, 1;
	bra LOOP;
END:
	st.global.u32 [%%out], %%i;
	ret;
}
`

const dividingJob = `module = "match.ptx"
machine = "%s"
grid = [1]
block = [32]
param = [
	{name = "out", type = "u32", count = 1},
	{name = "a", type = "u32", %s},
	{name = "b", type = "u32", %s},
]
`

// dividing loads the kernel with two numbers on a machine.
func dividing(t *testing.T, machine, convert, a, b string) *platform.Job {
	t.Helper()
	return jobtest.Text(t, fmt.Sprintf(dividingJob, machine, a, b), fmt.Sprintf(dividingModule, convert))
}

// TestIntegersOfNaN has 0/0 say how often a loop goes round. What devices make of NaN is either
// zero or the integer of which the highest bit is set, so that bounds must be no less than what
// runs with no rounds and with 2000 take.
func TestIntegersOfNaN(t *testing.T) {
	t.Parallel()
	conversions := []string{
		"cvt.rzi.u32.f64 %n, %q;",
		"cvt.rni.s32.f64 %n, %q;",
		"cvt.rzi.u64.f64 %l, %q; min.u64 %l, %l, 4000; cvt.u32.u64 %n, %l;",
		"cvt.rn.f32.f64 %f, %q; cvt.rzi.u32.f32 %n, %f;",
		"cvt.rn.ftz.f32.f64 %f, %q; cvt.rpi.ftz.s64.f32 %l, %f; min.u64 %l, %l, 4000; cvt.u32.u64 %n, %l;",
		"cvt.rn.f16.f64 %h, %q; cvt.rmi.u32.f16 %n, %h;",
	}
	for _, machine := range []string{"predictable-rr", "fermi-c2050", "h100", "integrated-fermi", "gcn3-split"} {
		t.Run(machine, func(t *testing.T) {
			some := conversions
			if machine != "predictable-rr" { // where runs are short
				some = effort.Some(t, conversions, 1)
			}
			for _, convert := range some {
				holdRounds(t, machine, convert)
			}
		})
	}
}

// holdRounds holds the bounds of 0/0, as an integer, against runs with no rounds and with as many
// as there can be.
func holdRounds(t *testing.T, machine, convert string) {
	t.Helper()
	for _, values := range []string{"value = 0", "range = [0, 3]"} {
		holdRoundsOf(t, machine, convert, values, 32)
	}
}

// holdRoundsOf holds the bounds of a kernel in which some instructions say how often a loop goes
// round, at most 2000 times, against a run with so many rounds, with so many threads.
func holdRoundsOf(t *testing.T, machine, rounds, values string, threads int) {
	t.Helper()
	job := func(rounds, a, b string) *platform.Job {
		text := strings.Replace(fmt.Sprintf(dividingJob, machine, a, b), "block = [32]", fmt.Sprintf("block = [%d]", threads), 1)
		return jobtest.Text(t, text, fmt.Sprintf(dividingModule, rounds))
	}
	long := job("cvt.rzi.u32.f64 %n, %q;", "value = 4000000000", "value = 1")
	out, err := jobtest.Run(t.Context(), long, long.First().Bound.Inputs(0))
	if err != nil {
		t.Fatal(err)
	}
	if out.Cycles < 2000 {
		t.Fatalf("2000 rounds take %d cycles", out.Cycles)
	}
	j := job(rounds, values, values)
	a, _, err := Static(t.Context(), j.Platform, j.Workload, Request{Refusals: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range a.Estimates {
		if e.Evidence == estimate.Proven && e.Cycles < out.Cycles {
			t.Errorf("%s of %s: %s is %d cycles, and a run can take %d", rounds, values, e.Method, e.Cycles, out.Cycles)
		}
	}
	if len(a.Estimates) == 0 {
		t.Errorf("%s of %s: no method has a bound: %v", rounds, values, a.Refused)
	}
}

// TestResultsOfDevices has the kernel's loop go round as often as results say of which a device may
// have others than the emulator, with numbers that are known: bounds must be no less than what runs
// with 2000 rounds take.
func TestResultsOfDevices(t *testing.T) {
	t.Parallel()
	results := []string{
		"neg.f64 %q, %q; mov.b64 %l, %q; shr.u64 %l, %l, 51; and.b64 %l, %l, 1; cvt.u32.u64 %n, %l; mul.lo.u32 %n, %n, 4000;",
		"cvt.rn.f32.f64 %f, %q; add.rn.f32 %f, %f, %f; mov.b32 %n, %f; and.b32 %n, %n, 1; xor.b32 %n, %n, 1; mul.lo.u32 %n, %n, 4000;",
		"shfl.sync.idx.b32 %n, %a, 40, 31, -1; shfl.sync.down.b32 %n, %n, 9, 31, -1; ",
		"cvt.rn.f32.u32 %f, %a; add.rn.f32 %f, %f, 0f3E000000; ex2.approx.f32 %f, %f; mov.b32 %n, %f; and.b32 %n, %n, 1; mul.lo.u32 %n, %n, 4000;",
		"cvt.rn.f32.u32 %f, %a; add.rn.f32 %f, %f, 0f3F000000; sin.approx.f32 %f, %f; cvt.rzi.u32.f32 %n, %f; mul.lo.u32 %n, %n, 4000;",
		"cvt.rn.f32.u32 %f, %a; add.rn.f32 %f, %f, 0f40400000; rcp.approx.ftz.f32 %f, %f; mov.b32 %n, %f; and.b32 %n, %n, 1; mul.lo.u32 %n, %n, 4000;",
		"mov.u64 %l, 4000; bfe.u64 %l, %l, 0, 255; mov.u32 %i, 300; add.u32 %i, %i, %a; bfe.u64 %l, %l, 0, %i; cvt.u32.u64 %n, %l;",
		"vadd.s32.u32.s32.max %n, %a, %b, %a; add.u32 %n, %n, 0; add.u32 %n, %n, 0;",
	}
	for _, machine := range []string{"predictable-rr", "fermi-c2050", "h100", "integrated-fermi"} {
		t.Run(machine, func(t *testing.T) {
			some := results
			if machine != "predictable-rr" {
				some = effort.Some(t, results, 2)
			}
			for _, result := range some {
				holdRoundsOf(t, machine, result, "value = 0", 20)
			}
		})
	}
}

// TestNumbersStayExact has the same kernel divide numbers: the one run of static/oblivious and what
// abstract execution knows of it are exact then.
func TestNumbersStayExact(t *testing.T) {
	t.Parallel()
	for _, machine := range []string{"h100", "predictable-rr"} {
		j := dividing(t, machine, "cvt.rzi.u32.f64 %n, %q;", "value = 36", "value = 12")
		out, err := jobtest.Run(t.Context(), j, j.First().Bound.Inputs(0))
		if err != nil {
			t.Fatal(err)
		}
		exact := []string{"static/oblivious"}
		if machine == "predictable-rr" {
			exact = append(exact, "static/cta")
		}
		a, _, err := Static(t.Context(), j.Platform, j.Workload, Request{Methods: exact, Refusals: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range a.Estimates {
			if e.Cycles != out.Cycles {
				t.Errorf("%s: %s is %d cycles, a run takes %d", machine, e.Method, e.Cycles, out.Cycles)
			}
		}
		if len(a.Estimates) != len(exact) {
			t.Errorf("%s: %v", machine, a.Refused)
		}
	}
}
