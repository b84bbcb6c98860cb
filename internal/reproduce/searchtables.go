package reproduce

import (
	"fmt"
	"strings"

	"warpbound/estimate"
)

// printed is what the paper's tables say of a program.
type printed struct {
	kernels, ifs, loops, threads string     // Table II; the first line of Section V of Artificial
	together                     string     // threads that GKLEE executed, Table III
	coverage                     float64    // in per cent
	times                        [3]float64 // in ms, by strategy as warpbound has them: Table IV
}

var paperPrograms = map[string]printed{
	"Artificial": {"1", "1", "0", "32768", "2", 100, [3]float64{6.454, 0.44, 0.369}},
	"LBM":        {"1", "13", "0", "32768", "4", 80, [3]float64{171.631, 169.661, 169.777}},
	"BFS":        {"2", "2 + 1", "1 + 0", "1024", "2", 83.33, [3]float64{52.482, 33.03, 32}},
	"NSICHNEU":   {"1", "252", "0", "4096", "2", 70.24, [3]float64{119.412, 5.419, 5.381}},
}

// ratio is the longest time of the full method by that of random testing.
func (p *printed) ratio() float64 { return p.times[0] / p.times[2] }

// report adds examples, tables and figures.
func (s *seeker) report(r *estimate.Reproduction) {
	r.Examples = append(r.Examples, s.coverages()...)
	r.Examples = append(r.Examples, s.ratios()...)
	r.Examples = append(r.Examples, s.truths()...)
	r.Tables = append(r.Tables, s.properties(), s.coverage(), s.uncovered(), s.times(), s.growth(), s.exhaustive(), s.bounds())
	for i := range s.found {
		r.Plots = append(r.Plots, s.found[i].plot())
	}
}

// named are the benchmarks that the paper has.
func (s *seeker) named() []*sought {
	var list []*sought
	for i := range s.found {
		if s.found[i].Program != "" {
			list = append(list, &s.found[i])
		}
	}
	return list
}

func percents(x float64) string { return fmt.Sprintf("%.2f %%", x) }

// coverages holds branch coverage against Table III.
func (s *seeker) coverages() []estimate.Example {
	var list []estimate.Example
	for _, b := range s.named() {
		p, c := paperPrograms[b.Program], b.outcomes()
		list = append(list, estimate.Example{
			Name:  fmt.Sprintf("Table III: branch coverage of %s, at least", b.Program),
			Paper: percents(p.coverage), Ours: percents(c.share()), OK: c.share() >= p.coverage, Label: estimate.LabelInequality,
		})
	}
	open := 0
	for _, b := range s.named() {
		open += b.outcomes().unknown
	}
	return append(list, estimate.Example{
		Name:  "Section IV.A: branch outcomes of these that are neither taken nor proved to be taken by no thread: 0",
		Paper: "-", Ours: fmt.Sprint(open), OK: open == 0, Label: estimate.LabelEqual,
	})
}

// ratios holds what the full method gains against Table IV.
func (s *seeker) ratios() []estimate.Example {
	var list []estimate.Example
	for _, b := range s.named() {
		p := paperPrograms[b.Program]
		list = append(list, estimate.Example{
			Name:  fmt.Sprintf("Table IV: longest time of %s by GDivAn over that by random, median of %d seeds, at least", b.Program, len(b.ratios)),
			Paper: fmt.Sprintf("%.2f", p.ratio()), Ours: fmt.Sprintf("%.2f", b.ratio()), OK: b.ratio() >= p.ratio(), Label: estimate.LabelInequality,
		})
	}
	return list
}

// truths holds searches against what is known.
func (s *seeker) truths() []estimate.Example {
	var list []estimate.Example
	for _, b := range s.found {
		if found := b.Strategies[0].Cycles; b.Full {
			list = append(list, estimate.Example{
				Name:  fmt.Sprintf("cycles of %s, at least those with all threads on the longest path", b.Kernel),
				Paper: "-", Ours: fmt.Sprintf("%d of %d", found, b.worst), OK: found >= b.worst, Label: estimate.LabelInequality,
			})
		}
	}
	for _, t := range s.tiny {
		list = append(list, estimate.Example{
			Name:  fmt.Sprintf("seeds that find the worst of %d inputs of %s in %d runs, at least 95 %%", t.inputs, t.Kernel, t.runs),
			Paper: "-", Ours: fmt.Sprintf("%d of %d", t.exact, s.seeds), OK: 100*t.exact >= 95*s.seeds && t.beyond == 0, Label: estimate.LabelInequality,
		})
	}
	beyond := 0
	for _, h := range s.held {
		if h.bound < h.found { // also if there is none
			beyond++
		}
	}
	return append(list,
		estimate.Example{
			Name:  fmt.Sprintf("searches, of %d, that find more than a proven bound: 0", len(s.held)),
			Paper: "-", Ours: fmt.Sprint(beyond), OK: beyond == 0, Label: estimate.LabelEqual,
		},
		estimate.Example{
			Name:  fmt.Sprintf("a search of %s is deterministic, run for run", repeated),
			Paper: "-", Ours: map[bool]string{true: "yes", false: "no"}[s.same], OK: s.same, Label: estimate.LabelEqual,
		})
}

