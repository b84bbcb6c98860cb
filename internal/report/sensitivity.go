package report

import (
	"fmt"
	"time"

	"warpbound/estimate"
)

// sampled says which machines the results of a sensitivity are of.
func sampled(s *estimate.Sensitivity) string {
	return fmt.Sprintf("On %s with %s sampled from their ranges (%s)", counted(s.Samples, "machine"), counted(len(s.Numbers), "number"), s.Evidence)
}

// describeVaried says on which machines the bound is asked that are others in one assumed number each.
func describeVaried(s *estimate.AssumedNumbers) string {
	return fmt.Sprintf("Bound of %s with another of the numbers that are assumed, %d of %d tried: those that move it by more than a tenth",
		s.Method, s.Varied, s.Possible)
}

// movedBound says what the bound is if an assumed number is another one.
func movedBound(n estimate.AssumedNumber) string {
	bound := "no bound"
	if n.Cycles > 0 {
		bound = fmt.Sprintf("at most %s cycles", group(n.Cycles))
	}
	return fmt.Sprintf("%s: %s with %s instead of %s", n.Number, bound, n.Other, n.Value)
}

// summariseMovedBounds says so of the numbers that move the bound most, of each once, in so many lines at most.
func summariseMovedBounds(s *estimate.AssumedNumbers, limit int) []string {
	if s == nil {
		return nil
	}
	var all []string
	seen := make(map[string]bool)
	for _, n := range s.Decisive {
		if !seen[n.Number] {
			seen[n.Number] = true
			all = append(all, movedBound(n))
		}
	}
	if len(all) > limit {
		rest := len(all) - limit + 1
		all = append(all[:limit-1], fmt.Sprintf("and %s that move the bound by more than a tenth (--details)", counted(rest, "other")))
	}
	return all
}

// writeMovedBounds writes which assumed numbers of the machine decide the bound.
func writeMovedBounds(p *printer, a *estimate.Analysis) {
	s := a.Assumed
	if s == nil || len(s.Decisive) == 0 {
		return
	}
	p.printf("%s:\n", describeVaried(s))
	for _, n := range s.Decisive {
		p.printf("  %s\n", movedBound(n))
	}
	p.printf("\n")
}

// placed says which addresses the results of placements are of.
func placed(s *estimate.Placements) string {
	return fmt.Sprintf("With %s of the buffers, the job's own and gaps below %g MiB before each (%s)", counted(s.Samples, "placement"), float64(s.Range)/(1<<20), s.Evidence)
}

// extents lists smallest and largest times: of the longest runs first, if there are any, and then of the methods that
// have an estimate in some sample.
func extents(samples int, observed *estimate.Extent, estimates []estimate.SampledEstimates) []estimate.SampledEstimates {
	var all []estimate.SampledEstimates
	if observed != nil {
		all = append(all, estimate.SampledEstimates{Method: "longest run", Extent: *observed, Samples: samples})
	}
	for _, e := range estimates {
		if e.Samples > 0 {
			all = append(all, e)
		}
	}
	return all
}

// sensitivity writes how far results move with the numbers of the machine, if that was asked for.
func sensitivity(p *printer, a *estimate.Analysis) {
	if s := a.Sensitivity; s != nil {
		samplesText(p, sampled(s), s.Samples, extents(s.Samples, s.Observed, s.Estimates))
	}
}

// placements writes how far they move with the addresses of the buffers, likewise.
func placements(p *printer, a *estimate.Analysis) {
	if s := a.Placements; s != nil {
		samplesText(p, placed(s), s.Samples, extents(s.Samples, s.Observed, s.Estimates))
	}
}

// samplesText writes the smallest and largest times of so many samples under a title.
func samplesText(p *printer, title string, samples int, all []estimate.SampledEstimates) {
	p.printf("%s:\n", title)
	p.table(func(rows *printer) {
		names := []string{""}
		for _, e := range all {
			names = append(names, e.Method)
		}
		names = padded(names)
		rows.printf("  %s\tsmallest\ttime\tlargest\ttime\t\n", names[0])
		for i, e := range all {
			rows.printf("  %s\t%s\t%s\t%s\t%s\t\n", names[i+1], group(e.Min), milliseconds(time.Duration(e.MinNS)), group(e.Max), milliseconds(time.Duration(e.MaxNS)))
		}
	})
	for _, e := range all {
		if e.Samples < samples {
			p.printf("  %s: has an estimate on %d of them\n", e.Method, e.Samples)
		}
	}
	p.printf("\n")
}
