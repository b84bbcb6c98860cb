// Soak tries all random items of the checks that otherwise try a hundredth of theirs, and keeps
// what they found.
//
//	go run ./.ci/soak [-seed N] [-run REGEXP]
//
// These checks are the tests that call effort.Draw. What each has tried, with which seed, at which
// commit, and what it found stands in a row of docs/results/soak.md, which is written after each
// package: an interrupt loses no more than the packages under way, and -run goes on with some of
// the checks. What tests say that fail goes to standard output, too.
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
	"slices"
	"strings"
)

func main() {
	seed := flag.Int("seed", 0, "seed of the items: with 0 they are those of which .ci/run draws")
	only := flag.String("run", ".", "checks to try, a regular expression of PACKAGE TEST")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := tryChecks(ctx, *seed, *only)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// tryChecks tries the checks that an expression selects, and reports whether all hold.
func tryChecks(ctx context.Context, seed int, only string) (ok bool, err error) {
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
	checks := slices.DeleteFunc(slices.Clone(all), func(c check) bool {
		return !selected.MatchString(c.folder + " " + c.test)
	})
	if len(checks) == 0 {
		return false, fmt.Errorf("no check matches %q", only)
	}
	ok = true
	err = runChecks(ctx, checks, seed, func(results []result) error {
		for _, r := range results {
			ok = ok && r.findings == 0
			rows[r.check] = row{items: r.items, seed: seed, commit: commit, findings: r.findings}
			fmt.Printf("%s %s: %d random items, %d findings\n", r.check.folder, r.check.test, r.items, r.findings)
		}
		return writeRows(page, rows, all)
	})
	return ok, err
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
