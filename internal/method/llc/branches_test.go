package llc_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/method/llc"
)

// TestLinesThatStay bounds warps that branch on data, use slots in local memory and look a table up: each line is fetched
// once, in whatever order the warps issue.
func TestLinesThatStay(t *testing.T) {
	const kernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 pt) {
	.reg .b32 %t, %i, %u, %v, %n;
	.reg .b64 %x, %y, %a, %b;
	.reg .pred %p;
	.local .align 8 .b8 own[16];
	ld.param.u64 %x, [px];
	ld.param.u64 %y, [pt];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %x;
	ld.global.u32 %u, [%a];
	st.local.u32 [own], %u;
	mov.u32 %n, 0;
LOOP:
	ld.local.u32 %u, [own];
	and.b32 %i, %u, 255;
	mad.wide.u32 %b, %i, 4, %y;
	ld.global.u32 %v, [%b];
	xor.b32 %u, %v, %n;
	and.b32 %i, %u, 1;
	setp.eq.u32 %p, %i, 0;
	@%p bra EVEN;
	mul.lo.u32 %u, %u, 7;
	st.local.u32 [own+4], %u;
EVEN:
	ld.local.u32 %u, [own];
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, 50;
	@%p bra LOOP;
	st.global.u32 [%a], %u;
	ret;
}
`
	files := fstest.MapFS{
		"k.ptx": {Data: []byte(kernel)},
		"job.toml": {Data: []byte(`module = "k.ptx"
machine = "integrated-fermi"
grid = [1]
block = [128]
param = [{name = "x", type = "u32", count = 128, init = "uniform(0, 255)"}, {name = "t", type = "u32", count = 256, init = "uniform(0, 999)"}]
`)},
	}
	job, estimates := bounded(t, files, 1)
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range estimates {
		d := e.Detail.(*estimate.LLC)
		// Of each warp a line of x, a slot that is read, and its stores: to two slots and x. The table has 8 lines.
		const stored = 4 * (1 + 50 + 1)
		if d.Exact || d.Accesses > stored+4*2+8 || d.Misses > 4*3+8 || d.Misses < run.Counters["l2_misses"] {
			t.Errorf("%s: %d accesses, %d misses, exact %t; the run has %d misses", e.Method, d.Accesses, d.Misses, d.Exact, run.Counters["l2_misses"])
		}
		if e.Cycles < run.Cycles || e.Cycles > 5*run.Cycles {
			t.Errorf("%s: %d cycles, the run takes %d", e.Method, e.Cycles, run.Cycles)
		}
	}
}

// TestUnknownLines bounds a kernel with random accesses to a buffer that fits into the shared cache, and to one that is too
// large for that.
func TestUnknownLines(t *testing.T) {
	misses := func(count string) int64 {
		files := fstest.MapFS{
			"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 px) {
	.reg .b32 %t, %u, %n;
	.reg .b64 %x, %a;
	.reg .pred %p;
	ld.param.u64 %x, [px];
	mov.u32 %u, %tid.x;
	mov.u32 %n, 0;
LOOP:
	mad.wide.u32 %a, %u, 4, %x;
	ld.global.u32 %u, [%a];
	setp.eq.u32 %p, %u, 7;
	@%p bra ON;
	add.u32 %n, %n, 0;
ON:
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, 20;
	@%p bra LOOP;
	ret;
}
`)},
			"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\ngrid = [1]\nblock = [32]\n" +
				"param = [{name = \"x\", type = \"u32\", count = " + count + ", init = \"uniform(0, 63)\"}]\n")},
		}
		_, estimates := bounded(t, files, 1)
		for _, e := range estimates {
			if e.Method == llc.Interval.ID() {
				return e.Detail.(*estimate.LLC).Misses
			}
		}
		return 0
	}
	if small, large := misses("64"), misses("1000000"); small != 2 || large != 19*32+1 {
		t.Errorf("%d lines of the small buffer miss, and %d of the large one", small, large)
	}
}

// TestSlowAtomics bounds warps that make many operations on one address, on a machine on which each takes long.
func TestSlowAtomics(t *testing.T) {
	for _, c := range []struct {
		name, body string
		times      int64
	}{
		{"behind a branch on data", "setp.gt.u32 %p, %u, 0;\n@%p bra.uni ADD;\nadd.u32 %u, %u, 1;\nbra END;\nADD:\n" + strings.Repeat("atom.global.add.u32 %u, [%y], %u;\n", 3) + "END:", 3},
		// All lanes want one address, but the bound allows further operations for each of 32 accesses.
		{"unknown addresses", "mul.wide.u32 %x, %u, 4;\nadd.u64 %y, %y, %x;\natom.global.add.u32 %u, [%y], %u;", 33},
	} {
		t.Run(c.name, func(t *testing.T) {
			job, all := bounded(t, fstest.MapFS{
				"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 py) {
	.reg .b32 %u;
	.reg .b64 %x, %y;
	.reg .pred %p;
	ld.param.u64 %x, [px];
	ld.param.u64 %y, [py];
	ld.global.u32 %u, [%x];
` + c.body + "\nret;\n}\n")},
				"m.toml":   {Data: []byte("base = \"integrated-fermi\"\nname = \"slow-atomics\"\n[llc]\natomic = { value = 900, unit = \"core cycles per further operation on one address\", source = \"choice\" }\n")},
				"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"m.toml\"\ngrid = [2]\nblock = [64]\nparam = [{name = \"x\", type = \"u32\", count = 1, init = \"uniform(0, 9)\"}, {name = \"y\", type = \"u32\", count = 64}]\n")},
			}, 1)
			within(t, job, all, c.times)
		})
	}
}

// TestConflictsInBranches bounds accesses to shared memory whose lanes all want words of one bank, behind a branch on data.
func TestConflictsInBranches(t *testing.T) {
	job, all := bounded(t, fstest.MapFS{
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 px) {
	.reg .b32 %a, %t, %u;
	.reg .b64 %x;
	.reg .pred %p;
	.shared .align 4 .b8 s[4096];
	ld.param.u64 %x, [px];
	mov.u32 %t, %tid.x;
	shl.b32 %a, %t, 7;
	mov.u32 %u, s;
	add.u32 %a, %a, %u;
	ld.global.u32 %u, [%x];
	setp.gt.u32 %p, %u, 0;
	@%p bra STORE;
	ret;
STORE:
` + strings.Repeat("\tst.shared.u32 [%a], %t;\n", 100) + `	ret;
}
`)},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\ngrid = [1]\nblock = [32]\nparam = [{name = \"x\", type = \"u32\", count = 1, init = \"uniform(0, 9)\"}]\n")},
	}, 1)
	within(t, job, all, 3)
}

// within checks that bounds whose paths are not certain are at least what a run takes, and at most so many times that.
func within(t *testing.T, job *warpbound.Job, all []estimate.Estimate, times int64) {
	t.Helper()
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Detail.(*estimate.LLC).Exact || e.Cycles < run.Cycles || e.Cycles > times*run.Cycles {
			t.Errorf("%s: %d cycles, the run takes %d", e.Method, e.Cycles, run.Cycles)
		}
	}
}
