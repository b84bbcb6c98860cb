// Package chosen says which one of the mutants that a program was built with it is to be.
//
// The choice is an element of PATH, since tests of commands hand on no other variable to the programs that they start.
package chosen

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// prefix begins the element of PATH. Behind it stands the number of a mutant, or the name of the file that takes the numbers of those
// whose function is called.
const prefix = "mutant="

// maximum is how many mutants a program can have. Those whose function was called are noted without a lock: inner loops of simulators
// have mutants, too.
const maximum = 1 << 16

var (
	number  = -1   // of no mutant
	reached string // file that takes numbers; empty if nobody wants them
	seen    [maximum]atomic.Bool
)

func init() {
	for _, element := range filepath.SplitList(os.Getenv("PATH")) {
		value, ok := strings.CutPrefix(element, prefix)
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(value); err == nil {
			number = n
		} else {
			reached = value
		}
	}
}

// Path returns the value of PATH with which a program is a mutant.
func Path(path string, mutant int) string { return with(path, strconv.Itoa(mutant)) }

// Recording returns the value of PATH with which a program is no mutant, and adds the numbers of those whose function is called to
// a file, a line each; several times where several programs are run.
func Recording(path, file string) string { return with(path, file) }

func with(path, value string) string { return path + string(filepath.ListSeparator) + prefix + value }

// Is reports whether the program is the mutant of this number. Every function of which there are mutants begins with it.
func Is(mutant int) bool {
	if reached != "" && !seen[mutant].Load() && !seen[mutant].Swap(true) {
		note(mutant)
	}
	return mutant == number
}

func note(mutant int) {
	f, err := os.OpenFile(reached, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strconv.Itoa(mutant) + "\n"); err != nil {
		panic(err)
	}
}
