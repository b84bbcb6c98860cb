package alu

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
)

// layout says where element i of a lane's fragments lies, as the PTX manual does in the section
// "Matrix Fragments for mma" of each shape (PTX ISA 9.7.14.5), with the names g for groupID, which
// is the lane divided by 4, and t for threadID_in_group, the remainder. There is one for each
// shape and size of elements.
type layout struct {
	a, b func(g, t, i int) (row, column int)
}

// pick returns x if the condition holds, else y.
func pick(cond bool, x, y int) int {
	if cond {
		return x
	}
	return y
}

var layouts = map[string]layout{
	"m8n8k4/64": {
		func(g, t, _ int) (int, int) { return g, t },
		func(g, t, _ int) (int, int) { return t, g },
	},
	"m16n8k4/32": {
		func(g, t, i int) (int, int) { return pick(i == 0, g, g+8), t },
		func(g, t, _ int) (int, int) { return t, g },
	},
	"m16n8k4/64": {
		func(g, t, i int) (int, int) { return pick(i == 0, g, g+8), t },
		func(g, t, _ int) (int, int) { return t, g },
	},
	"m16n8k8/16": {
		func(g, t, i int) (int, int) { return pick(i < 2, g, g+8), 2*t + i&1 },
		func(g, t, i int) (int, int) { return 2*t + i, g },
	},
	"m16n8k8/32": {
		func(g, t, i int) (int, int) { return pick(i == 0 || i == 2, g, g+8), pick(i < 2, t, t+4) },
		func(g, t, i int) (int, int) { return pick(i == 0, t, t+4), g },
	},
	"m16n8k8/64": {
		func(g, t, i int) (int, int) { return pick(i == 0 || i == 2, g, g+8), pick(i < 2, t, t+4) },
		func(g, t, i int) (int, int) { return pick(i == 0, t, t+4), g },
	},
	"m16n8k16/16": {
		func(g, t, i int) (int, int) {
			return pick(i < 2 || 4 <= i && i < 6, g, g+8), pick(i < 4, 2*t+i&1, 2*t+i&1+8)
		},
		func(g, t, i int) (int, int) { return pick(i < 2, 2*t+i&1, 2*t+i&1+8), g },
	},
	"m16n8k16/64": {
		func(g, t, i int) (int, int) { return pick(i%2 == 0, g, g+8), pick(i%2 == 0, 2*i+t, 2*i-2+t) },
		func(g, t, i int) (int, int) { return t + 4*i, g },
	},
	"m8n8k16/8": {
		func(g, t, i int) (int, int) { return g, 4*t + i },
		func(g, t, i int) (int, int) { return 4*t + i, g },
	},
	"m16n8k16/8": {
		func(g, t, i int) (int, int) { return pick(i < 4, g, g+8), 4*t + i&3 },
		func(g, t, i int) (int, int) { return 4*t + i, g },
	},
	"m16n8k32/8": {
		func(g, t, i int) (int, int) {
			return pick(i < 4 || 8 <= i && i < 12, g, g+8), pick(i < 8, 4*t+i&3, 4*t+i&3+16)
		},
		func(g, t, i int) (int, int) { return pick(i < 4, 4*t+i&3, 4*t+i&3+16), g },
	},
	"m8n8k32/4": {
		func(g, t, i int) (int, int) { return g, 8*t + i },
		func(g, t, i int) (int, int) { return 8*t + i, g },
	},
	"m16n8k32/4": {
		func(g, t, i int) (int, int) { return pick(i < 8, g, g+8), 8*t + i&7 },
		func(g, t, i int) (int, int) { return 8*t + i, g },
	},
	"m16n8k64/4": {
		func(g, t, i int) (int, int) {
			return pick(i < 8 || 16 <= i && i < 24, g, g+8), pick(i < 16, 8*t+i&7, 8*t+i&7+32)
		},
		func(g, t, i int) (int, int) { return pick(i < 8, 8*t+i&7, 8*t+i&7+32), g },
	},
	"m8n8k128/1": {
		func(g, t, i int) (int, int) { return g, 32*t + i },
		func(g, t, i int) (int, int) { return 32*t + i, g },
	},
	"m16n8k128/1": {
		func(g, t, i int) (int, int) { return pick(i < 32, g, g+8), 32*t + i&31 },
		func(g, t, i int) (int, int) { return 32*t + i, g },
	},
	"m16n8k256/1": {
		func(g, t, i int) (int, int) {
			return pick(i < 32 || 64 <= i && i < 96, g, g+8), pick(i < 64, 32*t+i&31, 32*t+i&31+128)
		},
		func(g, t, i int) (int, int) { return pick(i < 32, 32*t+i&31, 32*t+i&31+128), g },
	},
}

