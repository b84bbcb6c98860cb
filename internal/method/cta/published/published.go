// Package published holds the rules of abstract CTA simulation as they were published
// (V. Hirvisalo, "On Static Timing Analysis of GPU Kernels", WCET 2014, Sections 3.2
// and 3.3): the construction of an abstract warp from a structured kernel, and its
// simulation. It is there to reproduce the paper's figures.
//
// What comes out is no bound: docs/methods/cta.md shows where it is exceeded, and package
// cta has rules that are not.
package published

import (
	"fmt"
	"strings"
)

// Kind tells the nodes of an abstract warp apart.
type Kind uint8

// The kinds of nodes. Loop stands for the edge from the end of its body to the beginning.
const (
	Time Kind = iota
	Memory
	Barrier
	Loop
)

// Node is a node of an abstract warp.
type Node struct {
	Kind  Kind
	Instr int64 // of Time: T_instr, the cycles of its instructions at most
	Last  bool  // of Time: behind it a loop may be left, so nothing joins it
	Shift int64 // of Time: T_shift, by how much they vary at most because of divergence
	Wait  int64 // of Memory: T_memory, the latency in cycles

	Loop int // of Loop: in the flow graph's forest
	Body Warp
	More int // how often Body is executed beyond the returns to its header
}

// Warp is an abstract warp: its nodes in order.
type Warp []Node

// String renders the warp like Fig. 3, for example "7 loop(2 7+1 memory 3 barrier 4) 4",
// where 7+1 is a time node of T_instr 7 and T_shift 1.
func (w Warp) String() string {
	parts := make([]string, len(w))
	for i, n := range w {
		switch n.Kind {
		case Time:
			parts[i] = fmt.Sprint(n.Instr)
			if n.Shift > 0 {
				parts[i] += fmt.Sprintf("+%d", n.Shift)
			}
		case Memory:
			parts[i] = "memory"
		case Barrier:
			parts[i] = "barrier"
		case Loop:
			parts[i] = "loop(" + n.Body.String() + ")"
		}
	}
	return strings.Join(parts, " ")
}

// join appends nodes. Time nodes that follow each other become one, with the sums of
// their times (Join of the paper).
func (w Warp) join(nodes ...Node) Warp {
	for _, n := range nodes {
		if last := len(w) - 1; n.Kind == Time && last >= 0 && w[last].Kind == Time && !w[last].Last {
			w[last].Instr += n.Instr
			w[last].Shift += n.Shift
			w[last].Last = n.Last
			continue
		}
		w = append(w, n)
	}
	return w
}

// time returns the cycles of a warp that nothing else delays, each loop once.
func (w Warp) time() int64 {
	sum := int64(0)
	for _, n := range w {
		sum += n.Instr + n.Wait + n.Body.time()
	}
	return sum
}

// lub merges the paths of a branch (LUB of the paper): the longer path, or all of them,
// one after another, if lanes may part. Then the time of a warp whose lanes agree is less,
// by at most all but the shortest path.
func lub(successors []Warp, divergent bool) Warp {
	longest, shortest := successors[0], successors[0]
	for _, s := range successors[1:] {
		if s.time() > longest.time() {
			longest = s
		}
		if s.time() < shortest.time() {
			shortest = s
		}
	}
	if !divergent {
		return longest
	}
	var all Warp
	for _, s := range successors {
		all = all.join(s...)
	}
	for i := range all {
		if all[i].Kind == Time {
			all[i].Shift += max(0, all[i].Instr-shortest.time())
			break
		}
	}
	return all
}
