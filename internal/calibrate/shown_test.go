package calibrate

import (
	"context"
	"strings"
	"sync"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/test/effort"
)

// TestIdentifiedNumbersAreFoundAgain calibrates stand-ins for built-in machines from bases all of
// whose identifiable numbers differ: they must come back, and what is not identifiable must be
// kept.
func TestIdentifiedNumbersAreFoundAgain(t *testing.T) {
	for _, name := range effort.Some(t, []string{"gtx480", orin, "v100"}, 1) {
		t.Run(name, func(t *testing.T) {
			m, _, r := refined(t, name)
			got := map[string]machine.Row{}
			for _, row := range r.Machine.Rows() {
				got[row.Path] = row
			}
			all, err := Identifiable(t.Context(), m, simulate)
			if err != nil {
				t.Fatal(err)
			}
			probed := map[string]bool{}
			for _, n := range shown(m) {
				probed[n.path] = true
			}
			found := 0
			for _, id := range all {
				row := got[id.Path]
				if (id.How == "") == (id.Why == "") {
					t.Errorf("%s: found by %q, hidden because %q", id.Path, id.How, id.Why)
				}
				if id.How == "" {
					if !strings.HasSuffix(id.Path, ".pipeline") && row.Basis != machine.Assumed {
						t.Errorf("%s is %q", id.Path, row.Basis)
					}
					if probed[id.Path] {
						continue
					}
				}
				if id.How != "" {
					found++
				}
				if row.Value != id.Value {
					t.Errorf("%s = %s, want %s", id.Path, row.Value, id.Value)
				}
			}
			if minimum := map[string]int{"gtx480": 50, "orin-agx": 58, "v100": 60}[name]; found < minimum {
				t.Errorf("%d numbers are given back, want %d", found, minimum)
			}
		})
	}
}

// orin is the machine that two tests refine.
const orin = "orin-agx"

var refinedOrin = sync.OnceValues(func() (*Result, error) { return refine(orin) })

// refined returns a small machine, the base with other numbers, and what is refined from that on a
// stand-in for the machine.
func refined(t *testing.T, name string) (m, base *machine.Machine, r *Result) {
	t.Helper()
	var err error
	if name == orin {
		r, err = refinedOrin()
	} else {
		r, err = refine(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err = small(name)
	if err != nil {
		t.Fatal(err)
	}
	return m, moved(m), r
}

func refine(name string) (*Result, error) {
	m, err := small(name)
	if err != nil {
		return nil, err
	}
	dev, err := simulate(m)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	return Refine(context.Background(), Config{Device: dev, Default: moved(m), Simulate: simulate, Repeats: 1})
}

// small returns a built-in machine with so few SMs and so small an L2 that a simulator of it is
// made soon. No microbenchmark needs more.
func small(name string) (*machine.Machine, error) {
	m, err := machine.Builtin(name)
	if err == nil {
		m.SM.Count.Value = 4
		m.L2.Partitions.Value = min(m.L2.Partitions.Value, 8)
		m.L2.Sets.Value = min(m.L2.Sets.Value, 64)
	}
	return m, err
}

// moved is a machine with other values of all numbers that microbenchmarks show.
func moved(m *machine.Machine) *machine.Machine {
	out := m.WithoutBasis()
	for i, n := range shown(out) {
		n.set(out, n.value(out)+1+int64(i%5))
	}
	return out
}

// TestEveryNumberIsAccountedFor expects of each number of the built-in machines that it is given
// back or that there is a reason.
func TestEveryNumberIsAccountedFor(t *testing.T) {
	for _, name := range machine.Names() {
		m := builtin(t, name)
		if m.Core != machine.Scoreboard {
			if _, err := Identifiable(t.Context(), m, simulate); err == nil || !strings.Contains(err.Error(), "only machines with a scoreboard") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		known := map[string]bool{}
		for _, n := range shown(m) {
			known[n.path] = true
		}
		for _, path := range stated {
			known[path] = true
		}
		for _, row := range m.Rows() {
			if known[row.Path] {
				delete(known, row.Path)
			} else if reason(row.Path) == "" {
				t.Errorf("%s: %s is neither measured nor hidden", name, row.Path)
			}
		}
		for path := range known {
			t.Errorf("%s has no %s", name, path)
		}
	}
}

// TestWhatMakesNoDifferenceIsKept: a latency below the interval of its instructions does not show
// in a chain of them.
func TestWhatMakesNoDifferenceIsKept(t *testing.T) {
	_, base, r := refined(t, orin)
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "classes.fp64-add.latency = 59 is not measured") {
		t.Errorf("notes %q", notes)
	}
	got := r.Machine.Timing(isa.FP64Add)
	if want := base.Timing(isa.FP64Add); got.Latency != want.Latency || got.Basis != machine.Assumed {
		t.Errorf("%+v, want the latency of %+v", got, want)
	}
	if got := r.Machine.Timing(isa.FP32Mad); got.Basis != machine.Measured {
		t.Errorf("fp32-mad is %q", got.Basis)
	}
}
