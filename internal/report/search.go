package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// Search writes what a search found for people, and how far that lies below bounds. hz is the
// machine's clock in cycles per second.
func Search(w io.Writer, a *estimate.Analysis, s *estimate.Search, hz float64) error {
	p := &printer{w: w}
	p.printf("kernel %s on %s (%.4g MHz), job %s\n", symbol.Readable(a.Kernel), a.Machine, hz/1e6, a.Job)
	p.printf("grid %s, block %s\n\n", dims(a.Launch.Grid), dims(a.Launch.Block))
	if s.Explored != nil {
		exploration(p, s.Explored)
	}
	if len(s.Strategies) == 0 {
		p.printf("Interrupted: no run was made.\n\n")
		warnings(p, a.Warnings)
		return p.err
	}
	strategies(p, s, hz)
	if s.File != "" {
		p.printf("The inputs that take longest are in %s.\n\n", s.File)
	} else {
		p.printf("The inputs that take longest were not saved (--out DIR).\n\n")
	}
	below(p, s, hz)
	uncertain(p, s, hz)
	convergence(p, a.Convergence)
	printViolations(p, a)
	switch {
	case s.Interrupted && len(s.Below) == 0:
		p.printf("Interrupted: no bounds computed.\n\n")
	case s.Interrupted:
		p.printf("Interrupted: not all bounds computed; missing: %s.\n\n", strings.Join(a.Interrupted.Missing, ", "))
	}
	for i := range a.Estimates {
		if a.Estimates[i].Method == estimate.SearchMethod {
			assumptions(p, a.Estimates[i:i+1])
		}
	}
	warnings(p, a.Warnings)
	return p.err
}

// exploration writes what symbolic execution found.
func exploration(p *printer, e *estimate.Exploration) {
	p.printf("Symbolic execution:\n")
	p.table(func(rows *printer) {
		rows.printf("  threads\tpaths\tfail\tcut off\tunknown\tqueries\toutcomes covered\tcomplete\t\n")
		for _, s := range e.Steps {
			threads, complete := group(int64(s.Threads)), "no"
			if s.AnyOne {
				threads = "any one"
			}
			if s.Complete {
				complete = "yes"
			}
			rows.printf("  %s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", threads, s.Paths, s.Faults, s.CutOff, s.Unknown, s.Queries, s.Covered, complete)
		}
	})
	covered, infeasible := e.Count(estimate.OutcomeCovered), e.Count(estimate.OutcomeInfeasible)
	p.printf("Of %s %d are covered (%s), %d infeasible and %d unknown.\n",
		counted(len(e.Outcomes), "branch outcome"), covered, percent(covered, len(e.Outcomes)), infeasible, len(e.Outcomes)-covered-infeasible)
	for _, s := range e.Outcomes {
		if s.Verdict == estimate.OutcomeCovered {
			continue
		}
		way := "not taken, to"
		if s.Taken {
			way = "taken to"
		}
		p.printf("  %s: %s, %s %s: %s\n", s.Pos, s.Text, way, s.Target, s.Verdict)
	}
	extremes(p, e)
	for _, n := range e.Notes {
		p.printf("  %s\n", n)
	}
	p.printf("\n")
}

// extremes writes which paths have most instructions and most divergence.
func extremes(p *printer, e *estimate.Exploration) {
	if len(e.Paths) == 0 {
		return
	}
	longest, widest := 0, 0
	for i, x := range e.Paths {
		if x.Instructions > e.Paths[longest].Instructions {
			longest = i
		}
		if x.Divergence > e.Paths[widest].Divergence {
			widest = i
		}
	}
	p.printf("Path %d, of %s, has most instructions: %s. ", longest,
		counted(len(e.Paths[longest].Threads), "thread"), group(int64(e.Paths[longest].Instructions)))
	switch maximum := e.Paths[widest].Divergence; {
	case len(e.Pairs) > 0 && e.Pairs[0].Divergence > maximum:
		p.printf("Two threads on paths %d and %d diverge most: their brdiv is %.1f %%.\n", e.Pairs[0].Paths[0], e.Pairs[0].Paths[1], e.Pairs[0].Divergence)
	case maximum > 0:
		p.printf("Path %d diverges most: its brdiv is %.1f %%.\n", widest, maximum)
	default:
		p.printf("No path diverges.\n")
	}
}

// percent renders a share.
func percent(part, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(part)/float64(all))
}

