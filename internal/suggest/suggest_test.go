package suggest

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHint(t *testing.T) {
	methods := []string{"hybrid/warp", "hybrid/waves", "hybrid/dynamic", "static/cta", "static/llc-simple", "static/llc-interval", "split/none"}
	formats := []string{"text", "json"}
	many := strings.Fields(strings.Repeat("a-name ", 30))
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"vektors", []string{"vectors", "seed", "kernel"}, `; did you mean "vectors"? (there are vectors, seed, kernel)`},
		{"hybrid/wave", methods, `; did you mean "hybrid/waves"?`},
		{"waves", methods, `; did you mean "hybrid/waves"?`},
		{"static", methods, `; did you mean "static/cta", "static/llc-simple" or "static/llc-interval"?`},
		{"llc_simple", methods, `; did you mean "static/llc-simple"?`},
		{"phases", methods, "; there are hybrid/warp, hybrid/waves, hybrid/dynamic, static/cta, static/llc-simple, static/llc-interval, split/none"},
		{"bri", []string{"hybrid", "hybrid/bridge"}, `; did you mean "hybrid/bridge"? (there are hybrid, hybrid/bridge)`},
		{"jsno", formats, `; did you mean "json"? (there are text, json)`},
		{"xml", formats, "; there are text, json"},
		{"JSON", []string{"json"}, `; did you mean "json"?`},
		{"xml", []string{"json"}, "; there is only json"},
		{"xml", nil, ""},
		{"", formats, "; there are text, json"},
		{"x", many, "; there are " + strings.Join(many[:24], ", ") + " and 6 more"},
		{"a", []string{"b", "cd"}, "; there are b, cd"},                        // all single letters are one slip away
		{"a1", []string{"a2", "a3", "a4", "a5"}, "; there are a2, a3, a4, a5"}, // any may be meant
	} {
		if got := Hint(c.name, c.known); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Mean("xml", formats); got != "" {
		t.Errorf("got %q for a name that is near none", got)
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct{ name, known, want string }{
		{"unifrom", "uniform normal zeros", "uniform"}, // neighbours are swapped
		{"f23", "f16 f32 f64", "f32"},
		{"fermi_c2050", "fermi-c2050 mini-simt", "fermi-c2050"},
		{"fermi", "fermi-c2050 integrated-fermi mini-simt", "fermi-c2050 integrated-fermi"},
		{"gird", "grid block", "grid"},
		{"Größe", "größe länge", "größe"},
		{"grid", "grid gird", "grid"},
		{"ab", "abcdef", ""},
		{"machine", "kernel", ""},
	} {
		got := strings.Join(Nearest(c.name, strings.Fields(c.known)), " ")
		if got != c.want {
			t.Errorf("%q among %q: got %q, want %q", c.name, c.known, got, c.want)
		}
	}
}

// TestDistance compares the table with the definition by recursion.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SliceOfN(rapid.SampledFrom([]rune("abc")), 0, 6)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := distance(a, b, 6), slow(a, b); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}

func slow(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	last, other := a[len(a)-1], b[len(b)-1]
	headA, headB := a[:len(a)-1], b[:len(b)-1]
	if last == other {
		return min(slow(headA, headB), 1+slow(headA, b), 1+slow(a, headB))
	}
	d := 1 + min(slow(headA, headB), slow(headA, b), slow(a, headB))
	if len(headA) > 0 && len(headB) > 0 && headA[len(headA)-1] == other && headB[len(headB)-1] == last {
		d = min(d, 1+slow(headA[:len(headA)-1], headB[:len(headB)-1]))
	}
	return d
}

// TestKnownIsNearest checks that a known name is nearest to itself, and alone.
func TestKnownIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,5}`), 1, 6, rapid.ID[string]).Draw(t, "known")
		for _, k := range known {
			if got := Nearest(k, known); !slices.Equal(got, []string{k}) {
				t.Fatalf("%q: got %q", k, got)
			}
		}
	})
}
