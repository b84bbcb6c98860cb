// Mutants changes the code in small ways, one at a time, and reports which changes no test notices.
//
//	go run ./.ci/mutants [-seed N] [-drawn N] [-named REGEXP] [-limit D] [-jobs N]
//
// A mutant is killed if a test fails, or if the tests of a package take longer than the limit and than ten times what they take without it.
//
// Named mutants are those of named.toml: errors that were once made, or that somebody tried. Each tells which tests find
// it. Drawn ones are made by chance from the expressions and statements of the packages that compute bounds and times; the tests of
// their package are run, then those of packages that import it. Sources are never touched: the compiler is told to read a file in
// place of another one (go build -overlay).
//
// The exit status is 1 if a named mutant survives, or more than a tenth of those drawn.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// mutant is a change of a file.
type mutant struct {
	name string // of one that is named; FILE:LINE:COL: what is changed of one that is drawn
	file string // as the compiler names it
	text []byte
	// tests are lists of arguments of go test, of which each is tried until one fails.
	tests [][]string
}

// verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"   // a test fails
	survived verdict = "SURVIVED" // no test fails
	endless  verdict = "endless"  // tests are not over in many times their time: killed, too
	invalid  verdict = "invalid"  // it does not compile
	broken   verdict = "broken"   // tests fail without it
)

func main() {
	seed := flag.Uint64("seed", 1, "of the mutants that are drawn")
	drawn := flag.Int("drawn", 200, "mutants to draw")
	named := flag.String("named", ".", "named mutants to try, a regular expression; ^$ for none")
	limit := flag.Duration("limit", time.Minute, "time that the tests of a package have at least")
	jobs := flag.Int("jobs", 2, "mutants at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, *named, *seed, *drawn, *limit, *jobs)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// run tries named and drawn mutants, and reports whether enough of them are killed.
func run(ctx context.Context, names string, seed uint64, drawn int, limit time.Duration, jobs int) (ok bool, err error) {
	which, err := regexp.Compile(names)
	if err != nil {
		return false, err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return false, err
	}
	list, err := readNamed(root, filepath.Join(root, ".ci", "mutants", "named.toml"), which)
	if err != nil {
		return false, err
	}
	packages, err := loadPackages(ctx)
	if err != nil {
		return false, err
	}
	ok = true
	clock := &clock{limit: limit, taken: make(map[string]time.Duration)}
	for i, v := range try(ctx, list, clock, jobs) {
		if v != killed && v != endless {
			fmt.Printf("%-8s %s\n", v, list[i].name)
			ok = false
		}
	}
	source := newDrawer(packages, seed)
	counts := map[verdict]int{}
	valid := func() int { return counts[killed] + counts[endless] + counts[survived] }
	for valid() < drawn && ctx.Err() == nil {
		list, err := source.draw(drawn - valid())
		if err != nil {
			return false, err
		}
		for _, v := range try(ctx, list, clock, jobs) {
			counts[v]++
		}
		if counts[broken] > 0 {
			return false, errors.New("tests fail without a mutant")
		}
	}
	if drawn > 0 {
		fmt.Printf("drawn with seed %d: %d of %d killed, %d of them since tests do not end\n", seed, valid()-counts[survived], valid(), counts[endless])
	}
	return ok && 10*counts[survived] <= drawn, ctx.Err()
}

// try runs the tests of mutants and prints what becomes of each.
func try(ctx context.Context, list []mutant, clock *clock, jobs int) []verdict {
	verdicts := make([]verdict, len(list))
	next := make(chan int)
	var printing sync.Mutex
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := range next {
				began := time.Now()
				v, by, err := list[i].try(ctx, clock)
				if verdicts[i] = v; ctx.Err() != nil {
					continue
				}
				printing.Lock()
				fmt.Printf("%-8s %5.0f s  %s", v, time.Since(began).Seconds(), list[i].name)
				switch {
				case err != nil:
					fmt.Printf(": %v", err)
				case by != "":
					fmt.Printf(" by %s", by)
				}
				fmt.Println()
				printing.Unlock()
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	workers.Wait()
	return verdicts
}

// within limits the address space of a command to 12 GiB, since some mutants allocate without end: their tests fail then.
const within = `ulimit -v 12582912 && exec "$@"`

// command runs tests, and ends with all processes that they have started.
func command(ctx context.Context, tests []string) *exec.Cmd {
	test := exec.CommandContext(ctx, "sh", append([]string{"-c", within, "sh", "go", "test", "-vet=off"}, tests...)...)
	test.Env = append(os.Environ(), "RAPID_SEED=1")
	test.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	test.Cancel = func() error { return syscall.Kill(-test.Process.Pid, syscall.SIGKILL) } // solvers that tests have started, too
	test.WaitDelay = 10 * time.Second
	return test
}

// clock knows how long tests may take.
type clock struct {
	limit time.Duration
	mu    sync.Mutex
	taken map[string]time.Duration // by tests, without a mutant
}

// factor is how many times as long as without a mutant tests may take.
const factor = 10

// of returns how long tests may take. It is an error if they fail without a mutant.
func (c *clock) of(ctx context.Context, tests []string) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := strings.Join(tests, " ")
	if _, known := c.taken[key]; !known {
		began := time.Now()
		if out, err := command(ctx, append([]string{"-count=1"}, tests...)).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("go test %s fails without a mutant: %w\n%s", key, err, out)
		}
		c.taken[key] = time.Since(began)
	}
	return max(c.limit, factor*c.taken[key]), nil
}

// try runs the tests of a mutant until some fail, and tells which those are.
func (m *mutant) try(ctx context.Context, clock *clock) (v verdict, by string, err error) {
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return invalid, "", err
	}
	defer os.RemoveAll(folder)
	changed, overlay := filepath.Join(folder, filepath.Base(m.file)), filepath.Join(folder, "overlay.json")
	table, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: changed}})
	if err != nil {
		return invalid, "", err
	}
	if err := errors.Join(os.WriteFile(changed, m.text, 0o644), os.WriteFile(overlay, table, 0o644)); err != nil {
		return invalid, "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "./"+relative(filepath.Dir(m.file)))
	if out, err := build.CombinedOutput(); err != nil {
		return invalid, "", errors.New(firstError(out))
	}
	for _, tests := range m.tests {
		limit, err := clock.of(ctx, tests)
		if err != nil {
			return broken, "", err
		}
		limited, cancel := context.WithTimeout(ctx, limit)
		err = command(limited, append([]string{"-overlay", overlay, "-failfast"}, tests...)).Run()
		ended := limited.Err()
		cancel()
		switch {
		case ctx.Err() != nil:
			return invalid, "", ctx.Err()
		case ended != nil:
			return endless, strings.Join(tests, " "), nil
		case err != nil:
			return killed, strings.Join(tests, " "), nil
		}
	}
	return survived, "", nil
}

// firstError is the first line of what the compiler prints that names a place.
func firstError(out []byte) string {
	for _, line := range strings.Split(string(out), "\n") {
		if strings.Contains(line, ".go:") {
			return line
		}
	}
	return strings.TrimSpace(string(out))
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
