package emu

import (
	"pgregory.net/rapid"

	"warpbound/internal/isa"
)

// The registers of generated programs.
const (
	data    = isa.Reg(0) // eight words that statements compute with
	words8  = 8
	pred    = isa.Reg(words8) // scratch
	tid     = isa.Reg(words8 + 1)
	own     = isa.Reg(words8 + 2) // address of the thread's own memory
	address = isa.Reg(words8 + 3) // scratch
	index   = isa.Reg(words8 + 4) // scratch
	counter = isa.Reg(words8 + 5) // of loops, one for each depth
)

// ownWords is the size of the memory of a thread: a power of two.
const ownWords = 16

// generator draws structured programs without races: each thread works on its
// registers and its own memory. Loops end by counters, and lanes may leave them
// or exit at any point.
type generator struct {
	t      *rapid.T
	instrs []isa.Instr
	loops  int     // that enclose the statement
	nested int     // statements that enclose it
	deep   int     // the largest nested
	breaks [][]int // branches out of each enclosing loop, to be patched
	budget int     // statements left
}

// program draws a kernel and tells how deep its branches are nested.
func program(t *rapid.T) (*isa.Kernel, int) {
	g := &generator{t: t, budget: 40}
	g.prologue()
	g.sequence()
	return g.kernel(), g.deep
}

// prologue gives the registers their first values.
func (g *generator) prologue() {
	g.emit(isa.Instr{Op: isa.Ld, Type: isa.U64, Space: isa.Param, Dst: ops(reg(own)),
		Src: ops(isa.Operand{Kind: isa.KindVarAddr, Reg: isa.NoReg, Var: isa.ParamVar})})
	g.emit(isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: ops(reg(tid)), Src: ops(special(isa.TidX))})
	g.emit(isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: ops(reg(index)), Src: ops(special(isa.CtaidX))})
	g.emit(isa.Instr{Op: isa.Mad, Type: isa.U32, Dst: ops(reg(tid)), Src: ops(reg(index), special(isa.NtidX), reg(tid))})
	g.emit(isa.Instr{Op: isa.MadWide, Type: isa.U32, Dst: ops(reg(own)), Src: ops(reg(tid), imm(4*ownWords), reg(own))})
	for i := range isa.Reg(words8) {
		g.emit(isa.Instr{Op: isa.Mad, Type: isa.U32, Dst: ops(reg(data + i)), Src: ops(reg(tid), imm(uint64(i)), imm(uint64(7*i)))})
	}
}

// kernel stores the registers at the end and makes a kernel of the instructions.
func (g *generator) kernel() *isa.Kernel {
	for i := range isa.Reg(words8) {
		g.emit(isa.Instr{Op: isa.St, Type: isa.U32, Space: isa.Global, Src: ops(at(own, 4*int64(i)), reg(data+i))})
	}
	g.emit(isa.Instr{Op: isa.Ret})
	k := &isa.Kernel{Name: "random", AddressBits: 64, Instrs: g.instrs}
	k.Params = []isa.Var{{Name: "buffer", Bytes: 8}}
	for range words8 {
		k.Regs = append(k.Regs, isa.RegDecl{Type: isa.U32})
	}
	k.Regs = append(k.Regs, regs(isa.Pred, isa.U32, isa.U64, isa.U64, isa.U32)...)
	for range 40 {
		k.Regs = append(k.Regs, isa.RegDecl{Type: isa.U32})
	}
	return k
}

func (g *generator) emit(in isa.Instr) int {
	g.instrs = append(g.instrs, in)
	return len(g.instrs) - 1
}

func (g *generator) int(minimum, greatest int, what string) int {
	return rapid.IntRange(minimum, greatest).Draw(g.t, what)
}

func (g *generator) word() isa.Reg { return data + isa.Reg(g.int(0, words8-1, "register")) }

// sequence draws statements, one level deeper.
func (g *generator) sequence() {
	g.nested++
	g.deep = max(g.deep, g.nested)
	for range g.int(1, 4, "statements") {
		if g.budget--; g.budget < 0 {
			break
		}
		g.statement()
	}
	g.nested--
}

func (g *generator) statement() {
	kinds := 10
	if g.nested > 4 {
		kinds = 7
	}
	switch g.int(0, kinds-1, "statement") {
	case 0, 1:
		g.emit(g.arithmetic())
	case 2:
		g.compare()
		in := g.arithmetic()
		in.Guard = isa.Guard{Set: true, Not: rapid.Bool().Draw(g.t, "not"), Reg: pred}
		g.emit(in)
	case 3:
		g.locate()
		g.emit(isa.Instr{Op: isa.St, Type: isa.U32, Space: isa.Global, Src: ops(at(address, 0), reg(g.word()))})
	case 4:
		g.locate()
		g.emit(isa.Instr{Op: isa.Ld, Type: isa.U32, Dst: ops(reg(g.word())), Src: ops(at(address, 0))})
	case 5:
		if g.loops > 0 {
			g.compare()
			at := g.emit(isa.Instr{Op: isa.Bra, Guard: isa.Guard{Set: true, Reg: pred}})
			out := g.int(0, g.loops-1, "loop to leave")
			g.breaks[out] = append(g.breaks[out], at)
		}
	case 6:
		if g.int(0, 3, "exit") == 0 {
			g.compare()
			g.emit(isa.Instr{Op: isa.Exit, Guard: isa.Guard{Set: true, Reg: pred}})
		}
	case 7:
		g.conditional()
	case 8:
		g.loop()
	case 9:
		g.choose()
	}
}

