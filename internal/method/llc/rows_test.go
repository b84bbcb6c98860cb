package llc_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
)

// TestOpenRows bounds a warp that waits for one line after the other: of one row, of which it pays the opening once; of two rows of
// a bank in turn; and of one row while the CPU reads another one of its bank.
func TestOpenRows(t *testing.T) {
	const module = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in)
{
	.reg .pred %%p;
	.reg .b32 %%i, %%v;
	.reg .b64 %%in;
	ld.param.u64 %%in, [in];
	mov.u32 %%i, 0;
NEXT:
	ld.global.u32 %%v, [%%in];
	add.u64 %%in, %%in, %d;
	add.u32 %%i, %%i, 1;
	setp.lt.u32 %%p, %%i, 32;
	@%%p bra NEXT;
	ret;
}
`
	bound := func(name string, stride int, stream string, exact bool) int64 {
		files := fstest.MapFS{
			"k.ptx": {Data: fmt.Appendf(nil, module, stride)}, "cpu.stream": {Data: []byte(stream)},
			"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\ngrid = [1]\nblock = [1]\n[cpu]\nprogram = \"cpu.stream\"\n" +
				"[[param]]\nname = \"in\"\ntype = \"u32\"\ncount = 1048576\n")},
		}
		j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/llc-simple"}, Runs: warpbound.Runs{Observe: true, Vectors: 1}})
		if err != nil {
			t.Fatal(err)
		}
		cycles, run := a.Estimates[0].Cycles, a.Observed.Max
		t.Logf("%s: bound %d, run %d", name, cycles, run)
		if !a.Estimates[0].Detail.(*estimate.LLC).Exact || cycles < run || exact && cycles != run {
			t.Errorf("%s: bound %d, run %d", name, cycles, run)
		}
		return cycles
	}
	one := bound("one row", 128, "", true)
	two := bound("two rows in turn", 65536, "", true)
	beside := bound("another row by the CPU", 128, "for i < 4000 { load [65536 * i]; }", false)
	if two < one+31*60 || beside < one+31*60 {
		t.Errorf("bounds of %d, %d and %d cycles", one, two, beside)
	}
}
