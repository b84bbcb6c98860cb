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

// maxLines is how many lines say which machines suit a module, where lines have 80 columns.
const maxLines = 12

// Machines writes which machines run a module for people: a line for each of the best ones, and the
// names of the others as far as a line holds them. Where none runs it, it writes why the best one
// does not. Lines have at most so many columns, as far as names allow.
func Machines(w io.Writer, m *estimate.Machines, columns int) error {
	of := "its kernels"
	if len(m.Kernels) == 1 {
		const room = 40 // for a name
		of = "kernel " + shortened(symbol.Short(m.Kernels[0]), room)
	}
	running := slices.DeleteFunc(slices.Clone(m.Machines), func(s estimate.Suiting) bool { return !s.Runs })
	var lines []string
	if len(running) > 0 {
		head := fmt.Sprintf("%s targets %s. Machines for %s, best first:", m.File, m.Target, of)
		lines = listSuited(wrapped(head, columns), running, m.Target, columns)
	} else {
		head := fmt.Sprintf("%s targets %s. No machine runs %s. The best, %s:", m.File, m.Target, of, m.Machines[0].Machine)
		lines = explainUnsuited(wrapped(head, columns), m.Machines[0].Reasons, columns)
	}
	p := &printer{w: w}
	for _, line := range lines {
		p.printf("%s\n", line)
	}
	return p.err
}

// listSuited returns a heading and below it machines that run a module for a target.
func listSuited(lines []string, running []estimate.Suiting, target string, columns int) []string {
	foot := indented("proven at best: loops need bounds, from the launch or in the job", columns)
	shown := running
	if room := max(maxLines-len(lines)-1-len(foot), 2); len(running) > room { // the 1 for the names of columns
		shown = running[:room-1]
	}
	rows := [][4]string{{"machine", "describes", "bounds", "why"}}
	for i := range shown {
		s := &shown[i]
		rows = append(rows, [4]string{s.Machine, described(s), cmp.Or(string(s.Strongest()), "none"), whySuited(s, target)})
	}
	var widths [3]int
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], len(row[i]))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("  %-*s  %-*s  %-*s  %s", widths[0], row[0], widths[1], row[1], widths[2], row[2], row[3])
		lines = append(lines, shortened(line, columns))
	}
	var others []string
	for _, s := range running[len(shown):] {
		others = append(others, s.Machine)
	}
	if len(others) > 0 {
		line := fmt.Sprintf("  and %d more that run it: %s", len(others), strings.Join(others, ", "))
		lines = append(lines, shortened(line, columns))
	}
	return append(lines, foot...)
}

// explainUnsuited returns a heading and below it why a machine does not run a module.
func explainUnsuited(lines, reasons []string, columns int) []string {
	for _, reason := range reasons {
		lines = append(lines, indented(reason, columns)...)
	}
	if len(lines) > maxLines {
		lines = append(lines[:maxLines-1], "  ...")
	}
	return lines
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

// whySuited says in few words how a machine that runs code for a target suits it.
func whySuited(s *estimate.Suiting, target string) string {
	reasons := slices.Clone(s.Reasons)
	if s.Match != "runs" && strings.HasPrefix(s.Architecture, "sm_") { // the reason has a sentence on this
		reasons[0] = fmt.Sprintf("as if %s ran code for %s", s.Architecture, target)
	}
	return strings.Join(reasons, "; ")
}

// indented is wrapped, with spaces before each line.
func indented(text string, width int) []string {
	const lead = "  "
	lines := wrapped(text, width-len(lead))
	for i := range lines {
		lines[i] = lead + lines[i]
	}
	return lines
}

// shortened cuts a text that has more than width characters behind a word, or within its first one.
func shortened(text string, width int) string {
	const dots = "..."
	characters := []rune(text)
	if len(characters) <= width {
		return text
	}
	kept := string(characters[:max(width-len(dots), 0)])
	if words := strings.TrimRight(kept[:strings.LastIndexByte(kept, ' ')+1], " "); words != "" {
		return words + " " + dots
	}
	return kept + dots
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
