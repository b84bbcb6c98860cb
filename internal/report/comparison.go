package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// grownBlocks is how many blocks the text shows of a method whose bound changed.
const grownBlocks = 5

// Comparison writes two results side by side: whether the second is worse, then what changed, and where.
func Comparison(w io.Writer, c *estimate.Comparison) error {
	p := &printer{w: w}
	comparisonVerdict(p, c)
	for i := range c.Void {
		p.printf("%s%s\n", Violation, c.Void[i].Text)
	}
	for _, r := range []struct {
		name string
		of   *estimate.ComparedResult
	}{{"A", &c.A}, {"B", &c.B}} {
		p.printf("%s: %s, kernel %s on %s\n", r.name, r.of.File, symbol.Readable(r.of.Kernel), r.of.Machine)
	}
	for _, n := range c.Notes {
		p.printf("note: %s\n", n)
	}
	p.printf("\n")
	comparedFigures(p, c)
	for i := range c.Estimates {
		e := &c.Estimates[i]
		if i == 0 || !sameChanges(&c.Estimates[i-1], e) {
			changes(p, e, "")
		}
	}
	comparedLaunches(p, c.Launches)
	if len(c.Differences) > 0 {
		p.printf("Different:\n")
		for _, d := range c.Differences {
			p.printf("  %s: %s -> %s\n", d.What, brief(d.A), brief(d.B))
		}
		p.printf("\n")
	}
	changedAssumptions(p, c.Estimates)
	marked(p, "Warnings", warningLines(c.GoneWarnings), warningLines(c.NewWarnings))
	return p.err
}

// comparisonVerdict says whether B is worse, and by what most of all.
func comparisonVerdict(p *printer, c *estimate.Comparison) {
	for i, r := range c.Regressions {
		lead := "regression"
		if i > 0 {
			lead = "  also"
		}
		p.printf("%s: %s\n", lead, r.Text)
	}
	if len(c.Regressions) == 0 {
		p.printf("no regression")
		if what, percent := greatestGrowth(c); percent > 0 {
			p.printf(": the greatest growth is that of %s, by %.1f %%", what, percent)
		}
		p.printf("\n")
	}
	p.printf("  threshold: %s\n\n", c.Threshold)
}

// greatestGrowth returns what grew most, and by how many percent.
func greatestGrowth(c *estimate.Comparison) (what string, percent float64) {
	see := func(name string, p *float64) {
		if p != nil && *p > percent {
			what, percent = name, *p
		}
	}
	if c.Observed != nil {
		see("high-water mark", c.Observed.Percent)
	}
	for _, e := range c.Estimates {
		see(e.Method, e.Percent)
	}
	return what, percent
}

// comparedFigures is the table of observed times and bounds.
func comparedFigures(p *printer, c *estimate.Comparison) {
	type line struct{ name, a, b, change, evidence string }
	lines := []line{{"cycles", "A", "B", "change", "  evidence"}}
	if o := c.Observed; o != nil {
		for _, f := range []struct {
			name   string
			figure func(*estimate.Observation) int64
		}{
			{"minimum", func(t *estimate.Observation) int64 { return t.Min }},
			{"mean", func(t *estimate.Observation) int64 { return int64(t.Mean + 0.5) }},
			{"high-water mark", func(t *estimate.Observation) int64 { return t.Max }},
		} {
			l := line{f.name, "-", "-", "-", ""}
			if o.A != nil {
				l.a = group(f.figure(o.A))
			}
			if o.B != nil {
				l.b = group(f.figure(o.B))
			}
			if o.A != nil && o.B != nil {
				l.change = above(f.figure(o.B), f.figure(o.A))
			}
			lines = append(lines, l)
		}
	}
	for i := range c.Estimates {
		e := &c.Estimates[i]
		lines = append(lines, line{e.Method, cyclesOf(e.A), cyclesOf(e.B), change(e.Percent), "  " + evidenceOf(e)})
	}
	var names []string
	for _, l := range lines {
		names = append(names, l.name)
	}
	names = padded(names)
	p.table(func(rows *printer) {
		for i, l := range lines {
			rows.printf("  %s\t%s\t%s\t%s\t%s\n", names[i], l.a, l.b, l.change, l.evidence)
		}
	})
	p.printf("\n")
}

func cyclesOf(f *estimate.Figured) string {
	if f == nil {
		return "-"
	}
	return group(f.Cycles)
}