// arithmetic draws an operation on the data registers.
func (g *generator) arithmetic() isa.Instr {
	op := rapid.SampledFrom([]isa.Op{isa.Add, isa.Sub, isa.Mul, isa.Mad, isa.Min}).Draw(g.t, "operation")
	in := isa.Instr{Op: op, Type: isa.U32, Dst: ops(reg(g.word()))}
	for range op.Info().Src[0] {
		o := reg(g.word())
		if g.int(0, 3, "immediate") == 0 {
			o = imm(uint64(g.int(0, 9, "value")))
		}
		in.Src = append(in.Src, o)
	}
	return in
}

// compare sets the predicate by a comparison in which lanes often differ.
func (g *generator) compare() {
	mask := imm(uint64(g.int(0, 31, "bits")))
	g.emit(isa.Instr{Op: isa.And, Type: isa.B32, Dst: ops(reg(index)), Src: ops(reg(g.word()), mask)})
	cmp := rapid.SampledFrom([]isa.Cmp{isa.Eq, isa.Ne, isa.Lt, isa.Ge}).Draw(g.t, "comparison")
	g.emit(isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: cmp, Dst: ops(reg(pred)), Src: ops(reg(index), imm(uint64(g.int(0, 20, "limit"))))})
}

// locate sets the address to one in the thread's own memory.
func (g *generator) locate() {
	g.emit(isa.Instr{Op: isa.And, Type: isa.B32, Dst: ops(reg(index)), Src: ops(reg(g.word()), imm(ownWords-1))})
	g.emit(isa.Instr{Op: isa.MadWide, Type: isa.U32, Dst: ops(reg(address)), Src: ops(reg(index), imm(4), reg(own))})
}

func (g *generator) conditional() {
	g.compare()
	g.emit(isa.Instr{Op: isa.Split})
	around := g.emit(isa.Instr{Op: isa.Bra, Guard: isa.Guard{Set: true, Not: true, Reg: pred}})
	g.sequence()
	if rapid.Bool().Draw(g.t, "else") {
		over := g.emit(isa.Instr{Op: isa.Bra})
		g.instrs[around].Target = len(g.instrs)
		g.sequence()
		around = over
	}
	g.instrs[around].Target = len(g.instrs)
	g.emit(isa.Instr{Op: isa.Merge})
}

// loop draws a loop that a lane executes up to three times, tested at its head
// or at its end.
func (g *generator) loop() {
	count := counter + isa.Reg(g.loops)
	test := func() {
		g.emit(isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: isa.Eq, Dst: ops(reg(pred)), Src: ops(reg(count), imm(0))})
		out := g.emit(isa.Instr{Op: isa.Bra, Guard: isa.Guard{Set: true, Reg: pred}})
		g.breaks[g.loops-1] = append(g.breaks[g.loops-1], out)
	}
	g.emit(isa.Instr{Op: isa.And, Type: isa.B32, Dst: ops(reg(count)), Src: ops(reg(g.word()), imm(3))})
	g.breaks = append(g.breaks, nil)
	g.loops++
	head := len(g.instrs)
	atHead := rapid.Bool().Draw(g.t, "tested at its head")
	if atHead {
		test()
	}
	g.sequence()
	if !atHead {
		test()
	}
	g.emit(isa.Instr{Op: isa.Sub, Type: isa.U32, Dst: ops(reg(count)), Src: ops(reg(count), imm(1))})
	g.emit(isa.Instr{Op: isa.Bra, Target: head})
	g.loops--
	for _, at := range g.breaks[g.loops] {
		g.instrs[at].Target = len(g.instrs)
	}
	g.breaks = g.breaks[:g.loops]
}

// choose draws a branch to one of up to four cases.
func (g *generator) choose() {
	g.emit(isa.Instr{Op: isa.And, Type: isa.B32, Dst: ops(reg(index)), Src: ops(reg(g.word()), imm(3))})
	branch := g.emit(isa.Instr{Op: isa.BrxIdx, Src: ops(reg(index)), Targets: make([]int, 4)})
	var ends []int
	for i := range 4 {
		if i > 0 && g.int(0, 2, "same case") == 0 {
			g.instrs[branch].Targets[i] = g.instrs[branch].Targets[i-1]
			continue
		}
		g.instrs[branch].Targets[i] = len(g.instrs)
		g.sequence()
		ends = append(ends, g.emit(isa.Instr{Op: isa.Bra}))
	}
	for _, at := range ends {
		g.instrs[at].Target = len(g.instrs)
	}
}
