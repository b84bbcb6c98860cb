package reproduce

import (
	"context"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/synthetic"
)

// paperSplits are the split SIMDs for each SIMD in the paper's Table 3 and figures.
var paperSplits = []int{1, 3, 7}

// paperSIMDs are the SIMDs of a compute unit there.
const paperSIMDs = 4

// benchmark is the synthetic benchmark of the sweeps: nested so deep that seven if-else split
// the work-items of a wavefront in eight classes, and so many groups that each of the four SIMDs of
// each compute unit has one wavefront.
func benchmark(iterations int) synthetic.Config {
	return synthetic.Config{
		Instructions: 1600, Divergent: 100, Nesting: 3, Iterations: iterations,
		WorkItems: 256, Groups: 4, Marked: synthetic.AllMarked, Seed: 1,
	}
}

// sweeper makes tables and plots of synthetic benchmarks.
type sweeper struct {
	*lab
	base    synthetic.Config // of which all synthetic benchmarks are variations
	kernels []string         // of the suite
	runs    int              // of each of them in each setting
	out     *estimate.Reproduction
}

// family are points of one benchmark: without splitting, and with it for each of some numbers
// of split SIMDs.
type family struct {
	none     point
	dws, pws []point
}

// member says on which machines a family runs.
type member struct {
	config synthetic.Config
	none   *machine.Machine   // without splitting
	split  []*machine.Machine // with it, for each number of split SIMDs

	measure bool // whether to measure blocks
}

// families finds the points of benchmarks. They mark as many if-else as there are split SIMDs,
// outer ones first, so that all split SIMDs are used.
func (s *sweeper) families(ctx context.Context, members []member, simds []int) ([]family, error) {
	var trials []trial
	for _, m := range members {
		unmarked := m.config
		unmarked.Marked = 0
		job, err := makeSynthetic(unmarked, m.none)
		if err != nil {
			return nil, err
		}
		trials = append(trials, trial{job: job, in: setting{mode: machine.SplitNone}, runs: 1, measure: m.measure})
		for i, n := range simds {
			c := m.config
			c.Marked = min(n, 1<<c.Nesting-1)
			if job, err = makeSynthetic(c, m.split[i]); err != nil {
				return nil, err
			}
			for _, mode := range []machine.SplitMode{machine.DWS, machine.PWS} {
				trials = append(trials, trial{job: job, in: setting{mode: mode, simds: n}, runs: 1, measure: m.measure})
			}
		}
	}
	points, err := s.all(ctx, trials)
	if err != nil {
		return nil, err
	}
	var list []family
	for group := range slices.Chunk(points, 1+2*len(simds)) {
		f := family{none: group[0]}
		for pair := range slices.Chunk(group[1:], 2) {
			f.dws, f.pws = append(f.dws, pair[0]), append(f.pws, pair[1])
		}
		list = append(list, f)
	}
	return list, nil
}

// on makes the member of a benchmark that runs on the same machine in all modes.
func on(c synthetic.Config, m *machine.Machine, simds []int) member {
	return member{config: c, none: m, split: slices.Repeat([]*machine.Machine{m}, len(simds))}
}

// figure adds the table and the plot of a figure: by how much predictable splitting reduces the
// bound of each benchmark, and the longest run.
func (s *sweeper) figure(file, title, axis string, positions []string, list []family) {
	t := estimate.Table{
		Name:    title + ". The paper prints no numbers",
		Label:   estimate.LabelNoTarget,
		Columns: []string{axis, "no splitting: observed", "bound"},
	}
	p := estimate.Plot{File: file, Title: title, X: axis, Y: "reduction of the bound, per cent", Positions: positions}
	for _, n := range paperSplits {
		name := fmt.Sprintf("S = %d", n)
		t.Columns = append(t.Columns, name+": observed", "bound", "reduction of the bound", "of the observed time")
		p.Series = append(p.Series, estimate.Series{Name: name})
	}
	for i, f := range list {
		row := []string{positions[i], fmt.Sprint(f.none.observed), fmt.Sprint(f.none.bound)}
		for k, split := range f.pws {
			by := reduction(f.none.bound, split.bound)
			row = append(row, fmt.Sprint(split.observed), fmt.Sprint(split.bound), percent(by), percent(reduction(f.none.observed, split.observed)))
			p.Series[k].Values = append(p.Series[k].Values, by)
		}
		t.Rows = append(t.Rows, row)
	}
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, p)
}

