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
	"regexp"
	"strconv"
	"strings"
)

// result is what a check gave.
type result struct {
	check    check
	items    int
	findings int // tests and subtests without subtests that failed
}

// tryPackage runs the checks of a package with all their items.
func tryPackage(ctx context.Context, p checkedPackage, seed int) ([]result, error) {
	c := exec.CommandContext(ctx, "go", "test", "-json", "-count=1", "-vet=off", "-timeout=1000h", "-run", "^("+strings.Join(p.tests, "|")+")$", "./"+p.folder)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.Env = append(os.Environ(), "CI=true", "RAPID_SEED=1", "WARPBOUND_EFFORT=100", "WARPBOUND_SEED="+strconv.Itoa(seed))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	results, read := readEvents(out, p.folder, p.tests, os.Stdout)
	err = c.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if read != nil {
		return nil, read
	}
	// A test that fails makes go test fail. Anything else that does leaves tests without a result.
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return results, nil
}

// event is a line of go test -json, as far as it matters here (go doc test2json).
type event struct {
	Action, Test, Output string
}

// tried is what effort.Draw logs.
var tried = regexp.MustCompile(`random items: (\d+) of (\d+)`)

// readEvents reads what go test -json prints of tests, and copies what failed tests say. It is an error if a test does not end, or
// has not tried all of its items.
func readEvents(r io.Reader, folder string, tests []string, failures io.Writer) ([]result, error) {
	items, failed, ended := map[string]int{}, map[string]int{}, map[string]bool{}
	said := map[string]*strings.Builder{}
	var others strings.Builder
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if err := json.Unmarshal(line, &e); err != nil {
				return nil, fmt.Errorf("go test -json prints %q: %w", line, err)
			}
			top, sub, isSub := strings.Cut(e.Test, "/")
			switch e.Action {
			case "output", "build-output":
				if e.Test == "" {
					others.WriteString(e.Output)
					continue
				}
				if m := tried.FindStringSubmatch(e.Output); m != nil {
					if m[1] != m[2] {
						return nil, fmt.Errorf("%s tries %s of %s items", e.Test, m[1], m[2])
					}
					n, err := strconv.Atoi(m[2])
					if err != nil {
						return nil, err
					}
					items[top] += n
				}
				if said[e.Test] == nil {
					said[e.Test] = new(strings.Builder)
				}
				said[e.Test].WriteString(e.Output)
			case "fail":
				if e.Test == "" {
					continue
				}
				if isSub {
					failed[top]++
				}
				ended[e.Test] = true
				fmt.Fprintf(failures, "%s %s %s\n%s\n", folder, top, sub, said[e.Test])
				if !isSub {
					failed[top] = max(failed[top], 1)
				}
			case "pass", "skip":
				ended[e.Test] = true
				delete(said, e.Test)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	var results []result
	for _, t := range tests {
		if !ended[t] {
			return nil, fmt.Errorf("%s: %s does not end\n%s", folder, t, &others)
		}
		results = append(results, result{check{folder, t}, items[t], failed[t]})
	}
	return results, nil
}
