package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/report/chart"
	"warpbound/internal/symbol"
)

// flowNodes is how many nodes a flow graph is drawn with, at most: loops stand for their blocks where there are more, and then
// groups of blocks that follow each other.
const flowNodes = 200

// flowChart draws the flow graph of a kernel with the worst-case path of the estimate that has one; nothing is marked if path is nil.
func flowChart(k *estimate.ProfiledKernel, path *estimate.Estimate, links map[string]string) template.HTML {
	g := newGroups(k)
	worst := newWorstPath(path)
	nodes := make([]chart.Node, len(g.members))
	total := int64(0)
	for _, b := range k.Blocks {
		total += worst.heat(&b)
	}
	for i, blocks := range g.members {
		first := &k.Blocks[blocks[0]]
		n := chart.Node{Name: symbol.Label(first.Name), Note: short(first.Line), Count: worst.count(first.Name), Link: links[first.Line]}
		cycles, issues := int64(0), int64(0)
		for _, b := range blocks {
			cycles += worst.heat(&k.Blocks[b])
			issues += k.Blocks[b].Issues
		}
		if total > 0 {
			n.Heat = float64(cycles) / float64(total)
		}
		if len(blocks) > 1 {
			n.Note = fmt.Sprintf("%d blocks", len(blocks))
			n.Class = "group"
			if g.loops[i] {
				n.Name, n.Class = "loop "+n.Name, "loop"
			}
		}
		n.More = fmt.Sprintf("%s at %s: %.1f %% of the time, issued %s times in the longest run", n.Name, first.Line, 100*n.Heat, group(issues))
		if n.Count >= 0 {
			n.More += fmt.Sprintf(", passed %s times on the worst-case path", group(n.Count))
		}
		nodes[i] = n
	}
	exit := len(nodes)
	nodes = append(nodes, chart.Node{Name: "exit", Count: -1})
	return chart.Flow(nodes, g.arcs(k, worst, exit))
}

// worstPath is how often the worst-case path of an estimate passes blocks and edges.
type worstPath struct {
	blocks map[string]int64
	cycles map[string]int64
	edges  map[[2]string]int64
	order  [][2]string
	// charged says that it is known which blocks are charged for, which are those with cycles, and not how often they are passed.
	charged bool
}

// newWorstPath takes the path of an estimate; nil for none.
func newWorstPath(e *estimate.Estimate) *worstPath {
	if e == nil {
		return nil
	}
	w := &worstPath{blocks: make(map[string]int64), cycles: make(map[string]int64), edges: make(map[[2]string]int64)}
	if e.ByLine != nil {
		w.charged = true
		for _, b := range e.ByLine.Path {
			w.cycles[b.Name] = b.Cycles
		}
		for _, edge := range e.ByLine.Edges {
			w.charged = false
			w.takeEdge(edge.From, edge.To, edge.Count)
		}
		return w
	}
	for _, s := range e.Breakdown {
		w.cycles[s.Name] += s.Cycles
	}
	if d, ok := e.Detail.(*estimate.HybridWarp); ok {
		for _, edge := range d.Edges {
			if edge.Count > 0 {
				w.takeEdge(edge.From, edge.To, edge.Count)
			}
		}
	}
	return w
}

// takeEdge adds that the path goes along an edge, so often.
func (w *worstPath) takeEdge(from, to string, count int64) {
	w.blocks[to] += count
	w.edges[[2]string{from, to}] += count
	w.order = append(w.order, [2]string{from, to})
}

// heat is the time of a block: on the worst-case path, or in the longest run if there is no path.
func (w *worstPath) heat(b *estimate.ProfiledBlock) int64 {
	if w == nil {
		return b.Cycles
	}
	return w.cycles[b.Name]
}

// count is how often the path passes a block, -1 if there is no path.
func (w *worstPath) count(block string) int64 {
	if w == nil || w.charged && w.cycles[block] > 0 {
		return -1
	}
	return w.blocks[block]
}

