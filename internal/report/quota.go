package report

import (
	"fmt"
	"io"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// Quotas writes what quotas of regulated accesses make of the bounds of jobs, for people.
func Quotas(w io.Writer, q *estimate.Quotas) error {
	p := &printer{w: w}
	p.printf("Bounds by %s in cycles:\n", q.Method)
	p.table(func(rows *printer) {
		rows.printf("  quota\t")
		for _, j := range q.Jobs {
			rows.printf("%s\t", symbol.Short(j.Kernel))
		}
		rows.printf("sum\t\t\n")
		for i, b := range q.Tried {
			rows.printf("  %s\t", group(b.Quota))
			for _, cycles := range b.Cycles {
				rows.printf("%s\t", group(cycles))
			}
			mark := ""
			if i == q.Best {
				mark = "best"
			}
			rows.printf("%s\t%s\t\n", group(b.Sum), mark)
		}
	})
	how := "every quota"
	if !q.All {
		how = "powers of two, then halves of the distance to the best one's neighbours,"
	}
	p.printf("\nTried: %s from %s to %s.\n", how, group(q.First), group(q.Last))
	incomplete(p, q.Interrupted)
	for _, j := range q.Jobs {
		p.printf("%s has quota %s on %s and a bound of %s.\n", j.Job, group(j.Quota), j.Machine, group(j.Cycles))
	}
	p.printf("\nFor the jobs:\n\n[llc]\nquota = %s\n", fmt.Sprint(q.Tried[q.Best].Quota))
	return p.err
}
