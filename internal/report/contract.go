package report

import "warpbound/estimate"

// contract lists what a job says of inputs that vary, as far as bounds rest on it or cannot.
func contract(p *printer, declared []estimate.Contract) {
	lines := contractLines(declared)
	if len(lines) == 0 {
		return
	}
	p.printf("Contract, within which bounds hold for all inputs:\n")
	for _, line := range lines {
		p.printf("  - %s\n", line)
	}
	p.printf("\n")
}

// contractLines says one line each of inputs that vary.
func contractLines(declared []estimate.Contract) []string {
	var lines []string
	for _, c := range declared {
		switch {
		case c.Fixed || !c.Used && c.Reason == "":
		case !c.Used:
			lines = append(lines, c.Input+": "+c.Text+"; not used: "+c.Reason)
		default:
			lines = append(lines, c.Input+": "+c.Text)
		}
	}
	return lines
}
