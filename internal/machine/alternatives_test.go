package machine

import (
	"slices"
	"strconv"
	"testing"
)

// TestAlternatives: each is a machine that differs in one assumed number or word, and the machine
// itself stays as it is.
func TestAlternatives(t *testing.T) {
	for _, name := range Names() {
		m, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		before := string(m.Format())
		for _, a := range m.Alternatives() {
			was, is := m.Rows(), a.Machine.Rows()
			for i, r := range was {
				switch {
				case r.Path != a.Path && r.Value != is[i].Value:
					t.Errorf("%s: %s is %s in the machine with another %s", name, r.Path, is[i].Value, a.Path)
				case r.Path == a.Path && (r.Value != a.Value || is[i].Value != a.Other || a.Value == a.Other || r.Basis != Assumed):
					t.Errorf("%s: %+v, and the rows say %s and %s, %s", name, a, r.Value, is[i].Value, r.Basis)
				case r.Path == a.Path && r.Range != (Range{}):
					if n, _ := strconv.ParseInt(a.Other, 10, 64); !slices.Contains(r.Range[:], n) {
						t.Errorf("%s: %s = %s is no end of the range %v", name, a.Path, a.Other, r.Range)
					}
				}
			}
			if _, err := Parse(name, a.Machine.Format()); err != nil {
				t.Errorf("%s: %s = %s: %v", name, a.Path, a.Other, err)
			}
		}
		if string(m.Format()) != before {
			t.Errorf("%s has changed", name)
		}
	}
	fermi, err := Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	if all := fermi.Alternatives(); all != nil {
		t.Errorf("%d alternatives of a machine that assumes nothing", len(all))
	}
}
