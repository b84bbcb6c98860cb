package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"warpbound/estimate"
	"warpbound/kernels"
)

// sectionVI adds the tables and figures of Section VI, and what other quotas give.
func (s *sharer) sectionVI(ctx context.Context, quotas []int64) error {
	if err := s.find(ctx, s.sizes, []int64{0, s.quota()}); err != nil {
		return err
	}
	if err := s.tableII(ctx); err != nil {
		return err
	}
	s.ablation()
	s.missRates()
	s.times()
	s.overheads()
	if err := s.branches(ctx); err != nil {
		return err
	}
	s.statements()
	if len(quotas) > 0 {
		quotas = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(quotas), s.quota()))))
		if err := s.find(ctx, []int64{paperSize}, quotas); err != nil {
			return err
		}
		s.quotas(quotas)
		if err := s.otherCPUs(ctx); err != nil {
			return err
		}
	}
	s.safe()
	return nil
}

// paperSize is the size of the shared cache in Table II and Fig. 6, in KiB.
const paperSize = 512

// above is by how many per cent a bound is above what it bounds.
func above(bound, actual int64) float64 { return 100 * (float64(bound)/float64(actual) - 1) }

// share is a part of all in per cent.
func share(part, all int64) string { return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(all)) }

func tenths(percent float64) string { return fmt.Sprintf("%.1f %%", percent) }
func thousandths(r float64) string  { return fmt.Sprintf("%.3f", r) }

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// warmTolerance is how far misses of programs may be from the paper's, in per cent.
const warmTolerance = 5

// tableII sets programs whose launches find what the ones before left in the shared cache beside the paper's Table II.
func (s *sharer) tableII(ctx context.Context) error {
	if err := s.findPrograms(ctx); err != nil {
		return err
	}
	t := estimate.Table{
		Name: "Table II: misses of the SMs in a shared cache of 512 KiB. A program is one launch of each of its kernels, which finds in the cache\n" +
			"what the ones before left. Simple is as published, which makes nothing of that. Kernels, launches and the CPU's accesses are ours",
		Columns: []string{"", "accesses", "paper", "actual misses", "paper", "from it", "empty at launches", "Interval", "Simple", "paper", "actual rate", "paper", "Simple", "paper", "remark"},
	}
	for _, b := range kernels.LLCBenchmarks() {
		k, ok := paperTableII[b.Name]
		if !ok {
			continue
		}
		r, simple := s.warm[b.Name], s.cold[b.Name].simple.single
		from, remark, label := above(r.misses, k.actual), "", estimate.LabelFitted
		if _, several := programs[b.Program]; !several {
			lines := int64(b.Size / wordsOfLine)
			remark = fmt.Sprintf("excluded: misses of %.3f arrays of %d lines", quotient(k.actual, lines), lines)
			label = estimate.LabelNoTarget
		} else {
			e := fitted(fmt.Sprintf("Table II: actual misses of %s %s %d, with launches that find a warm cache", b.Name, b.Program, b.Size), fmt.Sprint(k.actual), fmt.Sprint(r.misses))
			e.OK, e.Tolerance = math.Abs(from) <= warmTolerance, fmt.Sprintf("%d %%", warmTolerance)
			s.out.Examples = append(s.out.Examples, e)
		}
		t.RowLabels = append(t.RowLabels, label)
		t.Rows = append(t.Rows, append([]string{b.Name + " " + b.Program}, cells(
			r.accesses, k.accesses, r.misses, k.actual, fmt.Sprintf("%+.1f %%", from), s.cold[b.Name].misses, r.interval.misses, simple, k.simple,
			share(r.misses, r.accesses), k.actualRate, share(simple, r.accesses), k.simpleRate, remark)...))
	}
	s.out.Tables = append(s.out.Tables, t)
	return nil
}

// wordsOfLine is how many words of 4 bytes a line of the paper's machine has.
const wordsOfLine = 32

