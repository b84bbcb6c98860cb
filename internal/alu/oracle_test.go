package alu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// The tests of this file and of oracle_*_test.go are the oracle of instructions.
// For every operation on every type with every modifier, a slow definition says
// what each lane must give, or that there is no such instruction; NewPure must
// accept exactly those that are defined, and executing them must give what they say.

// define is a slow definition: it returns what an instruction computes from the
// bits of its sources, nil if there is no such instruction.
type define func(in *isa.Instr) func(src [4]uint64) uint64

// instance is one instruction to be checked.
type instance struct {
	in      isa.Instr      // with results only if the checked one is not the first and only
	dst     isa.Type       // of the result's register
	sources []isa.Type     // of the source registers
	imms    map[int]uint64 // sources that are immediates
}

// bench is a decoded instance with registers for a warp of 32 threads.
type bench struct {
	*instance
	pure     *Pure
	eval     *Evaluator
	src, dst []Lanes
	result   int // the result that is checked
}

// evaluator is that of all benches, which are used one after the other.
var evaluator = NewEvaluator(lanes)

func (c *instance) prepare() (*bench, error) {
	k := &isa.Kernel{Name: "oracle", AddressBits: 64, Regs: regs(c.dst)}
	in := c.in
	if in.Dst == nil {
		in.Dst = []isa.Operand{reg(0)}
	}
	in.Src = nil
	b := &bench{instance: c, eval: evaluator}
	for i, t := range c.sources {
		b.src = append(b.src, Lanes{Num: make([]Vector, 1)})
		if x, ok := c.imms[i]; ok {
			in.Src = append(in.Src, imm(x))
			continue
		}
		in.Src = append(in.Src, reg(isa.Reg(len(k.Regs))))
		k.Regs = append(k.Regs, isa.RegDecl{Name: fmt.Sprintf("%%s%d", i), Type: t})
	}
	b.dst = make([]Lanes, len(in.Dst))
	for i, o := range in.Dst {
		b.dst[i].Num = make([]Vector, 1)
		if o.Kind == isa.KindReg {
			b.result = i
		}
	}
	var err error
	b.pure, err = NewPure(k, &in)
	return b, err
}

// run executes the instruction on a row of source values for each lane, with the
// lanes of mask active. Results are the values of the destination, which was one.
func (b *bench) run(rows [][4]uint64, mask uint64) ([]uint64, error) {
	b.load(rows)
	d := &b.dst[b.result]
	d.Num = make([]Vector, 1)
	d.Num[0].Fill(1)
	d.Bits = 1<<lanes - 1
	return b.step(len(rows), mask)
}

// inPlace is run with all lanes active, where the result has the vector of a source.
func (b *bench) inPlace(rows [][4]uint64, source int) ([]uint64, error) {
	b.load(rows)
	b.dst[b.result].Num = b.src[source].Num
	return b.step(len(rows), 1<<lanes-1)
}

// load puts rows of values into the sources.
func (b *bench) load(rows [][4]uint64) {
	for i, t := range b.sources {
		b.src[i].Bits = 0
		for lane := range rows {
			b.src[i].Num[0][lane] = rows[lane][i] & LowBits(t.Bits())
			b.src[i].Bits |= rows[lane][i] & 1 << lane
		}
	}
}

