// Package bsb makes the branch serialisation form of kernels and chooses the branches at which
// wavefronts split: the compiler's path of Klashtorny, Wu, Kaushik and Patel (Predictable GPU
// Wavefront Splitting for Safety-Critical Systems, ACM TECS 22(5s), 2023).
//
// # The form
//
// A Form is the paper's branch serialisation form (Section 4.2): the kernel as one
// wavefront executes it, which executes the paths of a branch one after the other where
// its work-items disagree. For
//
//	if (c) { A } else { B }; C
//
// it has a branch node u, the node of A, a branch serialisation block (BSB), the node of
// B and that of C, with the edges
//
//	u > A,  u > BSB,  A > BSB,  BSB > B,  BSB > C,  B > C
//
// so that its longest path executes both paths, and one from which u > A or BSB > B is
// removed the other path alone.
//
// What it shows is the reconvergence stack of cfg.DivergentEdges: work-items that part at
// block b run from each successor to Reconverge(b), one group after the other, while the
// rest wait. Its rules, which Check verifies:
//
//   - The nodes are in topological order: every edge but that from a latch back to the
//     header of its loop leads to a greater number. The last node is the end.
//   - A Branch is a block whose work-items may part; u+1 is the first node of its first
//     path and BSB(u) follows that path. A BSB(u) is followed by the next path, if there
//     is one, and leads there and past it: to the next BSB of a branch of more than two
//     paths, or to Reconv(u). A branch whose second path is empty has one BSB, which leads
//     to Reconv(u) alone.
//   - Paths are closed: no edge leads into a path but from its branch or BSB, and none out
//     but to the BSB behind it, or to Reconv behind the last. What ends work-items does not
//     end a path: the other ones go on.
//   - A Choice is a block with several successors at which all work-items agree, or which
//     leaves a loop. One of its edges is followed.
//   - Parent(x) is Definition 4.1 with the dominance that its text asks for: the innermost
//     branch or BSB v that dominates x with v < x < Reconv(v), or None.
//   - A loop has one header, through which alone it is entered, and one latch, from which
//     alone the edge back leads. Its bound is how often that edge is taken for each entry.
//
// Blocks that several paths reach, as the then part of `if (a || b)` does, are executed in
// each of them, and have a node in each of them.
//
// # Loops
//
// The paper unrolls loops. Here they stay: a bound multiplies what one iteration costs.
// That is right because work-items that enter a loop together start its iterations
// together: where all branches inside reconverge within the iteration, those that still iterate
// are at the header at the same time, so the header is executed no more often than the
// work-item with the most iterations does. Work-items that leave early wait at the point R
// where all leave to, which is the reconvergence point of every branch that leaves. What they
// execute on the way there (a path that leaves) they execute in the iteration in which they
// leave, so it is charged to every iteration: such a branch is a Leave, with its paths
// before the rest of the iteration. Where nothing is on the way it is a Choice.
//
// A loop is not like that if work-items part in it and reconverge only behind it:
//
//	for (...) { if (c) { if (x) break; } rest }
//
// Here the immediate post-dominator of the outer if is behind the loop, so each of the two
// groups runs through all of its remaining iterations before the other, and may part again.
// Such a loop is a diverging loop: as every execution of a block has at least one work-item,
// and what is executed between header and R is executed by those that entered, the time is at
// most the number of work-items of a wavefront times that of the longest path of one work-item.
// In the form that is a loop with as many iterations as there are work-items around
// alternatives only.
//
// So every kernel has a form whose loops are entered at their headers; others are an
// error with the position.
//
// # Splitting
//
// Form.Select is the paper's Algorithm 1, SELECT, for such forms. What a form takes at the
// most, and which branches are best split, is for internal/method/split to say.
//
// bsb imports cfg, graph and diag. It knows no time: it must not import flow analyses,
// machines or methods.
package bsb

import (
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/cfg"
)

// Kind tells what a node of a form is.
type Kind uint8

// The kinds of nodes. Only those of blocks take time.
const (
	Plain  Kind = iota // a block with one way on
	Branch             // a block whose paths are executed one after the other
	Choice             // a block with alternatives
	Leave              // a block at which work-items leave a loop by paths that are executed in the iteration
	BSB                // a branch serialisation block
	Lanes              // the beginning of what work-items execute independently of each other
	Latch              // the end of an iteration
	Join               // behind alternatives on which all work-items may end
	End                // of the kernel
)

// String returns a word for the kind.
func (k Kind) String() string {
	return [...]string{"block", "branch", "choice", "leave", "BSB", "lanes", "latch", "join", "end"}[k]
}

// None stands where a node has no block, parent, BSB or reconvergence point.
const None = -1

