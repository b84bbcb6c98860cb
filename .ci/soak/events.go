package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module is the path of the project's module.
const module = "warpbound"

// result is what a check gave.
type result struct {
	check    check
	items    int
	findings int // tests and subtests without subtests that failed
}

// runChecks runs checks with all their items, and hands on what those of each package gave.
func runChecks(ctx context.Context, checks []check, seed int, done func([]result) error) error {
	var packages, tests []string
	for _, c := range checks {
		packages, tests = append(packages, "./"+c.folder), append(tests, c.test)
	}
	run := "^(" + strings.Join(uniqueOf(tests), "|") + ")$"
	args := []string{"test", "-json", "-count=1", "-vet=off", "-timeout=1000h", "-run", run}
	c := exec.CommandContext(ctx, "go", append(args, uniqueOf(packages)...)...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.Env = append(os.Environ(), "CI=true", "RAPID_SEED=1", "WARPBOUND_EFFORT=100", "WARPBOUND_SEED="+strconv.Itoa(seed))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	read := readEvents(out, checks, os.Stdout, done)
	err = c.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// A test that fails makes go test fail. Anything else that does leaves checks without a result.
	if exit := (*exec.ExitError)(nil); read == nil && !errors.As(err, &exit) {
		return err
	}
	return read
}

func uniqueOf(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// event is a line of go test -json, as far as it matters here (go doc test2json).
type event struct {
	Action, Package, Test, Output string
}

// folder is that of the package, from the root.
func (e *event) folder() string {
	return path.Join(".", strings.TrimPrefix(strings.TrimPrefix(e.Package, module), "/"))
}

// tried is what effort.Draw logs.
var tried = regexp.MustCompile(`random items: (\d+) of (\d+)`)

// tests is what the tests of a package have said so far.
type tests struct {
	items, failed map[string]int // by test, without subtests
	ended         map[string]bool
	said          map[string]*strings.Builder // by test and subtest; what the package says by ""
}

// readEvents reads what go test -json prints of checks, copies what those say that fail, and hands
// on the results of each package. It is an error if a check does not end, or has not tried all of
// its items.
func readEvents(r io.Reader, checks []check, failures io.Writer, done func([]result) error) error {
	packages := make(map[string]*tests)
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("go test -json prints %q: %w", line, err)
		}
		p := packages[e.folder()]
		if p == nil {
			p = &tests{make(map[string]int), make(map[string]int), make(map[string]bool), make(map[string]*strings.Builder)}
			packages[e.folder()] = p
		}
		if err := p.noteEvent(&e, failures); err != nil {
			return err
		}
		if over := e.Action == "pass" || e.Action == "fail"; !over || e.Test != "" {
			continue
		}
		var results []result
		for _, c := range checks {
			if c.folder == e.folder() && p.ended[c.test] {
				results = append(results, result{c, p.items[c.test], p.failed[c.test]})
			}
		}
		if err := done(results); err != nil {
			return err
		}
	}
	for _, c := range checks {
		if p := packages[c.folder]; p == nil || !p.ended[c.test] {
			return fmt.Errorf("%s: %s does not end%s", c.folder, c.test, p.complaint())
		}
	}
	return nil
}

// noteEvent notes what an event says.
func (p *tests) noteEvent(e *event, failures io.Writer) error {
	top, sub, isSub := strings.Cut(e.Test, "/")
	switch e.Action {
	case "output", "build-output":
		if m := tried.FindStringSubmatch(e.Output); m != nil {
			if m[1] != m[2] {
				return fmt.Errorf("%s %s tries %s of %s items", e.folder(), e.Test, m[1], m[2])
			}
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return err
			}
			p.items[top] += n
		}
		if p.said[e.Test] == nil {
			p.said[e.Test] = new(strings.Builder)
		}
		p.said[e.Test].WriteString(e.Output)
	case "fail":
		if e.Test == "" {
			return nil
		}
		p.ended[e.Test] = true
		fmt.Fprintf(failures, "%s %s %s\n%s\n", e.folder(), top, sub, p.said[e.Test])
		if isSub {
			p.failed[top]++
		} else {
			p.failed[top] = max(p.failed[top], 1)
		}
	case "pass", "skip":
		p.ended[e.Test] = true
		delete(p.said, e.Test)
	}
	return nil
}

// complaint is what a package says besides its tests, on a line of its own.
func (p *tests) complaint() string {
	if p == nil || p.said[""] == nil {
		return ""
	}
	return "\n" + p.said[""].String()
}