// sums is where accumulators lie in all shapes but m8n8k4 of halves.
func sums(g, t, i int) (row, column int) { return pick(i < 2, g, g+8), 2*t + i&1 }

// mmaCase is a product to be checked.
type mmaCase struct {
	m, n, k        int
	d, a, b, c     isa.Type
	colA, rowB     bool
	and, satfinite bool
	round          isa.Round
}

func (x *mmaCase) instr() isa.Instr {
	return isa.Instr{Op: isa.Mma, Type: x.d, SrcType: x.a, Finite: x.satfinite, Round: x.round,
		Matrix: &isa.Matrix{M: x.m, N: x.n, K: x.k, ColA: x.colA, RowB: x.rowB, TypeB: x.b, TypeC: x.c, And: x.and}}
}

// quads reports whether the case computes four products.
func (x *mmaCase) quads() bool { return x.k == 4 && x.a == isa.F16 }

// place returns which product an element belongs to, its row and its column.
func (x *mmaCase) place(matrix byte, lane, i int) (product, row, column int) {
	if !x.quads() {
		l := layouts[fmt.Sprintf("m%dn%dk%d/%d", x.m, x.n, x.k, x.a.Bits())]
		f := map[byte]func(g, t, i int) (int, int){'a': l.a, 'b': l.b, 'c': sums, 'd': sums}[matrix]
		row, column = f(lane/4, lane%4, i)
		return 0, row, column
	}
	// Section "Matrix Fragments for mma.m8n8k4 with .f16 floating point type".
	product = lane % 16 / 4
	t := map[byte]isa.Type{'c': x.c, 'd': x.d}[matrix]
	switch {
	case matrix == 'a' && !x.colA:
		row, column = pick(lane < 16, lane%4, lane%4+4), i
	case matrix == 'a':
		row, column = pick(lane < 16, i%4, i%4+4), lane%4
	case matrix == 'b' && x.rowB:
		row, column = lane%4, pick(lane < 16, i, i+4)
	case matrix == 'b':
		row, column = i, pick(lane < 16, lane%4, lane%4+4)
	case t == isa.F16:
		row, column = pick(lane < 16, lane%4, lane%4+4), i
	default:
		x := lane&1 + i&2
		row, column = pick(lane < 16, x, x+4), i&4+lane&2+i&1
	}
	return product, row, column
}

