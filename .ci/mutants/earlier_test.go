package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestEarlier finds mutants in the output of earlier runs by seed, place and change. One that survived is killed if it was so later.
func TestEarlier(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mutants.txt")
	const output = `killed         7 s  no rounding
901 tests reach a mutant (1409 s)
killed         3 s  1  internal/emu/a.go:3:7: - for + by internal/emu TestA
endless       20 s  2  internal/emu/a.go:3:7: < for <= by internal/emu TestA
SURVIVED      61 s  1  internal/emu/a.go:4:7: - for + of 9 tests, 2 were left out
SURVIVED      61 s  1  internal/emu/a.go:4:9: - for + of 9 tests, 2 were left out
killed         1 s  1  internal/emu/a.go:4:9: - for + by internal/emu TestB
equivalent    61 s  1  internal/emu/a.go:5:9: 1 for 0: nobody asks
killed         3 s  1  internal/emu/a.go:3:70: 10 for 9 by internal/emu TestA
drawn with seed 1: 2 of 3 killed, 0 of them since tests do not end; besides, 1 are equivalent
`
	if err := os.WriteFile(file, []byte(output), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := readEarlier(file)
	if err != nil || len(e) != 7 {
		t.Fatalf("%v, %v", e, err)
	}
	for _, c := range []struct {
		seed uint64
		name string
		want verdict // none if it has to be tried
	}{
		{1, "internal/emu/a.go:3:7: - for +", killed},
		{2, "internal/emu/a.go:3:7: - for +", ""},
		{2, "internal/emu/a.go:3:7: < for <=", endless},
		{2, "internal/emu/a.go:3:7: < for <", ""},
		{1, "internal/emu/a.go:4:7: - for +", ""},
		{1, "internal/emu/a.go:5:9: 1 for 0", ""},
		{1, "internal/emu/a.go:4:9: - for +", killed},
		{1, "internal/emu/a.go:3:70: 1", ""},
	} {
		v, ok := e.killed(&drawnMutant{seed: c.seed, name: c.name})
		if ok != (c.want != "") || ok && v != c.want {
			t.Errorf("%s with seed %d: %q, %v, want %q", c.name, c.seed, v, ok, c.want)
		}
	}
	if _, err := readEarlier(file + "2"); err == nil {
		t.Error("no error for a file that is not there")
	}
}