// missRates makes Figs. 6 and 7.
func (s *sharer) missRates() {
	t := estimate.Table{
		Name:    fmt.Sprintf("Figs. 6 and 7: miss rates of the SMs, quota %d. The paper prints no numbers", s.quota()),
		Label:   estimate.LabelNoTarget,
		Columns: []string{"", "KiB", "accesses", "actual misses", "rate", "Simple", "rate", "above", "Interval", "rate", "above", "accesses of the CPU"},
	}
	fig6 := estimate.Plot{
		File: "fig6", Title: "Fig. 6: miss rates, 512 KiB", Y: "per cent", Bars: true,
		Series: []estimate.Series{{Name: "actual"}, {Name: "Interval"}, {Name: "Simple"}},
	}
	fig7 := estimate.Plot{File: "fig7", Title: "Fig. 7: miss rates by Interval above the actual ones", Y: "per cent of the actual", Bars: true}
	for i, kib := range s.sizes {
		fig7.Series = append(fig7.Series, estimate.Series{Name: fmt.Sprintf("%d KiB", kib)})
		for _, b := range kernels.LLCBenchmarks() {
			r := s.of(b, kib, s.quota())
			t.Rows = append(t.Rows, cells(b.Name, kib, r.accesses, r.misses, share(r.misses, r.accesses),
				r.simple.misses, share(r.simple.misses, r.accesses), tenths(above(r.simple.misses, r.misses)),
				r.interval.misses, share(r.interval.misses, r.accesses), tenths(above(r.interval.misses, r.misses)), r.cpu))
			fig7.Series[i].Values = append(fig7.Series[i].Values, above(r.interval.misses, r.misses))
			if kib != paperSize {
				continue
			}
			fig6.Positions = append(fig6.Positions, b.Name)
			for at, misses := range []int64{r.misses, r.interval.misses, r.simple.misses} {
				fig6.Series[at].Values = append(fig6.Series[at].Values, 100*float64(misses)/float64(r.accesses))
			}
		}
	}
	fig7.Positions = fig6.Positions
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, fig6, fig7)
}

// times makes Figs. 8 and 9.
func (s *sharer) times() {
	t := estimate.Table{
		Name:    fmt.Sprintf("Figs. 8 and 9: cycles and their bounds, quota %d. The paper prints no numbers", s.quota()),
		Label:   estimate.LabelNoTarget,
		Columns: []string{"", "KiB", "simulated", "of 256 KiB", "Simple", "/ simulated", "Interval", "/ simulated"},
	}
	fig8 := estimate.Plot{File: "fig8", Title: "Fig. 8: cycles, normalised to 256 KiB", Bars: true}
	fig9 := estimate.Plot{File: "fig9", Title: "Fig. 9: bounds by Interval, normalised to the simulated cycles", Bars: true}
	for i, kib := range s.sizes {
		name := fmt.Sprintf("%d KiB", kib)
		fig8.Series, fig9.Series = append(fig8.Series, estimate.Series{Name: name}), append(fig9.Series, estimate.Series{Name: name})
		for _, b := range kernels.LLCBenchmarks() {
			r := s.of(b, kib, s.quota())
			normalised := quotient(r.cycles, s.of(b, s.sizes[0], s.quota()).cycles)
			t.Rows = append(t.Rows, cells(b.Name, kib, r.cycles, thousandths(normalised),
				r.simple.cycles, thousandths(quotient(r.simple.cycles, r.cycles)),
				r.interval.cycles, thousandths(quotient(r.interval.cycles, r.cycles))))
			fig8.Series[i].Values = append(fig8.Series[i].Values, normalised)
			fig9.Series[i].Values = append(fig9.Series[i].Values, quotient(r.interval.cycles, r.cycles))
			if i == 0 {
				fig8.Positions = append(fig8.Positions, b.Name)
			}
		}
	}
	fig9.Positions = fig8.Positions
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, fig8, fig9)
}

// overheads makes Fig. 10.
func (s *sharer) overheads() {
	t := estimate.Table{
		Name:    fmt.Sprintf("Fig. 10: cycles with accesses that are regulated, quota %d, and that are not. The paper prints no numbers", s.quota()),
		Label:   estimate.LabelNoTarget,
		Columns: []string{"", "KiB", "not regulated", "regulated", "overhead"},
	}
	fig10 := estimate.Plot{File: "fig10", Title: "Fig. 10: overhead of regulation", Y: "per cent", Bars: true}
	for i, kib := range s.sizes {
		fig10.Series = append(fig10.Series, estimate.Series{Name: fmt.Sprintf("%d KiB", kib)})
		for _, b := range kernels.LLCBenchmarks() {
			off, on := s.of(b, kib, 0).cycles, s.of(b, kib, s.quota()).cycles
			t.Rows = append(t.Rows, cells(b.Name, kib, off, on, tenths(above(on, off))))
			fig10.Series[i].Values = append(fig10.Series[i].Values, above(on, off))
			if i == 0 {
				fig10.Positions = append(fig10.Positions, b.Name)
			}
		}
	}
	s.out.Tables, s.out.Plots = append(s.out.Tables, t), append(s.out.Plots, fig10)
}

func quotient(a, b int64) float64 { return float64(a) / float64(b) }
