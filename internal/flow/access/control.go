package access

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/graph"
)

// controlDependence tells of each block which branches decide whether control comes there, and what
// their conditions say then.
type controlDependence struct {
	solution *fixpoint.Solution
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

func newControlDependence(r *fixpoint.Solution) *controlDependence {
	g := r.Graph.Flow.Graph()
	n := g.Len()
	d := &controlDependence{
		solution: r, branches: make([][]int, n), before: make([]*conditions, n),
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
	for b := block; d.before[b] == nil; b = d.solution.Dom.IDom(b) {
		missing = append(missing, b)
		if b == d.solution.Graph.Entry() {
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
	c, g := &conditions{branch: -1}, d.solution.Graph
	if b == g.Entry() {
		c.thread, c.cta = allIndices(d.solution)
		return c
	}
	around := d.before[d.solution.Dom.IDom(b)]
	c.thread, c.cta, c.number, c.around = around.thread, around.cta, around.number, around
	if len(around.own) == 0 {
		c.around = around.around
	}
	from, way, single := findOnlyEdge(d.solution, b)
	if !single {
		return c
	}
	last := g.Last(from)
	if !last.Guard.Set || len(g.Blocks[from].Edges) < 2 {
		return c
	}
	holds := (g.Blocks[from].Edges[way].Kind != cfg.FallThrough) != last.Guard.Not
	c.branch = from
	predicate := d.solution.Machine.ReadRegister(d.solution.Along[from][way], last.Guard.Reg)
	c.own, c.exact, _ = deriveFixedFacts(d.solution, predicate, holds)
	for _, f := range c.own {
		narrowIndices(d.solution, &c.thread, &c.cta, f)
	}
	if len(c.own) > 0 {
		key := conditionsKey{formatFacts(c.own), around.number}
		number, known := d.numbers[key]
		if !known {
			number = len(d.numbers) + 1
			d.numbers[key] = number
		}
		c.number = number
	}
	return c
}

// isExplained reports whether a thread comes to a block if the facts of conditionsAt hold for it,
// and if the conditions that are the same for all threads of the grid lead there.
func (d *controlDependence) isExplained(block int) bool {
	if d.complete[block] == notAsked {
		d.complete[block] = truthOf(d.searchUnexplained(block) < 0)
	}
	return d.complete[block] == yes
}

// searchUnexplained returns a branch on which a block depends of whose condition something else
// than the facts at the block decides, -1 if there is none.
func (d *controlDependence) searchUnexplained(block int) int {
	d.searches++
	work := []int{block}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range d.branches[at] {
			if d.seen[b] == d.searches || d.solution.Dom.Dominates(block, b) { // which decides whether it comes again
				continue
			}
			d.seen[b] = d.searches
			if !d.isDecided(b, block) && !d.isCommonBranch(b) {
				return b
			}
			work = append(work, b)
		}
	}
	return -1
}

// isDecided reports whether the facts at a block are all that the condition of a branch says.
func (d *controlDependence) isDecided(branch, block int) bool {
	for _, s := range d.solution.Graph.Succ(branch) {
		if s != d.solution.Graph.Exit() && d.solution.Dom.Dominates(s, block) {
			if c := d.conditionsAt(s); c.branch == branch && c.exact {
				return true
			}
		}
	}
	return false
}

// isCommonBranch reports whether all threads of the grid go the same way at the end of a block.
func (d *controlDependence) isCommonBranch(b int) bool {
	if d.common[b] == notAsked {
		d.common[b] = truthOf(goesOneWay(d.solution, b))
	}
	return d.common[b] == yes
}

// findOnlyEdge returns the edge by which control comes to a block, if there is only one.
func findOnlyEdge(r *fixpoint.Solution, block int) (from, way int, ok bool) {
	for _, e := range r.Into[block] {
		if r.Along[e.Block][e.Index] != nil {
			if ok {
				return 0, 0, false
			}
			from, way, ok = e.Block, e.Index, true
		}
	}
	return from, way, ok
}

// goesOneWay reports whether all threads of the grid go the same way at the end of a block.
func goesOneWay(r *fixpoint.Solution, b int) bool {
	last := r.Graph.Last(b)
	for _, st := range r.Along[b] {
		if st == nil || !last.Guard.Set {
			continue
		}
		return isCommonCondition(r, r.Machine.ReadRegister(st, last.Guard.Reg).Cond)
	}
	return false
}
