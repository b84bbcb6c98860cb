// Soak tries all random items of the checks that otherwise try a hundredth of theirs, and keeps what they found.
//
//	go run ./.ci/soak [-seed N] [-run REGEXP]
//
// These checks are the tests that call effort.Draw. What each has tried, with which seed, at which commit, and what it found stands in a
// row of docs/results/soak.md, which is written after each package: an interrupt loses no more than the package under way, and -run goes on
// with some of the checks. What tests say that fail goes to standard output, too.
//
// The exit status is 1 if a check fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

func main() {
	seed := flag.Int("seed", 0, "seed of the items: with 0 they are those of which .ci/run draws")
	only := flag.String("run", ".", "checks to try, a regular expression of PACKAGE TEST")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, *seed, *only)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// run tries the checks that an expression selects, and reports whether all hold.
func run(ctx context.Context, seed int, only string) (ok bool, err error) {
	selected, err := regexp.Compile(only)
	if err != nil {
		return false, err
	}
	all, err := findChecks(".")
	if err != nil {
		return false, err
	}
	commit, err := currentCommit(ctx)
	if err != nil {
		return false, err
	}
	rows, err := readRows(page)
	if err != nil {
		return false, err
	}
	var tasks []checkedPackage
	for _, p := range byPackage(all) {
		if p.tests = p.selected(selected); len(p.tests) > 0 {
			tasks = append(tasks, p)
		}
	}
	var mu sync.Mutex
	ok = true
	err = each(ctx, runtime.NumCPU(), tasks, func(p checkedPackage) error {
		results, err := tryPackage(ctx, p, seed)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, r := range results {
			ok = ok && r.findings == 0
			rows[r.check] = row{items: r.items, seed: seed, commit: commit, findings: r.findings}
			fmt.Printf("%s %s: %d random items, %d findings\n", r.check.folder, r.check.test, r.items, r.findings)
		}
		return writeRows(page, rows, all)
	})
	return ok, err
}

// each calls do for packages, several at a time, and returns the first error.
func each(ctx context.Context, jobs int, packages []checkedPackage, do func(checkedPackage) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan checkedPackage)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for p := range next {
				if err := do(p); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, p := range packages {
		if ctx.Err() == nil {
			next <- p
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// currentCommit is the commit of the working tree, with a plus if files differ from it.
func currentCommit(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse: %w", err)
	}
	commit := strings.TrimSpace(string(out))
	err = exec.CommandContext(ctx, "git", "diff", "--quiet", "HEAD", "--", "*.go").Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return commit + "+", nil
	}
	return commit, err
}
