package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// wrongWord says which word of a mnemonic is wrong, and what may stand there, by the form to which
// it comes nearest. It is empty if nothing begins with its first word.
func wrongWord(mnemonic string) string {
	name, rest, _ := strings.Cut(mnemonic, ".")
	var given []string
	if rest != "" {
		given = strings.Split(rest, ".")
	}
	var best *deviation
	for _, f := range forms()[name] {
		if d := f.deviationOf(given); best == nil || d.countWords() < best.countWords() {
			best = d
		}
	}
	const begin = "no form of the instruction has these words"
	switch {
	case best == nil:
		return ""
	case len(best.surplus) > 0 && len(best.lacking) > 0:
		return fmt.Sprintf("%s: not .%s, want %s", begin, shorten(best.surplus[0]), listWords(best.lacking[0]))
	case len(best.surplus) > 0:
		return fmt.Sprintf("%s: .%s is one too many", begin, shorten(best.surplus[0]))
	case len(best.lacking) > 0:
		return fmt.Sprintf("%s: one is missing, want %s", begin, listWords(best.lacking[0]))
	}
	return begin + " in this order"
}

// deviation is what keeps a mnemonic from being of a form.
type deviation struct {
	surplus []string            // words for which the form has no place
	lacking []map[string]choice // places for which there are no words
}

func (d *deviation) countWords() int { return len(d.surplus) + len(d.lacking) }

// deviationOf compares the form with the words of a mnemonic, in their order.
func (f *form) deviationOf(given []string) *deviation {
	var d deviation
	left := f.words
	lack := func(places []element) {
		for _, e := range places {
			if !e.optional {
				d.lacking = append(d.lacking, e.choices)
			}
		}
	}
	for _, word := range given {
		at := slices.IndexFunc(left, func(e element) bool { _, ok := e.choices[word]; return ok })
		if at < 0 {
			d.surplus = append(d.surplus, word)
			continue
		}
		lack(left[:at])
		left = left[at+1:]
	}
	lack(left)
	return &d
}

// listWords lists words, few of them.
func listWords(choices map[string]choice) string {
	const maxListed = 10
	words := slices.Sorted(maps.Keys(choices))
	more := ""
	if len(words) > maxListed {
		words, more = words[:maxListed], "..."
	}
	return "." + strings.Join(words, ", .") + more
}

// operandMisfit says which operand fits no form, or how many there must be.
func operandMisfit(matched []candidate, operands []Operand) string {
	reached, best := -1, &matched[0]
	for i := range matched {
		if n := matched[i].countFitting(operands); n > reached {
			reached, best = n, &matched[i]
		}
	}
	places := best.writtenSlots()
	if reached < len(operands) && reached < len(places) {
		return fmt.Sprintf("the operands do not fit, %s is not %s", shorten(string(appendOperand(nil, &operands[reached]))), places[reached].describePlace(best.vector))
	}
	var names []string
	for _, s := range places {
		names = append(names, s.placeName())
	}
	return "the operands do not fit, want " + strings.Join(names, ", ")
}

// writtenSlots gives the places of the operands that an instruction writes.
func (c *candidate) writtenSlots() []*slot {
	var places []*slot
	for i := range c.slots {
		if !c.slots[i].flag {
			places = append(places, &c.slots[i])
		}
	}
	return places
}

// countFitting counts the operands that have the shapes of the form's, up to the first one that
// does not.
func (c *candidate) countFitting(operands []Operand) int {
	places := c.writtenSlots()
	for i := range operands {
		if i == len(places) || !places[i].accepts(&operands[i], c.vector) {
			return i
		}
	}
	return len(operands)
}

// placeName is the name of the place in the notation of the manual.
func (s *slot) placeName() string {
	name := string(s.letter)
	switch {
	case s.address:
		name = "[" + name + "]"
	case s.parts:
		name = "{" + name + ", ...}"
	case s.second != nil:
		name += "|" + string(s.second.letter)
	}
	if s.hint {
		name = "optional " + name
	}
	return name
}

// describePlace says what may stand in the place, with this number in .v2 and its like.
func (s *slot) describePlace(vector int) string {
	switch {
	case s.address:
		return "an address in brackets"
	case s.vector && vector > 0:
		return fmt.Sprintf("a vector of %d elements", vector)
	case s.parts:
		return "a vector"
	case s.letter == 'L':
		return "a label"
	case s.letter == 'T':
		return "the name of a list of labels"
	}
	return "a register or a constant"
}
