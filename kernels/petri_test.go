package kernels

import (
	"bytes"
	"slices"
	"testing"
)

func TestPetriSources(t *testing.T) {
	for _, net := range []petriNet{petriNSICHNEU(), petriSmall()} {
		checkFile(t, net.kernel+"/"+net.kernel+".cu", []byte(net.source()), "the generator writes")
	}
}

// TestPetriWorst: the worst marking is that of a net which was sampled so that all of its
// transitions fire.
func TestPetriWorst(t *testing.T) {
	net := petriNSICHNEU()
	var marking []byte
	for _, tokens := range net.marking {
		marking = append(marking, bytes.Repeat([]byte{tokens}, 4096)...)
	}
	checkFile(t, "petri/marking.bin", marking, "fires all transitions of petriNSICHNEU in all threads")
}

// TestPetriNets: the marking of a net of any size lets each of its transitions fire, and no
// place ever holds more or fewer tokens than there may be.
func TestPetriNets(t *testing.T) {
	for _, size := range []struct{ places, tokens, transitions, window int }{
		{3, 3, 1, 1}, {3, 7, 20, 2}, {4, 3, 12, 2}, {10, 80, 40, 8}, {24, 255, 252, 16},
	} {
		net := newPetriNet("any", size.places, size.tokens, size.transitions, size.window)
		if fired := net.simulate(slices.Clone(net.marking)); slices.Contains(fired, false) || len(fired) != size.transitions {
			t.Errorf("%+v: fired are %v", size, fired)
		}
		for i, tr := range net.transitions {
			from, to := tr.guards[0], tr.guards[1]
			if from.first < tr.moved || to.last > size.tokens-tr.moved {
				t.Errorf("%+v: transition %d leaves the range: %+v", size, i, tr)
			}
			for _, g := range tr.guards {
				if wide := g.last - g.first + 1; g.first < 0 || g.last > size.tokens || wide > size.window {
					t.Errorf("%+v: guard %+v of transition %d", size, g, i)
				}
			}
		}
	}
}
