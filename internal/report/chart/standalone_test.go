package chart

import (
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const testStyle = `:root { --ground: #fff; --text: #111; --heat: 1, 2, 3; }
@media (prefers-color-scheme: dark) { :root { --text: #eee; } svg.chart { fill: none; } }
body { color: var(--text); }
.verdict, svg.chart { fill: var(--text); }
svg.flow .node .heat { fill: rgb(var(--heat)); } .flowbox svg.chart { max-width: none; } .n0 { color: var(--text); }
@media print { svg.chart { fill: red; } }
`

// TestStandalone: documents are well-formed, say what they show, and have the rules that they need with light values and no others.
func TestStandalone(t *testing.T) {
	of := Document{
		Title: "a <b> & " + strings.Repeat("c", 200), Note: "note",
		Keys: []Key{{"dots", "seen", Dot}, {"blocks", "k-memory", Block}, {strings.Repeat("long ", 30), "arc taken", Stroke}},
	}
	for name, text := range samples() {
		svg, err := Standalone(template.HTML(text), testStyle, of)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Standalone(template.HTML(text), testStyle, of); again != svg {
			t.Errorf("%s: another document of the same", name)
		}
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v in %s", name, err, svg)
			}
		}
		for _, no := range []string{"var(", "@media", "body", "flowbox", "verdict", "#eee", "%!"} {
			if strings.Contains(svg, no) {
				t.Errorf("%s: %q in %s", name, no, svg)
			}
		}
		for want, is := range map[string]bool{
			"svg.chart { fill: #111; }\n": true, "svg.flow .node .heat { fill: rgb(1, 2, 3); }\n": name == "flow", ".n0 { color: #111; }\n": name == "lines",
			"<title>a &lt;b&gt; &amp; ": true,
		} {
			if strings.Contains(svg, want) != is {
				t.Errorf("%s: %q is not %t in %s", name, want, is, svg)
			}
		}
	}
	if svg, err := Standalone("<p>", testStyle, of); err == nil {
		t.Errorf("of no chart: %s", svg)
	}
	if svg, err := Standalone(template.HTML(samples()["flow"]), "svg.flow { fill: var(--none); }", of); err == nil || svg != "" {
		t.Errorf("without a variable: %v, %s", err, svg)
	}
}

func TestWrap(t *testing.T) {
	for words, want := range map[string][]string{
		"": nil, "a bc def": {"a bc", "def"}, "abcdefghijkl": {"abcde", "fghij", "kl"}, "ab abcdef g": {"ab", "abcde", "f g"}, "äöü äö": {"äöü", "äö"},
	} {
		got := wrap(words, 5)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
		for _, line := range got {
			if utf8.RuneCountInString(line) > 5 {
				t.Errorf("%q is long", line)
			}
		}
	}
}