// step executes the instruction and returns the values of n lanes of the result.
func (b *bench) step(n int, mask uint64) ([]uint64, error) {
	if err := step(b.eval, b.pure, mask, b.dst, b.src); err != nil {
		return nil, err
	}
	got := make([]uint64, n)
	for lane := range got {
		if b.instance.dst == isa.Pred {
			got[lane] = b.dst[b.result].Bits >> lane & 1
		} else {
			got[lane] = b.dst[b.result].Num[0][lane]
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

// check compares an instruction with its definition.
func (c *instance) check(t *testing.T, want func(src [4]uint64) uint64, rows [][4]uint64) {
	t.Helper()
	name := c.in.String()
	b, err := c.prepare()
	switch {
	case err != nil && want != nil:
		t.Errorf("%s is refused: %v", name, err)
		return
	case err == nil && want == nil:
		t.Errorf("%s is accepted and has no definition", name)
		return
	case err != nil:
		return
	}
	for len(rows) > 0 {
		n := min(len(rows), lanes)
		expect := make([]uint64, n)
		for lane := range n {
			src := rows[lane]
			for i, st := range c.sources {
				src[i] &= LowBits(st.Bits())
				if x, ok := c.imms[i]; ok {
					src[i] = x
				}
			}
			expect[lane] = want(src)
		}
		for _, mask := range []uint64{1<<lanes - 1, 0x9249_2493} {
			got, err := b.run(rows[:n], mask)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			for lane, x := range got {
				wanted := expect[lane]
				if mask>>lane&1 == 0 {
					wanted = 1
				}
				if x != wanted {
					t.Errorf("%s on %x gives 0x%x, want 0x%x (mask %x)", name, rows[lane][:len(c.sources)], x, wanted, mask)
					return
				}
			}
		}
		for i := range c.sources {
			if _, imm := c.imms[i]; imm || c.dst == isa.Pred {
				continue
			}
			got, err := b.inPlace(rows[:n], i)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			for lane, x := range got {
				if x != expect[lane] {
					t.Errorf("%s on %x gives 0x%x in place of source %d, want 0x%x", name, rows[lane][:len(c.sources)], x, i+1, expect[lane])
					return
				}
			}
		}
		rows = rows[n:]
	}
}

// values draws rows of source values: every pair and triple of interesting ones
// is likely, and so are random bits.
func values(r *rand.Rand, types []isa.Type, n int) [][4]uint64 {
	rows := make([][4]uint64, n)
	for i := range rows {
		for j, t := range types {
			rows[i][j] = value(r, t)
		}
	}
	return rows
}

// value draws a value that an operation on type t may treat in a special way.
func value(r *rand.Rand, t isa.Type) uint64 {
	switch t {
	case isa.F16x2, isa.BF16x2:
		half := isa.F16
		if t == isa.BF16x2 {
			half = isa.BF16
		}
		return value(r, half) | value(r, half)<<16
	case isa.F32x2:
		return floatValue(r, isa.F32) | floatValue(r, isa.F32)<<32
	case isa.F16, isa.BF16, isa.F32, isa.F64:
		return floatValue(r, t)
	}
	n := t.Bits()
	x := r.Uint64()
	switch r.IntN(5) {
	case 0: // near a power of two
		x = 1<<r.IntN(n) + uint64(r.IntN(3)) - 1
	case 1: // the same, negative
		x = -(1<<r.IntN(n) + uint64(r.IntN(3)) - 1)
	case 2: // small
		x = uint64(r.IntN(70)) - 3
	case 3: // few bits
		x >>= r.IntN(64)
	}
	return x & LowBits(n)
}

func floatValue(r *rand.Rand, t isa.Type) uint64 {
	f := specOf(t)
	sign := r.Uint64() & 1 << (f.exp + f.frac)
	frac := r.Uint64() & (1<<f.frac - 1)
	if r.IntN(2) == 0 { // few bits, or all but few
		frac = 1<<f.frac - 1&^(1<<r.IntN(f.frac)) ^ (1<<r.IntN(f.frac+1) - 1)
		frac &= 1<<f.frac - 1
	}
	exponents := 1 << f.exp
	exp := r.IntN(exponents)
	switch r.IntN(6) {
	case 0:
		exp = 0
	case 1:
		exp = exponents - 1
		if r.IntN(2) == 0 {
			frac = 0
		}
	case 2, 3: // near one
		exp = min(max(exponents/2-1+r.IntN(2*f.frac+2)-f.frac, 0), exponents-1)
	case 4:
		if r.IntN(2) == 0 {
			exp, frac = 0, uint64(r.IntN(2))
		}
	}
	return sign | uint64(exp)<<f.frac | frac
}

// allTypes are the types that an operation may be tried on.
func allTypes() []isa.Type {
	var all []isa.Type
	for t := isa.Pred; t <= isa.TF32; t++ {
		if t != isa.B128 {
			all = append(all, t)
		}
	}
	return all
}

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
