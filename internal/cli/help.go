package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/vbauerster/mpb/v8/cwriter"
)

// helpWidth is how many columns a help text has at most.
const helpWidth = 80

// heading is the title of a group, and what is in it.
type heading struct {
	title string
	names []string
}

// commandGroups are the groups of the commands; what is in none comes last.
func commandGroups() []heading {
	return []heading{
		{"First steps", []string{"demo", "init", "analyze"}},
		{"Bounds", []string{"check", "compare", "search", "split", "quota", "verify", "facts"}},
		{"Kernels and machines", []string{"inspect", "sim", "machines", "calibrate"}},
		{"Evidence for the tool", []string{"reproduce", "selfcheck", "synthetic"}},
	}
}

// manyFlags is how many flags are listed without groups.
const manyFlags = 10

// flagGroups are the groups of the flags of commands that have many; what is in none comes first.
func flagGroups() []heading {
	return []heading{
		{"Runs", []string{"machine", "seed", "vectors", "vector", "repeats", "max-cycles", "until-stable", "timeout", "yes", "inputs", "traces", "races"}},
		{"Search", []string{"strategy", "population", "elite", "mutation", "special", "patience", "novelty"}},
		{"Symbolic execution", []string{"threads", "solver", "float-solver"}},
		{"Output", []string{"format", "html", "lp", "certificate", "smt", "out", "plot", "trace", "dump", "steps", "help"}},
	}
}

// showHelp writes what a command does, how it is called, examples, commands below it, and flags.
// Only examples, which are to be copied, may be wider than the width.
func showHelp(c *cobra.Command, w io.Writer, width int) {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	about := c.Long
	if about == "" {
		about = c.Short
	}
	fmt.Fprint(w, wrap(about, width, ""))
	fmt.Fprintf(w, "\nUsage:\n%s", wrap("  "+usageLine(c), width, "    "))
	if c.HasAvailableSubCommands() && c.HasParent() {
		fmt.Fprintf(w, "  %s COMMAND\n", c.CommandPath())
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(c.Example, "\n"))
	}
	showCommands(c, w, width)
	showFlags(c, w, width)
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\n", wrap("More about a command: "+c.CommandPath()+" COMMAND --help", width, "  "))
	}
}

// columns is how wide help on w may be.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok && isTerminal(w) {
		if width, _, err := cwriter.GetSize(int(f.Fd())); err == nil && width > 0 {
			return min(width, helpWidth)
		}
	}
	return helpWidth
}

func showCommands(c *cobra.Command, w io.Writer, width int) {
	names := below(c)
	pad := 0
	for _, name := range names {
		pad = max(pad, len(name))
	}
	for _, g := range grouped(names, commandGroups(), "Other commands") {
		title := g.title
		if c.HasParent() {
			title = "Commands"
		}
		fmt.Fprintf(w, "\n%s:\n", title)
		for _, name := range g.names {
			if command, _, err := c.Find([]string{name}); err == nil {
				text := fmt.Sprintf("  %-*s  %s", pad, name, command.Short)
				fmt.Fprint(w, wrap(text, width, strings.Repeat(" ", pad+4)))
			}
		}
	}
}

func showFlags(c *cobra.Command, w io.Writer, width int) {
	var names []string
	all := make(map[string]*pflag.Flag)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
			all[f.Name] = f
		}
	})
	groups := []heading{{"Flags", names}}
	if len(names) > manyFlags {
		groups = grouped(names, flagGroups(), "Flags")
		if last := len(groups) - 1; groups[last].title == "Flags" {
			groups = append(groups[last:], groups[:last]...)
		}
	}
	for _, g := range groups {
		set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		for _, name := range g.names {
			set.AddFlag(all[name])
		}
		fmt.Fprintf(w, "\n%s:\n%s", g.title, set.FlagUsagesWrapped(width))
	}
}

// grouped distributes names over those of the groups that have some; the last one is for the rest.
func grouped(names []string, groups []heading, rest string) []heading {
	var used []heading
	left := slices.Clone(names)
	for _, g := range groups {
		var here []string
		for _, name := range g.names {
			if slices.Contains(left, name) {
				here = append(here, name)
			}
		}
		left = slices.DeleteFunc(left, func(name string) bool { return slices.Contains(here, name) })
		if len(here) > 0 {
			used = append(used, heading{g.title, here})
		}
	}
	if len(left) > 0 {
		used = append(used, heading{rest, left})
	}
	return used
}

// wrap breaks each paragraph of a text, which an empty line ends, into lines of at most width
// columns. All lines but the first begin with indent. Spaces that begin the text stay, and so do those
// inside its first line up to the column of indent.
func wrap(text string, width int, indent string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		keep := min(len(indent), len(paragraph))
		if indent == "" || strings.TrimSpace(paragraph[:keep]) == "" {
			keep = len(paragraph) - len(strings.TrimLeft(paragraph, " "))
		}
		line := paragraph[:keep]
		empty := true
		for word := range strings.FieldsSeq(paragraph[keep:]) {
			switch {
			case empty:
				line += word
			case len(line)+1+len(word) > width:
				b.WriteString(line + "\n")
				line = indent + word
			default:
				line += " " + word
			}
			empty = false
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
