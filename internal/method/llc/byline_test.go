package llc_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/method/llc"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// TestCharges: a bound that is a sum is less by what it charges to an instruction for the port if the instruction never holds it.
func TestCharges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for checked := 0; checked < 20; {
		j := jobtest.Load(t, kernels.Suite(), []string{"histogram64", "substringSearch", "bitonicSort", "cfdStep"}[rnd.IntN(4)]+"/job.toml", "integrated-fermi")
		p, err := analysis.Problem(t.Context(), j.Workload)
		if err != nil {
			t.Fatal(err)
		}
		p = p.WithFixed(nil)
		pc := rnd.IntN(len(p.Graph.Kernel.Instrs))
		in := &p.Graph.Kernel.Instrs[pc]
		var all [2]*estimate.Estimate
		for i, of := range []int{-1, pc} {
			if all[i], err = llc.Without(t.Context(), llc.Simple, p, of); err != nil {
				t.Fatal(err)
			}
		}
		charged := int64(0)
		for _, l := range all[0].ByLine.Lines {
			if l.Pos == fmt.Sprintf("%s:%d", in.Pos.File, in.Pos.Line) {
				for _, c := range l.Causes {
					if c.Cause == "instructions hold the port" {
						charged += c.Cycles
					}
				}
			}
		}
		if charged == 0 {
			continue
		}
		checked++
		if less := all[0].Cycles - all[1].Cycles; less != charged {
			t.Errorf("%v: %s is charged %d of %d, and the bound is %d less without", in.Pos, p.Graph.Kernel.Format(in), charged, all[0].Cycles, less)
		}
	}
}
