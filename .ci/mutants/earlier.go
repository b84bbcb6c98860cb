package main

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// earlier is what became of drawn mutants in an earlier run.
type earlier []tried

type tried struct {
	verdict verdict
	seed    uint64
	text    string // the name of the mutant, and by which test or why
}

// reported is a line of report about a drawn mutant.
var reported = regexp.MustCompile(`^(\w+) +\d+ s  (\d+)  (.+)$`)

// readEarlier reads the output of a run. Lines about other things are passed over.
func readEarlier(file string) (earlier, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var e earlier
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		m := reported.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		seed, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			return nil, err
		}
		e = append(e, tried{verdict(m[1]), seed, m[3]})
	}
	return e, lines.Err()
}

// of returns what became of a mutant. It is false if it survived, or was not tried.
func (e earlier) of(m *drawnMutant) (verdict, bool) {
	for _, t := range e {
		if rest, ok := strings.CutPrefix(t.text, m.name); ok && t.seed == m.seed && strings.ContainsAny(rest[:min(1, len(rest))], " :") {
			return t.verdict, t.verdict != survived
		}
	}
	return "", false
}
