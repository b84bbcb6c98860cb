package phases

import (
	"encoding/gob"
	"errors"
	"math/big"
	"slices"
)

// saved is a profile as another process reads it.
type saved struct {
	Runs, Sampled, Vectors int64
	Made, Reached          int64
	Confirmed              []int64
	Shortest               int64
	Longest                times
	Total                  *big.Int
	Graphs                 [len(windows)][]int64 // as numbers makes them
}

// Save implements trace.Portable.
func (p *profile) Save(to *gob.Encoder) error {
	if p.run != nil {
		return errors.New("a profile cannot be saved inside a run")
	}
	s := &saved{
		Runs: p.runs, Sampled: p.sampled, Vectors: p.vectors, Made: p.made, Reached: p.reached, Confirmed: p.confirmed,
		Shortest: p.shortest, Longest: p.longest, Total: &p.total,
	}
	for i, g := range p.graphs {
		s.Graphs[i] = g.numbers()
	}
	return to.Encode(s)
}

// Restore implements trace.Portable.
func (p *profile) Restore(from *gob.Decoder) error {
	var s saved
	if err := from.Decode(&s); err != nil {
		return err
	}
	p.runs, p.sampled, p.vectors, p.shortest, p.longest = s.Runs, s.Sampled, s.Vectors, s.Shortest, s.Longest
	p.made, p.reached, p.confirmed = s.Made, s.Reached, s.Confirmed
	if s.Total == nil {
		return errSaved
	}
	p.total.Set(s.Total)
	for i, numbers := range s.Graphs {
		g, err := contextsOf(numbers)
		if err != nil {
			return err
		}
		p.graphs[i] = g
	}
	return nil
}

var errSaved = errors.New("what was saved of a profile is damaged")

// numbers writes a graph as numbers: how many nodes there are, and of each its context, its starts, and how many transitions
// it has with these. Of nodes that are no starts of warps there are none.
func (g *contexts) numbers() []int64 {
	out := []int64{int64(len(g.nodes))}
	for i := range g.nodes {
		n := &g.nodes[i]
		out = append(out, int64(n.class), int64(n.phase), int64(n.milestone), int64(n.turns), int64(n.point))
		if n.point == atStart {
			out = append(out, n.starts[:]...)
		}
		out = append(out, int64(len(n.next)))
		for j := range n.next {
			out = append(append(out, int64(n.next[j].to)), n.next[j].times[:]...)
		}
	}
	return out
}

// contextsOf reads a graph of numbers.
func contextsOf(numbers []int64) (*contexts, error) {
	in := &numberReader{left: numbers}
	count := in.upTo(int64(len(numbers)))
	g := &contexts{of: make(map[place]int32, count), nodes: slices.Grow([]node(nil), int(count))}
	for range count {
		c := place{in.int32(), in.int32(), in.int32(), in.int32(), in.int32()}
		n := node{place: c, starts: never()}
		if c.point == atStart {
			n.starts = in.times()
		}
		next := in.upTo(int64(len(in.left)))
		n.next = slices.Grow(n.next, int(next))
		for range next {
			n.next = append(n.next, transition{to: int32(in.upTo(count - 1)), times: in.times()})
		}
		if _, twice := g.of[c]; twice {
			in.failed = true
		}
		if in.failed {
			return nil, errSaved
		}
		g.of[c] = int32(len(g.nodes))
		g.nodes = append(g.nodes, n)
	}
	if in.failed || len(in.left) > 0 {
		return nil, errSaved
	}
	return g, nil
}

// numberReader takes numbers off a list, and gives zeros once one is missing or too large.
type numberReader struct {
	left   []int64
	failed bool
}

func (r *numberReader) next() int64 {
	if len(r.left) == 0 || r.failed {
		r.failed = true
		return 0
	}
	n := r.left[0]
	r.left = r.left[1:]
	return n
}

func (r *numberReader) upTo(maximum int64) int64 {
	n := r.next()
	if n < 0 || n > maximum {
		r.failed = true
		return 0
	}
	return n
}

func (r *numberReader) int32() int32 {
	n := r.next()
	if n != int64(int32(n)) {
		r.failed = true
	}
	return int32(n)
}

func (r *numberReader) times() (t times) {
	if len(r.left) < len(t) {
		r.failed = true
	}
	if !r.failed {
		copy(t[:], r.left)
		r.left = r.left[len(t):]
		r.failed = slices.Min(t[:]) < unseen
	}
	return t
}
