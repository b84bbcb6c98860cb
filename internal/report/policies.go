package report

import (
	"fmt"

	"warpbound/estimate"
)

// policies writes how far the times of runs move with the choices of the machine, if that was asked for.
func policies(p *printer, a *estimate.Analysis) {
	s := a.Policies
	if s == nil {
		return
	}
	p.printf("Longest of %s under %s of policies (%s):\n", counted(s.Vectors, "run"), counted(len(s.Runs), "choice"), s.Evidence)
	p.table(func(rows *printer) {
		row := func(name string, i int) {
			r := &s.Runs[i]
			rows.printf("  %s\t%s\t%s\t\n", name, group(r.Max), chosen(r))
		}
		if s.Runs[0].Failed == "" {
			row("machine's", 0)
		}
		if s.Spread != nil {
			row("smallest", s.Spread.Shortest)
			row("largest", s.Spread.Longest)
		}
	})
	if s.Spread != nil {
		p.printf("  the largest is %.3f times the smallest\n", s.Spread.Ratio)
	}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Failed != "" {
			p.printf("  no end under %s: %s\n", chosen(r), r.Failed)
		}
	}
	p.printf("\n")
}

// chosen says what a choice is.
func chosen(r *estimate.PolicyRun) string {
	if r.Paths == "" {
		return fmt.Sprintf("%s, %s", r.Policy, r.DRAMOrder)
	}
	return fmt.Sprintf("%s, %s, paths %s", r.Policy, r.DRAMOrder, r.Paths)
}
