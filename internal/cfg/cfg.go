// Package cfg makes control-flow graphs of kernels, and finds the transitions
// that branch divergence adds to them and where registers are live.
//
// Build cuts a kernel into basic blocks. For
//
//	      setp.ge p, i, n          0 entry   [0,2)  > 1, 2
//	 @p   bra     done             1 entry+2 [2,4)  > 2
//	      ld      x, [a]           2 done    [4,5)  > exit
//	      add     s, s, x
//	done: ret
//
// it gives the blocks on the right. A Flow is the shape alone, without
// instructions: successors, reconvergence points, loops. Everything about divergence
// is a plain function over a Flow that returns a list of edges; WithEdges puts
// them together with the flow graph without changing it.
//
// The flow leaves out the edges to blocks from which every run ends with an
// error, such as those of an assertion: no complete run passes along them, and
// lanes that diverge reconverge as if they were not there. Blocks list them, and
// Liveness follows them.
//
// Not recorded: instructions whose guard is false in all lanes, and what a
// branch depends on. Calls do not occur, since isa.Link expands them.
//
// cfg imports diag, internal/constraint, internal/graph and internal/isa and nothing else
// of this project. It knows no timing.
package cfg

import (
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// EdgeKind tells why control passes along an edge.
type EdgeKind uint8

// The kinds of edges.
const (
	FallThrough EdgeKind = iota // to the following instruction
	Taken                       // to the target of a branch
	Indexed                     // to a target of an indexed branch
	Exits                       // to the virtual exit: ret, exit or trap
)

// String returns a word for the kind.
func (k EdgeKind) String() string {
	return [...]string{"fall-through", "taken", "indexed", "exit"}[k]
}

// Edge leads out of a block. Two edges of different kinds may have the same
// destination, and so may two that are indexed.
type Edge struct {
	To   int // a block, or the virtual exit
	Kind EdgeKind
}

// Block is a basic block: the instructions [Start, End) of the kernel, of which
// only the last may branch or end lanes.
type Block struct {
	Start, End int
	// Name is the block's label, or the nearest label before it (or "entry") with
	// the distance in instructions, as in "$L__BB0_2+5". It is unique. A label
	// that only marks the beginning of the kernel does not count.
	Name      string
	Pos       diag.Pos // of the first instruction
	Loc       diag.Pos // in the compiler's source, of the first instruction that has one
	Edges     []Edge
	Reachable bool // from the kernel's entry
}

// Graph is the control-flow graph of a kernel.
type Graph struct {
	*Flow
	Kernel  *isa.Kernel
	Blocks  []Block
	blockOf []int        // for each instruction
	syncs   error        // see CheckSyncs
	runs    *graph.Graph // all edges, those to blocks that end with an error included
}

// Build makes the control-flow graph of a kernel. Block 0 is the entry; blocks
// are in the order of the instructions, also those that cannot be reached. It is
// an error if the kernel has no instructions, if one may lead anywhere or wait for others
// (isa.Unknown), if a branch leads outside of the kernel, or if control may run past its last
// instruction.
func Build(k *isa.Kernel) (*Graph, error) {
	if len(k.Instrs) == 0 {
		return nil, diag.Errorf(k.Pos, "kernel %s has no instructions", k.Readable())
	}
	g := &Graph{Kernel: k}
	if err := g.cut(); err != nil {
		return nil, err
	}
	g.name()
	for b := range g.Blocks {
		if err := g.connect(b); err != nil {
			return nil, err
		}
	}
	g.runs = graph.New(len(g.Blocks) + 1)
	var edges []graph.Edge
	failing := g.failing()
	for b := range g.Blocks {
		for _, e := range g.Blocks[b].Edges {
			g.runs.AddEdge(b, e.To)
			if !failing[e.To] || failing[b] {
				edges = append(edges, graph.Edge{From: b, To: e.To})
			}
		}
	}
	flow, err := NewFlow(len(g.Blocks), edges, g.barriers())
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Readable(), err)
	}
	g.Flow = flow
	if k.Reconvergence == isa.AtSyncs {
		g.matchSyncs()
	}
	for b, reached := range g.runs.Reachable(0)[:len(g.Blocks)] {
		g.Blocks[b].Reachable = reached
	}
	return g, nil
}

// Source returns the position of a block that a user knows best: in the
// compiler's source if the module tells it, else in the module.
func (b *Block) Source() diag.Pos {
	if b.Loc.Known() {
		return b.Loc
	}
	return b.Pos
}

