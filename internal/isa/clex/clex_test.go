package clex

import (
	"strings"
	"testing"
)

func TestScan(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", ""},
		{"a <<= 0x1F;", "word a, symbol <<=, int 0x1F, symbol ;"},
		{"1 1. .5 1.5f 1e3 1e+3f 1e x.5", "int 1, float 1., float .5, float 1.5, float 1e3, float 1e+3, int 1, word e, word x, float .5"},
		{"a/*\n*/b // c\n/* d */ e", "word a, word b, word e"},
		{"a<b&&c", "word a, symbol <, word b, symbol &&, word c"},
		{"i++ +1", "word i, symbol ++, symbol +, int 1"},
	} {
		tokens, err := Scan("f", []byte(c.src))
		if err != nil {
			t.Errorf("%q: %v", c.src, err)
			continue
		}
		var got []string
		for _, tok := range tokens[:len(tokens)-1] {
			got = append(got, []string{"end", "word", "int", "float", "symbol"}[tok.Kind]+" "+tok.Text)
		}
		if text := strings.Join(got, ", "); text != c.want || tokens[len(tokens)-1].Kind != End {
			t.Errorf("%q is %s, want %s", c.src, text, c.want)
		}
	}
}

func TestPositions(t *testing.T) {
	tokens, err := Scan("f", []byte("a /* é\n */ b\n\tc d"))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		pos   string
		first bool
	}{{"f:1:1", true}, {"f:2:5", true}, {"f:3:2", true}, {"f:3:4", false}, {"f:3:5", false}}
	for i, w := range want {
		if got := tokens[i]; got.Pos.String() != w.pos || got.First != w.first {
			t.Errorf("token %d is at %v, first %t; want %s, %t", i, got.Pos, got.First, w.pos, w.first)
		}
	}
}

func TestErrors(t *testing.T) {
	for src, want := range map[string]string{
		"a\n $": `f:2:2: unexpected character '$'`,
		"é":     `f:1:1: unexpected character 'é'`,
		" /* x": "f:1:2: the comment does not end",
	} {
		if _, err := Scan("f", []byte(src)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}
