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

// extents lists the smallest and largest times of a sensitivity: of the longest runs first, if there are any, and then of the methods that
// have an estimate on some machine.
func extents(s *estimate.Sensitivity) []estimate.SampledEstimates {
	var all []estimate.SampledEstimates
	if s.Observed != nil {
		all = append(all, estimate.SampledEstimates{Method: "longest run", Extent: *s.Observed, Samples: s.Samples})
	}
	for _, e := range s.Estimates {
		if e.Samples > 0 {
			all = append(all, e)
		}
	}
	return all
}

// sensitivity writes how far results move with the numbers of the machine, if that was asked for.
func sensitivity(p *printer, a *estimate.Analysis) {
	s := a.Sensitivity
	if s == nil {
		return
	}
	p.printf("%s:\n", sampled(s))
	all := extents(s)
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
		if e.Samples < s.Samples {
			p.printf("  %s: has an estimate on %d of them\n", e.Method, e.Samples)
		}
	}
	p.printf("\n")
}
