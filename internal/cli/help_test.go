package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands returns a command and all below it.
func commands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		all = append(all, commands(below)...)
	}
	return all
}

// TestHelpFits checks the help of every command on a terminal of common width, and on a narrow one, where
// only words that have to stay together may be wider.
func TestHelpFits(t *testing.T) {
	for _, c := range commands(command()) {
		var wide, narrow strings.Builder
		showHelp(c, &wide, helpWidth)
		for line := range strings.Lines(wide.String()) {
			if n := len(strings.TrimRight(line, "\n")); n > helpWidth || strings.HasSuffix(line, " \n") {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
		showHelp(c, &narrow, 40)
		text := strings.Replace(narrow.String(), c.Example, "", 1)
		for line := range strings.Lines(text) {
			if n := len(strings.TrimRight(line, "\n")); n > 50 && len(strings.Fields(line)) > 1 {
				t.Errorf("%s: %d columns of 40: %s", c.CommandPath(), n, line)
			}
		}
	}
}

// TestExamples parses the example of every command: its commands, flags and values are such that are
// there, and so are the files that it reads in a checkout, unless a line before writes them.
func TestExamples(t *testing.T) {
	for _, c := range commands(command()) {
		if c.Hidden {
			continue
		}
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		var written []string
		own := false
		for line := range strings.Lines(strings.ReplaceAll(c.Example, "\\\n", "")) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "warpbound" {
				if !strings.HasPrefix(line, "  #") && c.Name() != "completion" {
					t.Errorf("%s: %q is neither a comment nor a command", c.CommandPath(), line)
				}
				continue
			}
			if end := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "|") || strings.HasPrefix(w, ">") }); end > 0 {
				if words[end] == ">" {
					written = append(written, words[end+1])
				}
				words = words[:end]
			}
			called, err := parseExample(words[1:], &written)
			if err != nil {
				t.Errorf("%s: %s: %v", c.CommandPath(), strings.TrimSpace(line), err)
			} else {
				own = own || called == c.CommandPath()
			}
		}
		if !own && c.HasParent() {
			t.Errorf("no example of %s calls it", c.CommandPath())
		}
	}
}

// parseExample does with the arguments what their command does before it runs, and returns its name.
func parseExample(args []string, written *[]string) (string, error) {
	c, args, err := command().Find(args)
	if err != nil {
		return "", err
	}
	if err := c.ParseFlags(args); err != nil {
		return "", err
	}
	if err := c.ValidateArgs(c.Flags().Args()); err != nil {
		return "", err
	}
	for _, name := range c.Flags().Args() {
		if filepath.Ext(name) == "" || slices.ContainsFunc(*written, func(w string) bool { return strings.HasPrefix(name, w) }) {
			continue
		}
		if found, err := filepath.Glob(filepath.Join("../..", name)); err != nil || len(found) == 0 {
			return "", fmt.Errorf("there is no %s (%v)", name, err)
		}
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "out", "output", "certificate":
			*written = append(*written, f.Value.String())
		case "methods":
			if list, isList := f.Value.(pflag.SliceValue); isList && err == nil {
				err = knownMethods(list.GetSlice())
			}
		case "job", "for":
			if _, missing := os.Stat(filepath.Join("../..", f.Value.String())); err == nil {
				err = missing
			}
		}
	})
	return c.CommandPath(), err
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text   string
		width  int
		indent string
		want   string
	}{
		{"one two three", 7, "", "one two\nthree\n"},
		{"one\ntwo\n\nthree", 20, "", "one two\n\nthree\n"},
		{"  name  one two three", 12, "        ", "  name  one\n        two\n        three\n"},
		{"  unbreakable word", 6, "    ", "  unbreakable\n    word\n"},
		{"", 6, "", "\n"},
	} {
		if got := wrap(c.text, c.width, c.indent); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestGrouped checks that every name is in one group.
func TestGrouped(t *testing.T) {
	got := grouped([]string{"a", "b", "c", "d"}, []heading{{"x", []string{"c", "a", "z"}}, {"y", []string{"z"}}}, "rest")
	if want := "[{x [c a]} {rest [b d]}]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
