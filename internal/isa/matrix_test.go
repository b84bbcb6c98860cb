package isa

import (
	"slices"
	"strings"
	"testing"
)

// TestMatricesAreVerified changes instructions on matrices so that there are no such.
func TestMatricesAreVerified(t *testing.T) {
	product := func() *Instr {
		in := &Instr{Op: Mma, Type: F32, SrcType: F16, Matrix: &Matrix{M: 16, N: 8, K: 16, TypeB: F16, TypeC: F32}}
		in.Dst, in.Src = append(reg(0), append(reg(0), append(reg(0), reg(0)...)...)...), nil
		for range 10 {
			in.Src = append(in.Src, RegOperand(0))
		}
		return in
	}
	load := func() *Instr {
		return &Instr{Op: LdMatrix, Type: B16, Space: Shared, Matrix: &Matrix{M: 8, N: 8}, Dst: reg(0), Src: []Operand{{Kind: KindAddr, Reg: 0}}}
	}
	for _, c := range []struct {
		name   string
		in     *Instr
		change func(in *Instr)
		want   string // empty if it is fine
	}{
		{"product", product(), func(*Instr) {}, ""},
		{"load", load(), func(in *Instr) { in.Matrix.Trans = true }, ""},
		{"no matrix", product(), func(in *Instr) { in.Matrix = nil }, "operations on matrices, and no others, have a shape"},
		{"a matrix of another operation", product(), func(in *Instr) { in.Op = Mov }, "operations on matrices, and no others, have a shape"},
		{"shape", product(), func(in *Instr) { in.Matrix.K = 4 }, "there is no product m16n8k4 of f16 and f16, added to f32, of type f32"},
		{"type of B", product(), func(in *Instr) { in.Matrix.TypeB = BF16 }, "there is no product"},
		{"type of C", product(), func(in *Instr) { in.Matrix.TypeC = F16 }, "there is no product"},
		{"layout", product(), func(in *Instr) { in.Matrix.ColA = true }, "has A by rows and B by columns"},
		{"and", product(), func(in *Instr) { in.Matrix.And = true }, "the product has no such mode"},
		{"transposed", product(), func(in *Instr) { in.Matrix.Trans = true }, "the product has no such mode"},
		{"fragments", product(), func(in *Instr) { in.Src = in.Src[1:] }, "4 results and 9 sources do not fit the mode"},
		{"narrow register", product(), func(in *Instr) { in.Dst[1].Reg = 1 }, "register %h has 16 bits for 32"},
		{"three matrices", load(), func(in *Instr) { in.Dst = append(in.Dst, append(reg(0), reg(0)...)...) }, "3 results and 1 sources do not fit the mode"},
		{"shape to load", load(), func(in *Instr) { in.Matrix.M = 16 }, "there are no matrices of 16x8 elements of type b16 to move"},
		{"type to load", load(), func(in *Instr) { in.Type = B8 }, "there are no matrices of 8x8 elements of type b8 to move"},
		{"space", load(), func(in *Instr) { in.Space = Global }, "ldmatrix has no such space"},
		{"address", load(), func(in *Instr) { in.Src = reg(0) }, "is no address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.change(c.in)
			k := &Kernel{Name: "k", AddressBits: 64, Regs: []RegDecl{{"%r", B32}, {"%h", B16}}, Instrs: []Instr{*c.in, {Op: Ret}}}
			err := Verify(k)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestMmaForms checks that every form is the only one of its shape and types, and that its
// fragments together hold every element once.
func TestMmaForms(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range mmaForms {
		for _, a := range f.a {
			for _, d := range f.d {
				in := Instr{Op: Mma, Type: d, SrcType: a, Matrix: &Matrix{M: f.m, N: f.n, K: f.k, TypeB: a, TypeC: d}}
				if text := in.Matrix.shape(&in) + a.String() + d.String(); seen[text] {
					t.Errorf("two forms are %s", text)
				} else {
					seen[text] = true
				}
				if err := in.verifyMatrix(); err != nil {
					t.Error(err)
				}
				if !slices.Contains(Products(), in.Product()) {
					t.Errorf("%q is none of the products", in.Product())
				}
				products := in.MatrixProducts()
				bits := func(regs int, t Type) int { return 32 * regs * max(32, t.Bits()) / t.Bits() }
				nd, na, nb, nc := in.FragmentRegs()
				if bits(nd, d) != f.m*f.n*products || nc != nd || bits(na, a) != f.m*f.k*products || bits(nb, a) != f.k*f.n*products {
					t.Errorf("%s.%s: fragments of %d, %d, %d and %d registers", in.Matrix.shape(&in), a, nd, na, nb, nc)
				}
			}
		}
	}
}
