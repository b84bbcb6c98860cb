package report

import (
	"io"
	"strings"

	"warpbound/estimate"
)

// Reproduction writes a paper's figures and ours for people.
func Reproduction(w io.Writer, r *estimate.Reproduction) error {
	p := &printer{w: w}
	p.printf("%s\n", r.Paper)
	incomplete(p, r.Interrupted)
	p.printf("\n")
	p.table(func(rows *printer) {
		cells := [3][]string{{"example"}, {"paper"}, {"ours"}}
		for _, e := range r.Examples {
			for i, text := range []string{e.Name, e.Paper, e.Ours} {
				cells[i] = append(cells[i], text)
			}
		}
		for i := range cells {
			cells[i] = padded(cells[i])
		}
		rows.printf("%s\t%s\t%s\tholds\t\n", cells[0][0], cells[1][0], cells[2][0])
		for i, e := range r.Examples {
			holds := "yes"
			if !e.OK {
				holds = "NO"
			}
			rows.printf("%s\t%s\t%s\t%s\t\n", cells[0][i+1], cells[1][i+1], cells[2][i+1], holds)
		}
	})
	for _, t := range r.Tables {
		p.printf("\n%s\n", t.Name)
		p.table(func(rows *printer) {
			rows.printf("%s\t\n", strings.Join(t.Columns, "\t"))
			for _, row := range t.Rows {
				rows.printf("%s\t\n", strings.Join(row, "\t"))
			}
		})
	}
	return p.err
}