// barriers tells which blocks hold a barrier.
func (g *Graph) barriers() []bool {
	barriers := make([]bool, len(g.Blocks))
	for i := range g.Kernel.Instrs {
		if g.Kernel.Instrs[i].Op.Info().Effect&isa.Barriers != 0 {
			barriers[g.blockOf[i]] = true
		}
	}
	return barriers
}

// BlockOf returns the block that holds the instruction with the given index.
func (g *Graph) BlockOf(instr int) int { return g.blockOf[instr] }

// Name returns the name of a block or of the virtual exit.
func (g *Graph) Name(b int) string {
	if b == g.Exit() {
		return "exit"
	}
	return g.Blocks[b].Name
}

// Last returns the last instruction of a block.
func (g *Graph) Last(b int) *isa.Instr { return &g.Kernel.Instrs[g.Blocks[b].End-1] }

// endsBlock reports whether a block ends after the instruction.
func endsBlock(in *isa.Instr) bool { return leads(in) || in.Op == isa.Reconverge }

// leads reports whether the instruction sends its lanes elsewhere than to the following
// one.
func leads(in *isa.Instr) bool {
	return in.Op == isa.Bra || in.Op == isa.BrxIdx || in.Op.Info().Effect&isa.Exits != 0
}

// cut makes the blocks: a block starts at the kernel's first instruction, at
// every branch target, and after every branch or end. A label to which nothing
// branches starts none.
func (g *Graph) cut() error {
	k := g.Kernel
	starts := make([]bool, len(k.Instrs)+1)
	starts[0] = true
	for i := range k.Instrs {
		in := &k.Instrs[i]
		if in.Op == isa.Unknown {
			return diag.Errorf(in.Pos, "kernel %s has no known flow because of %s: %s", k.Readable(), in.Brief(), in.Obstacle())
		}
		for _, target := range targets(in) {
			if target < 0 || target >= len(k.Instrs) {
				return diag.Errorf(in.Pos, "branch to instruction %d of kernel %s, which has %d", target, k.Readable(), len(k.Instrs))
			}
			starts[target] = true
		}
		if endsBlock(in) {
			starts[i+1] = true
		}
	}
	g.blockOf = make([]int, len(k.Instrs))
	for i := range k.Instrs {
		if starts[i] {
			g.Blocks = append(g.Blocks, Block{Start: i, Pos: k.Instrs[i].Pos})
		}
		last := len(g.Blocks) - 1
		g.Blocks[last].End = i + 1
		if !g.Blocks[last].Loc.Known() {
			g.Blocks[last].Loc = k.Instrs[i].Loc
		}
		g.blockOf[i] = last
	}
	return nil
}

// targets returns the instructions that a branch names.
func targets(in *isa.Instr) []int {
	switch in.Op {
	case isa.Bra:
		return []int{in.Target}
	case isa.BrxIdx:
		return in.Targets
	}
	return nil
}

// name gives the blocks their names. A label that an earlier block has for its
// name is passed over.
func (g *Graph) name() {
	looped := false // control comes back to the first instruction
	for i := range g.Kernel.Instrs {
		looped = looped || slices.Contains(targets(&g.Kernel.Instrs[i]), 0)
	}
	labels := make(map[int][]string)
	for _, l := range g.Kernel.Labels {
		if l.Index > 0 || looped {
			labels[l.Index] = append(labels[l.Index], l.Name)
		}
	}
	taken := make(map[string]bool)
	base, start := "entry", 0
	for i := range g.Blocks {
		b := &g.Blocks[i]
		own := slices.IndexFunc(labels[b.Start], func(l string) bool { return !taken[l] })
		if own >= 0 {
			base, start = labels[b.Start][own], b.Start
		}
		b.Name = base
		if offset := b.Start - start; offset > 0 {
			b.Name = fmt.Sprintf("%s+%d", base, offset)
		}
		taken[b.Name] = true
	}
}

// connect fills the edges of block b.
func (g *Graph) connect(b int) error {
	block := &g.Blocks[b]
	in := g.Last(b)
	exit := len(g.Blocks)
	kind := Taken
	if in.Op == isa.BrxIdx {
		kind = Indexed
	}
	for _, target := range targets(in) {
		block.Edges = append(block.Edges, Edge{To: g.blockOf[target], Kind: kind})
	}
	if in.Op.Info().Effect&isa.Exits != 0 {
		block.Edges = append(block.Edges, Edge{To: exit, Kind: Exits})
	}
	if leads(in) && !in.Guard.Set {
		return nil
	}
	if block.End == len(g.Kernel.Instrs) {
		return diag.Errorf(in.Pos, "kernel %s: control runs past the last instruction", g.Kernel.Readable())
	}
	block.Edges = append(block.Edges, Edge{To: b + 1, Kind: FallThrough})
	return nil
}
