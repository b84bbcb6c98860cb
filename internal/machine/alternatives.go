package machine

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/isa"
)

// Alternative is a machine on which one assumed number or word is another one that can be believed.
type Alternative struct {
	Path         string // of the number or word, as in Rows
	Value, Other string // of the machine that assumes it, and of the other one
	Machine      *Machine
}

// Alternatives returns, for each number that the description assumes and that kernels exercise, the
// machines with the ends of its range, and for each word those with the others that may stand there:
// what is switched on or off first, and then the widest ranges. What makes no machine is left out,
// and so are numbers without a range.
func (m *Machine) Alternatives(kernels ...*isa.Kernel) []Alternative {
	rows := make(map[string]Row)
	for _, r := range m.Rows() {
		rows[r.Path] = r
	}
	words := m.wordsByPath()
	var all []Alternative
	width := make(map[string]float64)
	for _, account := range m.Accounts(kernels...) {
		if account.Basis != Assumed {
			continue
		}
		row := rows[account.Path]
		add := func(other string, out *Machine) {
			c := &checker{m: out, file: m.Name}
			if c.relations(); other != row.Value && c.errs.Err() == nil {
				all = append(all, Alternative{row.Path, row.Value, other, out})
			}
		}
		width[row.Path] = float64(row.Range[1]) / float64(max(row.Range[0], 1))
		if n := len(words[row.Path]); n == 2 {
			width[row.Path] = math.Inf(1)
		} else if n > 2 {
			width[row.Path] = 2 // as if it were twice as much
		}
		for _, word := range words[row.Path] {
			add(word, m.withWord(row.Path, word))
		}
		if row.Range[0] < row.Range[1] {
			for _, end := range row.Range {
				add(strconv.FormatInt(end, 10), m.withNumber(row.Path, end))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Alternative) int { return cmp.Compare(width[b.Path], width[a.Path]) })
	return all
}

// wordsByPath returns the words that may stand where the machine has one.
func (m *Machine) wordsByPath() map[string][]string {
	words := make(map[string][]string)
	for path, f := range m.fields() {
		if list := strings.Fields(f.tag.Get("choices")); list != nil {
			words[path] = list
		}
	}
	return words
}

// withWord returns a copy of the machine with another word at a path. It shares nothing with the
// machine.
func (m *Machine) withWord(path, word string) *Machine {
	out := m.WithSources(func(_, source string) string { return source })
	for at, f := range out.fields() {
		if at == path {
			f.value.FieldByName("Value").Set(reflect.ValueOf(word).Convert(f.value.FieldByName("Value").Type()))
		}
	}
	return out
}

// withNumber returns a copy of the machine with another number at a path. It shares nothing with
// the machine.
func (m *Machine) withNumber(path string, number int64) *Machine {
	return m.withNumbers(func(at string, value int64, _ Range, _ bool) int64 {
		if at == path {
			return number
		}
		return value
	})
}
