package splits

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"warpbound/internal/analysis"
	"warpbound/internal/machine"
	"warpbound/internal/method/split"
	"warpbound/internal/platform"
	"warpbound/internal/synthetic"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
)

// everySplit marks every branch that can be split.
var everySplit = []string{workload.EveryBranch}

// TestChosenSplits checks on synthetic benchmarks that the branches chosen are never worse than
// what SELECT takes of all, that they are better for some, and that the job with them has the
// bound that is told.
func TestChosenSplits(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 0))
	better := 0
	for range 8 {
		c := synthetic.Config{
			Instructions: 20 + src.IntN(300), Divergent: src.IntN(101), Memory: []int{0, 0, 5, 50}[src.IntN(4)],
			Nesting: 1 + src.IntN(3), Iterations: 1, WorkItems: 16 + src.IntN(200), Groups: 1 + src.IntN(20),
			Marked: synthetic.AllMarked, Machine: "gcn3-split",
		}
		simds := src.IntN(8)
		b, err := synthetic.New(c)
		if err != nil {
			t.Fatal(err)
		}
		files := fstest.MapFS{synthetic.ModuleFile: {Data: []byte(b.Module)}, synthetic.JobFile: {Data: []byte(b.Job)}}
		less, err := checkChoice(jobtest.Load(t, files, synthetic.JobFile, ""), simds)
		if err != nil {
			t.Errorf("%+v with %d split SIMDs: %v", c, simds, err)
		}
		if less {
			better++
		}
	}
	if better == 0 {
		t.Error("no choice is better than SELECT's")
	}
}

// checkChoice compares the branches chosen with what SELECT takes of all, and with all sets if
// there are few. It reports whether their bound is less than SELECT's.
func checkChoice(job *platform.Job, simds int) (bool, error) {
	ctx := context.Background()
	bound := func(branches []string) (int64, error) {
		other, err := job.Workload.Split(workload.SplitOptions{Mode: machine.PWS, SIMDs: &simds, Branches: branches})
		if err != nil {
			return 0, err
		}
		e, err := analysis.Bound(ctx, other, split.Method(machine.PWS))
		if err != nil {
			return 0, err
		}
		return e.Cycles, nil
	}
	selected, err := bound(everySplit)
	if err != nil {
		return false, err
	}
	other, err := job.Split(workload.SplitOptions{SIMDs: &simds})
	if err != nil {
		return false, err
	}
	s, err := Compare(ctx, other.Platform, other.Workload, Options{Vectors: 1, Choose: true})
	if err != nil {
		return false, err
	}
	best := s.Choice.Sets[s.Choice.Best]
	branches := []string{}
	for _, p := range best.Points {
		branches = append(branches, p.Place)
		if p.Without < best.Cycles {
			return false, fmt.Errorf("without %s the bound is %d, less than the best of %d", p.Place, p.Without, best.Cycles)
		}
	}
	if got, err := bound(branches); err != nil || got != best.Cycles {
		return false, fmt.Errorf("with the branches %q the bound is %d, not %d (%v)", branches, got, best.Cycles, err)
	}
	if len(s.Points) <= 3 {
		for set := range 1 << len(s.Points) {
			some := []string{}
			for i, p := range s.Points {
				if set>>i&1 == 1 {
					some = append(some, p.Place)
				}
			}
			if got, err := bound(some); err != nil || got < best.Cycles {
				return false, fmt.Errorf("with the branches %q the bound is %d, less than the best of %d (%v)", some, got, best.Cycles, err)
			}
		}
	}
	if best.Cycles > selected {
		return false, fmt.Errorf("the bound is %d with the branches %q, %d with what SELECT takes", best.Cycles, branches, selected)
	}
	for _, m := range s.Modes {
		if m.Observed.Max > m.Estimate.Cycles {
			return false, fmt.Errorf("mode %s takes %d cycles, bound by %d", m.Mode, m.Observed.Max, m.Estimate.Cycles)
		}
	}
	return best.Cycles < selected, nil
}