// mmaCases are all products.
func mmaCases() []mmaCase {
	var all []mmaCase
	floats := func(m, n, k int, a, b isa.Type, sums ...isa.Type) {
		for _, s := range sums {
			all = append(all, mmaCase{m: m, n: n, k: k, d: s, a: a, b: b, c: s})
		}
	}
	for i := range 4 {
		for _, sums := range [][2]isa.Type{{isa.F16, isa.F16}, {isa.F32, isa.F16}, {isa.F32, isa.F32}} {
			all = append(all, mmaCase{m: 8, n: 8, k: 4, d: sums[0], a: isa.F16, b: isa.F16, c: sums[1], colA: i&1 != 0, rowB: i&2 != 0})
		}
	}
	for _, k := range []int{8, 16} {
		floats(16, 8, k, isa.F16, isa.F16, isa.F16, isa.F32)
		floats(16, 8, k, isa.BF16, isa.BF16, isa.F32)
		floats(16, 8, k/2, isa.TF32, isa.TF32, isa.F32)
		for _, a := range []isa.Type{isa.E4M3, isa.E5M2} {
			for _, b := range []isa.Type{isa.E4M3, isa.E5M2} {
				floats(16, 8, 2*k, a, b, isa.F16, isa.F32)
			}
		}
	}
	for _, mode := range []isa.Round{isa.RoundDefault, isa.RoundRN, isa.RoundRZ, isa.RoundRM, isa.RoundRP} {
		for _, shape := range [][2]int{{8, 4}, {16, 4}, {16, 8}, {16, 16}} {
			all = append(all, mmaCase{m: shape[0], n: 8, k: shape[1], d: isa.F64, a: isa.F64, b: isa.F64, c: isa.F64, round: mode})
		}
	}
	for i, types := range [][2]isa.Type{{isa.U8, isa.S8}, {isa.U4, isa.S4}} {
		for _, shape := range [][2]int{{8, 16 << i}, {16, 16 << i}, {16, 32 << i}} {
			for n := range 8 {
				all = append(all, mmaCase{m: shape[0], n: 8, k: shape[1], d: isa.S32, a: types[n&1], b: types[n>>1&1], c: isa.S32, satfinite: n >= 4})
			}
		}
	}
	for _, shape := range [][2]int{{8, 128}, {16, 128}, {16, 256}} {
		for _, and := range []bool{false, true} {
			all = append(all, mmaCase{m: shape[0], n: 8, k: shape[1], d: isa.S32, a: isa.B1, b: isa.B1, c: isa.S32, and: and})
		}
	}
	return all
}

// matrixBench is a decoded product with its fragments.
type matrixBench struct {
	*mmaCase
	pure     *Pure
	eval     *Evaluator
	src, dst []Lanes
	regs     map[byte][2]int // the first register of each matrix among the sources or results, and how many
}

func (x *mmaCase) prepare(t testing.TB) *matrixBench {
	in := x.instr()
	nd, na, nb, nc := in.FragmentRegs()
	b := &matrixBench{mmaCase: x, eval: NewEvaluator(lanes), regs: map[byte][2]int{'d': {0, nd}, 'a': {0, na}, 'b': {na, nb}, 'c': {na + nb, nc}}}
	k := &isa.Kernel{Name: "mma", AddressBits: 64}
	operands := func(n int, t isa.Type) (list []isa.Operand) {
		for range n {
			list = append(list, reg(isa.Reg(len(k.Regs))))
			k.Regs = append(k.Regs, isa.RegDecl{Name: "%r", Type: t})
		}
		return list
	}
	register := isa.B32
	if x.d == isa.F64 {
		register = isa.B64
	}
	in.Dst, in.Src = operands(nd, register), operands(na+nb+nc, register)
	k.Instrs = []isa.Instr{in, {Op: isa.Ret}}
	if err := isa.Verify(k); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.pure, err = NewPure(k, &in); err != nil {
		t.Fatal(err)
	}
	for range in.Src {
		b.src = append(b.src, Lanes{Num: make([]Vector, 1)})
	}
	for range in.Dst {
		b.dst = append(b.dst, Lanes{Num: make([]Vector, 1)})
	}
	return b
}

// elements visits the elements of a matrix: get and set give access to its bits.
func (b *matrixBench) elements(matrix byte, visit func(product, row, column int, bits *elementBits)) {
	list, t := b.src, map[byte]isa.Type{'a': b.a, 'b': b.mmaCase.b, 'c': b.c, 'd': b.d}[matrix]
	if matrix == 'd' {
		list = b.dst
	}
	width := t.Bits()
	per := max(1, 32/width)
	for lane := range lanes {
		for i := range b.regs[matrix][1] * per {
			product, row, column := b.place(matrix, lane, i)
			visit(product, row, column, &elementBits{&list[b.regs[matrix][0]+i/per].Num[0][lane], i % per * width, width})
		}
	}
}

