package greedy_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/absexec"
	"warpbound/internal/analysis"
	"warpbound/internal/isa"
	"warpbound/internal/method/greedy"
	"warpbound/internal/platform"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// TestCharges: a bound is less by what it charges to an instruction if the instruction needs nothing and takes no time. Of twenty that are drawn,
// which have a line of their own, those that access no memory but that of the SM lower it by just that, but for the rounding of a few terms.
// Those that fetch lines lower it by no more, since others may fetch them instead; that is so of all that are fetched themselves.
func TestCharges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for checked < 20 {
		kernel := []string{"bitonicSort", "matrixMul", "reduction", "ludDiagonal", "histogram64", "triangleSum"}[rnd.IntN(6)]
		machine := []string{"fermi-c2050", "orin-agx", "a40"}[rnd.IntN(3)]
		j := jobtest.Load(t, kernels.Suite(), kernel+"/job.toml", machine)
		p, err := analysis.Problem(t.Context(), j.Workload)
		if err != nil {
			t.Fatal(err)
		}
		p = p.WithFixed(nil)
		e, err := greedy.Bound(t.Context(), p)
		if err != nil {
			continue // the module has instructions that the machine has not
		}
		pc := rnd.IntN(len(p.Graph.Kernel.Instrs))
		in := &p.Graph.Kernel.Instrs[pc]
		charged, fetched, found := int64(0), int64(0), 0
		for other := range p.Graph.Kernel.Instrs {
			if o := &p.Graph.Kernel.Instrs[other]; o.Pos.Line == in.Pos.Line {
				found++
			}
		}
		for _, l := range e.ByLine.Lines {
			if l.Pos == fmt.Sprintf("%s:%d", in.Pos.File, in.Pos.Line) {
				charged += l.Cycles
				for _, c := range l.Causes {
					if c.Cause == "instructions and constants are fetched" {
						fetched += c.Cycles
					}
				}
			}
		}
		if found > 1 || charged == 0 || in.Op.Info().Effect&isa.Barriers != 0 { // a barrier takes time behind it as well
			continue
		}
		without, err := greedy.Without(t.Context(), p, pc)
		if err != nil {
			t.Fatal(err)
		}
		checked++
		less := e.Cycles - without
		slack, minimum := int64(8), charged-fetched
		if in.Op.Info().Unit == isa.UnitMem {
			slack += 2 * p.Machine.LSU.Latency.Value // waits for its buffer are whole ones
			if in.Space != isa.Shared {
				minimum = 0
			}
		}
		if less > charged+slack || less < minimum-slack {
			t.Errorf("%s on %s, %v: %s is charged %d of %d, and the bound is %d less without", kernel, machine, in.Pos, p.Graph.Kernel.Format(in), charged, e.Cycles, less)
		}
	}
}

// TestWays: instructions take all the time of a way of a warp, in each of the three lengths, past barriers and through iterations that stand
// for several.
func TestWays(t *testing.T) {
	ways := 0
	check := func(j *platform.Job) {
		p, err := analysis.Problem(t.Context(), j.Workload)
		if err != nil {
			t.Fatal(err)
		}
		n, err := greedy.Ways(t.Context(), p.WithFixed(nil))
		if err != nil && !errors.As(err, new(*absexec.UnboundedLoop)) {
			t.Errorf("%s: %v", j.Workload.Name(), err)
		}
		ways += n
	}
	for _, kernel := range kernels.Names() {
		check(jobtest.Load(t, kernels.Suite(), kernel+"/job.toml", "fermi-c2050"))
	}
	for seed := range uint64(40) {
		check(jobtest.Load(t, jobtest.Case(jobtest.Random(seed, jobtest.RandomOptions(seed))), "job.toml", "fermi-c2050"))
	}
	if ways < 1000 {
		t.Errorf("only %d ways", ways)
	}
}
