package hybrid

import (
	"cmp"
	"slices"

	"warpbound/internal/saturating"
	"warpbound/internal/trace"
)

// Options say what a profile makes of traces. Those of a simulator need none of them.
type Options struct {
	// Clocks says what the cycles of multiprocessors have in common. Without a common
	// clock, what a run shows of a multiprocessor counts from the first start there. Such
	// traces are recorded by code in the kernel, which the estimates say.
	Clocks trace.Clocks

	// Unknown takes transitions that the graph does not have for edges like those that
	// only divergence makes, instead of refusing the trace. From sm_70 on, the paths of a
	// branch may run by turns and need not reconverge at its reconvergence point, which the
	// graph does not describe.
	Unknown bool

	// Turns says that the machine schedules threads independently and lanes may diverge, so that what runs show of the order of paths
	// is no more than what they show.
	Turns bool

	// Copies says that runs begin with what the host has copied in the L2.
	Copies bool

	// Launch is the geometry of the launch, as far as it is known.
	Launch Launch
}

// Launch says what is launched, and how much of it the machine holds at a time. What is 0 is not known.
type Launch struct {
	CTAs     int
	Warps    int // of a CTA
	SMs      int
	Resident int // CTAs that an SM holds
}

// sms and resident are how many slots for CTAs are counted: those of one multiprocessor, and one each, where more is not known.
func (l *Launch) sms() int      { return max(l.SMs, 1) }
func (l *Launch) resident() int { return max(l.Resident, 1) }

// slots is how many CTAs the machine holds at a time.
func (l *Launch) slots() int64 { return int64(l.sms()) * int64(l.resident()) }

// rounds is how often all slots are filled until all CTAs have had one.
func (l *Launch) rounds() saturating.Int {
	return saturating.Of(l.CTAs).DivUp(saturating.Of(l.slots()))
}

// NewProfileOf returns the profile of no run, of traces for which options are needed.
func NewProfileOf(g *IPG, o Options) *Profile {
	p := NewProfile(g)
	p.options = o
	return p
}

// known returns the number of edges of the graph. Edges of a profile from there on are
// unknown to it.
func (p *Profile) known() int { return len(p.ipg.Edges) }

// edgeOf describes an edge of the profile.
func (p *Profile) edgeOf(e int) Edge {
	if e >= p.known() {
		return p.unknown[e-p.known()]
	}
	return p.ipg.Edges[e]
}

// edgeBetween returns the edge between two nodes; one that the graph does not have only if
// the options allow it.
func (p *Profile) edgeBetween(from, to int) (int, bool) {
	if e, ok := p.ipg.Edge(from, to); ok || !p.options.Unknown {
		return e, ok
	}
	edge := Edge{From: from, To: to, Divergent: true, Limited: true}
	at := slices.Index(p.unknown, edge)
	if at < 0 {
		at = len(p.unknown)
		p.unknown = append(p.unknown, edge)
		p.slot = append(p.slot, unseen)
	}
	return p.known() + at, true
}

// membershipOf says what an edge is to the loops. One that the graph does not have may bring
// lanes into all loops around the block where it leads.
func (p *Profile) membershipOf(e int) membership {
	if e >= p.known() {
		return membership{entry: p.ipg.around[p.edgeOf(e).To]}
	}
	return p.ipg.in[e]
}

// sortedUnknown returns the edges that the graph does not have, ascending by From and To:
// in the same order however profiles were merged.
func (p *Profile) sortedUnknown() []int {
	edges := make([]int, len(p.unknown))
	for i := range edges {
		edges[i] = p.known() + i
	}
	slices.SortFunc(edges, func(a, b int) int {
		x, y := p.edgeOf(a), p.edgeOf(b)
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
	})
	return edges
}

// mayInterleave reports whether paths of a branch may have taken turns, so that a warp takes a back edge more often than each of its lanes.
func (p *Profile) mayInterleave() bool {
	return p.options.Unknown && (!p.options.Turns || p.interleaved || p.unknownTraversals() > 0)
}

// unknownTraversals returns how often all warps made transitions that the graph does not have.
func (p *Profile) unknownTraversals() int64 {
	total := int64(0)
	for i := range p.unknown {
		total += p.edge(p.known() + i).count
	}
	return total
}
