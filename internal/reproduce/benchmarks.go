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
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// ofIfElse returns the blocks of a kernel whose branches a programmer would mark: those of if-else. One outcome of an if without
// else, such as a guard of bounds, is to do nothing, so that there is nothing to execute beside the other.
func ofIfElse(k *workload.Kernel) []int {
	return slices.DeleteFunc(append([]int{}, k.Splittable()...), func(b int) bool {
		return slices.Contains(k.Graph.Succ(b), k.Graph.Reconverge(b))
	})
}

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
func (s *sweeper) loadKernels(m *machine.Machine) ([]*platform.Job, error) {
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
	m, err := splitMachine(paperSIMDs)
	if err != nil {
		return err
	}
	jobs, err := s.loadKernels(m)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		file  string
		marks marks
		words string
	}{
		{"fig10e", every, "All branches are marked that can be split; which of them do is SELECT's choice"},
		{"fig10e-ifelse", ifElse, "Those of if-else are marked, as a programmer would, and none of an if without else"},
	} {
		if err := s.bounds(ctx, jobs, f.file, f.marks, f.words); err != nil {
			return err
		}
	}
	return nil
}

// bounds adds the table and the plot of Fig. 10e with some branches marked.
func (s *sweeper) bounds(ctx context.Context, jobs []*platform.Job, file string, marks marks, words string) error {
	settings := []setting{{mode: machine.SplitNone}}
	for _, n := range paperSplits {
		settings = append(settings, setting{machine.PWS, n, marks})
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
		Name:    title + ". " + words + ". The paper prints no numbers",
		Label:   estimate.LabelNoTarget,
		Columns: []string{"kernel", "bound without splitting"},
	}
	p := estimate.Plot{File: file, Title: title, X: "", Y: "normalised bound", Bars: true}
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

// fig10eL1 sets bounds beside the longest runs, with a cache before memory and without, where wavefronts do not split and where all
// branches are marked that can be.
func (s *sweeper) fig10eL1(ctx context.Context) error {
	settings := []setting{{mode: machine.SplitNone}, {machine.PWS, 1, every}}
	t := estimate.Table{
		Name:    fmt.Sprintf("Fig. 10e with an L1 of 16 KiB: bounds, and the longest of %d runs. A bound counts each load as a miss", s.runs),
		Label:   estimate.LabelNoTarget,
		Columns: []string{"kernel"},
		Rows:    make([][]string, len(s.kernels)),
	}
	for i, name := range s.kernels {
		t.Rows[i] = []string{name}
	}
	for i, with := range []func(simds int) (*machine.Machine, error){splitMachine, withL1} {
		m, err := with(paperSIMDs)
		if err != nil {
			return err
		}
		jobs, err := s.loadKernels(m)
		if err != nil {
			return err
		}
		var trials []trial
		for _, job := range jobs {
			for _, in := range settings {
				trials = append(trials, trial{job: job, in: in, runs: s.runs})
			}
		}
		points, err := s.all(ctx, trials)
		if err != nil {
			return err
		}
		cache := []string{"no L1", "L1"}[i]
		t.Columns = append(t.Columns, cache+", no splitting: bound", "longest run", "S = 1: bound", "longest run")
		for k, p := range points {
			row := &t.Rows[k/len(settings)]
			*row = append(*row, fmt.Sprint(p.bound), fmt.Sprint(p.observed))
		}
	}
	s.out.Tables = append(s.out.Tables, t)
	return nil
}

// manySIMDs are the SIMDs of a compute unit that has more of them than wavefronts of most kernels of the suite.
const manySIMDs = 32

// speedup is how much faster a kernel runs with splitting.
type speedup struct {
	kernel string
	none   int64     // cycles without splitting, on average, on 4 SIMDs
	times  []float64 // in the order of machinePairs
}

// machinePair is a machine without splitting beside one with it.
type machinePair struct {
	name        string
	none, split int // SIMDs of a compute unit, split SIMDs not among them
	marks       marks
}

// machinePairs are those of Fig. 11, with one split SIMD for each SIMD. In the first the number of SIMDs is the same in all, so half of
// them become split SIMDs.
var machinePairs = []machinePair{
	{"speed-up, SELECT's branches", paperSIMDs, paperSIMDs / 2, every},
	{"those of if-else", paperSIMDs, paperSIMDs / 2, ifElse},
	{"split SIMDs added: SELECT's", paperSIMDs, paperSIMDs, every},
	{"if-else", paperSIMDs, paperSIMDs, ifElse},
	{"SIMDs left idle: SELECT's", manySIMDs, manySIMDs / 2, every},
	{"if-else", manySIMDs, manySIMDs / 2, ifElse},
}

func (s *sweeper) fig11(ctx context.Context) error {
	return s.speedups(ctx, splitMachine, "fig11", "Fig. 11: average-case speed-up by PWS, S = 1, as many SIMDs in all")
}

// fig11L1 is fig11 with a cache before memory, as the machine of the paper's simulator has.
func (s *sweeper) fig11L1(ctx context.Context) error {
	return s.speedups(ctx, withL1, "fig11-l1", "Fig. 11 with an L1 of 16 KiB: average-case speed-up by PWS, S = 1, as many SIMDs in all")
}

// speedups compares average times of runs on machines with some SIMDs.
func (s *sweeper) speedups(ctx context.Context, with func(simds int) (*machine.Machine, error), file, title string) error {
	const split = 1
	type on struct {
		simds int
		in    setting
	}
	var settings []on
	at := func(o on) int {
		i := slices.Index(settings, o)
		if i < 0 {
			i, settings = len(settings), append(settings, o)
		}
		return i
	}
	var pairs [][2]int
	for _, c := range machinePairs {
		pairs = append(pairs, [2]int{at(on{c.none, setting{mode: machine.SplitNone}}), at(on{c.split, setting{machine.PWS, split, c.marks}})})
	}
	var trials []trial
	for _, o := range settings {
		m, err := with(o.simds)
		if err != nil {
			return err
		}
		jobs, err := s.loadKernels(m)
		if err != nil {
			return err
		}
		for _, job := range jobs {
			trials = append(trials, trial{job: job, in: o.in, runs: s.runs})
		}
	}
	points, err := s.all(ctx, trials)
	if err != nil {
		return err
	}
	var list []speedup
	for i, name := range s.kernels {
		mean := func(setting int) int64 { return points[setting*len(s.kernels)+i].mean }
		k := speedup{kernel: name, none: mean(0)}
		for _, p := range pairs {
			k.times = append(k.times, over(mean(p[0]), mean(p[1])))
		}
		list = append(list, k)
	}
	slices.SortStableFunc(list, func(a, b speedup) int { return cmp.Compare(a.times[0], b.times[0]) })
	s.showSpeedups(list, file, title)
	return nil
}

// paperSpeedups are the speed-ups that the paper prints.
var paperSpeedups = map[string]string{"bfs": "3", "geometric mean": "1.11", "arithmetic mean": "1.18"}

func (s *sweeper) showSpeedups(list []speedup, file, title string) {
	t := estimate.Table{
		Name: fmt.Sprintf("%s (runs of each kernel: %d), by the branches that are marked; with the split SIMDs added to %d SIMDs;\nand with %d SIMDs in all, of which most kernels leave some idle",
			title, s.runs, paperSIMDs, manySIMDs),
		Label:   estimate.LabelNoTarget, // kernels, launches and the machine are ours
		Columns: []string{"kernel", "cycles without splitting", "paper"},
	}
	p := estimate.Plot{File: file, Title: title, Y: "speed-up", Bars: true}
	for i, c := range machinePairs {
		t.Columns = append(t.Columns, c.name)
		if i < 2 {
			p.Series = append(p.Series, estimate.Series{Name: []string{"SELECT's branches", "those of if-else"}[i]})
		}
	}
	row := func(name, cycles string, times []float64) {
		cells := []string{name, cycles, cmp.Or(paperSpeedups[name], "-")}
		p.Positions = append(p.Positions, name)
		for i, v := range times {
			cells = append(cells, ratio(v))
			if i < len(p.Series) {
				p.Series[i].Values = append(p.Series[i].Values, v)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	sums, logs := make([]float64, len(machinePairs)), make([]float64, len(machinePairs))
	n := float64(len(list))
	for _, k := range list {
		row(k.kernel, fmt.Sprint(k.none), k.times)
		for i, v := range k.times {
			sums[i] += v / n
			logs[i] += math.Log(v) / n
		}
	}
	for i := range logs {
		logs[i] = math.Exp(logs[i])
	}
	row("geometric mean", "", logs)
	row("arithmetic mean", "", sums)
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, p)
}
