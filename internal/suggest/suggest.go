// Package suggest says what the writer of an unknown name may have meant: the names nearest to
// it, and which names there are where that is short to say.
//
// It must import nothing of this project: names have no meaning to it.
package suggest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The most that a message says.
const (
	maxSlips  = 2  // of which a word still tells what was meant
	maxNear   = 3  // names that are equally near; more of them say nothing
	shortList = 60 // characters of a list that is said although a name is near
	maxListed = 24 // names of a list that is said because no name is near
)

// Hint completes a message about an unknown name, with its own punctuation, for example
//
//	fmt.Errorf("unknown method %q%s", name, suggest.Hint(name, known))
//
// It asks for the nearest of the known names, if any is near, and lists the known names if none is
// near or they are few. It is empty if none is known.
func Hint(name string, known []string) string {
	if len(known) == 1 {
		return HintOf("there is only", name, known)
	}
	return HintOf("there are", name, known)
}

// HintOf is Hint with a list that begins with other words, such as "the module has".
func HintOf(have, name string, known []string) string {
	near := Nearest(name, known)
	list := strings.Join(known, ", ")
	if len(known) > maxListed {
		list = fmt.Sprintf("%s and %d more", strings.Join(known[:maxListed], ", "), len(known)-maxListed)
	}
	switch {
	case len(known) == 0:
		return ""
	case len(near) == 0:
		return "; " + have + " " + list
	case len(known) > len(near) && len(list) <= shortList:
		return Question(near) + " (" + have + " " + list + ")"
	}
	return Question(near)
}

// Mean is Hint without the list of the names: it is empty if none is near.
func Mean(name string, known []string) string { return Question(Nearest(name, known)) }

// Question asks, with its own punctuation, whether one of the names was meant. It is empty if
// there are none.
func Question(names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	if last := len(quoted) - 1; last > 0 {
		quoted = append(quoted[:last-1], quoted[last-1]+" or "+quoted[last])
	}
	return "; did you mean " + strings.Join(quoted, ", ") + "?"
}

// Nearest returns the known names nearest to a name, in their order: those that the
// fewest slips of the keyboard turn into it, one or two of them by its length, or else those with a word
// that begins so, such as "hybrid/waves" for "waves". There are at most three. Upper and lower case,
// and what joins words, are one.
func Nearest(name string, known []string) []string {
	word := plain(name)
	if len(word) == 0 {
		return nil
	}
	limit := min(max(1, len(word)/3), len(word)-1, maxSlips)
	var near []string
	for _, k := range known {
		switch d := distance(word, plain(k), limit); {
		case d > limit || slices.Contains(near, k):
		case d < limit:
			limit, near = d, []string{k}
		default:
			near = append(near, k)
		}
	}
	if len(near) == 0 && len(word) >= 3 {
		for _, k := range known {
			if part(string(word), k) && !slices.Contains(near, k) {
				near = append(near, k)
			}
		}
	}
	if len(near) > maxNear {
		return nil
	}
	return near
}

// part reports whether a plain word stands where a word of the name begins.
func part(word, name string) bool {
	text := string(plain(name))
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
		from = i + 1
	}
}

// plain makes names that differ by case and by what joins their words alike.
func plain(name string) []rune {
	text := make([]rune, 0, utf8.RuneCountInString(name))
	for _, r := range strings.ToLower(name) {
		if r == '_' || r == ' ' {
			r = '-'
		}
		text = append(text, r)
	}
	return text
}

// distance is how many letters have at least to be inserted, deleted, replaced or swapped with their neighbour
// to turn a into b, where no letter is touched twice (optimal string alignment). It is more than
// limit, but perhaps not exact, if the lengths alone say so.
func distance(a, b []rune, limit int) int {
	if d := max(len(a)-len(b), len(b)-len(a)); d > limit {
		return d
	}
	// rows are those of the prefixes of a that end two letters before, one before, and at the present one
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			replace := above[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, replace)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
