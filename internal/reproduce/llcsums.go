package reproduce

import (
	"context"
	"fmt"
	"slices"

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
func aboveSimpleMisses(on, _ shared) float64   { return above(on.simple.misses, on.misses) }
func aboveIntervalMisses(on, _ shared) float64 { return above(on.interval.misses, on.misses) }
func aboveSimple(on, _ shared) float64         { return above(on.simple.cycles, on.cycles) }
func aboveInterval(on, _ shared) float64       { return above(on.interval.cycles, on.cycles) }
func overhead(on, off shared) float64          { return above(on.cycles, off.cycles) }

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
		t.Rows = append(t.Rows, []string{name, paper, interval, simple})
	}
	row("miss rate above the actual, k3, 256 KiB", "> 100 %", only(k3, smallest, aboveIntervalMisses), only(k3, smallest, aboveSimpleMisses))
	row("the same, 1024 KiB", "< 1 %", only(k3, largest, aboveIntervalMisses), only(k3, largest, aboveSimpleMisses))
	row("miss rate above the actual, k6, 256 KiB", "> 140 %", only(k6, smallest, aboveIntervalMisses), only(k6, smallest, aboveSimpleMisses))
	row("WCET above the run, k6, 256 KiB", "> 35 %", only(k6, smallest, aboveInterval), only(k6, smallest, aboveSimple))
	row("the same, k7, at most", "35 to 40 %", only(k7, s.sizes, aboveInterval), only(k7, s.sizes, aboveSimple))
	row("the same, k8, at most", "35 to 40 %", only(k8, s.sizes, aboveInterval), only(k8, s.sizes, aboveSimple))
	summary := func(name, paper string, of []kernels.Benchmark, interval, simple func(on, off shared) float64, sum func(ratios) float64) {
		row(name, paper, tenths(sum(s.ratios(of, s.sizes, s.quota(), interval))), tenths(sum(s.ratios(of, s.sizes, s.quota(), simple))))
	}
	summary("miss rate above the actual, k3 to k10, on average", "-", all[2:], aboveIntervalMisses, aboveSimpleMisses, ratios.mean)
	summary("the same, at most", "-", all[2:], aboveIntervalMisses, aboveSimpleMisses, ratios.worst)
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
		Name:    "Quotas, 512 KiB: by how much bounds are above, on average (misses: k3 to k10) and at most",
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
		{all[2:], aboveSimpleMisses}, {all[2:], aboveIntervalMisses}, {all, aboveSimple}, {all, aboveInterval}, {all, overhead},
	} {
		r := s.ratios(c.of, []int64{paperSize}, quota, c.figure)
		row = append(row, tenths(r.mean()), tenths(r.worst()))
	}
	return row
}

// otherCPUs shows what else the CPU may do.
func (s *sharer) otherCPUs(ctx context.Context) error {
	t := estimate.Table{
		Name:    fmt.Sprintf("What the CPU does, 512 KiB, quota %d: by how much bounds are above, on average (misses: k3 to k10) and at most", s.quota()),
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
	for how, r := range s.found {
		if how.quota == 0 {
			continue
		}
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
	s.out.Examples = append(s.out.Examples,
		example(fmt.Sprintf("Section VI-B1: bounds of misses that are below the actual, of %d", 2*runs), "0", fmt.Sprint(misses)),
		example(fmt.Sprintf("Section VI-B2: WCETs that are below the run, of %d", 2*runs), "0", fmt.Sprint(cycles)))
}
