// Mutants changes the code in small ways and reports which changes no test notices.
//
//	go run ./.ci/mutants [-seed N,...] [-drawn N] [-files REGEXP] [-tests REGEXP] [-named REGEXP] [-since COMMIT] [-limit D] [-budget D] [-jobs N] [-again FILE]
//
// A mutant is killed if a test fails, or if one takes longer than the limit and than ten times what
// it takes without the change. Sources are never touched: the compiler is told to read files in
// place of others (go build -overlay).
//
// Named mutants are those of named.toml: errors that were once made, or that somebody tried. Each
// tells which tests find it. With -since, only those are tried that changed since a commit, or
// whose package did, or one with tests that it names.
//
// Drawn ones are made by chance from the expressions and statements of functions in the packages
// that compute values, bounds and times, or in the files that -files names. All are compiled into one program, in which each is a copy of its
// function (schemata: Untch, Offutt and Harrold, 1993); package chosen says which one is called.
// Each test is run once without a mutant, to know how long it takes and which mutants it reaches.
// Those that reach a mutant are run then until one fails, those first that are short, of its
// package, and have killed many. Tests of other packages are left out when a mutant's tests have
// taken the budget: if none has failed, it counts as one that survives. To run all tests once takes
// more than an hour on two cores; -tests names those packages that are enough for some files.
//
// Equivalent mutants compute the same as the code, so that no test can fail: equivalent.toml has
// those that somebody has looked at, and why. They are tried as all others are, but not counted.
//
// With -again, drawn mutants that an earlier run of the same code has killed are not tried again,
// and count as killed: FILE has its output. So a run that was interrupted goes on, and after tests
// have been added only those mutants are tried that survived.
//
// The exit status is 1 if a named mutant survives, or more than a tenth of those drawn with a seed,
// or if one is killed that is said to be equivalent.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// verdict is what became of a mutant.
type verdict string

const (
	killed     verdict = "killed"     // a test fails
	survived   verdict = "SURVIVED"   // no test fails
	endless    verdict = "endless"    // a test is not over in many times its time: killed, too
	equivalent verdict = "equivalent" // no test fails, and none can (equivalent.toml)
)

func main() {
	seeds := flag.String("seed", "1", "of the mutants that are drawn; several with commas between them")
	drawn := flag.Int("drawn", 200, "mutants to draw with each seed")
	files := flag.String("files", scope, "files of which mutants are drawn, a regular expression")
	tests := flag.String("tests", "", "folders of the packages whose tests drawn mutants are tried with, a regular expression (default: all)")
	named := flag.String("named", ".", "named mutants to try, a regular expression; ^$ for none")
	since := flag.String("since", "", "commit at which all named mutants were killed: those are tried that changed since")
	limit := flag.Duration("limit", 20*time.Second, "time that a test has at least")
	budget := flag.Duration("budget", 2*time.Minute, "time of the tests of a drawn mutant, as long as they take without it, behind which only those of its package are run")
	jobs := flag.Int("jobs", 2, "mutants at a time")
	again := flag.String("again", "", "output of an earlier run of the same code: drawn mutants that it has killed are not tried again")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, *named, *since, *files, *tests, *seeds, *drawn, trial{*limit, *budget, *jobs}, *again)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// trial says how mutants are tried.
type trial struct {
	limit, budget time.Duration
	jobs          int
}

// run tries named and drawn mutants, and reports whether enough of them are killed.
func run(ctx context.Context, names, since, files, tests, seeds string, drawn int, how trial, again string) (ok bool, err error) {
	which, err := regexp.Compile(names)
	if err != nil {
		return false, err
	}
	of := draws{number: drawn}
	if of.files, err = regexp.Compile(files); err != nil {
		return false, err
	}
	if of.tests, err = regexp.Compile(tests); err != nil {
		return false, err
	}
	for text := range strings.SplitSeq(seeds, ",") {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return false, err
		}
		of.seeds = append(of.seeds, seed)
	}
	var before earlier
	if again != "" {
		if before, err = readEarlier(again); err != nil {
			return false, err
		}
	}
	ok, err = how.named(ctx, which, since)
	if err != nil || drawn == 0 {
		return ok, err
	}
	enough, err := how.drawn(ctx, of, before)
	return ok && enough, err
}

// each calls do for numbers up to n, several at a time, and returns the first error.
func each(ctx context.Context, jobs, n int, do func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// within limits the address space of a command to 12 GiB, since some mutants allocate without end:
// their tests fail then.
const within = `ulimit -v 12582912 && exec "$@"`

// limited is a command that ends with all processes that it has started. Tests try a tenth of their
// random items in it, always the same.
func limited(ctx context.Context, argv ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", within, "sh"}, argv...)...)
	c.Env = append(os.Environ(), "RAPID_SEED=1", "WARPBOUND_EFFORT=10", "WARPBOUND_DRAW=")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // solvers that tests have started, too
	c.WaitDelay = 10 * time.Second
	return c
}

// factor is how many times as long as without a mutant tests may take.
const factor = 10

// outcome runs a test with a mutant. took is how long the test takes without one.
func (how trial) outcome(ctx context.Context, took time.Duration, test func(context.Context) *exec.Cmd) verdict {
	in, cancel := context.WithTimeout(ctx, max(how.limit, factor*took))
	defer cancel()
	err := test(in).Run()
	switch {
	case in.Err() != nil:
		return endless
	case err != nil:
		return killed
	default:
		return survived
	}
}

// report prints what became of a mutant, a line each.
func report(v verdict, began time.Time, name, by string) {
	fmt.Printf("%-10s %5.0f s  %s%s\n", v, time.Since(began).Seconds(), name, by)
}

// relative is a path from the working directory, if it has one.
func relative(path string) string {
	root, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	if r, err := filepath.Rel(root, path); err == nil {
		return r
	}
	return path
}
