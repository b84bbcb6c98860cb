package smt

import (
	"bufio"
	"strings"
	"testing"
)

func parse(text string) (sexpr, error) {
	r := &sexprReader{in: bufio.NewReader(strings.NewReader(text))}
	return r.read()
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		text string
		sort Sort
		want uint64
		bad  bool
	}{
		{"true\n", Bool, 1, false},
		{"false ", Bool, 0, false},
		{"#xfF ", Bits(8), 255, false},
		{"#b0101\n", Bits(4), 5, false},
		{"(_ bv10 7)", Bits(7), 10, false},
		{"; a comment\n #xffffffffffffffff ", Bits(64), 1<<64 - 1, false},
		{"(_ bv200 7)", Bits(7), 0, true},
		{"(_ bv10 8)", Bits(7), 0, true},
		{"(_ bv10 x)", Bits(7), 0, true},
		{"#xff ", Bits(7), 0, true},
		{"#xfg ", Bits(8), 0, true},
		{"#b+1 ", Bits(2), 0, true},
		{"#x ", Bits(4), 0, true},
		{"true ", Bits(1), 0, true},
		{"#b1 ", Bool, 0, true},
		{"(_ bv1 1)", Bool, 0, true},
		{"()", Bits(1), 0, true},
	} {
		e, err := parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		x, err := e.value(c.sort)
		if (err != nil) != c.bad || x != c.want {
			t.Errorf("%q of %v: %d, %v", c.text, c.sort, x, err)
		}
	}
	for _, text := range []string{"", "(", "(a", ")", "\"a", "|a", "true", "(()", strings.Repeat("(", maxDepth+2)} {
		if e, err := parse(text); err == nil {
			t.Errorf("%q is read as %v", text, e)
		}
	}
}

func FuzzSexpr(f *testing.F) {
	f.Add("((x #x0f) (|y z| (_ bv3 4)))\n", uint8(8))
	f.Add("(error \"line 1\")", uint8(1))
	f.Add("true ;\n", uint8(0))
	f.Fuzz(func(t *testing.T, text string, width uint8) {
		e, err := parse(text)
		if err != nil {
			return
		}
		again, err := parse(e.String() + "\n")
		if err != nil || again.String() != e.String() {
			t.Fatalf("%q is read as %v, and that as %v (%v)", text, e, again, err)
		}
		sort := Bool
		if width > 0 && width <= MaxWidth {
			sort = Bits(int(width))
		}
		x, err := e.value(sort)
		if err != nil {
			return
		}
		if x > sort.mask() {
			t.Fatalf("%v of %v is %d", e, sort, x)
		}
		if back, err := parse(literal(sort, x) + "\n"); err != nil {
			t.Fatal(err)
		} else if y, err := back.value(sort); err != nil || y != x {
			t.Fatalf("%d is written %v, and read as %d (%v)", x, back, y, err)
		}
	})
}
