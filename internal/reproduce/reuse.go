package reproduce

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/machine"
)

// fig12 compares runs in which idle split SIMDs take wavefronts (Eq. 2) with runs in which they
// stay idle: on a machine that has only those that are used. There are four times as many
// wavefronts as in the other sweeps, so that some wait for others on their SIMD.
func (s *sweeper) fig12(ctx context.Context) error {
	const simds = 3
	m, err := splitMachine(paperSIMDs)
	if err != nil {
		return err
	}
	var trials []trial
	for marks := range simds + 1 {
		c := s.base
		c.Nesting, c.Marked, c.Groups = 2, marks, 4*c.Groups
		job, err := makeSynthetic(c, m)
		if err != nil {
			return err
		}
		trials = append(trials,
			trial{job: job, in: setting{mode: machine.PWS, simds: marks}, runs: 1},
			trial{job: job, in: setting{mode: machine.PWS, simds: simds}, runs: 1})
	}
	points, err := s.all(ctx, trials)
	if err != nil {
		return err
	}
	const title = "Fig. 12: time of PWS with and without reuse of idle split SIMDs, S = 3"
	t := estimate.Table{
		Name:    title + " (the paper: up to 31 % less)",
		Columns: []string{"split points", "without reuse: observed", "bound", "with reuse: observed", "bound", "SIMDs", "observed time is less by"},
	}
	p := estimate.Plot{
		File: "fig12", Title: title, X: "split points", Y: "cycles", Bars: true,
		Series: []estimate.Series{{Name: "without reuse"}, {Name: "with reuse"}},
	}
	for marks := range simds + 1 {
		idle, used := points[2*marks], points[2*marks+1]
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(marks), fmt.Sprint(idle.observed), fmt.Sprint(idle.bound), fmt.Sprint(used.observed), fmt.Sprint(used.bound),
			fmt.Sprint(used.detail.SIMDs), percent(reduction(idle.observed, used.observed)),
		})
		p.Positions = append(p.Positions, fmt.Sprint(marks))
		for i, v := range []point{idle, used} {
			p.Series[i].Values = append(p.Series[i].Values, float64(v.observed))
		}
	}
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, p)
	return nil
}
