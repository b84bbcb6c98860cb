package report

import (
	"io"
	"strings"

	"warpbound/internal/estimate"
)

// Reproduction writes a paper's figures and ours for people.
func Reproduction(w io.Writer, r *estimate.Reproduction) error {
	p := &printer{w: w}
	p.printf("%s\n\n", r.Paper)
	p.table(func(rows *printer) {
		rows.printf("example\tpaper\tours\tholds\t\n")
		for _, e := range r.Examples {
			holds := "yes"
			if !e.OK {
				holds = "NO"
			}
			rows.printf("%s\t%s\t%s\t%s\t\n", e.Name, e.Paper, e.Ours, holds)
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
