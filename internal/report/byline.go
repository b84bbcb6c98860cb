package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
)

// The size of the tables of lines.
const (
	summaryLines = 3
	detailLines  = 12
	labelColumns = 42 // of a line with its text
)

// sourceLine is a line of the source, or of the module where it does not tell the source.
type sourceLine struct {
	line   string // file:line
	cycles int64  // that a bound charges to it
	run    int64  // that it has of the chain of causes of the longest run
	causes []estimate.ChargedPart
}

// sourceLines are the lines that a bound charges cycles to, and those of the longest run unless p is nil; the dearest first.
func sourceLines(b *estimate.ByLine, p *estimate.Profile) []sourceLine {
	at := make(map[string]*sourceLine)
	find := func(line string) *sourceLine {
		if at[line] == nil {
			at[line] = &sourceLine{line: line}
		}
		return at[line]
	}
	for i := range b.Lines {
		l := &b.Lines[i]
		to := find(cmp.Or(l.Source, l.Pos))
		to.cycles += l.Cycles
		for _, c := range l.Causes {
			n := slices.IndexFunc(to.causes, func(d estimate.ChargedPart) bool { return d.Cause == c.Cause })
			if n < 0 {
				n = len(to.causes)
				to.causes = append(to.causes, estimate.ChargedPart{Cause: c.Cause})
			}
			to.causes[n].Cycles += c.Cycles
		}
	}
	if p != nil && p.Chain != nil {
		for _, l := range p.Chain.ByLine {
			if l.Line != "" {
				find(l.Line).run += l.Cycles
			}
		}
	}
	var all []sourceLine
	for _, l := range at {
		slices.SortStableFunc(l.causes, func(c, d estimate.ChargedPart) int {
			return cmp.Or(cmp.Compare(d.Cycles, c.Cycles), cmp.Compare(c.Cause, d.Cause))
		})
		all = append(all, *l)
	}
	slices.SortFunc(all, func(l, m sourceLine) int { return cmp.Or(cmp.Compare(m.cycles, l.cycles), cmp.Compare(l.line, m.line)) })
	return all
}

// detailCauses is how many causes of a charge are named where there is room; the result has all.
const detailCauses = 4

// describe names the greatest causes of what a line is charged.
func (l *sourceLine) describe(limit int) string {
	var names []string
	for _, c := range l.causes[:min(limit, len(l.causes))] {
		names = append(names, c.Cause)
	}
	return strings.Join(names, ", ")
}

// label is where a line is and, if a profile has the file, what stands there.
func (l *sourceLine) label(p *estimate.Profile) string {
	text := short(l.line)
	file, number, ok := cutLine(l.line)
	if p == nil || !ok {
		return text
	}
	for _, f := range p.Files {
		if lines := strings.Split(f.Text, "\n"); f.Name == file && number <= len(lines) {
			return text + "  " + strings.Join(strings.Fields(lines[number-1]), " ")
		}
	}
	return text
}

// portion renders a part of a whole in percent.
func portion(part, whole int64) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(max(whole, 1)))
}

// writeDearestLines writes to which lines a bound charges most, beside what they have of the longest run, of which p is the profile; nil
// if there is none.
func writeDearestLines(p *printer, e *estimate.Estimate, run *estimate.Profile) {
	const title = "The bound by line"
	all := sourceLines(e.ByLine, run)
	all = all[:min(summaryLines, len(all))]
	columns := len(title)
	for i := range all {
		columns = max(columns, min(labelColumns, len([]rune(all[i].label(run)))+2))
	}
	row := func(label, bound, longest string) string {
		return fmt.Sprintf("%-*s  %5s%s", columns, clipTo(label, columns), bound, longest)
	}
	ofRun := func(*sourceLine) string { return "" }
	head := ""
	if run != nil && run.Chain != nil {
		head = "  longest run"
		ofRun = func(l *sourceLine) string { return fmt.Sprintf("%*s", len(head), portion(l.run, run.Run.Cycles)) }
	}
	p.printf("%s\n", row(title, "bound", head))
	for i := range all {
		l := &all[i]
		text := row("  "+l.label(run), portion(l.cycles, e.Cycles), ofRun(l)) + "  "
		causes := l.describe(2)
		if len([]rune(text+causes)) > summaryColumns {
			causes = l.describe(1)
		}
		p.printf("%s\n", clip(text+causes))
	}
	p.printf("\n")
}

// writeLines writes what a bound charges to lines, and what to none.
func writeLines(p *printer, e *estimate.Estimate, run *estimate.Profile) {
	p.printf("The %s cycles of %s by line:\n", group(e.Cycles), e.Method)
	all := sourceLines(e.ByLine, run)
	p.table(func(rows *printer) {
		ofRun := func(l *sourceLine) string { return "" }
		head := ""
		if run != nil && run.Chain != nil {
			head = "longest run\t"
			ofRun = func(l *sourceLine) string { return portion(l.run, run.Run.Cycles) + "\t" }
		}
		rows.printf("  share\tcycles\t%s  line\n", head)
		write := func(l *sourceLine, name string) {
			rows.printf("  %.1f %%\t%s\t%s  %s\n", 100*float64(l.cycles)/float64(max(e.Cycles, 1)), group(l.cycles), ofRun(l), name)
		}
		for i := range all[:min(detailLines, len(all))] {
			write(&all[i], all[i].line+": "+all[i].describe(detailCauses))
		}
		if rest := all[min(detailLines, len(all)):]; len(rest) > 0 {
			var sum sourceLine
			for _, l := range rest {
				sum.cycles, sum.run = sum.cycles+l.cycles, sum.run+l.run
			}
			write(&sum, counted(len(rest), "more line"))
		}
		if r := &e.ByLine.Remainder; r.Cycles > 0 {
			none := sourceLine{cycles: r.Cycles, causes: r.Causes}
			if run != nil && run.Chain != nil {
				none.run = run.Run.Cycles
				for i := range all {
					none.run -= all[i].run
				}
			}
			write(&none, "no line: "+none.describe(detailCauses))
		}
	})
	p.printf("\n")
}

// chargedBasis is the estimate that counts, if it charges lines; else nil.
func chargedBasis(a *estimate.Analysis) *estimate.Estimate {
	if e := a.Tightest(); e != nil && e.ByLine != nil {
		return e
	}
	return nil
}

// chargedPath is a path to something in that estimate, in the result of a page.
func chargedPath(a *estimate.Analysis, parts ...any) string {
	e := a.Tightest()
	for i := range a.Estimates {
		if &a.Estimates[i] == e {
			return pathOf(append([]any{"analysis", "estimates", i}, parts...)...)
		}
	}
	return ""
}
