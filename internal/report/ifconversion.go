package report

import (
	"fmt"

	"warpbound/estimate"
)

// ifConversion writes what selections in place of branches cost and gain, if the module was written with them.
func ifConversion(p *printer, a *estimate.Analysis, hz float64) {
	c := a.IfConversion
	if c == nil {
		return
	}
	if len(c.Branches) == 0 {
		p.printf("With selections in place of branches: inputs reach no branch, so that the module is written as it is.\n\n")
		return
	}
	p.printf("With selections in place of branches that inputs reach:\n")
	for _, b := range c.Branches {
		where := b.Pos
		if b.Source != "" {
			where = fmt.Sprintf("%s (%s)", b.Source, b.Pos)
		}
		p.printf("  %s: %s, %s\n", where, b.Kind, difference(b.Added))
	}
	p.table(func(rows *printer) {
		names := []string{"as it is, longest of " + counted(c.Runs, "run")}
		if c.Before != nil {
			names = append(names, "as it is, "+c.Before.Method)
		}
		names = padded(append(names, "converted, "+c.After.Method))
		row := func(i int, cycles int64, standing string) {
			rows.printf("  %s\t%s cycles\t%s\t%s\t\n", names[i], group(cycles), milliseconds(Duration(cycles, hz)), standing)
		}
		row(0, c.Observed.Max, string(estimate.Observed))
		if c.Before != nil {
			row(1, c.Before.Cycles, Standing(c.Before.Evidence, numbersOf(a, c.Before.Method)))
		}
		row(len(names)-1, c.After.Cycles, Standing(c.After.Evidence, c.Numbers))
	})
	p.printf("  %s; same results in %s; data races: %s\n\n", difference(c.Instructions())+" in all", counted(c.Runs, "run"), c.Races)
}

// difference says how many more instructions there are.
func difference(n int) string {
	if n < 0 {
		return counted(-n, "instruction") + " fewer"
	}
	return counted(n, "instruction") + " more"
}
