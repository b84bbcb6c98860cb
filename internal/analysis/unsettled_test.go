package analysis

import (
	"fmt"
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
	const zero, one, huge = "value = 0", "value = 1", "value = 4000000000"
	longest := int64(0)
	for _, a := range []string{zero, huge} {
		j := dividing(t, machine, convert, a, one)
		out, err := jobtest.Run(t.Context(), j, j.First().Bound.Inputs(0))
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, out.Cycles)
	}
	if longest < 2000 {
		t.Fatalf("2000 rounds take %d cycles", longest)
	}
	for _, values := range []string{zero, "range = [0, 3]"} {
		j := dividing(t, machine, convert, values, values)
		a, _, err := Static(t.Context(), j.Platform, j.Workload, Request{Refusals: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range a.Estimates {
			if e.Evidence == estimate.Proven && e.Cycles < longest {
				t.Errorf("%s of %s: %s is %d cycles, and a run can take %d",
					convert, values, e.Method, e.Cycles, longest)
			}
		}
		if len(a.Estimates) == 0 {
			t.Errorf("%s of %s: no method has a bound: %v", convert, values, a.Refused)
		}
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
