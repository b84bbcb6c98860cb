package ptx

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/arithmetic"
)

// key tells instructions apart that compute differently.
type key struct {
	op        isa.Op
	typ, from isa.Type
	round     isa.Round
	cmp       isa.Cmp
	combine   isa.Combine
	permute   isa.Permute
	modifiers isa.Modifiers
	results   int // of Unpack
	sources   int
}

func keyOf(in *isa.Instr, sources int) key {
	k := key{in.Op, in.Type, in.SrcType, in.Round, in.Cmp, in.Combine, in.Permute, in.Modifiers(), 0, sources}
	if in.Op == isa.Unpack {
		k.results = len(in.Dst)
	}
	return k
}

// noInstruction reports whether a mnemonic that a form allows is none of the manual: "set" gives 16
// bits for comparisons of halves alone, and "cvt" has .ftz only from or to single precision, and
// rounds a float to an integer only in its own format. internal/alu refuses these.
func noInstruction(in *isa.Instr) bool {
	to, from := in.Type, in.SrcType
	switch in.Op {
	case isa.Set:
		return to.Bits() == 16 && !to.IsFloat() && from != isa.F16 && from != isa.BF16
	case isa.Cvt:
		return in.FTZ && to != isa.F32 && from != isa.F32 ||
			in.Round >= isa.RoundIntRN && to.IsFloat() && to != from
	}
	return false
}

// TestArithmeticOfEveryForm lowers all mnemonics of forms that compute, products of matrices aside.
// Package arithmetic must say what the instruction gives, and it must be among those on which the
// tests of internal/alu compare the two.
func TestArithmeticOfEveryForm(t *testing.T) {
	tried := make(map[key]bool)
	arithmetic.Tried(func(in isa.Instr, sources int) { tried[keyOf(&in, sources)] = true })
	arithmetic.InWarp(func(in isa.Instr, sources int, _ *arithmetic.WarpRow) { tried[keyOf(&in, sources)] = true })
	covered := make(map[key]bool)
	for _, r := range rows {
		warp := r.op >= isa.Vote && r.op <= isa.Activemask
		if !warp && (r.op < isa.Add || r.op > isa.CvtaTo) {
			continue
		}
		name, f, err := compile(r)
		if err != nil {
			t.Error(err)
			continue
		}
		text := declared
		for _, mnemonic := range everySpelling(name, f) {
			c, ok := f.match(strings.Split(mnemonic, ".")[1:], true)
			if !ok {
				t.Errorf("%s does not match its form %s", mnemonic, r.form)
				continue
			}
			text += mnemonic + " " + operandsFor(t, &c) + ";\n"
		}
		p, err := lowerSnippet(text)
		if err != nil {
			t.Errorf("%s: %v", r.form, err)
			continue
		}
		for i := range p.Func("k").Instrs {
			in := &p.Func("k").Instrs[i]
			if in.Op == isa.Ret || in.Op == isa.Exit {
				continue
			}
			sources := len(in.Src)
			row := arithmetic.Of(in, sources) != nil
			if warp {
				row = arithmetic.OfWarp(in, sources) != nil
			}
			k := keyOf(in, sources)
			covered[k] = true
			switch {
			case row == noInstruction(in):
				t.Errorf("%s, of %s: what it computes is said: %t", in, r.form, row)
			case row && in.Video == nil && !tried[k]:
				t.Errorf("%s, of %s, is not tried", in, r.form)
			}
		}
	}
	t.Logf("%d instructions", len(covered))
}

// everySpelling gives all mnemonics of a form.
func everySpelling(name string, f *form) []string {
	list := []string{name}
	for _, e := range f.words {
		var longer []string
		for _, text := range list {
			if e.optional {
				longer = append(longer, text)
			}
			for _, word := range slices.Sorted(maps.Keys(e.choices)) {
				longer = append(longer, text+"."+word)
			}
		}
		list = longer
	}
	return list
}
