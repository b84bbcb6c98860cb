package report

import "warpbound/estimate"

// launchTimes lists the launches of a run with several.
func launchTimes(p *printer, list []estimate.LaunchTime) {
	if len(list) == 0 {
		return
	}
	p.printf("Launches, each on an idle GPU:\n")
	p.table(func(rows *printer) {
		names := []string{"kernel"}
		for _, l := range list {
			names = append(names, l.Kernel)
		}
		names = padded(names)
		rows.printf("  %s\tgrid\tblock\texecuted\tcycles in all\t\n", names[0])
		for i, l := range list {
			rows.printf("  %s\t%s\t%s\t%s\t%s\t\n", names[i+1], dims(l.Grid), dims(l.Block), group(int64(l.Executed)), group(l.Cycles))
		}
	})
	p.printf("\n")
}
