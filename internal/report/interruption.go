package report

import (
	"fmt"
	"strings"

	"warpbound/estimate"
)

// incomplete says of a result that it is incomplete, and what it rests on: so many things, such as runs, of those that
// were planned.
func incomplete(p *printer, in *estimate.Interruption, done int, thing string) {
	if in == nil {
		return
	}
	var parts []string
	if done < in.Planned {
		parts = append(parts, fmt.Sprintf("%s of %s %ss were made", group(int64(done)), group(int64(in.Planned)), thing))
	}
	var missing []string
	for _, m := range in.Missing {
		if m != thing+"s" || done >= in.Planned {
			missing = append(missing, m)
		}
	}
	if len(missing) > 0 {
		parts = append(parts, "missing: "+strings.Join(missing, ", "))
	}
	p.printf("INCOMPLETE (%s): %s\n", reasons[in.Reason], strings.Join(parts, "; "))
}

// reasons are why work ended early, for readers.
var reasons = map[estimate.Reason]string{
	estimate.BySignal:  "interrupted",
	estimate.ByTimeout: "out of time",
	estimate.ByCost:    "too long",
	estimate.ByCaller:  "cancelled",
}
