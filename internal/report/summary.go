package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// The size of a summary, which fits a screen.
const (
	summaryColumns  = 100
	summaryShares   = 3
	summaryRests    = 6
	summaryDecisive = 4
	summaryWarnings = 4
)

// Summary writes what an analysis comes to on one screen: the verdict, or without a budget between what the time of all runs lies, what makes up
// the bound, and what it rests on. run is a profile of its longest run, nil if there is none, and hz the machine's clock in cycles per second.
func Summary(w io.Writer, a *estimate.Analysis, run *estimate.Profile, hz float64) error {
	p := &printer{w: w}
	p.printf("%s\n\n", headline(a, hz))
	printViolations(p, a)
	incompleteRuns(p, a.Interrupted, a.Runs)
	writeBracket(p, a, hz)
	convergence(p, a.Convergence)
	if e := a.Tightest(); e != nil && e.ByLine != nil {
		writeDearestLines(p, e, run)
	} else if e != nil && len(e.Breakdown) > 0 {
		writeGreatestShares(p, e)
	} else if e == nil {
		whyNoBound(p, a)
	}
	writeNextSteps(p, a.Verdict, hz)
	writeRestsOn(p, a, hz)
	writeFirstWarnings(p, a)
	p.printf("All methods, assumptions and warnings: --details.  As a page: --html FILE\n")
	return p.err
}

// clip cuts a line that is longer than a summary is wide.
func clip(line string) string { return clipTo(line, summaryColumns) }

// clipTo cuts a line that is longer than so many letters.
func clipTo(line string, columns int) string {
	letters := []rune(line)
	if len(letters) <= columns {
		return line
	}
	return string(letters[:columns-3]) + "..."
}

// writeBracket writes the longest run, the budget, the bound, and the least estimate that is no more than observed.
func writeBracket(p *printer, a *estimate.Analysis, hz float64) {
	p.table(func(rows *printer) {
		var unit timeUnit
		row := func(name string, cycles int64, what string) {
			if unit.name == "" {
				unit = unitOf(cycles, hz)
			}
			rows.printf("  %s\t%s\t%s cycles\t  %s\n", name, unit.text(cycles, hz), group(cycles), what)
		}
		if n := a.LongestCycles(); n != nil {
			row("at least", *n, longestOf(a)+longest(a))
		}
		if v := a.Verdict; v != nil {
			at := v.BudgetPos
			if at == "" {
				at = "--budget"
			}
			row("deadline", v.Budget, at)
		}
		if e := a.Tightest(); e != nil && e.Evidence != estimate.Observed {
			row("at most", e.Cycles, e.Method+", "+ofModel(e))
		}
		if e := findLikely(a); e != nil {
			row("likely", e.Cycles, e.Method+", observed"+describeTrial(e, a.Coverage))
		}
	})
	p.printf("\n")
}

// ofModel says what the evidence of an estimate is, and whether it is that of a machine with numbers that are assumed.
func ofModel(e *estimate.Estimate) string {
	if e.Evidence == estimate.Proven && e.Numbers != nil && e.Numbers.Assumed > 0 {
		return "proven of the model"
	}
	return string(e.Evidence)
}

// describeTrial says what runs say of an estimate that is tried on them, and of the branches that no run has taken where that may matter.
func describeTrial(e *estimate.Estimate, c *estimate.Coverage) string {
	switch p := e.Prediction; {
	case p == nil || p.Fixed:
		return describeUnseen(c)
	case p.Status == estimate.NotRefuted:
		return fmt.Sprintf(", not refuted by %s inputs", group(p.Random+p.Adversarial))
	default:
		return ", " + string(p.Status) + describeUnseen(c)
	}
}

// findLikely returns the estimate that is tried on its runs, and if there is none the least one that rests on what was observed alone, and
// may decide; nil if there is none either.
func findLikely(a *estimate.Analysis) *estimate.Estimate {
	var best *estimate.Estimate
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if e.Prediction != nil && e.Evidence == estimate.Observed && e.Bounds() {
			return e
		}
		if _, other := a.OtherMode(e); e.Evidence == estimate.Observed && e.Bounds() && !other && e.Relied() && (best == nil || e.Cycles < best.Cycles) {
			best = e
		}
	}
	return best
}

// describeUnseen says how many outcomes of branches no run has shown.
func describeUnseen(c *estimate.Coverage) string {
	if c == nil || c.Outcomes.Covered == c.Outcomes.Possible {
		return ""
	}
	return fmt.Sprintf("; %s never run", counted(c.Outcomes.Possible-c.Outcomes.Covered, "branch outcome"))
}

// writeGreatestShares writes what most of a bound goes to.
func writeGreatestShares(p *printer, e *estimate.Estimate) {
	p.printf("Most of the %s cycles of %s\n", group(e.Cycles), e.Method)
	p.table(func(rows *printer) {
		for _, s := range e.Breakdown[:min(summaryShares, len(e.Breakdown))] {
			text := symbol.Label(s.Name)
			if s.Pos != "" {
				text += " at " + s.Pos
			}
			rows.printf("  %.0f %%\t%s\t  %s\n", 100*float64(s.Cycles)/float64(max(e.Cycles, 1)), group(s.Cycles), text)
		}
	})
	p.printf("\n")
}

