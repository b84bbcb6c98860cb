package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/kernels"
)

// everywhere marks every branch that can be split.
var everywhere = []string{"all"}

// suiteNames are the kernels of the suite that run on gcn3-split: those of programs of the
// Rodinia suite, as this project wrote them, first. sradSelect is sradCoefficient without branches
// to split.
func suiteNames() []string {
	var names []string
	for _, r := range append(kernels.LLC(), kernels.References()...) {
		if r.Kernel != "sradSelect" {
			names = append(names, r.Kernel)
		}
	}
	return names
}

// loadKernels loads the sweeper's kernels on a machine.
func (s *sweeper) loadKernels(simds int) ([]*platform.Job, error) {
	m, err := splitMachine(simds)
	if err != nil {
		return nil, err
	}
	var jobs []*platform.Job
	for _, name := range s.kernels {
		job, err := load(kernels.Suite(), name+"/job.toml", m)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// fig10e compares the bounds of the suite's kernels with and without splitting.
func (s *sweeper) fig10e(ctx context.Context) error {
	jobs, err := s.loadKernels(paperSIMDs)
	if err != nil {
		return err
	}
	settings := []setting{{mode: machine.SplitNone}}
	for _, n := range paperSplits {
		settings = append(settings, setting{machine.PWS, n, everywhere})
	}
	var trials []trial
	for _, job := range jobs {
		for _, in := range settings {
			trials = append(trials, trial{job: job, in: in})
		}
	}
	points, err := s.all(ctx, trials)
	if err != nil {
		return err
	}
	const title = "Fig. 10e: bound of PWS, normalised to that without splitting"
	t := estimate.Table{
		Name:    title + ". All branches are marked that can be split; which of them do is SELECT's choice. The paper prints no numbers",
		Columns: []string{"kernel", "bound without splitting"},
	}
	p := estimate.Plot{File: "fig10e", Title: title, X: "", Y: "normalised bound", Bars: true}
	for _, n := range paperSplits {
		name := fmt.Sprintf("S = %d", n)
		t.Columns = append(t.Columns, name+": split points", "normalised bound")
		p.Series = append(p.Series, estimate.Series{Name: name})
	}
	for i, name := range s.kernels {
		of := points[i*len(settings):][:len(settings)]
		row := []string{name, fmt.Sprint(of[0].bound)}
		for k, pws := range of[1:] {
			normalised := over(pws.bound, of[0].bound)
			row = append(row, fmt.Sprint(len(pws.detail.Splits)), ratio(normalised))
			p.Series[k].Values = append(p.Series[k].Values, normalised)
		}
		t.Rows, p.Positions = append(t.Rows, row), append(p.Positions, name)
	}
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, p)
	return nil
}

// speedup is how much faster a kernel runs with splitting.
type speedup struct {
	kernel      string
	none        int64   // cycles without splitting, on average
	same, added float64 // with as many SIMDs in all, and with the split SIMDs added
}

// fig11 compares average times of runs. The number of SIMDs is the same in all, so half of them
// become split SIMDs.
func (s *sweeper) fig11(ctx context.Context) error {
	const split = 1
	var trials []trial
	for _, with := range []struct {
		simds int
		in    setting
	}{
		{paperSIMDs, setting{mode: machine.SplitNone}},
		{paperSIMDs / (split + 1), setting{machine.PWS, split, everywhere}},
		{paperSIMDs, setting{machine.PWS, split, everywhere}},
	} {
		jobs, err := s.loadKernels(with.simds)
		if err != nil {
			return err
		}
		for _, job := range jobs {
			trials = append(trials, trial{job: job, in: with.in, runs: s.runs})
		}
	}
	points, err := s.all(ctx, trials)
	if err != nil {
		return err
	}
	var list []speedup
	for i, name := range s.kernels {
		none, same, added := points[i].mean, points[len(s.kernels)+i].mean, points[2*len(s.kernels)+i].mean
		list = append(list, speedup{name, none, over(none, same), over(none, added)})
	}
	slices.SortStableFunc(list, func(a, b speedup) int { return cmp.Compare(a.same, b.same) })
	s.showSpeedups(list)
	return nil
}

// paperSpeedups are the speed-ups that the paper prints.
var paperSpeedups = map[string]string{"bfs": "3", "geometric mean": "1.11", "arithmetic mean": "1.18"}

func (s *sweeper) showSpeedups(list []speedup) {
	const title = "Fig. 11: average-case speed-up by PWS, S = 1, as many SIMDs in all"
	t := estimate.Table{
		Name:    fmt.Sprintf("%s (%d runs of each kernel)", title, s.runs),
		Label:   estimate.LabelNoTarget, // kernels, launches and the machine are ours
		Columns: []string{"kernel", "cycles without splitting", "speed-up", "paper", "speed-up, split SIMDs added"},
	}
	p := estimate.Plot{File: "fig11", Title: title, Y: "speed-up", Bars: true, Series: []estimate.Series{{Name: "S = 1"}}}
	row := func(name, cycles string, same, added float64) {
		t.Rows = append(t.Rows, []string{name, cycles, ratio(same), cmp.Or(paperSpeedups[name], "-"), ratio(added)})
		p.Positions = append(p.Positions, name)
		p.Series[0].Values = append(p.Series[0].Values, same)
	}
	var sums, logs [2]float64
	for _, k := range list {
		row(k.kernel, fmt.Sprint(k.none), k.same, k.added)
		for i, v := range []float64{k.same, k.added} {
			sums[i] += v
			logs[i] += math.Log(v)
		}
	}
	n := float64(len(list))
	row("geometric mean", "", math.Exp(logs[0]/n), math.Exp(logs[1]/n))
	row("arithmetic mean", "", sums[0]/n, sums[1]/n)
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, p)
}
