package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"warpbound"
	"warpbound/estimate"
	"warpbound/kernels"
)

// role is what a figure that others published is for.
type role string

// The roles. What a number of a machine is set by says nothing of how good the machine is; what is checked sets no number.
const (
	set   role = "set"
	check role = "check"
)

// figure is a time that others measured, or simulated, beside ours.
type figure struct {
	machine  string
	name     string
	measured float64 // core cycles
	role     role

	load    func() (*warpbound.Job, error)
	less    func() (*warpbound.Job, error) // whose time is taken away, unless it is nil
	per     int                            // parts into which the rest is divided
	further float64                        // core cycles that a launch takes beside the kernel
	within  float64                        // error that a row of role set may have; 0 for setWithin
	long    bool                           // it takes more than some seconds

	simulated float64
}

// error is that of the simulated time, relative to the measured one.
func (f *figure) error() float64 { return f.simulated/f.measured - 1 }

// suiteFigures are the cycles of GPGPU-Sim 4.2 with its configuration SM2_GTX480 for jobs of the suite, seed 1, vector 0.
var suiteFigures = []struct {
	kernel string
	cycles float64
}{
	{"bfs", 14751}, {"bitonicSort", 14219}, {"histogram64", 5441}, {"insertionSort", 35692}, {"matrixMul", 11936},
	{"nwUpper", 19397}, {"ludPerimeter", 45611}, {"ludInternal", 4481}, {"reduction", 4355}, {"sradUpdate", 6014},
	{"sradCoefficient", 5658}, {"gaussianUpdate", 3387}, {"substringSearch", 2271}, {"cfdStep", 2830}, {"cfdAdvance", 3583},
}

// chainFigures are its cycles for what fermiChains does, in the same order.
var chainFigures = []float64{13.3, 11.3, 14.3, 32.3, 40.3, 285}

const gtx480Name = "gtx480"

// gtx480 are the figures that gtx480 is held against: first those it is set by, and then, unless only these are wanted, the others.
func gtx480(onlySet bool) []figure {
	const name = gtx480Name
	var all []figure
	for i, b := range fermiChains() {
		all = append(all, figure{
			machine: name, name: b.name, measured: chainFigures[i], role: set, per: b.per,
			load: func() (*warpbound.Job, error) { return b.job(name) },
		})
	}
	if onlySet {
		return all
	}
	for _, f := range suiteFigures {
		all = append(all, figure{
			machine: name, name: f.kernel, measured: f.cycles, role: check, per: 1,
			load: func() (*warpbound.Job, error) {
				return warpbound.LoadFS(kernels.Suite(), f.kernel+"/job.toml", warpbound.LoadOptions{Machine: name})
			},
		})
	}
	return all
}

// How far gtx480 may be from GPGPU-Sim, and how well their times must go together.
const (
	setWithin      = 0.03 // each figure that the machine is set by
	meanWithin     = 0.12 // the mean absolute error of the others
	biasWithin     = 0.05 // their mean error, above or below
	minCorrelation = 0.998
	chipsWithin    = 0.20 // the mean absolute error of the checks of chips
)

// Machines holds built-in machines against times of others: those that their numbers are set by, and those that check what
// comes of it.
func Machines(ctx context.Context, opts Options) (*estimate.Reproduction, error) {
	fermi, chips := machineFigures(opts)
	all := slices.Concat(fermi, chips)
	for i := range all {
		f := &all[i]
		if err := f.simulate(ctx); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", f.machine, f.name, err)
		}
		if opts.Progress != nil {
			opts.Progress(f.name, i+1, len(all))
		}
	}
	return compareFigures(all[:len(fermi)], all[len(fermi):]), nil
}

// machineFigures returns the figures that are wanted, of gtx480 and of chips.
func machineFigures(opts Options) (fermi, chips []figure) {
	fermi, chips = gtx480(opts.ExamplesOnly), chipSets()
	if !opts.ExamplesOnly {
		chips = append(chips, chipChecks()...)
	}
	if opts.Quick {
		chips = slices.DeleteFunc(chips, func(f figure) bool { return f.long })
	}
	return fermi, chips
}

// compareFigures puts simulated figures beside those of others.
func compareFigures(fermi, chips []figure) *estimate.Reproduction {
	r := &estimate.Reproduction{
		Paper:  "GPGPU-Sim 4.2, configuration SM2_GTX480: cycles of our kernels",
		Tables: []estimate.Table{},
	}
	for _, f := range slices.Concat(fermi, chips) {
		if f.role != set {
			continue
		}
		name := f.name
		if f.machine != gtx480Name {
			name = f.machine + ", " + name
		}
		within := cmp.Or(f.within, setWithin)
		r.Examples = append(r.Examples, estimate.Example{
			Name: name, Paper: cycles(f.measured), Ours: cycles(f.simulated), OK: math.Abs(f.error()) <= within,
			Label: estimate.LabelFitted, Tolerance: errorText(within),
		})
	}
	if checked := checksOf(fermi); len(checked) > 0 {
		r.Examples = append(r.Examples, agreement(checked)...)
		r.Tables = append(r.Tables, figureTable("Core cycles of GPGPU-Sim beside ours. Numbers of the machine are set by the rows \"set\" and by no other", fermi))
	}
	if checked := checksOf(chips); len(checked) > 0 {
		mean, _ := errorsOf(checked)
		r.Examples = append(r.Examples, estimate.Example{Name: "mean absolute error of checks of chips", Paper: "at most " + errorText(chipsWithin), Ours: errorText(mean), OK: mean <= chipsWithin, Label: estimate.LabelInequality})
		r.Tables = append(r.Tables, figureTable("Core cycles that others measured on chips beside ours, with what a launch takes", chips), chipTable(chips))
	}
	return r
}

