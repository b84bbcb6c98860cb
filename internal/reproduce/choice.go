package reproduce

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/study/splits"
	"warpbound/internal/workload"
)

// choices compares the branches that SELECT splits, if all are marked, with those for which the
// bound is least: what the paper leaves open.
func (s *sweeper) choices(ctx context.Context) error {
	simds := 3
	m, err := splitMachine(paperSIMDs)
	if err != nil {
		return err
	}
	jobs, err := s.loadKernels(m)
	if err != nil {
		return err
	}
	synthetic, err := makeSynthetic(s.base, m)
	if err != nil {
		return err
	}
	jobs, names := append(jobs, synthetic), append(s.kernels[:len(s.kernels):len(s.kernels)], "synthetic, all divergent")
	rows := make([][]string, len(jobs))
	err = s.each(ctx, len(jobs), func(i int) error {
		job, err := jobs[i].Split(workload.SplitOptions{SIMDs: &simds, Branches: []string{workload.EveryBranch}})
		if err != nil {
			return err
		}
		c, err := splits.Compare(ctx, job.Platform, job.Workload, splits.Options{Vectors: 1, Choose: true})
		if err != nil {
			return err
		}
		rows[i] = append([]string{names[i]}, choiceCells(c)...)
		return nil
	})
	if err != nil {
		return err
	}
	s.out.Tables = append(s.out.Tables, estimate.Table{
		Name: fmt.Sprintf("Which branches to split, left open by the paper: bounds of PWS with S = %d and with those that SELECT takes of all,\n", simds) +
			"and with those that minimise the bound",
		Columns: []string{"kernel", "branches", "no splitting", "SELECT: split points", "bound", "best: split points", "contexts", "bound", "less by"},
		Rows:    rows,
	})
	return nil
}

// choiceCells are the cells of a row beside its name.
func choiceCells(c *estimate.Splitting) []string {
	bounds := make(map[string]int64)
	for _, m := range c.Modes {
		bounds[m.Mode] = m.Estimate.Cycles
	}
	selected := 0
	for _, p := range c.Points {
		if p.Selected {
			selected++
		}
	}
	best := c.Choice.Sets[c.Choice.Best]
	return cells(len(c.Points), bounds["none"], selected, bounds["pws"], len(best.Points), best.Contexts, best.Cycles,
		percent(reduction(bounds["pws"], best.Cycles)))
}
