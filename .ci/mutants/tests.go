package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"warpbound/.ci/mutants/chosen"
)

// test is a test of a package, or a subtest of one that takes long.
type test struct {
	of      *golang
	program string
	name    string // as -test.run takes it
	took    time.Duration
	reaches map[int]bool // mutants whose function it calls

	mu           sync.Mutex
	tried, kills int // mutants
}

// count notes whether it has killed a mutant.
func (t *test) count(kills bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tried++; kills {
		t.kills++
	}
}

// start is about how long a program takes to start.
const start = 50 * time.Millisecond

// expense is how long it takes until it has killed a mutant, as far as is known.
func (t *test) expense() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return (start + t.took) * time.Duration(t.tried+2) / time.Duration(t.kills+1)
}

func (t *test) String() string { return relative(t.of.Dir) + " " + t.name }

// command runs it in a program that is what PATH says.
func (t *test) command(ctx context.Context, path string, jobs int, args ...string) *exec.Cmd {
	c := limited(ctx, append([]string{t.program, "-test.failfast", "-test.run", t.name}, args...)...)
	c.Dir = t.of.Dir
	c.Env = append(c.Env, "PATH="+path, "GOMAXPROCS="+strconv.Itoa(max(1, runtime.NumCPU()/jobs)))
	return c
}

// compile compiles the tests of a package into a program.
func compile(ctx context.Context, p *golang, o *overlay, program string) error {
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", o.table(), "-o", program, p.ImportPath).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go test -c %s: %w\n%s", p.ImportPath, err, out)
	}
	return nil
}

// list returns the tests of a package.
func list(ctx context.Context, p *golang, program string) ([]*test, error) {
	c := limited(ctx, program, "-test.list", "^(Test|Fuzz|Example)")
	c.Dir = p.Dir
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("the tests of %s: %w", p.ImportPath, err)
	}
	var tests []*test
	for name := range strings.FieldsSeq(string(out)) {
		tests = append(tests, &test{of: p, program: program, name: "^" + name + "$"})
	}
	return tests, nil
}

// long is how long a test takes of which each subtest counts as a test.
const long = 10 * time.Second

// result is a line of a subtest.
var result = regexp.MustCompile(`(?m)^    --- PASS: (\S+) \(`)

// measure runs a test without a mutant, and notes how long it takes and which mutants it reaches. It returns those that take its place:
// its subtests, unless one fails when it is run alone.
func (t *test) measure(ctx context.Context, folder string, jobs int) ([]*test, error) {
	file, err := os.CreateTemp(folder, "reached")
	if err != nil {
		return nil, err
	}
	file.Close()
	began := time.Now()
	out, err := t.command(ctx, chosen.Recording(os.Getenv("PATH"), file.Name()), jobs, "-test.v").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%v fails without a mutant: %w\n%s", t, err, out)
	}
	t.took = time.Since(began)
	if t.reaches, err = readNumbers(file.Name()); err != nil || t.took < long || len(t.reaches) == 0 {
		return []*test{t}, err
	}
	subtests := result.FindAllStringSubmatch(string(out), -1)
	if len(subtests) < 2 {
		return []*test{t}, nil
	}
	var parts []*test
	for _, m := range subtests {
		_, sub, _ := strings.Cut(m[1], "/")
		part := &test{of: t.of, program: t.program, name: t.name + "/^" + regexp.QuoteMeta(sub) + "$"}
		measured, err := part.measure(ctx, folder, jobs)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return []*test{t}, nil
		}
		parts = append(parts, measured...)
	}
	return parts, nil
}

func readNumbers(file string) (map[int]bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	numbers := map[int]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return nil, err
		}
		numbers[n] = true
	}
	return numbers, lines.Err()
}

// measured returns the tests of packages in folders that match that reach a mutant, with their times. It is an error if one fails without a
// mutant.
func measured(ctx context.Context, packages []golang, folders *regexp.Regexp, o *overlay, jobs int) ([]*test, error) {
	var mu sync.Mutex
	var all []*test
	err := each(ctx, jobs, len(packages), func(i int) error {
		p := &packages[i]
		if !p.tested() || !folders.MatchString(relative(p.Dir)) {
			return nil
		}
		program := filepath.Join(o.folder, strconv.Itoa(i)+".test")
		if err := compile(ctx, p, o, program); err != nil {
			return err
		}
		tests, err := list(ctx, p, program)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, tests...)
		return err
	})
	if err != nil {
		return nil, err
	}
	var reach []*test
	err = each(ctx, jobs, len(all), func(i int) error {
		parts, err := all[i].measure(ctx, o.folder, jobs)
		mu.Lock()
		defer mu.Unlock()
		reach = append(reach, slices.DeleteFunc(parts, func(t *test) bool { return len(t.reaches) == 0 })...)
		return err
	})
	return reach, err
}

// nearer is how many times as likely a test of a mutant's own package is to kill it as one of another, before any has tried.
const nearer = 4

// reaching returns the tests that reach a mutant of a folder, those first that are expected to kill it soonest. Tests of other packages
// are left out, but for the first, from where all up to there take longer than a budget.
func reaching(tests []*test, mutant int, folder string, budget time.Duration) (list []*test, left int) {
	var all []*test
	expense := map[*test]time.Duration{}
	for _, t := range tests {
		if !t.reaches[mutant] {
			continue
		}
		all = append(all, t)
		if expense[t] = t.expense(); t.of.Dir == folder {
			expense[t] /= nearer
		}
	}
	slices.SortStableFunc(all, func(s, t *test) int { return cmp.Compare(expense[s], expense[t]) })
	var sum time.Duration
	for i, t := range all {
		if sum += t.took; sum > budget && i > 0 && t.of.Dir != folder {
			left++
			continue
		}
		list = append(list, t)
	}
	return list, left
}