// elementBits are the bits of an element in a register of a lane.
type elementBits struct {
	register     *uint64
	shift, width int
}

func (e *elementBits) get() uint64 { return *e.register >> e.shift & LowBits(e.width) }
func (e *elementBits) set(x uint64) {
	*e.register = *e.register&^(LowBits(e.width)<<e.shift) | x<<e.shift
}

// place3 is the place of an element.
type place3 [3]int

// matrix returns the bits of all elements, each of which must be held once.
func (b *matrixBench) matrix(t *testing.T, name byte) map[place3]uint64 {
	m := map[place3]uint64{}
	b.elements(name, func(product, row, column int, e *elementBits) {
		at := place3{product, row, column}
		if _, twice := m[at]; twice {
			t.Fatalf("%s: two lanes hold %v of %c", b.text(), at, name)
		}
		m[at] = e.get()
	})
	return m
}

func (x *mmaCase) text() string { in := x.instr(); return fmt.Sprintf("%+v %v", *x, in.Type) }

func (b *matrixBench) run(t *testing.T) {
	if err := b.eval.Do(b.pure, 1<<lanes-1, b.dst, b.src); err != nil {
		t.Fatal(err)
	}
}

// TestOracleProducts compares products with their definition on numbers of all kinds.
func TestOracleProducts(t *testing.T) {
	t.Parallel()
	for _, seed := range effort.Draw(t, 100) {
		oracleProducts(t, rand.New(rand.NewPCG(seed, 1)))
	}
}

// oracleProducts compares a quarter of the elements of products of every shape and type.
func oracleProducts(t *testing.T, r *rand.Rand) {
	for _, x := range mmaCases() {
		b := x.prepare(t)
		for trial := range 4 {
			for _, name := range []byte("abc") {
				b.elements(name, func(_, _, _ int, e *elementBits) { e.set(x.draw(r, name, trial)) })
			}
			ma, mb, mc := b.matrix(t, 'a'), b.matrix(t, 'b'), b.matrix(t, 'c')
			b.run(t)
			md := b.matrix(t, 'd')
			if products := pick(x.quads(), 4, 1); len(md) != x.m*x.n*products || len(mc) != len(md) || len(ma) != x.m*x.k*products || len(mb) != x.n*x.k*products {
				t.Fatalf("%s: matrices of %d, %d, %d and %d elements", b.text(), len(ma), len(mb), len(mc), len(md))
			}
			quarter := r.IntN(4)
			for at, got := range md {
				if (at[0]+at[1]+at[2])%4 != quarter {
					continue
				}
				row, column := make([]uint64, x.k), make([]uint64, x.k)
				for k := range x.k {
					row[k], column[k] = ma[place3{at[0], at[1], k}], mb[place3{at[0], k, at[2]}]
				}
				if want := x.define(row, column, mc[at]); got != want {
					t.Fatalf("%s: 0x%x at %v, want 0x%x, of %x, %x and %x", b.text(), got, at, want, row, column, mc[at])
				}
			}
		}
	}
}

// draw draws an element: of any exponent at first, then like those of most programs, then any bits.
func (x *mmaCase) draw(r *rand.Rand, matrix byte, trial int) uint64 {
	t := map[byte]isa.Type{'a': x.a, 'b': x.b, 'c': x.c}[matrix]
	f := exactSpec(t)
	if f == (spec{}) || trial == 3 {
		return r.Uint64() & LowBits(t.Bits())
	}
	e := f.bias() - r.IntN(4)
	if trial == 0 {
		e = r.IntN(1<<f.exp - 1)
	}
	number := r.Uint64() & f.signBit()
	if r.IntN(12) > 0 { // not zero
		number |= uint64(e)<<f.frac | r.Uint64()&(1<<f.frac-1)
	}
	if t == isa.TF32 {
		return number<<13 | r.Uint64()&(1<<13-1)
	}
	return number
}

