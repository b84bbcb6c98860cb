package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"warpbound/estimate"
)

// Machines writes which machines suit a module for people, in lines of at most so many columns as far as names allow:
// as a table, or one machine below the other where a table has no room.
func Machines(w io.Writer, m *estimate.Machines, columns int) error {
	p := &printer{w: w}
	of := "its kernels"
	if len(m.Kernels) == 1 {
		of = "kernel " + m.Kernels[0]
	}
	lines := func(lead, text string) {
		for _, line := range wrapped(text, columns-len(lead)) {
			p.printf("%s%s\n", lead, line)
			lead = strings.Repeat(" ", len(lead))
		}
	}
	lines("", fmt.Sprintf("%s targets %s. Machines for %s, best first:", m.File, m.Target, of))
	p.printf("\n")
	rows := [][3]string{{"machine", "describes", "bounds"}}
	whys := []string{"why"}
	for i := range m.Machines {
		s := &m.Machines[i]
		rows = append(rows, [3]string{s.Machine, described(s), cmp.Or(string(s.Strongest()), "none")})
		whys = append(whys, why(s))
	}
	var widths [3]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	const room = 30 // for the reasons in a table
	table := widths[0]+widths[1]+widths[2]+8+room <= columns
	for i, row := range rows {
		switch {
		case table:
			lines(fmt.Sprintf("  %-*s  %-*s  %-*s  ", widths[0], row[0], widths[1], row[1], widths[2], row[2]), whys[i])
		case i > 0:
			lines("  ", fmt.Sprintf("%s (%s): %s", row[0], row[1], row[2]))
			lines("    ", whys[i])
		}
	}
	p.printf("\n")
	lines("  ", "proven at best: loops need bounds, from the launch or in the job")
	return p.err
}

// described says which GPUs a machine describes, in a word.
func described(s *estimate.Suiting) string {
	switch s.Architecture {
	case "":
		return "unsaid"
	case "none":
		return "no GPU"
	}
	return s.Architecture
}

// why gives the reasons in one sentence, and then the methods.
func why(s *estimate.Suiting) string {
	text := strings.Join(s.Reasons, "; ")
	if !s.Runs {
		return "does not run it: " + text
	}
	for _, evidence := range []estimate.Evidence{estimate.Proven, estimate.Observed} {
		var methods []string
		for _, m := range s.Methods {
			if m.Evidence == evidence {
				methods = append(methods, m.Method)
			}
		}
		if len(methods) > 0 {
			text += fmt.Sprintf("; %s: %s", evidence, strings.Join(methods, ", "))
		}
	}
	return text
}

// wrapped breaks a text at spaces into lines of at most width, but for words that are longer. It has a line at least.
func wrapped(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+1+len(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
