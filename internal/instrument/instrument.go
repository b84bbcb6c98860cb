// Package instrument adds code to a PTX module that records when the warps of a kernel
// reach Ipoints, and reads what it recorded, so that a device without a trace of its own
// gives one (Betts and Donaldson, ECRTS 2013, section II-B).
//
//	Find    which statements of the module begin which blocks of the linked kernel
//	Choose  the code for some blocks: a Code, whose Module is the instrumented tree
//	Layout  of the buffer that the code writes: its size, what the host writes, Read
//	Trace   the Recording as a trace.Run
//
// Recording changes no result and no control flow: one lane of those that are active
// writes, elected by a predicate, into registers and memory that the module does not have.
// See code.go for the instructions and layout.go for the buffer.
//
// Code of a function is in the module once, but in the linked kernel once for each call.
// A record names the statement, so Trace follows every warp along the transitions that its
// caller allows to find the copies that it went through.
//
// instrument must not import a driver, a simulator or a method: it knows texts and buffers.
package instrument

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
)

// Points are the statements of a module before which recording code can stand so that it
// runs exactly once whenever a warp executes a block of the kernel.
type Points struct {
	module *ptx.Module
	graph  *cfg.Graph
	target target
	bits   int                 // of addresses
	stmts  []*ptx.Instr        // by point, in the order of the text
	linked map[*ptx.Instr]bool // the statement is in the kernel
	of     [][]int             // by block, its points in the order of execution
	calls  []int               // points before calls
}

// Find finds the points of a kernel in its module: graph must be that of the kernel as
// isa.Link makes it of the lowered module. It is an error if the module is of another
// kernel, or if its version or target is older than what recording needs (PTX 2.0, sm_20).
func Find(module *ptx.Module, graph *cfg.Graph) (*Points, error) {
	target, err := targetOf(module)
	if err != nil {
		return nil, err
	}
	p := &Points{module: module, graph: graph, target: target, linked: make(map[*ptx.Instr]bool)}
	marked, err := p.marked()
	if err != nil {
		return nil, err
	}
	program, err := ptx.Lower(marked)
	if err != nil {
		return nil, err
	}
	p.bits = program.AddressBits
	kernel, err := isa.Link(program, graph.Kernel.Name)
	if err != nil {
		return nil, err
	}
	if err := p.match(kernel); err != nil {
		return nil, err
	}
	return p, nil
}

// marked returns the module with a marker before every statement where code can stand: an
// instruction without effect whose position has no line and the point's number for its column.
// Calls have a marker too.
func (p *Points) marked() (*ptx.Module, error) {
	return rewrite(p.module, func(f *ptx.Func) (*ptx.Block, error) {
		stands := standing{}
		return rewriteBlock(f.Body, func(in *ptx.Instr) ([]ptx.Stmt, error) {
			var markers []ptx.Stmt
			if stands.before(in) {
				p.stmts = append(p.stmts, in)
				markers = append(markers, &ptx.Instr{Pos: ptx.Pos{Col: int32(len(p.stmts))}, Mnemonic: "brkpt"})
			}
			if isCall(in) {
				markers = append(markers, &ptx.Instr{Pos: ptx.Pos{Col: callMarker}, Mnemonic: "brkpt"})
			}
			return markers, nil
		})
	})
}

// callMarker is the column of the marker before a call.
const callMarker = -1

// marks reports whether an instruction is a marker.
func marks(in *isa.Instr) bool { return in.Op == isa.Nop && in.Pos.Line == 0 && in.Pos.Col != 0 }

// branchTargets tells which instructions of a kernel some branch leads to.
func branchTargets(k *isa.Kernel) []bool {
	is := make([]bool, len(k.Instrs)+1)
	for i := range k.Instrs {
		switch in := &k.Instrs[i]; in.Op {
		case isa.Bra:
			is[in.Target] = true
		case isa.BrxIdx:
			for _, t := range in.Targets {
				is[t] = true
			}
		}
	}
	return is
}

// match finds the points of every block: marked is the kernel with markers. A point that
// some branch passes over on its way to the instruction behind it is of no use.
func (p *Points) match(marked *isa.Kernel) error {
	kernel, entered := p.graph.Kernel, branchTargets(marked)
	p.of = make([][]int, len(p.graph.Blocks))
	passed := make(map[int]bool)
	var run []int // points since the last instruction
	next := 0     // instruction of the kernel
	last := 0     // point
	for i := range marked.Instrs {
		in := &marked.Instrs[i]
		if entered[i] {
			for _, point := range run {
				passed[point] = true
			}
			run = run[:0]
		}
		switch {
		case marks(in) && in.Pos.Col == callMarker:
			p.calls = append(p.calls, last)
			continue
		case marks(in):
			point := int(in.Pos.Col) - 1
			run, last = append(run, point), point
			p.linked[p.stmts[point]] = true
			continue
		}
		if next == len(kernel.Instrs) || kernel.Instrs[next].Op != in.Op || kernel.Instrs[next].Pos != in.Pos {
			return diag.Errorf(in.Pos, "the module is not the one from which kernel %s was linked", kernel.Readable())
		}
		b := p.graph.BlockOf(next)
		p.of[b] = append(p.of[b], run...)
		run = run[:0]
		next++
	}
	if next != len(kernel.Instrs) {
		return diag.Errorf(kernel.Instrs[next].Pos, "the module is not the one from which kernel %s was linked", kernel.Readable())
	}
	unusable := func(point int) bool { return passed[point] }
	for b := range p.of {
		p.of[b] = slices.DeleteFunc(p.of[b], unusable)
	}
	p.calls = slices.DeleteFunc(p.calls, unusable)
	return nil
}
