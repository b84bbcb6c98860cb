package report

import (
	"strings"

	"warpbound/estimate"
)

// incomplete says of a result that it is incomplete, and what is missing.
func incomplete(p *printer, in *estimate.Interruption) {
	if in != nil {
		p.printf("INCOMPLETE (%s): missing: %s\n", reasons[in.Reason], strings.Join(in.Missing, ", "))
	}
}

// incompleteRuns says the same of one that rests on so many runs.
func incompleteRuns(p *printer, in *estimate.Interruption, runs int) {
	if in == nil || in.Planned <= runs {
		incomplete(p, in)
		return
	}
	p.printf("INCOMPLETE (%s): %s of %s runs were made", reasons[in.Reason], group(int64(runs)), group(int64(in.Planned)))
	rest := ""
	for _, m := range in.Missing {
		if m != "runs" {
			rest += ", " + m
		}
	}
	if rest != "" {
		p.printf("; missing: %s", rest[len(", "):])
	}
	p.printf("\n")
}

// reasons are why work ended early, for readers.
var reasons = map[estimate.Reason]string{
	estimate.BySignal:  "interrupted",
	estimate.ByTimeout: "out of time",
	estimate.ByMemory:  "out of memory",
	estimate.ByCost:    "too long",
	estimate.ByCaller:  "cancelled",
}