// shares are the positions of the sweeps over shares of instructions, in per cent.
var shares = []int{0, 25, 50, 75, 100}

// sweepShares makes Fig. 10a or 10b: set gives a benchmark its share.
func (s *sweeper) sweepShares(ctx context.Context, file, title, axis string, set func(c *synthetic.Config, share int)) error {
	m, err := splitMachine(paperSIMDs)
	if err != nil {
		return err
	}
	var members []member
	var positions []string
	for _, share := range shares {
		c := s.base
		set(&c, share)
		members, positions = append(members, on(c, m, paperSplits)), append(positions, fmt.Sprintf("%d %%", share))
	}
	list, err := s.families(ctx, members, paperSplits)
	if err != nil {
		return err
	}
	s.figure(file, title, axis, positions, list)
	return nil
}

func (s *sweeper) fig10a(ctx context.Context) error {
	return s.sweepShares(ctx, "fig10a", "Fig. 10a: reduction by PWS, share of divergent instructions", "divergent instructions",
		func(c *synthetic.Config, share int) { c.Divergent = share })
}

func (s *sweeper) fig10b(ctx context.Context) error {
	return s.sweepShares(ctx, "fig10b", "Fig. 10b: reduction by PWS, share of memory instructions, all divergent", "memory instructions",
		func(c *synthetic.Config, share int) { c.Memory = share })
}

// totals are the numbers of SIMDs of a compute unit in Fig. 10c, split SIMDs included.
var totals = []int{8, 16, 24, 32}

// fig10c keeps the number of SIMDs: what is a split SIMD with splitting is a SIMD without.
func (s *sweeper) fig10c(ctx context.Context) error {
	var members []member
	var positions []string
	for _, total := range totals {
		m := member{config: s.base}
		var err error
		if m.none, err = splitMachine(total); err != nil {
			return err
		}
		for _, n := range paperSplits {
			with, err := splitMachine(total / (n + 1))
			if err != nil {
				return err
			}
			m.split = append(m.split, with)
		}
		members, positions = append(members, m), append(positions, fmt.Sprint(total))
	}
	list, err := s.families(ctx, members, paperSplits)
	if err != nil {
		return err
	}
	s.figure("fig10c", "Fig. 10c: reduction by PWS, SIMDs of a compute unit, split SIMDs among them", "SIMDs in all", positions, list)
	return nil
}

// paperRow is a row of the paper's Table 3, in thousands of cycles.
type paperRow struct{ none, dws, pws [2]float64 } // observed, analytical

var table3 = map[int]paperRow{
	1: {[2]float64{500, 680}, [2]float64{140, 600}, [2]float64{150, 300}},
	3: {[2]float64{500, 680}, [2]float64{50, 870}, [2]float64{30, 220}},
	7: {[2]float64{500, 680}, [2]float64{45, 1440}, [2]float64{15, 180}},
}

// maximum is the largest number of split SIMDs for each SIMD.
const maximum = 7

// splitCounts are all numbers of split SIMDs.
func splitCounts() []int {
	var list []int
	for n := range maximum + 1 {
		list = append(list, n)
	}
	return list
}

// table3 makes Table 3, Fig. 10d, and bounds over observed times for all numbers of split SIMDs.
func (s *sweeper) table3(ctx context.Context) error {
	m, err := splitMachine(paperSIMDs)
	if err != nil {
		return err
	}
	measured := on(s.base, m, splitCounts())
	measured.measure = true
	list, err := s.families(ctx, []member{measured}, splitCounts())
	if err != nil {
		return err
	}
	f := list[0]
	idle, err := s.idleSIMDs(ctx)
	if err != nil {
		return err
	}
	s.tableIII(f, idle)
	s.fig10d(f)
	return nil
}

