package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A petriNet is a Petri net with test and inhibitor arcs, and a marking for which all of
// its transitions fire one after the other.
type petriNet struct {
	kernel      string
	tokens      int // the most on a place
	transitions []petriTransition
	marking     []byte // tokens on each place
}

// A petriTransition fires if each of three places holds neither too few nor too many
// tokens. It then takes some from the first of them and puts them on the second, without
// leaving either's range of 0 to petriNet.tokens.
type petriTransition struct {
	guards [3]petriGuard
	moved  int
}

// A petriGuard holds if a place holds first to last tokens.
type petriGuard struct{ place, first, last int }

// newPetriNet draws a net. A guard leaves a place `window` values, but every eighth
// transition has guards that leave only one.
func newPetriNet(kernel string, places, tokens, transitions, window int) petriNet {
	rng := rand.New(rand.NewPCG(uint64(transitions), 0))
	net := petriNet{kernel: kernel, tokens: tokens, marking: make([]byte, places)}
	marking := make([]int, places) // after the transitions so far
	for p := range marking {
		marking[p] = (tokens+1)/4 + rng.IntN((tokens+1)/2)
		net.marking[p] = byte(marking[p])
	}
	for t := range transitions {
		wide := window
		if t%8 == 7 {
			wide = 1
		}
		net.transitions = append(net.transitions, drawTransition(rng, marking, tokens, wide))
	}
	return net
}

// drawTransition draws a transition that the marking lets fire, and fires it.
func drawTransition(rng *rand.Rand, marking []int, tokens, window int) petriTransition {
	moved := 1 + rng.IntN(max(tokens/80, 1))
	for {
		chosen := rng.Perm(len(marking))
		from, to := chosen[0], chosen[1]
		if marking[from] < moved || marking[to] > tokens-moved {
			continue
		}
		t := petriTransition{moved: moved}
		for i, place := range chosen[:3] {
			low, high := 0, tokens
			switch i {
			case 0:
				low = moved
			case 1:
				high = tokens - moved
			}
			first := min(max(marking[place]-rng.IntN(window), low), high-window+1)
			t.guards[i] = petriGuard{place, first, first + window - 1}
		}
		marking[from] -= moved
		marking[to] += moved
		return t
	}
}

// simulate fires the transitions that a marking allows, in their order. It changes the
// marking and returns for each transition whether it fired.
func (n petriNet) simulate(marking []byte) []bool {
	fired := make([]bool, len(n.transitions))
	for i, t := range n.transitions {
		fires := true
		for _, g := range t.guards {
			tokens := int(marking[g.place])
			fires = fires && g.first <= tokens && tokens <= g.last
		}
		if fires {
			marking[t.guards[0].place] -= byte(t.moved)
			marking[t.guards[1].place] += byte(t.moved)
		}
		fired[i] = fires
	}
	return fired
}

// source writes the kernel: one thread simulates the net from one marking, with an if for
// each transition.
func (n petriNet) source() string {
	var b strings.Builder
	fmt.Fprintf(&b, `// A simulation of a Petri net with %d places and %d transitions, each looked at once,
// in order. Written by petri.go: go test ./kernels -run PetriSources -update
//
// Each thread has a marking of its own: marking[p * threads + id] tokens are on place p,
// 0 to %d. A transition fires if three places hold neither too few nor too many; it then
// moves tokens from the first to the second. `+"`fired`"+` counts for each transition how often
// it fired in all threads.
#include "cuda.h"

extern "C" __global__ void %s(const unsigned char *marking, unsigned char *next,
    unsigned *fired) {
  unsigned threads = gridDim.x * blockDim.x;
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
`, len(n.marking), len(n.transitions), n.tokens, n.kernel)
	for p := range n.marking {
		fmt.Fprintf(&b, "  unsigned m%d = marking[%d * threads + id];\n", p, p)
	}
	for i, t := range n.transitions {
		b.WriteString("\n  if (")
		for j, g := range t.guards {
			if j > 0 {
				b.WriteString(" & ")
			}
			switch {
			case g.first == g.last:
				fmt.Fprintf(&b, "(m%d == %d)", g.place, g.first)
			case g.first == 0:
				fmt.Fprintf(&b, "(m%d <= %d)", g.place, g.last)
			default:
				fmt.Fprintf(&b, "(m%d - %du <= %d)", g.place, g.first, g.last-g.first)
			}
		}
		fmt.Fprintf(&b, ") {\n    m%d -= %d, m%d += %d;\n    atomicAdd(&fired[%d], 1);\n  }\n",
			t.guards[0].place, t.moved, t.guards[1].place, t.moved, i)
	}
	b.WriteString("\n")
	for p := range n.marking {
		fmt.Fprintf(&b, "  next[%d * threads + id] = m%d;\n", p, p)
	}
	b.WriteString("}\n")
	return b.String()
}

// petriNSICHNEU is the net of the kernel petri. It has as many transitions as the program
// NSICHNEU of the Mälardalen benchmarks has ifs.
func petriNSICHNEU() petriNet { return newPetriNet("petri", 24, 255, 252, 16) }

// petriSmall is the net of the kernel petriSmall.
func petriSmall() petriNet { return newPetriNet("petriSmall", 4, 3, 12, 2) }

// reference is what a Reference computes.
func (n petriNet) reference(in map[string][]byte, _ map[string]uint64) map[string][]byte {
	marking, next, fired := in["marking"], slices.Clone(in["next"]), words(in["fired"])
	places := len(n.marking)
	threads := len(marking) / places
	own := make([]byte, places)
	for id := range threads {
		for p := range own {
			own[p] = marking[p*threads+id]
		}
		for t, fires := range n.simulate(own) {
			if fires {
				fired[t]++
			}
		}
		for p, tokens := range own {
			next[p*threads+id] = tokens
		}
	}
	return map[string][]byte{"next": next, "fired": wordBytes(fired)}
}
