package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/isatest"
)

// TestEveryForm writes, for every row of the table and every word that may stand
// at each of its places, an instruction with operands of the right types, and
// checks that it lowers to the row's operation.
func TestEveryForm(t *testing.T) {
	covered := make(map[isa.Op]bool)
	for _, r := range rows {
		covered[r.op] = true
		name, f, err := compile(r)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, mnemonic := range spellings(name, f) {
			c, ok := f.match(strings.Split(mnemonic, ".")[1:], true)
			if !ok {
				t.Errorf("%s does not match its form %s", mnemonic, r.form)
				continue
			}
			text := "ts: .branchtargets E; E: " + mnemonic + " " + operandsFor(t, &c) + ";"
			p, err := lowerSnippet(declared + text)
			if err != nil {
				t.Errorf("%s\n%v", text, err)
				continue
			}
			for _, w := range p.Warnings {
				t.Errorf("%s\n%s", text, w.Text)
			}
			in := p.Func("k").Instrs[0]
			if in.Op == isa.BulkDrain {
				in = p.Func("k").Instrs[1]
			}
			if in.Op != r.op {
				t.Errorf("%s is %s, want %s", text, in.Op, r.op)
			}
			if info := in.Op.Info(); !within(len(in.Dst), info.Dst) || !within(len(in.Src), info.Src) {
				t.Errorf("%s has %d results and %d sources, want %v and %v", text, len(in.Dst), len(in.Src), info.Dst, info.Src)
			}
		}
	}
	covered[isa.Call] = true // has code of its own
	covered[isa.RunSystem] = true
	for _, op := range []isa.Op{isa.Reconverge, isa.Split, isa.Merge, isa.BulkDrain} {
		covered[op] = true // is not of this language, or a step of others
	}
	for _, op := range isatest.Ops() {
		if !covered[op] {
			t.Errorf("no form for %s", op)
		}
	}
}

func within(n int, bounds [2]int) bool { return bounds[0] <= n && n <= bounds[1] }

// declared declares one register of every type.
var declared = func() string {
	var b strings.Builder
	for t := isa.Pred; ; t++ {
		if _, ok := isa.TypeByName(t.String()); !ok {
			return b.String()
		}
		fmt.Fprintf(&b, ".reg .%s %%reg_%s; ", t, t)
	}
}()

// spellings gives mnemonics of a form: the shortest and the longest, and with
// every word at every place at least once.
func spellings(name string, f *form) []string {
	first := func(e element) string { return slices.Sorted(maps.Keys(e.choices))[0] }
	build := func(optional bool, at int, word string) string {
		text := name
		for i, e := range f.words {
			switch {
			case i == at:
				text += "." + word
			case !e.optional || optional:
				text += "." + first(e)
			}
		}
		return text
	}
	all := []string{build(false, -1, ""), build(true, -1, "")}
	for i, e := range f.words {
		for word := range e.choices {
			all = append(all, build(false, i, word), build(true, i, word))
		}
	}
	return all
}

// operandsFor writes operands that fit a candidate.
func operandsFor(t *testing.T, c *candidate) string {
	var texts []string
	for i := range c.slots {
		s := &c.slots[i]
		reg := func(s *slot) string { return "%reg_" + c.typeOf(s, isa.U64).String() }
		text := reg(s)
		switch {
		case s.flag:
			continue
		case s.letter == 'L':
			text = "E"
		case s.letter == 'T':
			text = "ts"
		case s.letter == 'i':
			text = "1"
		case s.address:
			text = "[%reg_u64+4]"
		case s.parts:
			part, ok := partTypes[c.typeOf(s, isa.U64).Bits()/2]
			if !ok {
				t.Errorf("%s: no halves of %s", c.text, c.typeOf(s, isa.U64))
			}
			text = fmt.Sprintf("{%%reg_%[1]s, %%reg_%[1]s}", part)
		case s.fragment:
			n, elements := fragmentOf(&c.instr, s.letter)
			text = "{" + strings.TrimSuffix(strings.Repeat("%reg_"+registerOf(elements).String()+", ", n), ", ") + "}"
		case s.vector && c.vector > 0:
			text = "{" + strings.TrimSuffix(strings.Repeat(reg(s)+", ", c.vector), ", ") + "}"
		case s.second != nil:
			text += "|" + reg(s.second)
		case s.not:
			text = "!" + text
		case s.selects && s.result() && c.parts == 4:
			text += ".b0"
		case s.selects && s.result():
			text += ".h0"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// TestNoOrphans checks that every set of words stands in some form.
func TestNoOrphans(t *testing.T) {
	for name := range sets {
		used := slices.ContainsFunc(rows, func(r row) bool {
			return strings.Contains(r.form, "<"+name+">") || strings.Contains(r.form, "<"+name+"|") ||
				strings.Contains(r.form, "|"+name+">") || strings.Contains(r.form, "|"+name+"|")
		})
		if !used {
			t.Errorf("no form has the set %s", name)
		}
	}
}

// TestBadRows checks that mistakes in rows are found.
func TestBadRows(t *testing.T) {
	for form, want := range map[string]string{
		"add[.sat d, a":  "[ is not closed",
		"add. d, a":      "a word is missing",
		"add.u32 dd, a":  "bad operand dd",
		"add.u32 d:u31":  "bad type of operand d:u31",
		"add.u32 d|, a":  "bad operand",
		"add.u32 d,  a~": "bad operand",
	} {
		if _, _, err := compile(row{isa.Add, form}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", form, err, want)
		}
	}
}