// properties is Table II.
func (s *seeker) properties() estimate.Table {
	t := estimate.Table{
		Name:    "Table II: the kernels",
		Columns: []string{"kernel", "kernels", "ifs", "loops", "branches in PTX", "threads", "paper's program", "kernels", "ifs", "loops", "threads"},
	}
	for _, b := range s.found {
		t.RowLabels = append(t.RowLabels, b.label(estimate.LabelFitted))
		row := append([]string{b.Kernel}, cells(b.Kernels, b.Ifs, b.Loops, b.Branches, b.Threads)...)
		if p, ok := paperPrograms[b.Program]; ok {
			row = append(row, b.Program, p.kernels, p.ifs, p.loops, p.threads)
		} else {
			row = append(row, "-", "-", "-", "-", "-")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// label is that of a row of the benchmark: what it is where the paper has a program like it.
func (b *sought) label(beside estimate.Label) estimate.Label {
	if _, ok := paperPrograms[b.Program]; ok {
		return beside
	}
	return estimate.LabelNoTarget
}

// outcomes are those of branches, by verdict.
type outcomes struct{ covered, infeasible, unknown int }

// share is the part of all that is covered, in per cent.
func (c outcomes) share() float64 {
	return 100 * float64(c.covered) / float64(c.covered+c.infeasible+c.unknown)
}

// explorations are those of all kernels of a benchmark.
func (b *sought) explorations() []*estimate.Exploration {
	return append([]*estimate.Exploration{b.Explored}, b.alone...)
}

func (b *sought) outcomes() outcomes {
	var c outcomes
	for _, e := range b.explorations() {
		c.covered += e.Count(estimate.OutcomeCovered)
		c.infeasible += e.Count(estimate.OutcomeInfeasible)
		c.unknown += e.Count(estimate.OutcomeUnknown)
	}
	return c
}

// coverage is Table III.
func (s *seeker) coverage() estimate.Table {
	t := estimate.Table{
		Name: "Table III: symbolic execution; more threads only as long as there are branch outcomes that are not covered. Outcomes\nof all kernels count",
		Columns: []string{
			"kernel", "threads", "paths", "queries", "outcomes", "covered", "infeasible", "unknown", "coverage", "of feasible",
			"paper: threads", "coverage",
		},
	}
	for i := range s.found {
		b := &s.found[i]
		threads, paths, queries := 0, 0, 0
		for _, e := range b.explorations() {
			for _, x := range e.Steps {
				threads, paths, queries = max(threads, x.Threads), paths+x.Paths, queries+x.Queries
			}
		}
		c := b.outcomes()
		feasible := outcomes{covered: c.covered, unknown: c.unknown}
		t.RowLabels = append(t.RowLabels, b.label(estimate.LabelInequality))
		row := append([]string{b.Kernel}, cells(threads, paths, queries, c.covered+c.infeasible+c.unknown, c.covered, c.infeasible, c.unknown,
			percents(c.share()), percents(feasible.share()))...)
		if p, ok := paperPrograms[b.Program]; ok {
			row = append(row, p.together, percents(p.coverage))
		} else {
			row = append(row, "-", "-")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// uncovered lists the branch outcomes that no path took.
func (s *seeker) uncovered() estimate.Table {
	t := estimate.Table{Name: "Branch outcomes that no path takes", Columns: []string{"kernel", "branch", "", "outcome", "verdict"}}
	for i := range s.found {
		for _, e := range s.found[i].explorations() {
			for _, x := range e.Outcomes {
				if x.Verdict == estimate.OutcomeCovered {
					continue
				}
				outcome := "not taken"
				if x.Taken {
					outcome = "taken"
				}
				t.Rows = append(t.Rows, []string{s.found[i].Kernel, x.Pos, x.Text, outcome, x.Verdict})
			}
		}
	}
	return t
}

// ratio is the longest time of the full method by that of random testing, the median of all seeds.
func (b *sought) ratio() float64 { return b.ratios[len(b.ratios)/2] }

// times is Table IV.
func (s *seeker) times() estimate.Table {
	t := estimate.Table{
		Name:    "Table IV: longest times in cycles after as many runs by each strategy, and the run that took it, with the job's seed; ratios, median and range, of all seeds",
		Columns: []string{"kernel", "runs"},
	}
	for _, x := range s.found[0].Strategies {
		t.Columns = append(t.Columns, x.Strategy, "run")
	}
	t.Columns = append(t.Columns, "gdivan by random", "from", "to", "paper", "worst known", "gdivan reaches")
	for i := range s.found {
		b := &s.found[i]
		t.RowLabels = append(t.RowLabels, b.label(estimate.LabelInequality))
		row := cells(b.Kernel, s.budget(b))
		for _, x := range b.Strategies {
			row = append(row, cells(x.Cycles, x.Found)...)
		}
		row = append(row, fmt.Sprintf("%.2f", b.ratio()), fmt.Sprintf("%.2f", b.ratios[0]), fmt.Sprintf("%.2f", b.ratios[len(b.ratios)-1]))
		if p, ok := paperPrograms[b.Program]; ok {
			row = append(row, fmt.Sprintf("%.2f", p.ratio()))
		} else {
			row = append(row, "-")
		}
		if b.worst > 0 {
			row = append(row, fmt.Sprint(b.worst), fmt.Sprintf("%.1f %%", 100*float64(b.Strategies[0].Cycles)/float64(b.worst)))
		} else {
			row = append(row, "-", "-")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// growth is what Fig. 5 would show over runs.
func (s *seeker) growth() estimate.Table {
	t := estimate.Table{Name: "Longest time after so many runs", Columns: []string{"kernel", "strategy"}}
	var at []int
	for n := 1; n <= max(s.runs, s.small); n *= 10 {
		for _, x := range []int{n, 2 * n, 4 * n} {
			if x <= max(s.runs, s.small) {
				at = append(at, x)
			}
		}
	}
	t.Columns = append(t.Columns, strings.Fields(strings.Trim(fmt.Sprint(at), "[]"))...)
	for _, b := range s.found {
		for _, x := range b.Strategies {
			row := []string{b.Kernel, x.Strategy}
			for _, n := range at {
				row = append(row, after(&x, n))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// after returns the longest time after some runs, if so many were made.
func after(x *estimate.SearchStrategy, runs int) string {
	if runs > x.Runs {
		return "-"
	}
	best := int64(0)
	for _, h := range x.History {
		if h.Runs <= runs {
			best = h.Cycles
		}
	}
	return fmt.Sprint(best)
}

// exhaustive is what searches find where all inputs can be run.
func (s *seeker) exhaustive() estimate.Table {
	t := estimate.Table{
		Name:    "Launches with few inputs, all of which were run",
		Columns: []string{"kernel", "inputs", "longest", "runs of a search", "seeds", "that find it"},
	}
	for _, x := range s.tiny {
		t.Rows = append(t.Rows, append([]string{x.Kernel}, cells(x.inputs, x.longest, x.runs, s.seeds, x.exact)...))
	}
	return t
}

// bounds is how far the longest times lie below proven bounds.
func (s *seeker) bounds() estimate.Table {
	t := estimate.Table{
		Name:    fmt.Sprintf("Longest times of gdivan after %d runs, and proven bounds, in cycles", s.runs),
		Columns: []string{"kernel", "machine", "longest", "method", "bound", "below it"},
	}
	for _, h := range s.held {
		t.Rows = append(t.Rows, []string{
			h.kernel, h.machine, fmt.Sprint(h.found), h.method, fmt.Sprint(h.bound), fmt.Sprintf("%.1f %%", reduction(h.bound, h.found)),
		})
	}
	return t
}

// plot is the longest time of each strategy over the number of runs.
func (b *sought) plot() estimate.Plot {
	p := estimate.Plot{File: b.Kernel, Title: b.Kernel + ": longest time found", X: "runs", Y: "cycles"}
	for _, x := range b.Strategies {
		p.Series = append(p.Series, x.Series())
	}
	return p
}