// exactSpec returns the format of a type of floats, none for integers. Of those of tf32 the lower bits
// are left out.
func exactSpec(t isa.Type) spec {
	switch t {
	case isa.TF32:
		return spec{8, 10}
	case isa.E4M3:
		return spec{4, 3}
	case isa.E5M2:
		return spec{5, 2}
	case isa.F16, isa.BF16, isa.F32, isa.F64:
		return specOf(t)
	}
	return spec{}
}

// define computes one element from its row of A, its column of B, and the accumulator.
func (x *mmaCase) define(row, column []uint64, c uint64) uint64 {
	switch {
	case x.d == isa.F64:
		mode := x.round
		if mode == isa.RoundDefault {
			mode = isa.RoundRN
		}
		for k := range row {
			c = specOf(isa.F64).fused(row[k], column[k], c, mode)
		}
		return c
	case x.a == isa.B1:
		count := 0
		for k := range row {
			both := row[k] ^ column[k]
			if x.and {
				both = row[k] & column[k]
			}
			count += bits.OnesCount64(both)
		}
		return uint64(uint32(c) + uint32(count))
	case x.d == isa.S32:
		sum := integer(c, isa.S32)
		for k := range row {
			sum.Add(sum, new(big.Int).Mul(smallInteger(row[k], x.a), smallInteger(column[k], x.b)))
		}
		if low, high := big.NewInt(-1<<31), big.NewInt(1<<31-1); x.satfinite && sum.Cmp(low) < 0 {
			sum = low
		} else if x.satfinite && sum.Cmp(high) > 0 {
			sum = high
		}
		return uint64(uint32(sum.Int64()))
	}
	return x.floatSum(row, column, c)
}

// term is a float by its definition.
type term struct {
	nan, inf, neg bool
	v             *big.Float // of a finite one
}

func termOf(x uint64, t isa.Type) term {
	f := exactSpec(t)
	if t == isa.TF32 {
		x >>= 13
	}
	n := term{neg: f.negative(x), nan: f.nan(x), inf: f.inf(x)}
	if t == isa.E4M3 {
		n.nan, n.inf = x&0x7f == 0x7f, false
	}
	if !n.nan && !n.inf {
		n.v = wideFloat().SetRat(f.exact(x))
	}
	return n
}

// wideFloat holds all sums and products of numbers of single precision.
func wideFloat() *big.Float { return new(big.Float).SetPrec(1000) }

// floatSum is the exact sum of the accumulator and all products, rounded once.
func (x *mmaCase) floatSum(row, column []uint64, c uint64) uint64 {
	f := specOf(x.d)
	sum, nan, infinite := wideFloat(), false, [2]bool{}
	allNegative := true
	add := func(n term) {
		nan = nan || n.nan
		allNegative = allNegative && n.neg
		if n.inf {
			infinite[pick(n.neg, 1, 0)] = true
		} else if !n.nan {
			sum.Add(sum, n.v)
		}
	}
	add(termOf(c, x.c))
	for k := range row {
		p, q := termOf(row[k], x.a), termOf(column[k], x.b)
		r := term{nan: p.nan || q.nan, inf: p.inf || q.inf, neg: p.neg != q.neg}
		r.nan = r.nan || r.inf && (!p.inf && p.v.Sign() == 0 || !q.inf && q.v.Sign() == 0)
		if !r.nan && !r.inf {
			r.v = wideFloat().Mul(p.v, q.v)
		}
		add(r)
	}
	switch exact, _ := sum.Rat(nil); {
	case nan, infinite[0] && infinite[1]:
		return f.canonical()
	case infinite[0]:
		return f.infinity()
	case infinite[1]:
		return f.infinity() | f.signBit()
	default:
		return f.sum(exact, allNegative, false, isa.RoundRN)
	}
}

// smallInteger is a number of 4 or 8 bits.
func smallInteger(x uint64, t isa.Type) *big.Int {
	v := int64(x)
	if n := t.Bits(); (t == isa.S4 || t == isa.S8) && v>>(n-1) == 1 {
		v -= 1 << n
	}
	return big.NewInt(v)
}
