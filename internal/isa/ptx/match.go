package ptx

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"warpbound/internal/isa"
)

// form is a compiled row.
type form struct {
	op    isa.Op
	text  string
	words []element
	slots []slot
	parts int // of a video instruction: how many it computes
}

// element is one place among the words of a mnemonic.
type element struct {
	optional bool
	choices  map[string]choice
}

// choice is what a word stands for: at most one of a type, the length of a
// vector and an effect.
type choice struct {
	typ    isa.Type
	vector int
	effect effect
}

// slot is the place of one operand.
type slot struct {
	letter   byte
	address  bool      // [a]
	parts    bool      // {a}
	vector   bool      // a*
	not      bool      // !a
	wider    bool      // a~
	selects  bool      // a^
	minus    bool      // -a
	flag     bool      // (e): not written
	hint     bool      // ?a: dropped
	fragment bool      // a#
	space    isa.Space // of [a:shared]; Generic stands for the instruction's
	typ      string
	explicit isa.Type // of typ, if that is the name of a type
	second   *slot    // the e of d|e
}

func (s *slot) result() bool { return s.letter == 'd' || s.letter == 'e' }

// forms gives the compiled rows by the first word of their mnemonics.
var forms = sync.OnceValue(func() map[string][]*form {
	table := make(map[string][]*form)
	for _, r := range rows {
		name, f, err := compile(r)
		if err != nil {
			panic(err) // a mistake in the table, which the tests find
		}
		table[name] = append(table[name], f)
	}
	return table
})

// compile reads a row. It gives the first word of the mnemonic.
func compile(r row) (string, *form, error) {
	f := &form{op: r.op, text: r.form}
	mnemonic, operands, _ := strings.Cut(r.form, " ")
	end := strings.IndexAny(mnemonic+".", ".[")
	name, rest := mnemonic[:end], mnemonic[end:]
	if r.op >= isa.VAdd && r.op <= isa.VMad {
		f.parts = 1
		if n := name[len(name)-1]; n == '2' || n == '4' {
			f.parts = int(n - '0')
		}
	}
	for rest != "" {
		var e element
		if rest, e.optional = strings.CutPrefix(rest, "["); e.optional && !strings.Contains(rest, "]") {
			return "", nil, fmt.Errorf("%s: [ is not closed", r.form)
		}
		rest = strings.TrimPrefix(rest, ".")
		end := strings.IndexAny(rest+".", ".[]")
		word := rest[:end]
		rest = strings.TrimPrefix(rest[end:], "]")
		if word == "" {
			return "", nil, fmt.Errorf("%s: a word is missing", r.form)
		}
		e.choices = choices(word)
		f.words = append(f.words, e)
	}
	if operands != "" {
		for text := range strings.SplitSeq(operands, ", ") {
			s, err := compileSlot(text)
			if err != nil {
				return "", nil, fmt.Errorf("%s: %w", r.form, err)
			}
			f.slots = append(f.slots, s)
		}
	}
	return name, f, nil
}

// choices gives the words that a word of a form stands for.
func choices(word string) map[string]choice {
	all := make(map[string]choice)
	inner, isSet := strings.CutPrefix(word, "<")
	if !isSet {
		all[word] = choiceOf(word, effects[word])
		return all
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(inner, ">"), "|") {
		set, ok := sets[name]
		if !ok {
			set = words{name: effects[name]}
		}
		for w, e := range set {
			all[w] = choiceOf(w, e)
		}
	}
	return all
}

func choiceOf(word string, e effect) choice {
	c := choice{effect: e}
	switch word {
	case "v2", "v4", "v8", "x1", "x2", "x4":
		c.vector = int(word[1] - '0')
	default:
		c.typ, _ = isa.TypeByName(word)
	}
	return c
}

