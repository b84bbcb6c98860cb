package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"warpbound/.ci/mutants/chosen"
)

// drawn tries mutants that are drawn with some seeds, and reports whether with each no more than a tenth survives of those that are not
// known to be equivalent, and no equivalent one is killed. Those that were killed before are not tried again.
func (how trial) drawn(ctx context.Context, of draws, before earlier) (ok bool, err error) {
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	packages, err := loadPackages(ctx)
	if err != nil {
		return false, err
	}
	same, err := readEquivalent(".", filepath.Join(".ci", "mutants", "equivalent.toml"))
	if err != nil {
		return false, err
	}
	counts := map[uint64]map[verdict]int{}
	for _, seed := range of.seeds {
		counts[seed] = map[verdict]int{}
	}
	o := &overlay{folder: folder}
	began := time.Now()
	var wrong []string
	mutants, err := drawAll(ctx, packages, of, o, func(m *drawnMutant) bool {
		v, ok := before.killed(m)
		if !ok {
			return true
		}
		counts[m.seed][v]++
		if _, ok := same[m.identity]; ok {
			wrong = append(wrong, m.name)
		}
		return false
	})
	if err != nil {
		return false, err
	}
	tests, err := measured(ctx, packages, of.tests, o, how.jobs)
	if err != nil {
		return false, err
	}
	fmt.Printf("%d tests reach a mutant (%.0f s)\n", len(tests), time.Since(began).Seconds())
	var mu sync.Mutex
	err = each(ctx, how.jobs, len(mutants), func(i int) error {
		m := mutants[i]
		if m == nil {
			return nil
		}
		began := time.Now()
		v, by := how.try(ctx, i, filepath.Dir(m.file), tests)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		mu.Lock()
		defer mu.Unlock()
		if why, ok := same[m.identity]; ok {
			if v != survived {
				wrong = append(wrong, m.name)
			} else {
				v, by = equivalent, ": "+why
			}
		}
		counts[m.seed][v]++
		report(v, began, fmt.Sprintf("%d  %s", m.seed, m.name), by)
		return nil
	})
	ok = err == nil && len(wrong) == 0
	for _, m := range wrong {
		fmt.Printf("%s is killed, and equivalent.toml says that it is equivalent\n", m)
	}
	for _, seed := range of.seeds {
		n := counts[seed]
		others := n[killed] + n[endless] + n[survived]
		fmt.Printf("drawn with seed %d: %d of %d killed, %d of them since tests do not end; besides, %d are equivalent\n", seed, others-n[survived], others, n[endless], n[equivalent])
		ok = ok && 10*n[survived] <= others
	}
	return ok, err
}

// try runs the tests that reach a mutant of a folder until one fails.
func (how trial) try(ctx context.Context, number int, folder string, all []*test) (v verdict, by string) {
	tests, left := reaching(all, number, folder, how.budget)
	path := chosen.Path(os.Getenv("PATH"), number)
	for _, t := range tests {
		v := how.outcome(ctx, t.took, func(ctx context.Context) *exec.Cmd { return t.command(ctx, path, how.jobs) })
		if t.count(v != survived); v != survived || ctx.Err() != nil {
			return v, " by " + t.String()
		}
	}
	return survived, fmt.Sprintf(" of %d tests, %d were left out", len(tests)+left, left)
}
