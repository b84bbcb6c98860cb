package main

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// earlier is what became of drawn mutants in earlier runs of the same code.
type earlier []tried

type tried struct {
	verdict verdict
	seed    uint64
	text    string // the name of the mutant, and by which test or why
}

// reported is a line of report about a drawn mutant.
var reported = regexp.MustCompile(`^(\w+) +\d+ s  (\d+)  (.+)$`)

// readEarlier reads the output of runs. Lines about other things are passed over.
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

// killed returns how a mutant was killed. It is false if it was not: then it is to be tried again, equivalent or not.
func (e earlier) killed(m *drawnMutant) (verdict, bool) {
	for _, t := range e {
		rest, ok := strings.CutPrefix(t.text, m.name)
		if ok && t.seed == m.seed && strings.HasPrefix(rest, " by ") && (t.verdict == killed || t.verdict == endless) {
			return t.verdict, true
		}
	}
	return "", false
}
