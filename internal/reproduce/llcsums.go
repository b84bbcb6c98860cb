package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/kernels"
)

// ratios are a figure for each benchmark of some and each size of the cache.
type ratios []float64

// ratios computes a figure of what was found with a quota, and without regulation.
func (s *sharer) ratios(of []kernels.Benchmark, sizes []int64, quota int64, figure func(on, off shared) float64) ratios {
	var list ratios
	for _, b := range of {
		for _, kib := range sizes {
			list = append(list, figure(s.of(b, kib, quota), s.of(b, kib, 0)))
		}
	}
	return list
}

func (r ratios) mean() float64  { return mean(r) }
func (r ratios) worst() float64 { return slices.Max(r) }

// What is compared, each in per cent.
func aboveSimpleSingle(on, _ shared) float64   { return above(on.simple.single, on.misses) }
func aboveSimpleMisses(on, _ shared) float64   { return above(on.simple.misses, on.misses) }
func aboveIntervalSingle(on, _ shared) float64 { return above(on.interval.single, on.misses) }
func aboveIntervalMisses(on, _ shared) float64 { return above(on.interval.misses, on.misses) }
func aboveSimple(on, _ shared) float64         { return above(on.simple.cycles, on.cycles) }
func aboveInterval(on, _ shared) float64       { return above(on.interval.cycles, on.cycles) }
func overhead(on, off shared) float64          { return above(on.cycles, off.cycles) }

// Of accesses that are not regulated there is no Interval.
func aboveFreeSingle(_, off shared) float64 { return above(off.simple.single, off.misses) }
func aboveFreeMisses(_, off shared) float64 { return above(off.simple.misses, off.misses) }

// again returns the benchmarks that use lines again that are still there. Of the others nearly every access misses, by any
// method, so that they say nothing of one and do not enter means of misses.
func (s *sharer) again() []kernels.Benchmark {
	var list []kernels.Benchmark
	for _, b := range kernels.LLCBenchmarks() {
		if r := s.of(b, paperSize, s.quota()); 100*r.misses < 99*r.accesses {
			list = append(list, b)
		}
	}
	return list
}

// names joins the names of benchmarks.
func names(of []kernels.Benchmark) string {
	var list []string
	for _, b := range of {
		list = append(list, b.Name)
	}
	return strings.Join(list, ", ")
}

// ablation shows what each ingredient of the bounds of misses is worth.
func (s *sharer) ablation() {
	t := estimate.Table{
		Name: "What intervals and the grouping of accesses to one line are worth: by how much bounds of misses are above the actual, 512 KiB.\n" +
			"As published each access counts on its own; grouped, only as many of those to one line as can miss together",
		Columns: []string{"", "misses", "Simple as published", "Simple, grouped", "Interval as published", "Interval, grouped", "not regulated: misses", "Simple as published", "Simple, grouped"},
	}
	figures := []func(on, off shared) float64{aboveSimpleSingle, aboveSimpleMisses, aboveIntervalSingle, aboveIntervalMisses, aboveFreeSingle, aboveFreeMisses}
	row := func(name, on, off string, figure func(of func(on, off shared) float64) float64) {
		cells := []string{name, on}
		for i, f := range figures {
			if i == 4 {
				cells = append(cells, off)
			}
			cells = append(cells, tenths(figure(f)))
		}
		t.Rows = append(t.Rows, cells)
	}
	sizes := []int64{paperSize}
	for _, b := range kernels.LLCBenchmarks() {
		row(b.Name+" "+b.Program, fmt.Sprint(s.of(b, paperSize, s.quota()).misses), fmt.Sprint(s.of(b, paperSize, 0).misses), func(f func(on, off shared) float64) float64 {
			return s.ratios([]kernels.Benchmark{b}, sizes, s.quota(), f).mean()
		})
	}
	again := s.again()
	row("average of "+names(again), "", "", func(f func(on, off shared) float64) float64 { return s.ratios(again, sizes, s.quota(), f).mean() })
	s.out.Tables = append(s.out.Tables, t)
}

