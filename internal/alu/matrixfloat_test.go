package alu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
)

// TestSumsAreRoundedOnce compares sums with exact ones where rounding is decided by terms that are far
// smaller than the sum, and where large terms cancel.
func TestSumsAreRoundedOnce(t *testing.T) {
	plain, odd := 0, 0
	seeds := effort.Draw(t, 200_000)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2))
		n := []int{4, 8, 16, 32}[r.IntN(4)]
		power := func() float64 {
			exponents := []int{0, 0, -24, -25, -11, 1, -53, -54, -100, 60, -130}
			x := math.Ldexp(1, exponents[r.IntN(len(exponents))])
			return x * []float64{1, -1, 1.5, 0, math.Copysign(0, -1)}[r.IntN(5)]
		}
		a, b, exact, negative := make([]float64, n), make([]float64, n), wideFloat(), true
		c := float64(float32(power()))
		exact.SetFloat64(c)
		negative = c == 0 && math.Signbit(c)
		for i := range a {
			a[i], b[i] = power(), []float64{1, -1}[r.IntN(2)]
			if i > 0 && r.IntN(3) == 0 {
				a[i], b[i] = a[i-1], -b[i-1]
			}
			exact.Add(exact, wideFloat().SetFloat64(a[i]*b[i]))
			negative = negative && a[i] == 0 && math.Signbit(a[i]*b[i])
		}
		got := oddSum(c, a, b)
		if extentOf(a, 11).exact(extentOf(b, 11), n, c) {
			if s := plainSum(c, a, b); math.Float64bits(s) != math.Float64bits(got) {
				t.Fatalf("%v plus products of %v and %v: %v, and %v in parts", c, a, b, s, got)
			}
			plain++
		}
		if rounded, _ := exact.Float64(); rounded != got {
			odd++
		}
		for _, f := range []isa.Type{isa.F32, isa.F16} {
			rat, _ := exact.Rat(nil)
			want := specOf(f).sum(rat, negative, false, isa.RoundRN)
			bits := uint64(bits32(float32(got)))
			if f == isa.F16 {
				bits = half16.fromFloat64(got)
			}
			if bits != want {
				t.Fatalf("%v plus products of %v and %v: %x as %s, want %x", c, a, b, bits, f, want)
			}
		}
	}
	if effort.Many() && (plain < len(seeds)/40 || odd < len(seeds)/40) {
		t.Errorf("%d sums were plain, %d were between two numbers", plain, odd)
	}
}

// TestProductsWithTheIdentity multiplies matrices with the identity, on either side and of either
// layout, and expects them back.
func TestProductsWithTheIdentity(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	one := map[isa.Type]uint64{
		isa.F16: 0x3c00, isa.BF16: 0x3f80, isa.TF32: 0x3f800000, isa.E4M3: 0x38, isa.E5M2: 0x3c, isa.F64: 0x3ff0000000000000,
		isa.U8: 1, isa.S8: 1, isa.U4: 1, isa.S4: 1, isa.B1: 1,
	}
	for _, x := range mmaCases() {
		if x.a == isa.B1 && !x.and {
			continue
		}
		b := x.prepare(t)
		clear := func(name byte) { b.elements(name, func(_, _, _ int, e *elementBits) { e.set(0) }) }
		clear('a')
		clear('c')
		b.elements('a', func(_, row, column int, e *elementBits) {
			if row == column {
				e.set(one[x.a])
			}
		})
		b.elements('b', func(_, _, _ int, e *elementBits) { e.set(one[x.b] * uint64(r.IntN(2))) })
		mb := b.matrix(t, 'b')
		b.run(t)
		unit := map[isa.Type]uint64{isa.F16: 0x3c00, isa.F32: 0x3f800000, isa.F64: one[isa.F64], isa.S32: 1}[x.d]
		for at, got := range b.matrix(t, 'd') {
			want := uint64(0)
			if at[1] < x.k && mb[at] != 0 {
				want = unit
			}
			if got != want {
				t.Fatalf("%s: the identity times B has %x at %v, want %x", b.text(), got, at, want)
			}
		}
	}
}

