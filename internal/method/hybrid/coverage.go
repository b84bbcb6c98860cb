package hybrid

import (
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/trace"
)

// coverage says what the runs of a profile have exercised of a kernel.
func (p *Profile) coverage(g *cfg.Graph) *estimate.Coverage {
	c := &covering{p: p, graph: g, hops: newHops(g.Flow), out: &estimate.Coverage{Lines: []estimate.LineCoverage{}, Never: []estimate.Uncovered{}, Loops: []estimate.LoopCoverage{}}}
	c.observe()
	for b := range g.Blocks {
		if g.Reachable(b) && p.ipg.OfBlock[b] != trace.None {
			c.add(b)
		}
	}
	slices.SortStableFunc(c.out.Lines, func(a, b estimate.LineCoverage) int { return byLine(a.Pos, b.Pos) })
	for l := range p.ipg.Loops {
		loop := &p.ipg.Loops[l]
		c.out.Loops = append(c.out.Loops, estimate.LoopCoverage{Header: loop.Name, Pos: loop.Pos, Entered: p.loops[l].known, Observed: p.loops[l].value})
	}
	return c.out
}

// covering adds up what is covered.
type covering struct {
	p      *Profile
	graph  *cfg.Graph
	hops   *hops
	out    *estimate.Coverage
	blocks map[int]bool
	taken  map[[2]int]bool
	lines  map[string]int // in out.Lines
}

// observe finds the blocks and edges that warps have shown. Lanes that diverged pass to the other successor of their branch by a hop
// from the end of the first one's path.
func (c *covering) observe() {
	g := c.p.ipg
	blocks := make([]int, g.Len()+2) // by node
	for b, at := range g.OfBlock {
		if at != trace.None {
			blocks[at] = b
		}
	}
	blocks[g.Exit()], blocks[g.Start()] = c.graph.Exit(), noBlock
	c.blocks, c.taken, c.lines = map[int]bool{}, map[[2]int]bool{}, map[string]int{}
	for i := range c.p.seen {
		e := c.p.edgeOf(c.p.seen[i].edge)
		from, to := blocks[e.From], blocks[e.To]
		c.blocks[to] = true
		c.taken[[2]int{from, to}] = true
		if from != noBlock && to != c.graph.Exit() && e.Limited {
			for _, b := range c.hops.resumed(from, to) {
				c.taken[[2]int{b, to}] = true
			}
		}
	}
}

// add counts a block and the edges out of it.
func (c *covering) add(b int) {
	block := &c.graph.Blocks[b]
	line := c.line(block.Source().String())
	count := func(covered bool, of ...*estimate.Covered) {
		for _, n := range of {
			n.Possible++
			if covered {
				n.Covered++
			}
		}
	}
	count(c.blocks[b], &c.out.Blocks, &line.Blocks)
	if !c.blocks[b] {
		c.out.Never = append(c.out.Never, estimate.Uncovered{Block: block.Name, Pos: block.Source().String()})
	}
	next := slices.Clone(c.graph.Succ(b))
	slices.Sort(next)
	next = slices.Compact(next)
	for _, to := range next {
		if to != c.graph.Exit() && c.p.ipg.OfBlock[to] == trace.None {
			continue
		}
		taken := c.taken[[2]int{b, to}]
		count(taken, &c.out.Edges)
		if len(next) < 2 {
			continue
		}
		count(taken, &c.out.Outcomes, &line.Outcomes)
		if !taken && c.blocks[b] {
			c.out.Never = append(c.out.Never, c.outcome(b, to))
		}
	}
}

// outcome describes an outcome of a branch.
func (c *covering) outcome(b, to int) estimate.Uncovered {
	block := &c.graph.Blocks[b]
	branch := &c.graph.Kernel.Instrs[block.End-1]
	u := estimate.Uncovered{Block: block.Name, Pos: branch.Pos.String(), To: trace.Exit.String()}
	if branch.Loc.Known() {
		u.Pos = branch.Loc.String()
	}
	if to != c.graph.Exit() {
		u.To, u.ToPos = c.graph.Blocks[to].Name, c.graph.Blocks[to].Source().String()
	}
	return u
}

// line returns the entry of the source line of a position.
func (c *covering) line(pos string) *estimate.LineCoverage {
	if i := strings.LastIndexByte(pos, ':'); i >= 0 {
		pos = pos[:i] // without the column
	}
	at, ok := c.lines[pos]
	if !ok {
		at = len(c.out.Lines)
		c.lines[pos] = at
		c.out.Lines = append(c.out.Lines, estimate.LineCoverage{Pos: pos})
	}
	return &c.out.Lines[at]
}

// byLine orders positions by file and line.
func byLine(a, b string) int {
	split := func(pos string) (string, string) {
		i := strings.LastIndexByte(pos, ':')
		return pos[:i+1], pos[i+1:]
	}
	fileA, lineA := split(a)
	fileB, lineB := split(b)
	if c := strings.Compare(fileA, fileB); c != 0 {
		return c
	}
	if len(lineA) != len(lineB) {
		return len(lineA) - len(lineB)
	}
	return strings.Compare(lineA, lineB)
}
