package guided

import (
	"testing"

	"warpbound/internal/method/search"
)

// TestFaults keeps what the first fault was, and counts all. An outcome without cycles or a fault is that of an input that was not run.
func TestFaults(t *testing.T) {
	var s State
	for _, o := range []search.Outcome{{Cycles: 7}, {Fault: "first"}, {Cycles: 9}, {Fault: "second"}, {}} {
		s.add(Member{Outcome: o})
	}
	if s.Runs != 4 || s.Faults != 2 || s.FirstFault != "first" || s.Best.Outcome.Cycles != 9 || len(s.Elites) != 2 || len(s.History) != 2 {
		t.Errorf("%+v", s)
	}
}
