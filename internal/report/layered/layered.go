// Package layered draws directed graphs in layers, from top to bottom, as flow graphs are read.
//
// It follows Sugiyama, Tagawa and Toda (IEEE Transactions on Systems, Man, and Cybernetics 11, 1981): edges that close a
// cycle are turned round, each node stands below its predecessors, nodes of a layer are ordered so that few edges cross,
// and then moved towards their neighbours. layered must not import anything of the project.
package layered

import (
	"cmp"
	"math"
	"slices"
)

// Node is what a node takes of the drawing, in any unit.
type Node struct{ Width, Height float64 }

// Edge leads from one node to another one, by their numbers.
type Edge struct{ From, To int }

// Point is a place in a drawing: X from its left, Y from its top.
type Point struct{ X, Y float64 }

// Drawing is where nodes and edges are.
type Drawing struct {
	Width, Height float64
	Nodes         []Point   // their middles
	Edges         [][]Point // from the end of one node to that of the other one; by way of a point in each layer between
	Back          []bool    // edges that close a cycle
}

// The distances between nodes of a layer, between places of which one is that of an edge, and between layers.
const (
	nodeGap  = 24
	edgeGap  = 12
	layerGap = 36
)

// sweeps is how often layers are ordered, and how often they are moved, in each direction.
const sweeps = 8

// Layout draws a graph. Nodes that no other one leads to stand at the top. Equal graphs have equal drawings.
func Layout(nodes []Node, edges []Edge) *Drawing {
	if len(nodes) == 0 {
		return &Drawing{}
	}
	g := &graph{nodes: nodes, edges: edges}
	g.acyclic()
	g.assignLayers()
	g.insertPlaces()
	g.order()
	g.position()
	return g.drawing()
}

// graph is a drawing on its way.
type graph struct {
	nodes []Node
	edges []Edge
	back  []bool
	layer []int // by place: nodes first, then where edges pass layers

	size   []Node  // by place
	via    [][]int // by edge: its places from the upper to the lower end
	up     [][]int // by place, those above that an edge joins it with
	down   [][]int
	layers [][]int // places from left to right
	at     []int   // by place, its number in its layer
	x      []float64
}

