package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModelPages runs the commands that the pages of the machine model show, in the root of
// the repository, and compares what they print; -update accepts it.
func TestModelPages(t *testing.T) { testPages(t, "../../docs/machine-model/*.md", "../..") }

// TestMethodPages does so for the pages of methods and analyses, in the directory of their example.
func TestMethodPages(t *testing.T) {
	testPages(t, "../../docs/methods/*.md", "../../docs/methods/examples")
}

// TestTutorial runs those of the tutorial, one after the other in a copy of its directory.
func TestTutorial(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/tutorial")); err != nil {
		t.Fatal(err)
	}
	t.Run("page", func(t *testing.T) { testPages(t, "../../docs/tutorial.md", dir) })
}

// testPages runs the commands of the pages that a pattern matches, in a directory. A command
// stands with its output in a block
//
//	```console
//	$ warpbound ... | sed -n 3,9p
//	...
//	```
//
// and is executed by bash; a backslash continues it on the next line. /tmp is a directory of the test.
func testPages(t *testing.T, pattern, dir string) {
	pages, err := filepath.Glob(pattern)
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			t.Parallel()
			shown, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			got := withPrinted(t, string(shown), dir)
			if got == string(shown) {
				return
			}
			if !*update {
				t.Fatalf("%s shows other outputs than (accept them with -update)\n%s", page, got)
			}
			if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// withPrinted returns the page with what its commands print now.
func withPrinted(t *testing.T, page, dir string) string {
	const begin, end = "```console\n$ ", "```\n"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(page, begin)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		block, after, found := strings.Cut(rest, end)
		if !found {
			t.Fatalf("the block of %q has no end", block)
		}
		n := 0
		for _, line := range strings.SplitAfter(block, "\n") {
			n += len(line)
			if !strings.HasSuffix(line, "\\\n") {
				break
			}
		}
		b.WriteString(begin + block[:n] + printed(t, block[:n], dir) + end)
		page = after
	}
}

// printed returns what a command prints to its standard output, without spaces at the ends of lines
// and empty lines at its end.
func printed(t *testing.T, command, dir string) string {
	if strings.Contains(command, "warpbound search") {
		needSolvers(t)
	}
	tmp := t.TempDir()
	cmd := exec.Command("bash", "-c", strings.ReplaceAll(command, "/tmp/", tmp+"/"))
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, &stderr)
	}
	output := strings.TrimRight(strings.ReplaceAll(stdout.String(), tmp+"/", "/tmp/"), " \n")
	if output == "" && !strings.Contains(command, " > ") {
		t.Fatalf("%s prints nothing\n%s", command, &stderr)
	}
	var b strings.Builder
	for line := range strings.Lines(output) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// needSolvers skips a test where there is no z3, or lets it fail where solvers are required.
func needSolvers(t *testing.T) {
	if _, err := exec.LookPath("z3"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}
