package greedy

import (
	"warpbound/estimate"
	"warpbound/internal/method/charge"
	"warpbound/internal/saturating"
)

// cause is a term of a bound, as estimate.Greedy explains it.
type cause int

const (
	chained cause = iota
	dispatched
	issuing
	piped
	serving
	stalled
	crossing
	caching
	tagging
	blocking
	fetching
	causes
)

// causeNames are what reports call them.
var causeNames = [causes]string{
	chained: "chain of instructions and accesses", dispatched: "dispatch of CTAs", issuing: "other warps issue", piped: "pipelines are busy",
	serving: "load/store unit is busy", stalled: "load/store unit waits for an entry", crossing: "ports of the crossbar are busy",
	caching: "instructions and constants are fetched", tagging: "tags of the L2 are busy", blocking: "tags of the L2 wait for lines",
	fetching: "DRAM is busy",
}

// weigh says how much an instruction needs of what a term counts, from its row of needs.
type weigh func(row sums) saturating.Int

// column weighs by one column.
func column(i int) weigh { return func(row sums) saturating.Int { return row[i] } }

// charged is what a bound has of a term for a demand, shared among the instructions that need it.
type charged struct {
	of     cause
	cycles saturating.Int
	need   *demand
	by     weigh // nil if no instruction needs it
}

// terms are what a bound is the sum of.
type terms struct {
	cycles [causes]saturating.Int
	parts  []charged
	waited []charged // waits of the load/store unit, with how many they are in place of cycles

	waits, requests, fetches saturating.Int

	// chains are those that are in the term chained, and measure is that of their points which is.
	chains  []*chains
	measure int
}

// chains are what a bound has of chains of CTAs, by measure: part of their sum, or the longest of them.
type chains struct {
	point
	of [lengths][]member
}

// atLeast makes the chain no shorter than that of a class.
func (c *chains) atLeast(d *class) {
	for i, x := range d.chain {
		if x > c.point[i] {
			c.point[i] = x
			if i < lengths {
				c.of[i] = []member{{d, 1}}
			}
		}
	}
}

// addTerm adds to a term what a demand needs of something.
func (t *terms) addTerm(of cause, cycles saturating.Int, need *demand, by weigh) {
	t.cycles[of] = t.cycles[of].Add(cycles)
	if cycles > 0 {
		t.parts = append(t.parts, charged{of, cycles, need, by})
	}
}

// sum is the bound.
func (t *terms) sum() saturating.Int { return saturating.Sum(t.cycles[:]...) }

// detail is what is told of them, if the bound fits.
func (t *terms) detail() *estimate.Greedy {
	return &estimate.Greedy{
		Chain: t.cycles[chained].Int64(), Dispatch: t.cycles[dispatched].Int64(), Issue: t.cycles[issuing].Int64(),
		Pipelines: t.cycles[piped].Int64(), Unit: t.cycles[serving].Int64(), Stalls: t.cycles[stalled].Int64(),
		Crossbar: t.cycles[crossing].Int64(), Caches: t.cycles[caching].Int64(), Tags: t.cycles[tagging].Int64(),
		Blocked: t.cycles[blocking].Int64(), DRAM: t.cycles[fetching].Int64(),
		Waits: t.waits.Int64(), Requests: t.requests.Int64(), Fetches: t.fetches.Int64(),
	}
}

// byLine says which lines the terms are charged to.
func (a *analysis) byLine(t *terms) *estimate.ByLine {
	book := charge.New(a.graph)
	for i := range t.chains {
		c := t.chains[i]
		weights, own := make(charge.Weights), saturating.Int(0)
		for _, m := range c.of[t.measure] {
			own = own.AddMul(m.class.chain[t.measure], m.times)
			a.chargeChain(m.class.via[t.measure], t.measure, func(pc int, cycles saturating.Int) { weights.Add(pc, cycles.Mul(m.times)) })
		}
		known := weights.Sum()
		weights[none] = max(own, known).Sub(known) // dispatch, and what is not kept
		for pc, n := range charge.Divide(c.point[t.measure], weights) {
			if pc == none {
				book.Remain(causeNames[chained], n)
			} else {
				book.Add(causeNames[chained], pc, n)
			}
		}
	}
	rows := make(map[*demand]needs)
	for _, p := range t.parts {
		weights := make(charge.Weights)
		if p.by != nil {
			if rows[p.need] == nil {
				rows[p.need] = a.needsOf(p.need)
			}
			for pc, row := range rows[p.need] {
				weights.Add(pc, p.by(row))
			}
		}
		book.Share(causeNames[p.of], p.cycles, weights)
	}
	book.Follow(t.longestRoute())
	return book.ByLine("dispatch of CTAs")
}

// longestRoute is the route of the warp that takes longestRoute of the CTA with the longestRoute chain; nil if there is none.
func (t *terms) longestRoute() *charge.Route {
	var route *charge.Route
	maximum := saturating.Int(0)
	for _, m := range t.chains[len(t.chains)-1].of[t.measure] {
		for _, p := range m.class.warps {
			own := p.ends.point[t.measure]
			for i := range p.arrivals {
				own = own.Add(p.arrivals[i].point[t.measure])
			}
			if route == nil || own > maximum {
				route, maximum = p.route, own
			}
		}
	}
	return route
}

// needsOf returns what each instruction needs of a demand.
func (a *analysis) needsOf(d *demand) needs {
	times := make(map[account]saturating.Int)
	for _, m := range d.members {
		for _, p := range m.class.warps {
			times[p.needs] = times[p.needs].Add(m.times)
		}
	}
	all := make(needs)
	for of, n := range times {
		of.each(func(pc, column int, x saturating.Int) {
			row := all.row(pc, a.columns())
			row[column] = row[column].AddMul(x, n)
		})
	}
	return all
}