// acyclic finds the edges that close a cycle for who goes along edges from the first node, and then from those that were not
// reached.
func (g *graph) acyclic() {
	g.back = make([]bool, len(g.edges))
	out := make([][]int, len(g.nodes))
	for e, edge := range g.edges {
		out[edge.From] = append(out[edge.From], e)
	}
	const (
		unseen = iota
		open
		closed
	)
	state := make([]int, len(g.nodes))
	next := make([]int, len(g.nodes)) // of the edges out of a node
	for root := range g.nodes {
		if state[root] != unseen {
			continue
		}
		state[root] = open
		for stack := []int{root}; len(stack) > 0; {
			n := stack[len(stack)-1]
			if next[n] == len(out[n]) {
				state[n] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			e := out[n][next[n]]
			next[n]++
			switch to := g.edges[e].To; state[to] {
			case unseen:
				state[to] = open
				stack = append(stack, to)
			case open:
				g.back[e] = true
			}
		}
	}
}

// ends returns the upper and the lower end of an edge.
func (g *graph) ends(e int) (upper, lower int) {
	edge := g.edges[e]
	if g.back[e] {
		return edge.To, edge.From
	}
	return edge.From, edge.To
}

// assignLayers puts each node into the first layer below those of its predecessors.
func (g *graph) assignLayers() {
	n := len(g.nodes)
	g.layer = make([]int, n)
	above := make([]int, n) // edges into a node whose upper end has no layer yet
	out := make([][]int, n)
	for e := range g.edges {
		if upper, lower := g.ends(e); upper != lower {
			out[upper] = append(out[upper], lower)
			above[lower]++
		}
	}
	var ready []int
	for i := range n {
		if above[i] == 0 {
			ready = append(ready, i)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		for _, lower := range out[ready[0]] {
			g.layer[lower] = max(g.layer[lower], g.layer[ready[0]]+1)
			if above[lower]--; above[lower] == 0 {
				ready = append(ready, lower)
			}
		}
	}
}

// insertPlaces gives edges a place in each layer between their ends.
func (g *graph) insertPlaces() {
	g.size = slices.Clone(g.nodes)
	g.via = make([][]int, len(g.edges))
	for e := range g.edges {
		upper, lower := g.ends(e)
		path := []int{upper}
		for l := g.layer[upper] + 1; l < g.layer[lower]; l++ {
			path = append(path, len(g.layer))
			g.layer = append(g.layer, l)
			g.size = append(g.size, Node{})
		}
		g.via[e] = append(path, lower)
	}
	places := len(g.layer)
	g.up, g.down = make([][]int, places), make([][]int, places)
	for e := range g.edges {
		if upper, lower := g.ends(e); upper == lower {
			continue
		}
		for i := 1; i < len(g.via[e]); i++ {
			a, b := g.via[e][i-1], g.via[e][i]
			g.down[a], g.up[b] = append(g.down[a], b), append(g.up[b], a)
		}
	}
	g.layers = make([][]int, slices.Max(g.layer)+1)
	g.at = make([]int, places)
	for p, l := range g.layer {
		g.at[p] = len(g.layers[l])
		g.layers[l] = append(g.layers[l], p)
	}
}

// order orders the places of layers by the medians of their neighbours, and keeps the order with the fewest crossings.
func (g *graph) order() {
	best, fewest := g.snapshot(), g.crossings()
	for s := 0; s < 2*sweeps && fewest > 0; s++ {
		if s%2 == 0 {
			for _, layer := range g.layers {
				g.sort(layer, g.up)
			}
		} else {
			for _, layer := range slices.Backward(g.layers) {
				g.sort(layer, g.down)
			}
		}
		if n := g.crossings(); n < fewest {
			best, fewest = g.snapshot(), n
		}
	}
	g.layers = best
	for _, layer := range g.layers {
		g.number(layer)
	}
}

func (g *graph) snapshot() [][]int {
	all := make([][]int, len(g.layers))
	for i, layer := range g.layers {
		all[i] = slices.Clone(layer)
	}
	return all
}

func (g *graph) number(layer []int) {
	for i, p := range layer {
		g.at[p] = i
	}
}

// sort orders a layer by the medians of neighbours. Places without any keep theirs.
func (g *graph) sort(layer []int, near [][]int) {
	var movable, sorted []int
	for _, p := range layer {
		if len(near[p]) > 0 {
			movable = append(movable, g.at[p])
			sorted = append(sorted, p)
		}
	}
	median := func(p int) float64 {
		var at []int
		for _, q := range near[p] {
			at = append(at, g.at[q])
		}
		slices.Sort(at)
		return float64(at[(len(at)-1)/2]+at[len(at)/2]) / 2
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(median(a), median(b)) })
	for i, p := range sorted {
		layer[movable[i]] = p
	}
	g.number(layer)
}

// crossings counts pairs of edges that cross between neighbouring layers.
func (g *graph) crossings() int {
	n := 0
	for _, layer := range g.layers[:len(g.layers)-1] {
		var ends []int // lower ends, in the order of the upper ones
		for _, p := range layer {
			var own []int
			for _, q := range g.down[p] {
				own = append(own, g.at[q])
			}
			slices.Sort(own)
			ends = append(ends, own...)
		}
		n += inversions(ends)
	}
	return n
}

// inversions counts pairs in the wrong order, and sorts.
func inversions(list []int) int {
	if len(list) < 2 {
		return 0
	}
	left, right := slices.Clone(list[:len(list)/2]), slices.Clone(list[len(list)/2:])
	n := inversions(left) + inversions(right)
	for i := range list {
		if len(right) == 0 || len(left) > 0 && left[0] <= right[0] {
			list[i], left = left[0], left[1:]
			continue
		}
		n += len(left)
		list[i], right = right[0], right[1:]
	}
	return n
}

// position moves the places of layers towards the means of their neighbours, above and below in turn.
func (g *graph) position() {
	g.x = make([]float64, len(g.layer))
	for _, layer := range g.layers {
		g.settle(layer, make([]float64, len(layer)))
	}
	for s := range 2 * sweeps {
		near, layers := g.up, slices.All(g.layers)
		if s%2 == 1 {
			near, layers = g.down, slices.Backward(g.layers)
		}
		for _, layer := range layers {
			wanted := make([]float64, len(layer))
			for i, p := range layer {
				wanted[i] = g.x[p]
				if len(near[p]) > 0 {
					sum := 0.0
					for _, q := range near[p] {
						sum += g.x[q]
					}
					wanted[i] = sum / float64(len(near[p]))
				}
			}
			g.settle(layer, wanted)
		}
	}
}

// settle puts the places of a layer as near to where they are wanted, by the sum of squares, as their order and sizes allow: by
// pooling of adjacent violators.
func (g *graph) settle(layer []int, wanted []float64) {
	type pool struct {
		sum   float64 // of what is wanted, less the offsets of places from the first one of the layer
		count int
	}
	var pools []pool
	offset := make([]float64, len(layer))
	for i, p := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + g.distance(layer[i-1], p)
		}
		last := pool{wanted[i] - offset[i], 1}
		for len(pools) > 0 {
			before := pools[len(pools)-1]
			if before.sum*float64(last.count) <= last.sum*float64(before.count) {
				break
			}
			last = pool{before.sum + last.sum, before.count + last.count}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, last)
	}
	i := 0
	for _, p := range pools {
		for range p.count {
			g.x[layer[i]] = p.sum/float64(p.count) + offset[i]
			i++
		}
	}
}

