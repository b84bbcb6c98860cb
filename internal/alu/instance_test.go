package alu

import (
	"fmt"
	"math/rand/v2"

	"warpbound/internal/isa"
	"warpbound/internal/test/arithmetic"
	"warpbound/internal/vec"
)

// instance is one instruction to be executed on values.
type instance struct {
	in      isa.Instr      // without operands
	results []isa.Type     // of the registers of the results; isa.Invalid drops a result
	sources []isa.Type     // of the source registers
	imms    map[int]uint64 // sources that are immediates
}

// bench is a decoded instance with registers for a warp of 32 threads.
type bench struct {
	*instance
	pure     *Pure
	eval     *Evaluator
	src, dst []Lanes
}

// evaluator is that of all benches, which are used one after the other.
var evaluator = NewEvaluator(lanes)

func (c *instance) prepare() (*bench, error) {
	k := &isa.Kernel{Name: "oracle", AddressBits: 64}
	operand := func(t isa.Type) isa.Operand {
		if t == isa.Invalid {
			return isa.Operand{Kind: isa.KindSink, Reg: isa.NoReg}
		}
		k.Regs = append(k.Regs, isa.RegDecl{Name: fmt.Sprintf("%%r%d", len(k.Regs)), Type: t})
		return reg(isa.Reg(len(k.Regs) - 1))
	}
	in := c.in
	in.Dst, in.Src = nil, nil
	b := &bench{instance: c, eval: evaluator}
	for _, t := range c.results {
		in.Dst = append(in.Dst, operand(t))
		b.dst = append(b.dst, Lanes{Num: make([]Vector, 1)})
	}
	for i, t := range c.sources {
		b.src = append(b.src, Lanes{Num: make([]Vector, 1)})
		if x, ok := c.imms[i]; ok {
			in.Src = append(in.Src, imm(x))
			continue
		}
		in.Src = append(in.Src, operand(t))
	}
	var err error
	b.pure, err = NewPure(k, &in)
	return b, err
}

// before is what registers of results hold before an instruction.
const before = 1

// run executes the instruction on a row of source values for each lane, with the
// lanes of mask active. It returns the values of each result's register.
func (b *bench) run(rows [][]uint64, mask uint64) ([][]uint64, error) {
	b.load(rows)
	for i := range b.dst {
		b.dst[i].Num = make([]Vector, 1)
		b.dst[i].Num[0].Fill(before)
		b.dst[i].Bits = 1<<lanes - 1
	}
	return b.step(len(rows), mask)
}

// inPlace is run with all lanes active, where the first result has the vector of a source.
func (b *bench) inPlace(rows [][]uint64, source int) ([][]uint64, error) {
	b.load(rows)
	b.dst[0].Num = b.src[source].Num
	return b.step(len(rows), 1<<lanes-1)
}

// load puts rows of values into the sources.
func (b *bench) load(rows [][]uint64) {
	for i, t := range b.sources {
		b.src[i].Bits = 0
		for lane := range rows {
			b.src[i].Num[0][lane] = rows[lane][i] & LowBits(t.Bits())
			b.src[i].Bits |= rows[lane][i] & 1 << lane
		}
	}
}

// step executes the instruction and returns the values of n lanes of each result.
func (b *bench) step(n int, mask uint64) ([][]uint64, error) {
	if err := step(b.eval, b.pure, mask, b.dst, b.src); err != nil {
		return nil, err
	}
	got := make([][]uint64, len(b.dst))
	for i, t := range b.results {
		got[i] = make([]uint64, n)
		for lane := range n {
			if t == isa.Pred {
				got[i][lane] = b.dst[i].Bits >> lane & 1
			} else {
				got[i][lane] = b.dst[i].Num[0][lane]
			}
		}
	}
	return got, nil
}

// step executes an instruction for the lanes of mask in a warp of 32 threads. Unlike
// Evaluator.Do it leaves the results in other lanes alone.
func step(e *Evaluator, p *Pure, mask uint64, dst, src []Lanes) error {
	e.bind(p, dst, src)
	e.regs.Full = 1<<lanes - 1
	results := e.regs.Preds[int(MaskRegs)+len(src):]
	for i := range dst {
		results[i] = dst[i].Bits
	}
	if p.together != nil {
		if err := checkMembers(p.together, &e.regs, mask); err != nil {
			return err
		}
	}
	words := e.regs.Words[0][RegsBase:]
	for i := range dst {
		if n := len(src) + i; p.operands[n].word && dst[i].Num != nil {
			vec.Truncate(words[n], &dst[i].Num[0])
			for j := range src { // in place
				if p.operands[j].word && src[j].Num != nil && &src[j].Num[0] == &dst[i].Num[0] {
					words[n] = words[j]
				}
			}
		}
	}
	e.regs.Compute(&p.instr, mask)
	for i := range dst {
		if n := len(src) + i; p.operands[n].word && dst[i].Num != nil {
			vec.Extend(&dst[i].Num[0], words[n])
		}
		dst[i].Bits = results[i]
	}
	return nil
}

func reg(r isa.Reg) isa.Operand { return isa.RegOperand(r) }
func imm(x uint64) isa.Operand  { return isa.ImmOperand(x) }

// regs declares registers of the types named.
func regs(types ...isa.Type) []isa.RegDecl {
	decls := make([]isa.RegDecl, len(types))
	for i, t := range types {
		decls[i] = isa.RegDecl{Name: "%" + t.String(), Type: t}
	}
	return decls
}

// values draws rows of source values.
func values(r *rand.Rand, types []isa.Type, n int) [][]uint64 {
	rows := make([][]uint64, n)
	for i := range rows {
		for _, t := range types {
			rows[i] = append(rows[i], value(r, t))
		}
	}
	return rows
}

// value draws a value that an operation on type t may treat in a special way.
func value(r *rand.Rand, t isa.Type) uint64 { return arithmetic.Draw(r, t) }

// words returns types of registers of the same widths; there are none of 8 bits.
func words(types ...isa.Type) []isa.Type {
	out := make([]isa.Type, len(types))
	for i, t := range types {
		switch n := t.Bits(); {
		case t == isa.Pred:
			out[i] = isa.Pred
		case n <= 16:
			out[i] = isa.B16
		case n == 32:
			out[i] = isa.B32
		default:
			out[i] = isa.B64
		}
	}
	return out
}
