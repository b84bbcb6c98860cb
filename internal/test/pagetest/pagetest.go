// Package pagetest runs the commands that pages of the documentation show, for tests that compare
// what they print with the pages.
//
// pagetest is imported by tests alone, and imports nothing of this project.
package pagetest

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// WithPrinted returns the page with what its commands print now, as print says. A command stands
// with its output in a block
//
//	```console
//	$ warpbound ... | sed -n 3,9p
//	...
//	```
//
// and a backslash continues it on the next line.
func WithPrinted(t *testing.T, page string, print func(command string) string) string {
	t.Helper()
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
		b.WriteString(begin + block[:n] + print(block[:n]) + end)
		page = after
	}
}

// Printed returns what bash prints to its standard output as it executes a command in a directory,
// without spaces at the ends of lines and empty lines at its end. /tmp is a directory of the test.
func Printed(t *testing.T, command, dir string) string {
	t.Helper()
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
