package report

import (
	"io"
	"strings"

	"warpbound/estimate"
)

// Draft says what was written to a job file and what is to be checked of it.
func Draft(w io.Writer, d *estimate.Draft, file string) error {
	p := &printer{w: w}
	p.printf("Wrote %s: kernel %s on %s, grid %s, block %s.\n", file, d.Kernel, d.Machine, dims(d.Launch.Grid), dims(d.Launch.Block))
	switch {
	case d.Failed != "":
		p.printf("It fails, so it needs your hand: %s\n", d.Failed)
	case d.Executed == d.Blocks:
		p.printf("Tried: no thread fails, and all %d basic blocks are executed.\n", d.Blocks)
	default:
		p.printf("Tried: no thread fails, and %d of %d basic blocks are executed; not that at %s.\n", d.Executed, d.Blocks, d.Missing)
	}
	if len(d.Guesses) > 0 {
		p.printf("\nGuessed, with reasons in the file; check these and the launch:\n")
		width := 0
		for _, g := range d.Guesses {
			width = max(width, len(g.Name))
		}
		for _, g := range d.Guesses {
			p.printf("  %-*s  %s\n", width, g.Name, g.What)
		}
	}
	p.printf("\nNext: warpbound analyze %s\n", shellWord(file))
	return p.err
}

// shellWord returns a file name as it is given to a shell: in quotes where it holds
// a character that means something there.
func shellWord(name string) string {
	if strings.ContainsAny(name, " \t\n'\"`$&|;<>()*?[]{}~#!\\") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}
