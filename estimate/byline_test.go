package estimate

import "testing"

// TestByLine checks what is an account of so many cycles.
func TestByLine(t *testing.T) {
	parts := func(cycles ...int64) (all []ChargedPart) {
		for _, n := range cycles {
			all = append(all, ChargedPart{"issue", n})
		}
		return all
	}
	one := func(cycles int64, causes ...int64) ChargedLine {
		return ChargedLine{Pos: "k.ptx:1", Cycles: cycles, Causes: parts(causes...)}
	}
	for name, c := range map[string]struct {
		of   ByLine
		want string
	}{
		"all":          {ByLine{Lines: []ChargedLine{one(7, 3, 4)}, Remainder: Remainder{Cycles: 3, Causes: parts(3)}}, ""},
		"too little":   {ByLine{Lines: []ChargedLine{one(9, 9)}}, "lines and the remainder are charged 9 of 10 cycles"},
		"other causes": {ByLine{Lines: []ChargedLine{one(10, 9)}}, "k.ptx:1 is charged 10 cycles, its causes 9"},
		"less than 0":  {ByLine{Lines: []ChargedLine{one(10, 11, -1)}}, "k.ptx:1 is charged -1 cycles for issue"},
		"a remainder less than 0": {
			ByLine{Lines: []ChargedLine{one(11, 11)}, Remainder: Remainder{Cycles: -1}}, "no line is charged -1 cycles, its causes 0",
		},
	} {
		got := ""
		if err := c.of.Check(10); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
