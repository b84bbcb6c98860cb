package ipet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// kernelModel returns a reducible model of blocks nodes: branches forward, and
// nested loops, each with a bound. Its costs and bounds are small enough for
// the total to fit.
func kernelModel(r *rand.Rand, blocks int) *Model {
	m := newModel(blocks)
	type span struct{ header, latch int }
	var loops []span
	var nest func(low, high, depth int)
	nest = func(low, high, depth int) {
		for at := low; at+4 < high && depth < 4; {
			length := 3 + r.IntN(max(1, (high-at)/2))
			if at+length < high && r.IntN(3) > 0 {
				loops = append(loops, span{at, at + length})
				nest(at+1, at+length, depth+1)
			}
			at += length + 1
		}
	}
	nest(1, blocks-1, 0)
	inner := make([]int, blocks) // latch of the smallest loop around each block
	for v := range inner {
		inner[v] = blocks - 1
	}
	for _, l := range loops { // outer loops come first
		for v := l.header; v <= l.latch; v++ {
			inner[v] = l.latch
		}
	}
	heads := make([]bool, blocks)
	for _, l := range loops {
		heads[l.header] = true
	}
	for v := range blocks - 1 {
		m.AddEdge(v, v+1, r.Int64N(100))
		if to := min(v+2+r.IntN(3), inner[v]); r.IntN(3) == 0 && to > v+1 && !crosses(heads, v+1, to) {
			m.AddEdge(v, to, r.Int64N(100))
		}
	}
	for _, l := range loops {
		m.AddEdge(l.latch, l.header, r.Int64N(100))
	}
	boundLoops(m, func() (int64, bool) { return 1 + r.Int64N(20), true })
	return m
}

// crosses reports whether a node from low to high is a header.
func crosses(heads []bool, low, high int) bool {
	for _, h := range heads[low : high+1] {
		if h {
			return true
		}
	}
	return false
}

// divergentModel returns kernelModel with edges added between near nodes, as
// divergent branches do, up to the given number, and a limit on every edge: the
// most that walks random walks took it.
func divergentModel(r *rand.Rand, blocks, edges, walks int) *Model {
	m := kernelModel(r, blocks)
	for len(m.Edges) < edges {
		from := 1 + r.IntN(blocks-2)
		to := max(1, min(blocks-2, from+r.IntN(30)-15))
		e := m.AddEdge(from, to, r.Int64N(100))
		for i := range m.Loops {
			l := &m.Loops[i]
			header := m.Edges[l.Iter[0]].To
			latch := m.Edges[l.Iter[0]].From
			inside := func(v int) bool { return v >= header && v <= latch }
			switch {
			case inside(to) && !inside(from):
				l.Entries = append(l.Entries, e)
			case to == header && inside(from):
				l.Iter = append(l.Iter, e)
			}
		}
	}
	outgoing := make([][]int, blocks)
	for i, e := range m.Edges {
		outgoing[e.From] = append(outgoing[e.From], i)
		m.Edges[i].Limit = &Limit{Evidence: "observed"}
	}
	for range walks {
		counts := make([]int64, len(m.Edges))
		for v := m.Source; v != m.Sink; {
			e := outgoing[v][r.IntN(len(outgoing[v]))]
			if counts[e] > 20 {
				e = outgoing[v][0] // onwards
			}
			counts[e]++
			m.Edges[e].Limit.Max = max(m.Edges[e].Limit.Max, counts[e])
			v = m.Edges[e].To
		}
	}
	return m
}

func BenchmarkStructured(b *testing.B) {
	for _, blocks := range []int{5000, 100_000} {
		m := kernelModel(rand.New(rand.NewPCG(1, 2)), blocks)
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := SolveStructured(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLarge solves large models of every kind.
func BenchmarkLarge(b *testing.B) {
	for _, sh := range shapes {
		for _, blocks := range []int{1000, 5000, 15_000} {
			m := sh.generate(rand.New(rand.NewPCG(1, 2)), blocks)
			b.Run(fmt.Sprintf("%s/%d", sh.name, blocks), func(b *testing.B) {
				for b.Loop() {
					if _, err := Solve(context.Background(), m, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkGeneral(b *testing.B) {
	for _, size := range []struct{ blocks, edges int }{{30, 100}, {100, 500}, {300, 1500}, {400, 2000}} {
		for seed := range uint64(3) {
			m := divergentModel(rand.New(rand.NewPCG(seed, 3)), size.blocks, size.edges, 50)
			b.Run(fmt.Sprintf("%d/%d/%d", size.blocks, size.edges, seed), func(b *testing.B) {
				exact := 0.0
				for b.Loop() {
					s, err := SolveGeneral(context.Background(), m, Options{})
					if err != nil {
						b.Fatal(err)
					}
					if exact = 0; s.Exact {
						exact = 1
					}
				}
				b.ReportMetric(exact, "exact")
			})
		}
	}
}
