package analysis

import (
	"slices"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
)

// TestMethods: each method is measured, static or followed, each estimate has a name of its own and an explanation,
// and each built-in machine has methods.
func TestMethods(t *testing.T) {
	var ids []string
	for _, m := range Methods() {
		_, measured := m.Method.(method.Measured)
		_, static := m.Method.(method.Static)
		_, followed := m.Method.(method.Followed)
		if kinds := []bool{measured, static, followed}; len(slices.DeleteFunc(kinds, func(is bool) bool { return !is })) != 1 {
			t.Errorf("%T is measured: %v, static: %v, followed: %v", m.Method, measured, static, followed)
		}
		for _, n := range m.Names() {
			if n.ID == "" || n.Explain == "" || slices.Contains(ids, n.ID) {
				t.Errorf("%+v after %v", n, ids)
			}
			if e := (estimate.Estimate{Method: n.ID}); e.Bounds() != (n.Part == "") {
				t.Errorf("%s bounds %q", n.ID, n.Part)
			}
			ids = append(ids, n.ID)
		}
	}
	if !slices.Equal(ids, Methods().IDs()) {
		t.Errorf("%v, want %v", Methods().IDs(), ids)
	}
	for name, want := range map[string]int{ // static methods
		"fermi-c2050": 1, "mini-simt": 1, "predictable-rr": 1, "integrated-fermi": 2, "gcn3-split": 3,
	} {
		m, err := machine.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, known := range Methods() {
			if _, static := known.Method.(method.Static); static && known.Applies(m) == nil {
				n++
			}
		}
		if n != want {
			t.Errorf("%s has %d static methods, want %d", name, n, want)
		}
	}
}
