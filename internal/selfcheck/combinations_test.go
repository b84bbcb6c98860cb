package selfcheck

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/platform"
	"warpbound/internal/test/jobtest"
)

// ofAllKinds are machines of each kind of core.
var ofAllKinds = []string{"fermi-c2050", "gtx480", "h100", "predictable-rr", "integrated-fermi", "gcn3-split"}

// TestBarriersOfSome has warps of which each waits for the next one before it works. What they do takes place one after the other,
// though no barrier is for all of them: a bound must not take their arrivals for those at one.
func TestBarriersOfSome(t *testing.T) {
	const warps = 8
	for _, on := range ofAllKinds {
		w := int(builtins(t, on)[0].SM.WarpSize.Value)
		var b strings.Builder
		b.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n" + `.visible .entry k() {
	.reg .b32 %t;
	.reg .f64 %d, %e;
	.reg .pred %p;
	mov.u32 %t, %tid.x;
	mov.f64 %d, 0d3FF0000000000000;
	mov.f64 %e, 0d4000000000000000;
`)
		for i := range warps {
			fmt.Fprintf(&b, "\tsetp.lt.u32 %%p, %%t, %d;\n\t@%%p bra WARP%d;\n", w*(i+1), i)
		}
		for i := range warps {
			fmt.Fprintf(&b, "WARP%d:\n", i)
			if i < warps-1 {
				fmt.Fprintf(&b, "\tbar.sync %d, %d;\n", i+1, 2*w)
			}
			b.WriteString(strings.Repeat("\tdiv.rn.f64 %d, %d, %e;\n", 40))
			if i > 0 {
				fmt.Fprintf(&b, "\tbar.sync %d, %d;\n", i, 2*w)
			}
			b.WriteString("\tret;\n")
		}
		b.WriteString("}\n")
		j := jobtest.Load(t, fstest.MapFS{
			"k.ptx":    {Data: []byte(b.String())},
			"job.toml": {Data: fmt.Appendf(nil, "module = \"k.ptx\"\nmachine = %q\ngrid = [1]\nblock = [%d]\n", on, warps*w)},
		}, "job.toml", "")
		within(t, j, 2)
	}
}

// TestSummarisedBarriers has a loop with barriers of which one iteration stands for many: what a warp waits for between two of them adds up.
func TestSummarisedBarriers(t *testing.T) {
	const trips = 200
	for _, on := range ofAllKinds {
		j := jobtest.Load(t, fstest.MapFS{
			"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n" + `.visible .entry k(.param .u64 px) {
	.reg .b32 %n, %u, %t;
	.reg .b64 %x, %a;
	.reg .pred %p;
	ld.param.u64 %x, [px];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %x;
	mov.u32 %n, 0;
LOOP:
	ld.volatile.global.u32 %u, [%a];
	add.u32 %u, %u, 1;
	bar.sync 0;
	mul.lo.u32 %u, %u, %u;
	mul.lo.u32 %u, %u, %u;
	bar.sync 0;
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, ` + fmt.Sprint(trips) + `;
	@%p bra LOOP;
	ret;
}
`)},
			"job.toml": {Data: fmt.Appendf(nil, "module = \"k.ptx\"\nmachine = %q\ngrid = [1]\nblock = [64]\nparam = [{name = \"x\", type = \"u32\", count = 64, init = \"uniform(0, 9)\"}]\n", on)},
		}, "job.toml", "")
		j.Workload.First().Bound.Job.Effort = 3e-5
		a, _ := within(t, j, 4)
		if !slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "loops-summarised" }) {
			t.Errorf("%s: iterations are looked at one by one", on)
		}
	}
}

// TestConflictsOfCTAs has accesses to shared memory that conflict more from one CTA to the next, and to global memory that touch more lines.
func TestConflictsOfCTAs(t *testing.T) {
	const accesses = 50
	for _, on := range ofAllKinds {
		for space, access := range map[string]string{
			"shared": "mov.u32 %u, s;\n\tadd.u32 %a, %a, %u;\n" + strings.Repeat("\tld.shared.u32 %u, [%a];\n", accesses),
			"global": "cvt.u64.u32 %y, %a;\n\tadd.u64 %x, %x, %y;\n" + strings.Repeat("\tst.volatile.global.u32 [%x], %t;\n", accesses),
		} {
			j := jobtest.Load(t, fstest.MapFS{
				"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n" + `.visible .entry k(.param .u64 px) {
	.reg .b32 %a, %u, %t;
	.reg .b64 %x, %y;
	.shared .align 4 .b8 s[4224];
	ld.param.u64 %x, [px];
	mov.u32 %t, %tid.x;
	mov.u32 %a, %ctaid.x;
	mul.lo.u32 %a, %a, %t;
	shl.b32 %a, %a, 2;
	` + access + "\tret;\n}\n")},
				"job.toml": {Data: fmt.Appendf(nil, "module = \"k.ptx\"\nmachine = %q\ngrid = [33]\nblock = [32]\nparam = [{name = \"x\", type = \"u32\", count = 1056}]\n", on)},
			}, "job.toml", "")
			t.Run(on+" "+space, func(t *testing.T) { within(t, j, 100) })
		}
	}
}

// TestAtomicsOfOneBank has operations on shared memory that is one bank: those of all lanes take place one after the other.
func TestAtomicsOfOneBank(t *testing.T) {
	for _, base := range []string{"predictable-rr", "integrated-fermi", "gcn3-split"} {
		j := jobtest.Load(t, fstest.MapFS{
			"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n" + `.visible .entry k() {
	.reg .b32 %a, %u, %t;
	.shared .align 4 .b8 s[256];
	mov.u32 %t, %tid.x;
	shl.b32 %a, %t, 2;
	mov.u32 %u, s;
	add.u32 %a, %a, %u;
	` + strings.Repeat("\tatom.shared.add.u32 %u, [%a], %t;\n", 50) + "\tret;\n}\n")},
			"m.toml":   {Data: fmt.Appendf(nil, "base = %q\nname = \"one-bank\"\n[shared]\nbanks = { value = 1, unit = \"banks\", source = \"choice\" }\n", base)},
			"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"m.toml\"\ngrid = [1]\nblock = [32]\n")},
		}, "job.toml", "")
		if _, run := within(t, j, 2); run.Cycles < 50*32 {
			t.Errorf("%s: the run takes %d", base, run.Cycles)
		}
	}
}

// within checks that estimates of a job which do not rest on measurements are at least what a run takes, and at most so many times that.
// There has to be one.
func within(t *testing.T, j *platform.Job, times int64) (*analysis.Answer, *analysis.Run) {
	t.Helper()
	a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	static := 0
	for _, e := range a.Estimates {
		if strings.HasPrefix(e.Method, "hybrid/") { // which measures
			continue
		}
		if static++; e.Cycles < run.Cycles || e.Cycles > times*run.Cycles {
			t.Errorf("%s: %s %d, the run takes %d", j.MachineName, e.Method, e.Cycles, run.Cycles)
		}
	}
	if static == 0 {
		t.Errorf("%s: no static bound", j.MachineName)
	}
	return a, run
}