// whyNoBound says of the methods for the machine why they have no bound.
func whyNoBound(p *printer, a *estimate.Analysis) {
	n := 0
	for _, r := range a.Refused {
		if r.Machine {
			continue
		}
		if n++; n > summaryWarnings {
			p.printf("  and %d more\n", n-summaryWarnings)
			break
		}
		p.printf("%s\n", clip(noBound(r)))
	}
	if n > 0 {
		p.printf("\n")
	}
}

// writeNextSteps writes what would help.
func writeNextSteps(p *printer, v *estimate.Verdict, hz float64) {
	if v == nil || len(v.Next) == 0 {
		return
	}
	p.printf("What would help (each analysed)\n")
	p.table(func(rows *printer) {
		for i, n := range v.Next {
			text := n.Change
			if n.ChangesContract {
				text += "; changes the contract"
			}
			rows.printf("  %d\tat most %s\t%s cycles\t%s\t  %s\n", i+1, unitOf(v.Budget, hz).text(n.Cycles, hz), group(n.Cycles), n.Evidence, text)
		}
	})
	p.printf("\n")
}

// writeRestsOn writes what the bound holds for, in one line each.
func writeRestsOn(p *printer, a *estimate.Analysis, hz float64) {
	e := a.Tightest()
	if e == nil {
		return
	}
	p.printf("Rests on\n")
	var decisive []string
	if n := e.Numbers; n != nil && n.Assumed > 0 {
		p.printf("  model    %d of %s of %s are assumed\n", n.Assumed, counted(n.All(), "number"), a.Machine)
		decisive = summariseMovedBounds(a.Assumed, summaryDecisive)
		for _, text := range decisive {
			p.printf("%s\n", clip("           "+text))
		}
	}
	p.printf("  machine  %s at %.4g MHz%s, SHA-256 %.12s\n", a.Machine, hz/1e6, within(false, a.ClockMode)+scheduled(a.Threads), a.MachineHash)
	if o := a.Occupancy; o != nil {
		p.printf("%s\n", clip("  code     "+describeOccupancy(o)))
	}
	if a.Alone {
		p.printf("  memory   nobody else uses the DRAM: CPU, cameras, other engines\n")
	}
	shown := e.Assumptions
	if lines := summaryRests - len(decisive); len(shown) > lines+1 { // one more takes no more room than that there is one
		shown = shown[:lines]
	}
	for _, text := range shown {
		p.printf("%s\n", clip("  -  "+text))
	}
	if rest := len(e.Assumptions) - len(shown); rest > 0 {
		p.printf("  and %s more\n", counted(rest, "assumption"))
	}
	if lines := contractLines(a.Contract); len(lines) > 0 {
		p.printf("%s\n", clip("  inputs   "+strings.Join(lines, "; ")))
	}
	p.printf("\n")
}

// describeOccupancy says how many CTAs an SM holds, and what keeps further ones away.
func describeOccupancy(o *estimate.Occupancy) string {
	registers := counted(o.Registers, "register")
	if o.Estimated {
		registers += ", estimated"
	}
	return fmt.Sprintf("%s; %s, %d of %s on an SM, limited by %s; %s",
		registers, counted(o.CTAsPerSM, "CTA"), o.Warps, counted(o.MaxWarps, "warp"), o.Limit, counted(o.Waves, "wave"))
}

// writeFirstWarnings writes the first warnings, those before others that void what is shown: each on one line, but these.
func writeFirstWarnings(p *printer, a *estimate.Analysis) {
	all := besides(a.Warnings)
	slices.SortStableFunc(all, func(a, b estimate.Warning) int { return cmp.Compare(rankWarning(a), rankWarning(b)) })
	for _, w := range all[:min(summaryWarnings, len(all))] {
		head, tail := fmt.Sprintf("warning: %s: %s", w.Pos, w.Text), fmt.Sprintf(" [%s]", w.ID)
		if rankWarning(w) == 0 {
			p.printf("%s\n", strings.Join(wrapped(head+tail, summaryColumns), "\n"))
		} else {
			p.printf("%s%s\n", clipTo(head, summaryColumns-len(tail)), tail)
		}
	}
	if rest := all[min(summaryWarnings, len(all)):]; len(rest) > 0 {
		var ids []string
		for _, w := range rest {
			ids = append(ids, w.ID)
		}
		slices.Sort(ids)
		p.printf("%s\n", clip(fmt.Sprintf("%s more: %s", counted(len(rest), "warning"), strings.Join(slices.Compact(ids), ", "))))
	}
	if len(a.Races) > 0 {
		p.printf("data races: %s of accesses that nothing orders\n", counted(len(a.Races), "kind"))
	}
	if len(all)+len(a.Races) > 0 {
		p.printf("\n")
	}
}

// rankWarning orders warnings: what the manual leaves undefined voids all that is shown.
func rankWarning(w estimate.Warning) int {
	if w.ID == estimate.UndefinedBehaviour {
		return 0
	}
	return 1
}