// statements sets what the text of the paper says beside what was found.
func (s *sharer) statements() {
	t := estimate.Table{
		Name:    fmt.Sprintf("What the text of Section VI says, in per cent, and all of it at quota %d", s.quota()),
		Columns: []string{"", "paper", "Interval", "Simple"},
	}
	all := kernels.LLCBenchmarks()
	smallest, largest := s.sizes[:1], s.sizes[len(s.sizes)-1:]
	only := func(b kernels.Benchmark, sizes []int64, figure func(on, off shared) float64) string {
		return tenths(s.ratios([]kernels.Benchmark{b}, sizes, s.quota(), figure).worst())
	}
	k3, k6, k7, k8 := all[2], all[5], all[6], all[7]
	row := func(name, paper, interval, simple string) {
		label := estimate.LabelInequality
		if paper == "-" {
			label = estimate.LabelNoTarget
		}
		t.RowLabels = append(t.RowLabels, label)
		t.Rows = append(t.Rows, []string{name, paper, interval, simple})
	}
	row("miss rate above the actual, k3, 256 KiB", "> 100 %", only(k3, smallest, aboveIntervalMisses), only(k3, smallest, aboveSimpleMisses))
	row("the same, 1024 KiB", "< 1 %", only(k3, largest, aboveIntervalMisses), only(k3, largest, aboveSimpleMisses))
	row("miss rate above the actual, k6, 256 KiB", "> 140 %", only(k6, smallest, aboveIntervalMisses), only(k6, smallest, aboveSimpleMisses))
	row("WCET above the run, k6, 256 KiB", "> 35 %", only(k6, smallest, aboveInterval), only(k6, smallest, aboveSimple))
	row("the same, k7, at most", "> 35 %, < 40 %", only(k7, s.sizes, aboveInterval), only(k7, s.sizes, aboveSimple))
	row("the same, k8, at most", "> 35 %, < 40 %", only(k8, s.sizes, aboveInterval), only(k8, s.sizes, aboveSimple))
	summary := func(name, paper string, of []kernels.Benchmark, interval, simple func(on, off shared) float64, sum func(ratios) float64) {
		row(name, paper, tenths(sum(s.ratios(of, s.sizes, s.quota(), interval))), tenths(sum(s.ratios(of, s.sizes, s.quota(), simple))))
	}
	again := s.again()
	summary("miss rate above the actual, "+names(again)+", on average", "-", again, aboveIntervalMisses, aboveSimpleMisses, ratios.mean)
	summary("the same, at most", "-", again, aboveIntervalMisses, aboveSimpleMisses, ratios.worst)
	summary("each access on its own, as published, on average", "-", again, aboveIntervalSingle, aboveSimpleSingle, ratios.mean)
	summary("WCET above the run, k1 to k10, on average", "-", all, aboveInterval, aboveSimple, ratios.mean)
	summary("the same, at most", "-", all, aboveInterval, aboveSimple, ratios.worst)
	overheads := s.ratios(all, s.sizes, s.quota(), overhead)
	row("overhead of regulation, on average", "< 8 %", tenths(overheads.mean()), "")
	row("the same, at most", "-", tenths(overheads.worst()), "")
	s.out.Tables = append(s.out.Tables, t)
}

// quotas shows what other quotas give.
func (s *sharer) quotas(quotas []int64) {
	t := estimate.Table{
		Name:    "Quotas, 512 KiB: by how much bounds are above, on average (misses: of kernels that use lines again) and at most",
		Columns: append([]string{"quota"}, summaryColumns()...),
	}
	p := estimate.Plot{
		File: "quotas", Title: "What a quota costs, and how tight bounds are, 512 KiB", X: "quota", Y: "per cent on average",
		Series: []estimate.Series{{Name: "overhead of regulation"}, {Name: "WCET by Interval above the run"}},
	}
	sizes, all := []int64{paperSize}, kernels.LLCBenchmarks()
	for _, quota := range quotas {
		t.Rows, p.Positions = append(t.Rows, append(cells(quota), s.summary(quota)...)), append(p.Positions, fmt.Sprint(quota))
		for i, figure := range []func(on, off shared) float64{overhead, aboveInterval} {
			p.Series[i].Values = append(p.Series[i].Values, s.ratios(all, sizes, quota, figure).mean())
		}
	}
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, p)
}

func summaryColumns() []string {
	return []string{"misses by Simple", "at most", "by Interval", "at most", "WCET by Simple", "at most", "by Interval", "at most", "overhead", "at most"}
}

// summary sums up what a quota gives, under summaryColumns.
func (s *sharer) summary(quota int64) []string {
	var row []string
	all := kernels.LLCBenchmarks()
	for _, c := range []struct {
		of     []kernels.Benchmark
		figure func(on, off shared) float64
	}{
		{s.again(), aboveSimpleMisses}, {s.again(), aboveIntervalMisses}, {all, aboveSimple}, {all, aboveInterval}, {all, overhead},
	} {
		r := s.ratios(c.of, []int64{paperSize}, quota, c.figure)
		row = append(row, tenths(r.mean()), tenths(r.worst()))
	}
	return row
}

// otherCPUs shows what else the CPU may do.
func (s *sharer) otherCPUs(ctx context.Context) error {
	t := estimate.Table{
		Name:    fmt.Sprintf("What the CPU does, 512 KiB, quota %d: by how much bounds are above, on average (misses: of kernels that use lines again) and at most", s.quota()),
		Columns: append([]string{"CPU", "its accesses beside k10"}, summaryColumns()...),
	}
	shown := s.cpu
	defer func() { s.cpu = shown }()
	all := kernels.LLCBenchmarks()
	for _, cpu := range cpus {
		s.cpu = cpu
		if err := s.find(ctx, []int64{paperSize}, []int64{0, s.quota()}); err != nil {
			return err
		}
		t.Rows = append(t.Rows, append(cells(cpu, s.of(all[len(all)-1], paperSize, s.quota()).cpu), s.summary(s.quota())...))
	}
	s.out.Tables = append(s.out.Tables, t)
	return nil
}

// safe counts what is above its bound, which nothing may be.
func (s *sharer) safe() {
	var runs, misses, cycles int
	count := func(r shared) {
		runs++
		for _, b := range []sharedBound{r.simple, r.interval} {
			if r.misses > b.misses {
				misses++
			}
			if r.cycles > b.cycles {
				cycles++
			}
		}
	}
	for how, r := range s.found {
		if how.quota > 0 {
			count(r)
		}
	}
	for name := range s.warm {
		if s.warm[name] != s.cold[name] { // else it is one launch, which is counted
			count(s.warm[name])
			count(s.cold[name])
		}
	}
	s.out.Examples = append(s.out.Examples,
		example(fmt.Sprintf("Section VI-B1: bounds of misses that are below the actual, of %d", 2*runs), "0", fmt.Sprint(misses)),
		example(fmt.Sprintf("Section VI-B2: WCETs that are below the run, of %d", 2*runs), "0", fmt.Sprint(cycles)))
}
