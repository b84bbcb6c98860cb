package check

import (
	"fmt"

	"warpbound/internal/certify"
	"warpbound/internal/certify/loops"
	"warpbound/internal/certify/words"
	"warpbound/internal/isa"
)

// Program is a kernel as the checker sees it: blocks, edges and loops of its own, of what one thread executes.
type Program struct {
	*Subject
	Blocks  []Block
	Loops   map[int]*loops.Loop // by header
	Order   []int               // see loops.Of
	rank    map[int]int         // the places of blocks in Order
	blockOf map[int]int         // by first instruction
	known   map[place]words.Set
}

// Block holds the instructions from Start to before End.
type Block struct {
	Start, End int
	Edges      []Edge
}

// Edge leads to a block, or to Exit.
type Edge struct {
	To    int
	Taken bool // the branch at the end of the block is; otherwise control goes on behind it
}

// Exit is where threads end, as the end of an edge.
const Exit = -1

// place is a part of the parameter block, in bytes.
type place struct{ offset, bytes int }

// NewProgram cuts the kernel of a subject into blocks. It is an error if it does what is not known.
func NewProgram(s *Subject) (*Program, error) {
	p := &Program{Subject: s, blockOf: make(map[int]int), rank: make(map[int]int), known: parameters(s)}
	code := s.Kernel.Instrs
	begins := map[int]bool{0: true}
	for pc := range code {
		in := &code[pc]
		switch {
		case in.Op.Info().Effect&isa.Unmodelled != 0 || in.Op == isa.Call:
			return nil, fmt.Errorf("%s: %s is not modelled", certify.Place(in.Pos), in.Brief())
		case Branches(in) || in.Op == isa.Reconverge:
			begins[pc+1] = true
		}
		for _, to := range leads(in) {
			begins[to] = true
		}
	}
	for pc := range code {
		if begins[pc] {
			p.blockOf[pc] = len(p.Blocks)
			p.Blocks = append(p.Blocks, Block{Start: pc})
		}
		p.Blocks[len(p.Blocks)-1].End = pc + 1
	}
	for b := range p.Blocks {
		block := &p.Blocks[b]
		in := &code[block.End-1]
		for _, to := range leads(in) {
			block.Edges = append(block.Edges, Edge{p.blockOf[to], true})
		}
		if in.Op.Info().Effect&isa.Exits != 0 {
			block.Edges = append(block.Edges, Edge{Exit, true})
		}
		if Branches(in) && !in.Guard.Set {
			continue
		}
		if block.End == len(code) {
			return nil, fmt.Errorf("%s: control runs past the last instruction", certify.Place(in.Pos))
		}
		block.Edges = append(block.Edges, Edge{b + 1, false})
	}
	succ := make([][]int, len(p.Blocks))
	for b := range p.Blocks {
		for _, e := range p.Blocks[b].Edges {
			if e.To != Exit {
				succ[b] = append(succ[b], e.To)
			}
		}
	}
	p.Loops, p.Order = loops.Of(succ)
	for i, b := range p.Order {
		p.rank[b] = i
	}
	return p, nil
}

func leads(in *isa.Instr) []int {
	switch in.Op {
	case isa.Bra:
		return []int{in.Target}
	case isa.BrxIdx:
		return in.Targets
	}
	return nil
}

// Branches reports whether the guard of an instruction says where control goes.
func Branches(in *isa.Instr) bool { return leads(in) != nil || in.Op.Info().Effect&isa.Exits != 0 }

// BlockAt returns the block that begins with an instruction.
func (p *Program) BlockAt(pc int) int { return p.blockOf[pc] }