// change renders a growth in percent.
func change(percent *float64) string {
	if percent == nil {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", *percent)
}

// evidenceOf renders the evidence of an estimate on both sides.
func evidenceOf(e *estimate.ComparedEstimate) string {
	switch {
	case e.A == nil:
		return standing(e.B) + " (new)"
	case e.B == nil:
		return standing(e.A) + " (missing)"
	case standing(e.A) != standing(e.B):
		return fmt.Sprintf("%s -> %s", standing(e.A), standing(e.B))
	}
	return standing(e.A)
}

func standing(e *estimate.Figured) string { return Standing(e.Evidence, e.Numbers) }

// changes writes where the bound of a method changed. What of says of whom.
func changes(p *printer, e *estimate.ComparedEstimate, of string) {
	if len(e.Blocks)+len(e.Loops) == 0 {
		return
	}
	p.printf("Where %s%s changed, in cycles:\n", e.Method, of)
	blockChanges(p, e.Blocks)
	for _, l := range e.Loops {
		p.printf("  loop %s: %s -> %s\n", placeOf(l.Name, l.Pos), loopBound(l.A), loopBound(l.B))
	}
	p.printf("\n")
}

func blockChanges(p *printer, blocks []estimate.ComparedShare) {
	if len(blocks) == 0 {
		return
	}
	p.table(func(rows *printer) {
		rows.printf("  change\tA\tB\t  block\n")
		for _, b := range blocks[:min(grownBlocks, len(blocks))] {
			sign := ""
			if b.Growth > 0 {
				sign = "+"
			}
			rows.printf("  %s%s\t%s\t%s\t  %s\n", sign, group(b.Growth), optional(b.A), optional(b.B), placeOf(b.Name, b.Pos))
		}
	})
	if rest := len(blocks) - grownBlocks; rest > 0 {
		p.printf("  and %d more\n", rest)
	}
}

// sameChanges reports whether the text shows the same of two methods, which are often made of the same.
func sameChanges(e, f *estimate.ComparedEstimate) bool {
	shown := func(e *estimate.ComparedEstimate) []estimate.ComparedShare {
		return e.Blocks[:min(grownBlocks, len(e.Blocks))]
	}
	return len(f.Loops) == 0 && slices.EqualFunc(shown(e), shown(f), func(a, b estimate.ComparedShare) bool {
		return a.Name == b.Name && a.Pos == b.Pos && optional(a.A) == optional(b.A) && optional(a.B) == optional(b.B)
	})
}

func optional(n *int64) string {
	if n == nil {
		return "-"
	}
	return group(*n)
}

func placeOf(name, pos string) string {
	if pos == "" {
		return name
	}
	return name + " at " + pos
}

func loopBound(l *estimate.LoopBound) string {
	if l == nil {
		return "none"
	}
	return fmt.Sprintf("%s back edges per entry (%s)", group(l.Bound), l.Evidence)
}

// comparedLaunches says what changed of the launches of a run.
func comparedLaunches(p *printer, list []estimate.ComparedLaunch) {
	for i := range list {
		l := &list[i]
		of := fmt.Sprintf(" of launch %d, %s,", i+1, l.Kernel)
		switch {
		case l.A == nil:
			p.printf("Launch %d, %s, is new.\n\n", i+1, l.Kernel)
		case l.B == nil:
			p.printf("A launch of %s is gone (%s).\n\n", l.Kernel, l.A.Pos)
		case l.A.Launch != l.B.Launch || executions(&l.A.Executions) != executions(&l.B.Executions):
			p.printf("Launch %d, %s: %s -> %s\n\n", i+1, l.Kernel, launchSize(l.A), launchSize(l.B))
		}
		for j := range l.Estimates {
			changes(p, &l.Estimates[j], of)
		}
	}
}

func launchSize(l *estimate.LaunchFigures) string {
	return fmt.Sprintf("grid %s, block %s, executed %s", dims(l.Grid), dims(l.Block), executions(&l.Executions))
}

// brief shortens hashes.
func brief(s string) string {
	const hash, shown = 64, 8
	switch {
	case s == "":
		return "none"
	case len(s) == hash && !strings.Contains(s, " "):
		return s[:shown]
	}
	return s
}

// changedAssumptions lists each assumption once that only one side makes.
func changedAssumptions(p *printer, list []estimate.ComparedEstimate) {
	var gone, added []string
	once := func(to *[]string, of []string) {
		for _, text := range of {
			if !slices.Contains(*to, text) {
				*to = append(*to, text)
			}
		}
	}
	for _, e := range list {
		once(&gone, e.GoneAssumptions)
		once(&added, e.NewAssumptions)
	}
	marked(p, "Assumptions", gone, added)
}

func warningLines(list []estimate.Warning) []string {
	var lines []string
	for _, w := range list {
		lines = append(lines, fmt.Sprintf("%s: %s [%s]", w.Pos, w.Text, w.ID))
	}
	return lines
}

// marked lists what is of A alone and what is of B alone.
func marked(p *printer, title string, gone, added []string) {
	if len(gone)+len(added) == 0 {
		return
	}
	p.printf("%s (- of A alone, + of B alone):\n", title)
	for _, text := range gone {
		p.printf("  - %s\n", text)
	}
	for _, text := range added {
		p.printf("  + %s\n", text)
	}
	p.printf("\n")
}
