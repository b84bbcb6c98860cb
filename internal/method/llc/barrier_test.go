package llc_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/machine"
)

// TestBarrierDelays bounds kernels with barriers on machines that take long from the last arrival at a
// barrier until its warps are ready, so that what the barriers cost decides: kernels all of whose paths are
// certain, and others, whose bounds are sums.
func TestBarrierDelays(t *testing.T) {
	for job, certain := range map[string]bool{
		"bitonicSort/job.toml":   false,
		"histogram64/worst.toml": true,
		"ludDiagonal/job.toml":   true,
		"nwLower/job.toml":       true,
		"reduction/job.toml":     true,
	} {
		for _, delay := range []int64{4, 60, 100_000} {
			t.Run(fmt.Sprint(job, "/", delay), func(t *testing.T) {
				j := on(t, job, func(m *machine.Machine) {
					m.SM.Barrier.Value = delay
					m.Regulator.Quota.Value = 32
				})
				run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				simple, interval := estimates(t, j)
				for _, e := range []*estimate.Estimate{simple, interval} {
					if e.Cycles < run.Cycles || e.Detail.(*estimate.LLC).Exact != certain {
						t.Errorf("%s: %d cycles (exact %t), the run takes %d", e.Method, e.Cycles, e.Detail.(*estimate.LLC).Exact, run.Cycles)
					}
					t.Logf("%s: %d, run %d", e.Method, e.Cycles, run.Cycles)
				}
			})
		}
	}
}

// TestBarrierOfOthers has a warp that exits before the others come to a barrier: what it sent is under way when they go on, and
// is answered later than all that they do.
func TestBarrierOfOthers(t *testing.T) {
	files := fstest.MapFS{
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 px) {
	.reg .b32 %t;
	.reg .b64 %x;
	.reg .pred %p;
	ld.param.u64 %x, [px];
	mov.u32 %t, %tid.x;
	setp.lt.u32 %p, %t, 32;
	@%p bra FIRST;
	bar.sync 0;
	ret;
FIRST:
	red.global.add.u32 [%x], %t;
	ret;
}
`)},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\ngrid = [1]\nblock = [64]\nparam = [{name = \"x\", type = \"u32\", count = 1}]\n")},
	}
	job, all := bounded(t, files, 1)
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Cycles < run.Cycles || e.Cycles > run.Cycles*5/4 || !e.Detail.(*estimate.LLC).Exact {
			t.Errorf("%s: %d cycles, the run takes %d", e.Method, e.Cycles, run.Cycles)
		}
	}
}

// TestWholeBarriers: the order in which warps issue is known at barriers for all warps of a CTA, not at those for a part.
func TestWholeBarriers(t *testing.T) {
	for barrier, whole := range map[string]bool{
		"bar.sync 0":                      true,
		"bar.sync 0, 64":                  true,
		"bar.sync 0, 32":                  false,
		"bar.red.popc.u32 %t, 0, %p":      true,
		"bar.red.and.pred %p, 0, 64, !%p": true,
		"bar.red.popc.u32 %t, 0, 32, %p":  false,
	} {
		t.Run(barrier, func(t *testing.T) {
			job, all := bounded(t, fstest.MapFS{
				"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 px) {\n\t.reg .b32 %t;\n\t.reg .b64 %x;\n\t.reg .pred %p;\n" +
					"\tld.param.u64 %x, [px];\n\tmov.u32 %t, %tid.x;\n\tsetp.lt.u32 %p, %t, 32;\n\t" + barrier + ";\n\tst.global.u32 [%x], %t;\n\tret;\n}\n")},
				"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\ngrid = [3]\nblock = [64]\nparam = [{name = \"x\", type = \"u32\", count = 1}]\n")},
			}, 1)
			run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range all {
				if e.Cycles < run.Cycles || e.Detail.(*estimate.LLC).Exact != whole {
					t.Errorf("%s: %d cycles (exact %t), the run takes %d", e.Method, e.Cycles, e.Detail.(*estimate.LLC).Exact, run.Cycles)
				}
			}
		})
	}
}