// simulate works out the time of a figure.
func (f *figure) simulate(ctx context.Context) error {
	time := func(load func() (*warpbound.Job, error)) (float64, error) {
		job, err := load()
		if err != nil {
			return 0, err
		}
		run, err := job.Simulate(ctx, warpbound.SimulateOptions{})
		if err != nil {
			return 0, err
		}
		return float64(run.Cycles), nil
	}
	n, err := time(f.load)
	if err != nil {
		return err
	}
	if f.less != nil {
		less, err := time(f.less)
		if err != nil {
			return err
		}
		n -= less
	}
	f.simulated = n/float64(f.per) + f.further
	return nil
}

// checksOf returns the figures of role check.
func checksOf(all []figure) []figure {
	return slices.DeleteFunc(slices.Clone(all), func(f figure) bool { return f.role != check })
}

// chipTable says how well the checks of each chip agree, and which chips have none.
func chipTable(all []figure) estimate.Table {
	t := estimate.Table{Name: "Checks by chip", Columns: []string{"chip", "checks", "mean absolute error", "worst"}}
	for _, name := range chipNames {
		own := slices.DeleteFunc(checksOf(all), func(f figure) bool { return f.machine != name })
		if len(own) == 0 {
			t.Rows = append(t.Rows, []string{name, "0", "unchecked", "-"})
			continue
		}
		mean, _ := errorsOf(own)
		worst := slices.MaxFunc(own, func(a, b figure) int { return cmp.Compare(math.Abs(a.error()), math.Abs(b.error())) })
		t.Rows = append(t.Rows, []string{name, fmt.Sprint(len(own)), errorText(mean), fmt.Sprintf("%s, %s", worst.name, errorText(worst.error()))})
	}
	return t
}

// agreement tells how well checked figures agree.
func agreement(all []figure) []estimate.Example {
	mean, bias := errorsOf(all)
	r := correlation(all)
	return []estimate.Example{
		{Name: "mean absolute error of kernels", Paper: "at most " + errorText(meanWithin), Ours: errorText(mean), OK: mean <= meanWithin, Label: estimate.LabelInequality},
		{Name: "their mean error", Paper: errorText(0), Ours: errorText(bias), OK: math.Abs(bias) <= biasWithin, Label: estimate.LabelTolerance, Tolerance: errorText(biasWithin)},
		{Name: "correlation of their times", Paper: fmt.Sprintf("at least %.4f", minCorrelation), Ours: fmt.Sprintf("%.4f", r), OK: r >= minCorrelation, Label: estimate.LabelInequality},
	}
}

// figureTable lists figures.
func figureTable(name string, all []figure) estimate.Table {
	t := estimate.Table{
		Name:    name,
		Columns: []string{"chip", "row", "measured", "simulated", "error", "role"},
	}
	for _, f := range all {
		label := estimate.LabelFitted
		if f.role == check { // what is checked is the mean error of all
			label = estimate.LabelNoTarget
		}
		t.RowLabels = append(t.RowLabels, label)
		t.Rows = append(t.Rows, []string{f.machine, f.name, cycles(f.measured), cycles(f.simulated), errorText(f.error()), string(f.role)})
	}
	return t
}

// errorsOf returns the mean of the figures' errors without and with their signs.
func errorsOf(all []figure) (absolute, signed float64) {
	for i := range all {
		absolute += math.Abs(all[i].error()) / float64(len(all))
		signed += all[i].error() / float64(len(all))
	}
	return absolute, signed
}

// correlation returns Pearson's coefficient of measured and simulated times.
func correlation(all []figure) float64 {
	var x, y float64
	for _, f := range all {
		x += f.measured / float64(len(all))
		y += f.simulated / float64(len(all))
	}
	var xx, yy, xy float64
	for _, f := range all {
		xx += (f.measured - x) * (f.measured - x)
		yy += (f.simulated - y) * (f.simulated - y)
		xy += (f.measured - x) * (f.simulated - y)
	}
	return xy / math.Sqrt(xx*yy)
}

// cycles formats a time: whole cycles, or with a decimal if it is short.
func cycles(n float64) string {
	if n < 100 {
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.0f", n)
}

func errorText(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