// Node is a node of a form.
type Node struct {
	Kind  Kind
	Block int // of the flow graph; None for nodes that take no time
	// Succ are the numbers of the nodes that may follow, in the order first path, BSB
	// for a branch and next path, past it for a BSB.
	Succ   []int
	Parent int // the path that the node is in: its branch or BSB, or None
	BSB    int // of a Branch or Leave: the first BSB; else None
	Reconv int // of a Branch, a Leave or their BSBs: where the branch reconverges; else None
}

// Loop is a loop of a form.
type Loop struct {
	Header, Latch int // nodes
	// Block is the header's in the flow graph; None for a loop whose iterations are
	// executions of different work-items, of which there are the form's Lanes.
	Block int
}

// DivergingLoop is a loop whose iterations work-items may execute independently of each other.
type DivergingLoop struct {
	Header int // the block at which the loop is entered
	Branch int // the block at which work-items diverge that reconverge only behind it
}

// Form is the branch serialisation form of a kernel. It does not change.
type Form struct {
	Nodes          []Node // in topological order; node 0 is executed first
	Loops          []Loop // a loop stands before the loops inside it
	DivergingLoops []DivergingLoop
	Lanes          int // work-items of a wavefront

	flow   *cfg.Flow
	name   func(block int) string
	root   *Region
	nodes  [][]int // by block, its nodes
	shared []int   // the nodes of blocks that have several, ascending
	last   []int   // of a Branch or Leave, its last node; else the node itself
}

// Options are what a form depends on beside the flow graph.
type Options struct {
	// Uniform reports whether the work-items that execute the branch at the end of a block
	// always go the same way. Nil if that is not known of any.
	Uniform func(block int) bool
	// Lanes is the number of work-items of a wavefront, at least 1.
	Lanes int
}

// MaxNodes is the largest number of blocks and loops in the form of a flow graph with the given
// number of blocks, those included that are given up on the way. Blocks that several paths reach
// count in each of them.
func MaxNodes(blocks int) int { return 1<<16 + 16*blocks }

// MaxDepth is how deep paths and loops may nest.
const MaxDepth = 10_000

// New returns the form of a kernel. Errors have the position: the kernel has irreducible
// control flow; a branch of a mini-SIMT kernel has no sync; there would be more than MaxNodes;
// more than MaxDepth paths and loops nest.
func New(g *cfg.Graph, o Options) (*Form, error) {
	if err := g.CheckReducible(); err != nil {
		return nil, err
	}
	if err := g.CheckSyncs(); err != nil {
		return nil, err
	}
	f, err := build(g.Flow, o, g.Name)
	if shape := (*shapeError)(nil); errors.As(err, &shape) {
		return nil, diag.Errorf(g.Blocks[shape.block].Source(), "kernel %s: %w", g.Kernel.Readable(), err)
	}
	return f, err
}

// NewFlow returns the form of a flow graph. The errors are those of New without position.
func NewFlow(f *cfg.Flow, o Options) (*Form, error) {
	if w := f.Loops().Irreducible(); w != nil {
		return nil, fmt.Errorf("the loop at block %d is also entered by %s", w.Loop.Header, w.Edge)
	}
	return build(f, o, func(b int) string { return fmt.Sprintf("b%d", b) })
}

func build(flow *cfg.Flow, o Options, name func(int) string) (*Form, error) {
	if o.Lanes < 1 {
		return nil, fmt.Errorf("a wavefront of %d work-items", o.Lanes)
	}
	uniform := o.Uniform
	if uniform == nil {
		uniform = func(int) bool { return false }
	}
	b := &builder{flow: flow, uniform: uniform, left: MaxNodes(flow.Len()), canExit: flow.Graph().Reverse().Reachable(flow.Exit())}
	root, err := b.region(place{start: flow.Entry(), stop: flow.Exit(), loop: None})
	if err != nil {
		return nil, err
	}
	f := &Form{flow: flow, name: name, root: root, Lanes: o.Lanes, DivergingLoops: root.divergingLoops(nil)}
	f.flatten()
	return f, nil
}

// Flow returns the flow graph that the form is of; nil of one that was made without New.
func (f *Form) Flow() *cfg.Flow { return f.flow }

// Root returns the kernel as regions inside each other, which must not be changed.
func (f *Form) Root() *Region { return f.root }

// NodesOf returns the nodes of a block, ascending: none if no execution comes there.
func (f *Form) NodesOf(block int) []int { return f.nodes[block] }

// BlockName returns the name of a block for messages.
func (f *Form) BlockName(block int) string { return f.name(block) }

// NodeName names a node by its block, or by its kind and number if it has none.
func (f *Form) NodeName(node int) string {
	n := &f.Nodes[node]
	if n.Block != None {
		return f.name(n.Block)
	}
	return fmt.Sprintf("%s %d", n.Kind, node)
}

// shapeError says why the code at a block has no form.
type shapeError struct {
	block  int
	reason string
}

func (e *shapeError) Error() string { return e.reason }
