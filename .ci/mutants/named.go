package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"warpbound/internal/tomlpos"
)

// namedMutant is a mutant as named.toml has it.
type namedMutant struct {
	Name string `toml:"name"`
	File string `toml:"file"`
	Old  string `toml:"old"` // which the file holds once
	New  string `toml:"new"`
	// Tests are the arguments of go test with which it is found: a package, and -run if few of its tests are needed.
	Tests string `toml:"tests"`
}

// readNamed reads the named mutants. It is an error if a file does not hold the code that one replaces, exactly once.
func readNamed(root, file string, which *regexp.Regexp) ([]mutant, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all struct {
		Mutant []namedMutant `toml:"mutant"`
	}
	if err := tomlpos.Decode(file, text, &all); err != nil {
		return nil, err
	}
	var list []mutant
	for _, m := range all.Mutant {
		path := filepath.Join(root, m.File)
		code, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		if n := bytes.Count(code, []byte(m.Old)); n != 1 {
			return nil, fmt.Errorf("%s: %s holds %q %d times, not once", m.Name, m.File, m.Old, n)
		}
		if which.MatchString(m.Name) {
			list = append(list, mutant{m.Name, path, bytes.Replace(code, []byte(m.Old), []byte(m.New), 1), [][]string{strings.Fields(m.Tests)}})
		}
	}
	return list, nil
}
