package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"warpbound/estimate"
)

// Reproduction writes a paper's figures and ours for people.
func Reproduction(w io.Writer, r *estimate.Reproduction) error {
	p := &printer{w: w}
	p.printf("%s\n", r.Paper)
	incomplete(p, r.Interrupted)
	if len(r.Examples) > 0 {
		examples(p, r.Examples)
	}
	for i := range r.Tables {
		t := &r.Tables[i]
		p.printf("\n%s\n", t.Name)
		if t.Label != "" {
			p.printf("Label: %s\n", labelOf(t.Label, t.Tolerance))
		}
		p.table(func(rows *printer) {
			rows.printf("%s\t\n", strings.Join(columnsOf(t), "\t"))
			for i := range t.Rows {
				rows.printf("%s\t\n", strings.Join(cellsOf(t, i), "\t"))
			}
		})
	}
	return p.err
}

// examples writes worked examples as a table.
func examples(p *printer, list []estimate.Example) {
	p.printf("\n")
	p.table(func(rows *printer) {
		cells := [4][]string{{"example"}, {"paper"}, {"ours"}, {"label"}}
		for i := range list {
			e := &list[i]
			for i, text := range []string{e.Name, e.Paper, e.Ours, labelOf(e.Label, e.Tolerance)} {
				cells[i] = append(cells[i], text)
			}
		}
		for i := range cells {
			cells[i] = padded(cells[i])
		}
		for i := range cells[0] {
			holds := "holds"
			if i > 0 {
				holds = holdsOf(&list[i-1])
			}
			rows.printf("%s\t%s\t%s\t%s\t%s\t\n", cells[0][i], cells[1][i], cells[2][i], cells[3][i], holds)
		}
	})
}

// labelOf is a label with its tolerance, if it has one.
func labelOf(l estimate.Label, tolerance string) string {
	if tolerance == "" {
		return string(l)
	}
	return fmt.Sprintf("%s, within %s", l, tolerance)
}

// holdsOf says whether an example holds: nothing does where there is no target.
func holdsOf(e *estimate.Example) string {
	switch {
	case e.Label == estimate.LabelNoTarget:
		return "-"
	case e.OK:
		return "yes"
	}
	return "NO"
}

// columnsOf are the columns of a table, with one for the labels of its rows if they have some.
func columnsOf(t *estimate.Table) []string {
	if t.RowLabels == nil {
		return t.Columns
	}
	return append(slices.Clone(t.Columns), "label")
}

// cellsOf are the cells of a row, under columnsOf.
func cellsOf(t *estimate.Table, row int) []string {
	if t.RowLabels == nil {
		return t.Rows[row]
	}
	return append(slices.Clone(t.Rows[row]), labelOf(t.RowLabels[row], t.Tolerance))
}