// distance is the least one between the middles of neighbours.
func (g *graph) distance(left, right int) float64 {
	gap := float64(nodeGap)
	if left >= len(g.nodes) || right >= len(g.nodes) {
		gap = edgeGap
	}
	return (g.size[left].Width+g.size[right].Width)/2 + gap
}

// drawing puts the left end at 0 and layers below each other.
func (g *graph) drawing() *Drawing {
	left, right := math.Inf(1), math.Inf(-1)
	for p, x := range g.x {
		left, right = min(left, x-g.size[p].Width/2), max(right, x+g.size[p].Width/2)
	}
	d := &Drawing{Width: right - left, Back: g.back}
	top := make([]float64, len(g.layers))
	height := make([]float64, len(g.layers))
	for l, layer := range g.layers {
		for _, p := range layer {
			height[l] = max(height[l], g.size[p].Height)
		}
		if l > 0 {
			top[l] = top[l-1] + height[l-1] + layerGap
		}
		d.Height = top[l] + height[l]
	}
	at := func(p int) Point { return Point{g.x[p] - left, top[g.layer[p]] + height[g.layer[p]]/2} }
	for n := range g.nodes {
		d.Nodes = append(d.Nodes, at(n))
	}
	for e := range g.edges {
		d.Edges = append(d.Edges, g.path(e, at))
	}
	return d
}

// path is that of an edge. One that leads to its own node goes round its right side.
func (g *graph) path(e int, at func(int) Point) []Point {
	upper, lower := g.ends(e)
	from, to := at(upper), at(lower)
	if upper == lower {
		half := g.nodes[upper]
		x, y := from.X+half.Width/2, half.Height/4
		return []Point{{x, from.Y + y}, {x + edgeGap, from.Y + y}, {x + edgeGap, from.Y - y}, {x, from.Y - y}}
	}
	path := []Point{{from.X, from.Y + g.nodes[upper].Height/2}}
	for _, p := range g.via[e][1 : len(g.via[e])-1] {
		path = append(path, at(p))
	}
	path = append(path, Point{to.X, to.Y - g.nodes[lower].Height/2})
	if g.back[e] {
		slices.Reverse(path)
	}
	return path
}