// TestTransposeMatrix checks where the elements go, and that the transpose of the transpose is the
// matrix.
func TestTransposeMatrix(t *testing.T) {
	var a, d, again Words
	for lane := range a {
		row, column := lane/4, lane%4*2
		a[lane] = uint32(row<<4|column) | uint32(row<<4|column+1)<<16
	}
	TransposeMatrix(&d, &a)
	for lane, got := range d {
		row, column := lane/4, lane%4*2
		if want := uint32(column<<4|row) | uint32((column+1)<<4|row)<<16; got != want {
			t.Errorf("lane %d: %x, want %x", lane, got, want)
		}
	}
	if TransposeMatrix(&again, &d); again != a {
		t.Errorf("twice: %x", again)
	}
}

// TestMatricesNeedWholeWarps checks that a part of a warp cannot execute operations on matrices.
func TestMatricesNeedWholeWarps(t *testing.T) {
	x := mmaCase{m: 16, n: 8, k: 16, d: isa.F32, a: isa.F16, b: isa.F16, c: isa.F32}
	b := x.prepare(t)
	if err := b.eval.Do(b.pure, (1<<lanes-1)&^2, b.dst, b.src); err == nil || !strings.Contains(err.Error(), "lanes 0x00000002 do not") {
		t.Errorf("a product by 31 lanes: %v", err)
	}
	k := &isa.Kernel{AddressBits: 64, Regs: regs(isa.B32, isa.B32)}
	move, err := NewPure(k, &isa.Instr{Op: isa.MovMatrix, Type: isa.B16, Matrix: &isa.Matrix{M: 8, N: 8, Trans: true}, Dst: []isa.Operand{reg(0)}, Src: []isa.Operand{reg(1)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := NewEvaluator(lanes).Do(move, 0xffff, make([]Lanes, 1), make([]Lanes, 1)); err == nil || !strings.Contains(err.Error(), "lanes 0xffff0000 do not") {
		t.Errorf("a transposition by 16 lanes: %v", err)
	}
}

// TestProductsHaveOnlyTheirModifiers checks that a product with another modifier is refused.
func TestProductsHaveOnlyTheirModifiers(t *testing.T) {
	for _, x := range mmaCases() {
		in := x.instr()
		k := &isa.Kernel{AddressBits: 64}
		nd, na, nb, nc := in.FragmentRegs()
		for i := range nd + na + nb + nc {
			k.Regs = append(k.Regs, isa.RegDecl{Type: isa.B64})
			if i < nd {
				in.Dst = append(in.Dst, reg(isa.Reg(i)))
			} else {
				in.Src = append(in.Src, reg(isa.Reg(i)))
			}
		}
		in.FTZ = true
		if _, err := NewPure(k, &in); err == nil {
			t.Errorf("%s is accepted", in.String())
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, x := range []mmaCase{
		{m: 16, n: 8, k: 16, d: isa.F32, a: isa.F16, b: isa.F16, c: isa.F32},
		{m: 16, n: 8, k: 16, d: isa.F16, a: isa.F16, b: isa.F16, c: isa.F16},
		{m: 16, n: 8, k: 8, d: isa.F32, a: isa.TF32, b: isa.TF32, c: isa.F32},
		{m: 16, n: 8, k: 32, d: isa.F32, a: isa.E4M3, b: isa.E4M3, c: isa.F32},
		{m: 16, n: 8, k: 32, d: isa.S32, a: isa.S8, b: isa.S8, c: isa.S32},
		{m: 16, n: 8, k: 16, d: isa.F64, a: isa.F64, b: isa.F64, c: isa.F64},
	} {
		for trial, name := range []string{"any", "usual"} {
			m := x.prepare(b)
			for _, matrix := range []byte("abc") {
				m.elements(matrix, func(_, _, _ int, e *elementBits) { e.set(x.draw(r, matrix, trial)) })
			}
			m.eval.bind(m.pure, m.dst, m.src)
			m.eval.regs.Full = 1<<lanes - 1
			b.Run(fmt.Sprintf("m%dn%dk%d.%s.%s/%s", x.m, x.n, x.k, x.d, x.a, name), func(b *testing.B) {
				for b.Loop() {
					m.eval.regs.Compute(&m.pure.instr, 1<<lanes-1)
				}
			})
		}
	}
}
