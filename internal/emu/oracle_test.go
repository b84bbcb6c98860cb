package emu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
)

// The tests of this file and of oracle_*_test.go are the oracle of instructions.
// For every operation on every type with every modifier, a slow definition says
// what each lane must give, or that there is no such instruction; Decode must
// accept exactly those that are defined, and Step must give what they say.

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

// bench is a decoded instance in a warp of 32 threads: the instruction, guarded
// by a predicate, and an exit.
type bench struct {
	*instance
	grid  *Grid
	cta   CTA
	slots []slot // of the registers
}

func (c *instance) prepare() (*bench, error) {
	k := &isa.Kernel{Name: "oracle", AddressBits: 64, Regs: regs(c.dst, isa.Pred)}
	in := c.in
	if in.Dst == nil {
		in.Dst = ops(reg(0))
	}
	in.Src = nil
	in.Guard = isa.Guard{Set: true, Reg: 1}
	for i, t := range c.sources {
		if x, ok := c.imms[i]; ok {
			in.Src = append(in.Src, imm(x))
			continue
		}
		in.Src = append(in.Src, reg(isa.Reg(len(k.Regs))))
		k.Regs = append(k.Regs, isa.RegDecl{Name: fmt.Sprintf("%%s%d", i), Type: t})
	}
	k.Instrs = []isa.Instr{in, {Op: isa.Exit}}
	code, err := Decode(k, build(k))
	if err != nil {
		return nil, err
	}
	g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{lanes, 1, 1}}, new(Memory), lanes)
	slots, _ := allocate(k, build(k))
	return &bench{instance: c, grid: g, slots: slots}, err
}

// run executes the instruction on a row of source values for each lane, with the
// lanes of mask active. Results are the values of the destination, which was one.
func (b *bench) run(rows [][4]uint64, mask uint64) ([]uint64, error) {
	b.grid.StartCTA(&b.cta, 0)
	w := &b.cta.Warps[0]
	masks := maskRegs
	next := 0 // register
	put := func(t isa.Type, value func(lane int) uint64) {
		for lane := range rows {
			if t == isa.Pred {
				w.preds[masks] |= value(lane) & 1 << lane
			} else {
				w.vecs[0][b.slots[next]][lane] = value(lane) & lowBits(t.Bits())
			}
		}
		if t == isa.Pred {
			masks++
		}
		next++
	}
	put(b.dst, func(int) uint64 { return 1 })
	put(isa.Pred, func(lane int) uint64 { return mask >> lane })
	for i, t := range b.sources {
		if _, ok := b.imms[i]; !ok {
			put(t, func(lane int) uint64 { return rows[lane][i] })
		}
	}
	if err := w.Step(new(Env), new(Effect)); err != nil {
		return nil, err
	}
	got := make([]uint64, len(rows))
	for lane := range got {
		if b.dst == isa.Pred {
			got[lane] = w.preds[maskRegs] >> lane & 1
		} else {
			got[lane] = w.at(b.slots[0], lane)
		}
	}
	return got, nil
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
				src[i] &= lowBits(st.Bits())
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
	return x & lowBits(n)
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
