package phases

import (
	"cmp"
	"math"
	"slices"

	"warpbound/internal/saturating"
	"warpbound/internal/trace"
)

// The points of nodes that are no Ipoint of the kernel.
const (
	atStart   = -1 // of a warp
	atRelease = -2 // of the barrier that ends the phase
	atExit    = -3 // of a warp
	atLaunch  = -4
)

// last is the place of what ends a phase, and the phase of what ends a CTA.
const last = math.MaxInt32

// place is a context, which is a node: a point, and what is told apart of warps that pass it. A warp passes contexts in ascending
// order: each kept point raises the phase, the milestone or the back edges.
type place struct {
	class     int32 // of CTAs
	phase     int32 // barriers passed
	milestone int32 // passed last, from 1
	turns     int32 // back edges since then, in the phase
	point     int32
}

func (c place) compare(d place) int {
	return cmp.Or(
		cmp.Compare(c.class, d.class), cmp.Compare(c.phase, d.phase), cmp.Compare(c.milestone, d.milestone),
		cmp.Compare(c.turns, d.turns), cmp.Compare(c.point, d.point))
}

// Runs are told apart by what prediction needs: tenths that are tried, the others that were sampled, those that are
// to confirm, and those of inputs that somebody or an adversary made.
const (
	splits     = 5 // tenths of the sampled runs that are tried
	others     = splits
	confirming = splits + 1
	chosen     = splits + 2 // by somebody
	structured = splits + 3 // as trace.Origin
	evolved    = splits + 4
	groups     = splits + 5
)

// groupOf is the group of a run.
func groupOf(number int, from trace.Origin) int {
	switch from {
	case trace.Confirming:
		return confirming
	case trace.Saved:
		return chosen
	case trace.Structured:
		return structured
	case trace.Evolved:
		return evolved
	}
	return tenth(number)
}

// trainedGroups are the groups of runs of which an estimate is made that others confirm.
func trainedGroups() []int { return append(sampledGroups(), chosen, structured, evolved) }

// tenth is the group of a sampled run.
func tenth(number int) int { return min(number%10, others) }

// times are the largest times in cycles by group; unseen where a group has none.
type times [groups]int64

const unseen = -1

func never() (t times) {
	for g := range t {
		t[g] = unseen
	}
	return t
}

func (t *times) merge(other *times) {
	for g := range t {
		t[g] = max(t[g], other[g])
	}
}

// of is the largest time in any of the groups.
func (t *times) of(g ...int) int64 {
	largest := int64(unseen)
	for _, g := range g {
		largest = max(largest, t[g])
	}
	return largest
}

// transition leads from a context to a later one.
type transition struct {
	to int32
	times
}

type node struct {
	place
	starts times // from the launch to a start of a warp; unseen but at starts
	next   []transition
}

// contexts is a graph: what runs showed of contexts and of transitions between them.
type contexts struct {
	of    map[place]int32
	nodes []node
}

func newContexts() *contexts { return &contexts{of: make(map[place]int32)} }

// at returns the node of a context, which it makes if there is none.
func (g *contexts) at(c place) int32 {
	n, ok := g.of[c]
	if !ok {
		n = int32(len(g.nodes))
		g.of[c] = n
		g.nodes = append(g.nodes, node{place: c, starts: never()})
	}
	return n
}

// pass notes a transition of a run of a group from a node to a context, and returns the node of that.
func (g *contexts) pass(from int32, to place, group int, cycles int64) int32 {
	next := g.nodes[from].next
	for i := range next {
		if t := &next[i]; g.nodes[t.to].place == to {
			t.times[group] = max(t.times[group], cycles)
			return t.to
		}
	}
	n := g.at(to)
	t := transition{to: n, times: never()}
	t.times[group] = cycles
	g.nodes[from].next = append(g.nodes[from].next, t)
	return n
}

// merge adds what another graph shows.
func (g *contexts) merge(other *contexts) {
	for i := range other.nodes {
		theirs := &other.nodes[i]
		own := g.at(theirs.place)
		g.nodes[own].starts.merge(&theirs.starts)
		for j := range theirs.next {
			t := &theirs.next[j]
			g.link(own, g.at(other.nodes[t.to].place), &t.times)
		}
	}
}

// link adds the times of a transition.
func (g *contexts) link(from, to int32, cycles *times) {
	next := g.nodes[from].next
	for i := range next {
		if next[i].to == to {
			next[i].times.merge(cycles)
			return
		}
	}
	g.nodes[from].next = append(next, transition{to, *cycles})
}

// hop is a transition of a longest path, or its start, of which from is unseen.
type hop struct {
	from, to int32
	cycles   int64
}

// arrival is the longest path to a node.
type arrival struct {
	cycles saturating.Int
	by     hop // the last
	seen   bool
}

// extend returns the longer of an arrival and of one by a transition after so many cycles.
func (a arrival) extend(before saturating.Int, by hop) arrival {
	if cycles := before.Add(saturating.Of(by.cycles)); !a.seen || cycles > a.cycles {
		return arrival{cycles, by, true}
	}
	return a
}

// longest returns the length in cycles of the longest path that runs of some groups show, and the path; 0 and nil if
// they show none.
func (g *contexts) longest(groups ...int) (cycles saturating.Int, path []hop) {
	order := make([]int32, len(g.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return g.nodes[a].compare(g.nodes[b].place) })
	reached := make([]arrival, len(g.nodes))
	end := int32(unseen)
	for _, n := range order {
		at := &g.nodes[n]
		if t := at.starts.of(groups...); t != unseen {
			reached[n] = reached[n].extend(0, hop{unseen, n, t})
		}
		if !reached[n].seen {
			continue
		}
		if at.point == atExit && (end == unseen || reached[n].cycles > reached[end].cycles) {
			end = n
		}
		for i := range at.next {
			e := &at.next[i]
			if t := e.of(groups...); t != unseen {
				reached[e.to] = reached[e.to].extend(reached[n].cycles, hop{n, e.to, t})
			}
		}
	}
	if end == unseen {
		return 0, nil
	}
	for n := end; n != unseen; n = reached[n].by.from {
		path = append(path, reached[n].by)
	}
	slices.Reverse(path)
	return reached[end].cycles, path
}

// lacks reports whether another graph shows something that this one does not, or a longer time.
func (g *contexts) lacks(other *contexts) bool {
	for i := range other.nodes {
		theirs := &other.nodes[i]
		n, ok := g.of[theirs.place]
		if !ok || theirs.starts.any() > g.nodes[n].starts.any() {
			return true
		}
		for j := range theirs.next {
			t := &theirs.next[j]
			if to, ok := g.of[other.nodes[t.to].place]; !ok || t.any() > g.between(n, to) {
				return true
			}
		}
	}
	return false
}

// any is the largest time of all groups.
func (t *times) any() int64 { return slices.Max(t[:]) }

// between is the largest time from a node to another one; unseen if there is no transition.
func (g *contexts) between(from, to int32) int64 {
	for i := range g.nodes[from].next {
		if t := &g.nodes[from].next[i]; t.to == to {
			return t.any()
		}
	}
	return unseen
}
