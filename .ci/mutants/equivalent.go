package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"warpbound/internal/tomlpos"
)

// identity tells changes apart by what stands in the code, which lasts longer than where it stands.
type identity struct {
	File   string `toml:"file"`
	Line   string `toml:"line"`   // the code of the line, without indentation
	Change string `toml:"change"` // as the report has it
	Nth    int    `toml:"nth"`    // of such changes of such lines in the file, from 1; 0 is 1
}

// rank returns a random number of the change for a seed.
func (id identity) rank(seed uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%s\n%d", seed, id.File, id.Line, id.Change, id.Nth))
	return binary.BigEndian.Uint64(sum[:])
}

// equivalents are the drawn mutants that no test can find since they compute the same, and why.
type equivalents map[identity]string

// readEquivalent reads those of a file, of the module in root. It is an error if one changes nothing that is there.
func readEquivalent(root, file string) (equivalents, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all struct {
		Mutant []struct {
			identity
			Why string `toml:"why"`
		} `toml:"mutant"`
	}
	if err := tomlpos.Decode(file, text, &all); err != nil {
		return nil, err
	}
	known := map[string]map[identity]bool{}
	e := equivalents{}
	for _, m := range all.Mutant {
		m.Nth = max(m.Nth, 1)
		if known[m.File] == nil {
			path := filepath.Join(root, m.File)
			code, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Why, err)
			}
			known[m.File] = map[identity]bool{}
			_, _, err = change(path, code, func(c *changed) bool {
				known[m.File][c.in(m.File)] = true
				return false
			})
			if err != nil {
				return nil, err
			}
		}
		if !known[m.File][m.identity] {
			return nil, fmt.Errorf("%s has no line %q in which %q is change %d", m.File, m.Line, m.Change, m.Nth)
		}
		if m.Why == "" {
			return nil, fmt.Errorf("%s: %s: %s: why is this the same?", m.File, m.Line, m.Change)
		}
		e[m.identity] = m.Why
	}
	return e, nil
}

// in identifies a change in a file.
func (c *changed) in(file string) identity { return identity{file, c.line, c.change, c.nth} }
