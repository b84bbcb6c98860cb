package value

import (
	"fmt"
	"iter"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
)

// controlDependence tells of each block which branches decide whether control comes there, and what
// their conditions say then.
type controlDependence struct {
	r        *fixpoint.Solution
	branches [][]int       // by block: those that it depends on (Ferrante, Ottenstein and Warren, TOPLAS 1987)
	before   []*conditions // by block, as conditionsAt finds them
	numbers  map[conditionsKey]int
	common   []truth // by block: whether all threads of the grid go the same way at its end
	complete []truth // by block, as explained finds it
	seen     []int   // by block: the last search that came there
	searches int
}

type truth uint8

const (
	notAsked truth = iota
	no
	yes
)

func truthOf(holds bool) truth {
	if holds {
		return yes
	}
	return no
}

// conditions are what holds whenever control is in a block.
type conditions struct {
	own    []transfer.Fact // what the branch says by which alone control comes to the block
	around *conditions     // of the next dominator that has some of its own; nil if there is none
	number int             // in common with others of the same facts

	// The indices of the threads for which the facts hold, and of their CTAs.
	thread, cta [3]affine.Range

	// branch is the block by whose branch alone control comes to this one, -1 if it is none, and exact
	// whether the facts are all that its condition says.
	branch int
	exact  bool
}

// eachFact calls for each fact.
func (c *conditions) eachFact() iter.Seq[transfer.Fact] {
	return func(yield func(transfer.Fact) bool) {
		for ; c != nil; c = c.around {
			for _, f := range c.own {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// conditionsKey is what conditions with the same facts have in common.
type conditionsKey struct {
	own    string
	around int // its number
}

func newControlDependence(r *fixpoint.Solution) *controlDependence {
	g := r.Graph.Flow.Graph()
	n := g.Len()
	d := &controlDependence{
		r: r, branches: make([][]int, n), before: make([]*conditions, n),
		numbers: make(map[conditionsKey]int), common: make([]truth, n), complete: make([]truth, n), seen: make([]int, n),
	}
	post := graph.PostDominators(g, r.Graph.Exit())
	for b := range r.Graph.Blocks {
		if r.In[b] == nil || len(g.Succ(b)) < 2 {
			continue
		}
		for _, s := range g.Succ(b) {
			for ; s != post.IDom(b) && s != r.Graph.Exit(); s = post.IDom(s) {
				if on := d.branches[s]; len(on) == 0 || on[len(on)-1] != b {
					d.branches[s] = append(on, b)
				}
			}
		}
	}
	return d
}

// conditionsAt returns what holds whenever control is in a block: what the branches say by which
// alone control comes to it, and to the blocks that dominate it.
func (d *controlDependence) conditionsAt(block int) *conditions {
	var missing []int
	for b := block; d.before[b] == nil; b = d.r.Dom.IDom(b) {
		missing = append(missing, b)
		if b == d.r.Graph.Entry() {
			break
		}
	}
	for _, b := range slices.Backward(missing) {
		d.before[b] = d.addConditions(b)
	}
	return d.before[block]
}

// addConditions returns the conditions of a block, of whose dominator they are known.
func (d *controlDependence) addConditions(b int) *conditions {
	c, g := &conditions{branch: -1}, d.r.Graph
	if b == g.Entry() {
		c.thread, c.cta = allIndices(d.r)
		return c
	}
	around := d.before[d.r.Dom.IDom(b)]
	c.thread, c.cta, c.number, c.around = around.thread, around.cta, around.number, around
	if len(around.own) == 0 {
		c.around = around.around
	}
	from, way, single := findOnlyEdge(d.r, b)
	if !single {
		return c
	}
	last := g.Last(from)
	if !last.Guard.Set || len(g.Blocks[from].Edges) < 2 {
		return c
	}
	holds := (g.Blocks[from].Edges[way].Kind != cfg.FallThrough) != last.Guard.Not
	c.branch = from
	c.own, c.exact, _ = deriveFixedFacts(d.r, d.r.Machine.ReadRegister(d.r.Along[from][way], last.Guard.Reg), holds)
	for _, f := range c.own {
		narrowIndices(d.r, &c.thread, &c.cta, f)
	}
	if len(c.own) > 0 {
		key := conditionsKey{factsKey(c.own), around.number}
		number, known := d.numbers[key]
		if !known {
			number = len(d.numbers) + 1
			d.numbers[key] = number
		}
		c.number = number
	}
	return c
}

// factsKey is a string that is another one for other facts.
func factsKey(facts []transfer.Fact) string {
	var key []byte
	for _, f := range facts {
		key = fmt.Appendf(key, " %s in %+v", f.Form.Key(), f.Set)
	}
	return string(key)
}

// explained reports whether a thread comes to a block if the facts of conditionsAt hold for it, and
// if the conditions that are the same for all threads of the grid lead there.
func (d *controlDependence) explained(block int) bool {
	if d.complete[block] == notAsked {
		d.complete[block] = truthOf(d.searchUnexplained(block) < 0)
	}
	return d.complete[block] == yes
}

// searchUnexplained returns a branch on which a block depends of whose condition something else than
// the facts at the block decides, -1 if there is none.
func (d *controlDependence) searchUnexplained(block int) int {
	d.searches++
	work := []int{block}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range d.branches[at] {
			if d.seen[b] == d.searches || d.r.Dom.Dominates(block, b) { // which decides whether it comes again
				continue
			}
			d.seen[b] = d.searches
			if !d.decided(b, block) && !d.sameForAll(b) {
				return b
			}
			work = append(work, b)
		}
	}
	return -1
}

// decided reports whether the facts at a block are all that the condition of a branch says.
func (d *controlDependence) decided(branch, block int) bool {
	for _, s := range d.r.Graph.Succ(branch) {
		if s != d.r.Graph.Exit() && d.r.Dom.Dominates(s, block) {
			if c := d.conditionsAt(s); c.branch == branch && c.exact {
				return true
			}
		}
	}
	return false
}

// sameForAll reports whether all threads of the grid go the same way at the end of a block.
func (d *controlDependence) sameForAll(b int) bool {
	if d.common[b] == notAsked {
		d.common[b] = truthOf(goesOneWay(d.r, b))
	}
	return d.common[b] == yes
}