func compileSlot(text string) (slot, error) {
	first, second, paired := strings.Cut(text, "|")
	var s slot
	rest, hint := strings.CutPrefix(first, "?")
	s.hint = hint
	if rest, s.flag = strings.CutPrefix(rest, "("); s.flag {
		rest = strings.TrimSuffix(rest, ")")
	}
	rest, s.not = strings.CutPrefix(rest, "!")
	rest, s.minus = strings.CutPrefix(rest, "-")
	if rest, s.address = strings.CutPrefix(rest, "["); s.address {
		rest = strings.TrimSuffix(rest, "]")
	}
	if rest, s.parts = strings.CutPrefix(rest, "{"); s.parts {
		rest = strings.TrimSuffix(rest, "}")
	}
	rest, s.typ, _ = strings.Cut(rest, ":")
	rest, s.wider = strings.CutSuffix(rest, "~")
	rest, s.vector = strings.CutSuffix(rest, "*")
	rest, s.selects = strings.CutSuffix(rest, "^")
	rest, s.fragment = strings.CutSuffix(rest, "#")
	if len(rest) != 1 {
		return s, fmt.Errorf("bad operand %s", text)
	}
	s.letter = rest[0]
	switch s.typ {
	case "", "src", "wide", "addr":
	case "shared":
		s.space = isa.Shared
	default:
		var ok bool
		if s.explicit, ok = isa.TypeByName(s.typ); !ok {
			return s, fmt.Errorf("bad type of operand %s", text)
		}
	}
	if paired {
		e, err := compileSlot(second)
		if err != nil {
			return s, err
		}
		s.second = &e
	}
	return s, nil
}

// candidate is a form whose words a mnemonic matches, and the instruction that
// the words make of it.
type candidate struct {
	*form
	instr  isa.Instr
	vector int // the number in .v2, .v4, .v8, .x1, .x2 or .x4
}

// candidates gives the forms that a mnemonic matches. If there are none, its words
// may stand in another order, as they do in some examples of the manual, but for
// that of its types.
func candidates(mnemonic string) []candidate {
	name, rest, _ := strings.Cut(mnemonic, ".")
	var given []string
	if rest != "" {
		given = strings.Split(rest, ".")
	}
	var found []candidate
	for _, inOrder := range []bool{true, false} {
		for _, f := range forms()[name] {
			if c, ok := f.match(given, inOrder); ok {
				found = append(found, c)
			}
		}
		if found != nil {
			break
		}
	}
	return found
}

// match assigns the words of a mnemonic to the places of the form.
func (f *form) match(given []string, inOrder bool) (candidate, bool) {
	c := candidate{form: f, instr: isa.Instr{Op: f.op}}
	var types []isa.Type
	if f.parts > 0 {
		c.instr.Video = &isa.Video{Parts: f.parts}
	}
	startMatrix(&c.instr)
	for _, e := range f.words {
		at := slices.IndexFunc(given, func(word string) bool { _, ok := e.choices[word]; return ok })
		if at < 0 || inOrder && at > 0 {
			if e.optional {
				continue
			}
			return c, false
		}
		ch := e.choices[given[at]]
		if ch.typ != isa.Invalid && slices.ContainsFunc(given[:at], isType) {
			return c, false
		}
		if at > 0 {
			given = slices.Delete(slices.Clone(given), at, at+1)
		} else {
			given = given[1:]
		}
		switch {
		case ch.typ != isa.Invalid:
			types = append(types, ch.typ)
		case ch.vector > 0:
			c.vector = ch.vector
		case ch.effect != nil:
			ch.effect(&c.instr)
		}
	}
	if len(types) > 0 {
		c.instr.Type = types[0]
	}
	if len(types) > 1 {
		c.instr.SrcType = types[len(types)-1]
	}
	if f.parts > 0 {
		videoTypes(&c.instr, types)
	}
	matrixTypes(&c.instr, types)
	return c, len(given) == 0
}

func isType(word string) bool {
	_, ok := isa.TypeByName(word)
	return ok
}

// typeOf gives the type of a slot's operand.
func (c *candidate) typeOf(s *slot, address isa.Type) isa.Type {
	switch s.typ {
	case "":
		return c.instr.Type
	case "src":
		return c.instr.SrcType
	case "wide":
		return widened[c.instr.Type]
	case "addr":
		return address
	}
	return s.explicit
}

var widened = map[isa.Type]isa.Type{isa.U16: isa.U32, isa.U32: isa.U64, isa.S16: isa.S32, isa.S32: isa.S64}