// idleSIMDs finds the points of DWS whose parts may use idle SIMDs (Fig. 2d), for each of paperSplits: with as many SIMDs as PWS has
// SIMDs and split SIMDs.
func (s *sweeper) idleSIMDs(ctx context.Context) ([]point, error) {
	var trials []trial
	for _, n := range paperSplits {
		m, err := splitMachine(paperSIMDs * (n + 1))
		if err != nil {
			return nil, err
		}
		job, err := makeSynthetic(s.base, m)
		if err != nil {
			return nil, err
		}
		trials = append(trials, trial{job: job, in: setting{mode: machine.DWSIdle, simds: n}, runs: 1})
	}
	return s.all(ctx, trials)
}

func (s *sweeper) tableIII(f family, idle []point) {
	t := estimate.Table{
		Name: "Table 3, all instructions divergent. The paper's figures are thousands of cycles. Its analytical ones rest on measured\n" +
			"times of blocks: its method gives what the equations make of such times here, which is no bound. Ours are proven. On idle SIMDs,\n" +
			"parts of a wavefront execute where nothing else does (Fig. 2d), with S + 1 SIMDs for each; no bound is known for that",
		Label: estimate.LabelNoTarget, // the paper's benchmark is not stated
		Columns: []string{
			"S", "mode", "observed", "paper", "bound", "its method", "paper: analytical",
			"bound / observed", "its method / observed", "paper: analytical / observed",
		},
	}
	with := estimate.Table{
		Name:    "Table 3, reduction by PWS compared to DWS",
		Label:   estimate.LabelNoTarget,
		Columns: []string{"S", "bounds", "its method", "paper"},
	}
	for i, n := range paperSplits {
		paper := table3[n]
		row := func(mode string, p point, printed [2]float64) {
			t.Rows = append(t.Rows, cells(n, mode, p.observed, printed[0], p.bound, p.measured, printed[1],
				ratio(over(p.bound, p.observed)), ratio(over(p.measured, p.observed)), ratio(printed[1]/printed[0])))
		}
		row("no splitting", f.none, paper.none)
		row("DWS", f.dws[n], paper.dws)
		t.Rows = append(t.Rows, cells(n, "DWS, idle SIMDs", idle[i].observed, paper.dws[0], "-", "-", "-", "-", "-", "-"))
		row("PWS", f.pws[n], paper.pws)
		with.Rows = append(with.Rows, cells(n, percent(reduction(f.dws[n].bound, f.pws[n].bound)),
			percent(reduction(f.dws[n].measured, f.pws[n].measured)), percent(100*(1-paper.pws[1]/paper.dws[1]))))
	}
	s.out.Tables = append(s.out.Tables, t, with)
}

func (s *sweeper) fig10d(f family) {
	const title = "Fig. 10d: reduction of the bound compared to no splitting"
	t := estimate.Table{
		Name:    title + ", and bound over observed time of PWS for every S (the paper's Table 3: 2 to 12)",
		Label:   estimate.LabelNoTarget,
		Columns: []string{"S", "DWS: observed", "bound", "reduction", "PWS: observed", "bound", "reduction", "bound / observed", "paper"},
	}
	p := estimate.Plot{File: "fig10d", Title: title, X: "S, split SIMDs for each SIMD", Y: "per cent", Series: []estimate.Series{{Name: "DWS"}, {Name: "PWS"}}}
	for n, pws := range f.pws {
		dws := f.dws[n]
		values := [2]float64{reduction(f.none.bound, dws.bound), reduction(f.none.bound, pws.bound)}
		printed := "-"
		if paper, ok := table3[n]; ok {
			printed = ratio(paper.pws[1] / paper.pws[0])
		}
		t.Rows = append(t.Rows, cells(n, dws.observed, dws.bound, percent(values[0]), pws.observed, pws.bound, percent(values[1]),
			ratio(over(pws.bound, pws.observed)), printed))
		p.Positions = append(p.Positions, fmt.Sprint(n))
		for i := range p.Series {
			p.Series[i].Values = append(p.Series[i].Values, values[i])
		}
	}
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, p)
}

func percent(p float64) string { return fmt.Sprintf("%.0f %%", p) }
func ratio(r float64) string   { return fmt.Sprintf("%.2f", r) }
func over(a, b int64) float64  { return float64(a) / float64(b) }