// strategies writes what each strategy found.
func strategies(p *printer, s *estimate.Search, hz float64) {
	p.printf("Longest execution times found, seed %d:\n", s.Settings.Seed)
	p.table(func(rows *printer) {
		names := []string{"strategy"}
		for _, x := range s.Strategies {
			names = append(names, x.Strategy)
		}
		names = padded(names)
		rows.printf("  %s\tcycles\ttime\tin run\tof\tended\t\n", names[0])
		for i, x := range s.Strategies {
			rows.printf("  %s\t%s\t%s\t%s\t%s\t%s\t\n", names[i+1], group(x.Cycles), milliseconds(Duration(x.Cycles, hz)),
				group(int64(x.Found)), group(int64(x.Runs)), ended[x.Stop])
		}
	})
	for _, x := range s.Strategies {
		if x.Faults > 0 {
			p.printf("  %s: %s failed, the first with: %s\n", x.Strategy, counted(x.Faults, "run"), x.Fault)
		}
	}
	if names := s.Settings.NoveltyCounters; len(names) > 0 {
		p.printf("  kept for novelty: the last %s that had most of one of %s\n", counted(s.Settings.Novelty, "input"), strings.Join(names, ", "))
	}
	if s.FaultFile != "" {
		p.printf("  inputs of the first run that failed: %s\n", s.FaultFile)
	}
	p.printf("\n")
}

// below writes how far the longest time lies below the bounds.
func below(p *printer, s *estimate.Search, hz float64) {
	if len(s.Below) == 0 {
		return
	}
	p.printf("Bounds of the same kernel, with these inputs among the runs:\n")
	p.table(func(rows *printer) {
		names := []string{"method"}
		for _, b := range s.Below {
			names = append(names, b.Method)
		}
		names = padded(names)
		rows.printf("  %s\tcycles\ttime\tevidence\tlongest time found\t\n", names[0])
		for i, b := range s.Below {
			where := "below"
			if b.Percent < 0 {
				where = "above"
			}
			rows.printf("  %s\t%s\t%s\t%s\t%.1f %% %s\t\n", names[i+1], group(b.Cycles), milliseconds(Duration(b.Cycles, hz)),
				Standing(b.Evidence, b.Numbers), math.Abs(b.Percent), where)
		}
	})
	p.printf("\n")
}

// uncertain writes between which times the worst case lies, and what holds the gap.
func uncertain(p *printer, s *estimate.Search, hz float64) {
	text := Uncertain(s, hz)
	if text == "" {
		return
	}
	p.printf("%s\n", text)
	if len(s.Gap.Parts) > 0 {
		p.table(func(rows *printer) {
			parts := s.Gap.Parts[:min(gapRows, len(s.Gap.Parts))]
			names := []string{"what holds the gap"}
			for i := range parts {
				names = append(names, placeOf(parts[i].Name, parts[i].Pos))
			}
			names = padded(names)
			rows.printf("  %s\tin the bound\tin the run\tdifference\t\n", names[0])
			for i := range parts {
				rows.printf("  %s\t%s\t%s\t%s\t\n", names[i+1], optional(parts[i].Bound), optional(parts[i].Run), optional(parts[i].Difference()))
			}
		})
		if rest := len(s.Gap.Parts) - gapRows; rest > 0 {
			p.printf("  and %d more\n", rest)
		}
	}
	p.printf("\n")
}

// gapRows is how many parts of a gap are shown, at most.
const gapRows = 8

// Uncertain says between which times the worst case lies; "" if no bound tells.
func Uncertain(s *estimate.Search, hz float64) string {
	switch g := s.Gap; {
	case g == nil || g.Cycles < 0:
		return ""
	case g.Cycles == 0:
		return fmt.Sprintf("The longest time found is the worst case: %s proves that no run takes longer.", g.Method)
	default:
		return fmt.Sprintf("The worst case lies between the longest time found and the bound by %s, a gap of %s cycles (%s), %.1f %% of the bound.",
			g.Method, group(g.Cycles), milliseconds(Duration(g.Cycles, hz)), 100*g.Share)
	}
}

// ended says why a search by a strategy did.
var ended = map[string]string{
	"runs":        "all runs made",
	"time":        "time is up",
	"proven":      "meets a proven bound",
	"settled":     "ceased to grow",
	"exhausted":   "all inputs run",
	"interrupted": "interrupted",
}

// BestPlot is the longest time of each strategy over the number of runs.
func BestPlot(a *estimate.Analysis, s *estimate.Search) *estimate.Plot {
	p := &estimate.Plot{
		File: "best", Title: fmt.Sprintf("%s on %s: longest time found", a.Kernel, a.Machine), X: "runs", Y: "cycles",
	}
	for i := range s.Strategies {
		p.Series = append(p.Series, s.Strategies[i].Series())
	}
	return p
}