// joinsBlocks reports whether an edge leads from one block to another that the path is charged for.
func (w *worstPath) joinsBlocks(edge [2]string) bool {
	return w != nil && w.charged && w.cycles[edge[0]] > 0 && w.cycles[edge[1]] > 0
}

// groups is a partition of the blocks of a kernel.
type groups struct {
	of      []int   // by block; -1 of a dead one
	members [][]int // by group, ascending
	loops   []bool  // it is a loop
}

// newGroups makes each block a group if there are not too many, and else outermost loops, and then of groups that follow each other one.
func newGroups(k *estimate.ProfiledKernel) *groups {
	g := &groups{of: make([]int, len(k.Blocks))}
	for b := range g.of {
		g.of[b] = -1
	}
	if len(k.Blocks) > flowNodes {
		outermost := slices.Clone(k.Loops)
		slices.SortStableFunc(outermost, func(a, b estimate.ProfiledLoop) int { return cmp.Compare(len(b.Blocks), len(a.Blocks)) })
		for _, l := range outermost {
			if g.of[l.Header] >= 0 {
				continue
			}
			blocks := append([]int{l.Header}, slices.DeleteFunc(slices.Clone(l.Blocks), func(b int) bool { return b == l.Header })...)
			g.add(blocks, true)
		}
	}
	for b := range g.of {
		if g.of[b] < 0 && !k.Blocks[b].Dead {
			g.add([]int{b}, false)
		}
	}
	g.sort()
	if len(g.members) > flowNodes {
		g.join((len(g.members) + flowNodes - 1) / flowNodes)
	}
	return g
}

func (g *groups) add(blocks []int, loop bool) {
	for _, b := range blocks {
		g.of[b] = len(g.members)
	}
	g.members, g.loops = append(g.members, blocks), append(g.loops, loop)
}

// sort orders groups by their first blocks.
func (g *groups) sort() {
	order := make([]int, len(g.members))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g.members[a][0], g.members[b][0]) })
	sorted := &groups{of: g.of}
	for _, i := range order {
		sorted.add(g.members[i], g.loops[i])
	}
	*g = *sorted
}

// join makes one group of so many that follow each other.
func (g *groups) join(n int) {
	joined := &groups{of: g.of}
	for some := range slices.Chunk(g.members, n) {
		joined.add(slices.Concat(some...), false)
	}
	*g = *joined
}

// arcs are the edges between groups, and those of the path that the flow graph does not have, since divergence makes them.
func (g *groups) arcs(k *estimate.ProfiledKernel, worst *worstPath, exit int) []chart.Arc {
	var all []chart.Arc
	at := make(map[[2]int]int)
	add := func(from, to int, count int64, class string) {
		if from == to && len(g.members[from]) > 1 {
			return
		}
		key := [2]int{from, to}
		i, ok := at[key]
		if !ok {
			i = len(all)
			at[key] = i
			all = append(all, chart.Arc{From: from, To: to, Class: class})
		}
		all[i].Count += count
	}
	index := make(map[string]int)
	known := make(map[[2]string]bool)
	for b := range k.Blocks {
		from := k.Blocks[b].Name
		if k.Blocks[b].Dead {
			continue
		}
		index[from] = b
		for _, to := range k.Blocks[b].Next {
			if to == len(k.Blocks) {
				add(g.of[b], exit, 0, "")
				continue
			}
			edge := [2]string{from, k.Blocks[to].Name}
			count, class := int64(0), ""
			if worst != nil && !known[edge] {
				count = worst.edges[edge]
			}
			if worst.joinsBlocks(edge) {
				class = chart.Charged
			}
			known[edge] = true
			add(g.of[b], g.of[to], count, class)
		}
	}
	if worst == nil {
		return all
	}
	for _, edge := range worst.order {
		from, a := index[edge[0]]
		to, b := index[edge[1]]
		if a && b && !known[edge] {
			add(g.of[from], g.of[to], worst.edges[edge], "divergent")
		}
	}
	return all
}
