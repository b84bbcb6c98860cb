package selfcheck

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/analysis"
	limits "warpbound/internal/budget"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
)

// TestSummarisedLoops checks kernels with so little effort that iterations of loops are summarised, on machines of each kind: no run may
// take longer than a bound.
func TestSummarisedLoops(t *testing.T) {
	for _, core := range []machine.Core{machine.Scoreboard, machine.Barrel, machine.Integrated, machine.Splitting} {
		t.Run(string(core), func(t *testing.T) {
			machines := slices.DeleteFunc(builtins(t, machine.Names()...), func(m *machine.Machine) bool { return m.Core != core })
			var summarised atomic.Int32
			for _, n := range effort.Draw(t, 300) {
				src := &recorder{src: rand.New(rand.NewPCG(n, 22))}
				m := vary(sample(src, machines), src)
				c := kernelgen.New(src, kernelgen.Options{
					Statements: 4 + src.IntN(8), Depth: 1, Trips: 40 + src.IntN(100), Threads: 1 + src.IntN(int(min(m.SM.CTAThreads.Value, 80))), CTAs: 1 + src.IntN(6), Bounded: true,
					Machine: machineFile, Split: core == machine.Splitting, Features: kernelgen.DrawFeatures(src), Warp: int(m.SM.WarpSize.Value), Independent: m.IndependentThreads(),
				})
				little := limits.Effort(1+src.IntN(8)) * 3e-5
				k := checker{methods: warpbound.Methods(), analyze: func(ctx context.Context, j *platform.Job, req analysis.Request) (*estimate.Analysis, error) {
					j.Workload.First().Bound.Job.Effort = little
					a, err := analyze(ctx, j, req)
					if err == nil && slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "loops-summarised" }) {
						summarised.Add(1)
					}
					return a, err
				}}
				out, err := k.check(t.Context(), Files{machineFile: string(m.Format()), c.File: c.Module, jobFile: c.Job}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if out.Violation != nil {
					t.Errorf("kernel %d: %s of %s: %s", n, out.Violation.Kind, out.Violation.Method, out.Violation.Text)
				}
			}
			t.Logf("%d bounds with summaries", summarised.Load())
			if effort.Many() && summarised.Load() == 0 {
				t.Error("no bound rests on summaries")
			}
		})
	}
}
