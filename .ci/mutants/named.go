package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"warpbound/internal/tomlpos"
)

// mutant is a file with a change.
type mutant struct {
	name string
	file string // as the compiler names it
	text []byte
	test []string // arguments of go test
}

// namedFile has the named mutants.
const namedFile = ".ci/mutants/named.toml"

// named tries the named mutants, or those that have to be tried again since a commit, and reports
// whether all are killed.
func (how trial) named(ctx context.Context, which *regexp.Regexp, since string) (ok bool, err error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(namedFile)
	if err != nil {
		return false, err
	}
	all, err := parseNamed(text)
	if err != nil {
		return false, err
	}
	if again, err := changedSince(ctx, since); err != nil {
		fmt.Printf("all named mutants are tried: %v\n", err)
	} else {
		before := len(all)
		all = slices.DeleteFunc(all, func(m namedMutant) bool { return !again(m) })
		fmt.Printf("%d of %d named mutants are tried, whose packages have changed since %s\n", len(all), before, since)
	}
	list, err := applyNamed(root, all, which)
	if err != nil {
		return false, err
	}
	clock := &clock{taken: make(map[string]time.Duration)}
	var mu sync.Mutex
	ok = true
	err = each(ctx, how.jobs, len(list), func(i int) error {
		m, began := &list[i], time.Now()
		v, err := how.tryNamed(ctx, m, clock)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		ok = ok && (v == killed || v == endless)
		report(v, began, m.name, "")
		return nil
	})
	return ok, err
}

// tryNamed runs the tests of a mutant.
func (how trial) tryNamed(ctx context.Context, m *mutant, clock *clock) (verdict, error) {
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	changed, overlay := filepath.Join(folder, filepath.Base(m.file)), filepath.Join(folder, "overlay.json")
	table, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: changed}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(changed, m.text, 0o644), os.WriteFile(overlay, table, 0o644)); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "./"+relative(filepath.Dir(m.file))).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", m.name, err, out)
	}
	took, err := clock.of(ctx, m.test)
	if err != nil {
		return "", err
	}
	v := how.outcome(ctx, took, func(ctx context.Context) *exec.Cmd {
		return goTest(ctx, append([]string{"-overlay", overlay, "-failfast"}, m.test...)...)
	})
	return v, ctx.Err()
}

// goTest is go test with arguments.
func goTest(ctx context.Context, args ...string) *exec.Cmd {
	return limited(ctx, append([]string{"go", "test", "-vet=off"}, args...)...)
}

// clock knows how long tests take without a mutant.
type clock struct {
	mu    sync.Mutex
	taken map[string]time.Duration
}

// of returns how long tests take. It is an error if they fail.
func (c *clock) of(ctx context.Context, tests []string) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := strings.Join(tests, " ")
	if _, known := c.taken[key]; !known {
		began := time.Now()
		if out, err := goTest(ctx, append([]string{"-count=1"}, tests...)...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("go test %s fails without a mutant: %w\n%s", key, err, out)
		}
		c.taken[key] = time.Since(began)
	}
	return c.taken[key], nil
}

// namedMutant is a mutant as named.toml has it.
type namedMutant struct {
	Name string `toml:"name"`
	File string `toml:"file"`
	Old  string `toml:"old"` // which the file holds once
	New  string `toml:"new"`
	// Tests are the arguments of go test with which it is found: a package, and -run if few of its
	// tests are needed.
	Tests string `toml:"tests"`
}

// parseNamed reads the text of namedFile.
func parseNamed(text []byte) ([]namedMutant, error) {
	var all struct {
		Mutant []namedMutant `toml:"mutant"`
	}
	err := tomlpos.Decode(namedFile, text, &all)
	return all.Mutant, err
}

// applyNamed makes the files of mutants. It is an error if a file does not hold the code that one
// replaces, exactly once.
func applyNamed(root string, all []namedMutant, which *regexp.Regexp) ([]mutant, error) {
	var list []mutant
	for _, m := range all {
		path := filepath.Join(root, m.File)
		code, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		if n := bytes.Count(code, []byte(m.Old)); n != 1 {
			return nil, fmt.Errorf("%s: %s holds %q %d times, not once", m.Name, m.File, m.Old, n)
		}
		if which.MatchString(m.Name) {
			list = append(list, mutant{m.Name, path, bytes.Replace(code, []byte(m.Old), []byte(m.New), 1), strings.Fields(m.Tests)})
		}
	}
	return list, nil
}
