package alu

import (
	"fmt"
	"math"
	"math/bits"

	"warpbound/internal/isa"
)

// Products of matrices, of which each lane of a warp holds fragments (PTX ISA, Matrix Fragments
// for mma).
//
// The manual leaves open how sums of products of floats are rounded and in which order they are
// added. Here a result is the exact sum of the accumulator and all products, rounded once; for
// elements of double precision, the accumulator and a chain of fma in the order of k. Sums of
// integers are exact, too, and wrap around or are clamped once. Of elements of type tf32 the low
// 13 bits are not read.

// fragment says where the elements are that the registers of a matrix hold.
type fragment struct {
	slots []Slot
	bits  int // of an element

	// at is the place in the matrix of each element: those of a register one after the other, lane
	// by lane for each.
	at []uint16
}

// elements returns how many elements a register has.
func (f *fragment) elements() int { return max(1, 32/f.bits) }

// placer returns the row and the column of an element of a fragment: the lane, the register, the
// element in it, and how many elements a register has. Of several products, the rows of the second
// follow those of the first.
type placer func(lane, reg, e, elements int) (row, column int)

// newFragment lays out the registers of a matrix: its element in a row and a column is at
// row*stride+column, or the other way round.
func newFragment(slots []Slot, bits int, place placer, index func(row, column int) int) fragment {
	f := fragment{slots: slots, bits: bits}
	n := f.elements()
	for reg := range slots {
		for e := range n {
			for lane := range lanes {
				f.at = append(f.at, uint16(index(place(lane, reg, e, n))))
			}
		}
	}
	return f
}

// places returns where the elements of A, B, C and D lie.
func places(in *isa.Instr) (a, b, c, d placer) {
	m := in.Matrix
	if in.MatrixProducts() > 1 {
		return quadA(m.ColA), quadB(m.RowB), quadSums(m.TypeC), quadSums(in.Type)
	}
	tall := m.M / 8 // 1, or 2 where registers of rows 0 to 7 and 8 to 15 alternate
	a = func(lane, reg, e, n int) (row, column int) {
		return lane/4 + 8*(reg%tall), reg/tall*4*n + lane%4*n + e
	}
	b = func(lane, reg, e, n int) (row, column int) { return reg*4*n + lane%4*n + e, lane / 4 }
	c = func(lane, reg, e, n int) (row, column int) {
		i := reg*n + e
		return lane/4 + 8*(i/2), lane%4*2 + i%2
	}
	return a, b, c, c
}

// The four products of m8n8k4 are computed by lanes 0 to 3 and 16 to 19, by the four that follow
// each, and so on.

func quad(lane int) int { return lane % 16 / 4 }

// upper returns what the lanes from 16 on add to a row or a column.
func upper(lane int) int { return lane / 16 * 4 }

func quadA(byColumns bool) placer {
	return func(lane, reg, e, n int) (row, column int) {
		i := reg*n + e
		if byColumns {
			return 8*quad(lane) + i + upper(lane), lane % 4
		}
		return 8*quad(lane) + lane%4 + upper(lane), i
	}
}

func quadB(byRows bool) placer {
	return func(lane, reg, e, n int) (row, column int) {
		i := reg*n + e
		if byRows {
			return lane % 4, 8*quad(lane) + i + upper(lane)
		}
		return i, 8*quad(lane) + lane%4 + upper(lane)
	}
}

func quadSums(t isa.Type) placer {
	return func(lane, reg, e, n int) (row, column int) {
		i := reg*n + e
		if t == isa.F32 {
			return 8*quad(lane) + lane&1 + i&2 + upper(lane), i&4 + lane&2 + i&1
		}
		return 8*quad(lane) + lane%4 + upper(lane), i
	}
}

// Aligned is a Collective that all lanes of a warp execute together.
type aligned struct{ collective }

// Aligned implements Collective.
func (aligned) Aligned() bool { return true }

// CheckAligned returns a *LaneError, with one of the lanes of mask, which is not empty, unless
// they are all lanes of a warp.
func CheckAligned(mask uint64) error {
	if missing := (1<<lanes - 1) &^ mask; missing != 0 {
		return &LaneError{First(mask), fmt.Errorf("all %d threads of a warp must execute the instruction together, and those of the lanes 0x%08x do not: "+
			"they have exited, are diverged, or the CTA has none for them", lanes, missing)}
	}
	return nil
}

// matrices is what products of matrices have in common. Matrix A is stored by rows, B by columns,
// C and D by rows.
type matrices struct {
	aligned
	m, n, k    int // rows of A and columns of B of each product
	products   int
	a, b, c, d fragment
}

// matrixProduct decodes Mma.
func (d *decoder) matrixProduct() Operation {
	in := d.in
	m := in.Matrix
	p := matrices{m: m.M, n: m.N, k: m.K, products: in.MatrixProducts()}
	nd, na, nb, nc := in.FragmentRegs()
	sources := func(from, n int, t isa.Type) []Slot {
		var slots []Slot
		for i := range n {
			slots = append(slots, d.source(from+i, t == isa.F64))
		}
		return slots
	}
	pa, pb, pc, pd := places(in)
	rows := func(stride int) func(row, column int) int {
		return func(row, column int) int { return row*stride + column }
	}
	columns := func(row, column int) int { return column*m.K + row }
	p.a = newFragment(sources(0, na, in.SrcType), in.SrcType.Bits(), pa, rows(m.K))
	p.b = newFragment(sources(na, nb, m.TypeB), m.TypeB.Bits(), pb, columns)
	p.c = newFragment(sources(na+nb, nc, m.TypeC), m.TypeC.Bits(), pc, rows(m.N))
	var results []Slot
	for i := range nd {
		results = append(results, d.dest(i, max(32, in.Type.Bits())))
	}
	p.d = newFragment(results, in.Type.Bits(), pd, rows(m.N))
	switch {
	case in.Type == isa.F64:
		if in.HasOnly(isa.ModRound &^ (isa.ModAway | isa.ModIntegral)) {
			return &doubleProduct{matrices: p, mode: max(in.Round, isa.RoundRN)}
		}
	case in.Type == isa.S32 && in.SrcType == isa.B1:
		if in.HasOnly(0) {
			return &bitProduct{matrices: p, and: m.And}
		}
	case in.Type == isa.S32:
		if in.HasOnly(isa.ModFinite) {
			return &intProduct{matrices: p, clamp: in.Finite, signedA: isSigned(in.SrcType), signedB: isSigned(m.TypeB)}
		}
	case in.HasOnly(0):
		return &floatProduct{
			matrices: p, ofA: floatFormatOf(in.SrcType), ofB: floatFormatOf(m.TypeB), ofC: floatFormatOf(m.TypeC), half: in.Type == isa.F16,
			digits: map[isa.Type]int{isa.F16: 11, isa.BF16: 8, isa.TF32: 11, isa.E4M3: 4, isa.E5M2: 3}[in.SrcType],
		}
	}
	d.unsupported()
	return nil
}

func isSigned(t isa.Type) bool { return t == isa.S8 || t == isa.S4 }

// The largest matrices, in elements: A of 16x64, B of 64x8, and C of four products of 8x8.
const (
	maxA = 16 * 64
	maxB = 64 * 8
	maxC = 4 * 8 * 8
)

// intProduct multiplies integers of 4 or 8 bits.
type intProduct struct {
	matrices
	clamp, signedA, signedB bool
}

func (op *intProduct) Exec(r *Registers, mask uint64) {
	var a [maxA]int32
	var b [maxB]int32
	var c [maxC]int32
	readInts(r, &op.a, op.signedA, a[:])
	readInts(r, &op.b, op.signedB, b[:])
	readInts(r, &op.c, true, c[:])
	for i := range op.m {
		row := a[i*op.k:][:op.k]
		for j := range op.n {
			column, sum := b[j*op.k:][:len(row)], int32(0) // of no more than 64 products below 2^16
			for k, x := range row {
				sum += x * column[k]
			}
			at := i*op.n + j
			if exact := int64(c[at]) + int64(sum); op.clamp {
				c[at] = int32(min(max(exact, math.MinInt32), math.MaxInt32))
			} else {
				c[at] = int32(exact)
			}
		}
	}
	op.d.writeWords(r, mask, func(at uint16) uint32 { return uint32(c[at]) })
}

// readInts reads a matrix of integers.
func readInts(r *Registers, f *fragment, signed bool, m []int32) {
	at, spare := f.at, 32-f.bits
	for _, s := range f.slots {
		w := r.Narrow(s, 0)
		for shift := 0; shift < 32; shift += f.bits {
			for lane, x := range w {
				x = x >> shift << spare
				if signed {
					m[at[lane]] = int32(x) >> spare
				} else {
					m[at[lane]] = int32(x >> spare)
				}
			}
			at = at[lanes:]
		}
	}
}

// writeWords writes the matrix of results from the bits of its elements.
func (f *fragment) writeWords(r *Registers, mask uint64, element func(at uint16) uint32) {
	at := f.at
	for _, s := range f.slots {
		var w Words
		for shift := 0; shift < 32; shift += f.bits {
			for lane := range w {
				w[lane] |= element(at[lane]) << shift
			}
			at = at[lanes:]
		}
		r.AssignWords(s, 0, &w, mask)
	}
}

// bitProduct counts the bits that a row of A and a column of B both have, or that one of them
// has. Its matrices are stored in words of 32 bits.
type bitProduct struct {
	matrices
	and bool
}

func (op *bitProduct) Exec(r *Registers, mask uint64) {
	var a, b [maxA / 8]uint32
	var c [maxC]int32
	readBits(r, &op.a, a[:])
	readBits(r, &op.b, b[:])
	readInts(r, &op.c, true, c[:])
	words := op.k / 32
	for i := range op.m {
		for j := range op.n {
			count := 0
			for k := range words {
				x, y := a[i*words+k], b[j*words+k]
				if op.and {
					count += bits.OnesCount32(x & y)
				} else {
					count += bits.OnesCount32(x ^ y)
				}
			}
			c[i*op.n+j] += int32(count)
		}
	}
	op.d.writeWords(r, mask, func(at uint16) uint32 { return uint32(c[at]) })
}

// readBits reads a matrix of bits, 32 to a word: a register holds one, and its first bit tells where.
func readBits(r *Registers, f *fragment, m []uint32) {
	for reg, s := range f.slots {
		for lane, x := range r.Narrow(s, 0) {
			m[f.at[reg*32*lanes+lane]/32] = x
		}
	}
}

// doubleProduct multiplies numbers of double precision.
type doubleProduct struct {
	matrices
	mode isa.Round
}

func (op *doubleProduct) Exec(r *Registers, mask uint64) {
	var a, b, c [16 * 16]uint64
	readDoubles(r, &op.a, a[:])
	readDoubles(r, &op.b, b[:])
	readDoubles(r, &op.c, c[:])
	for i := range op.m {
		for j := range op.n {
			at := i*op.n + j
			for k := range op.k {
				x, y := a[i*op.k+k], b[j*op.k+k]
				if op.mode == isa.RoundRN {
					c[at] = bits64(math.FMA(math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(c[at])))
				} else {
					c[at] = double64.fma(x, y, c[at], op.mode)
				}
			}
		}
	}
	for reg, s := range op.d.slots {
		var v Vector
		for lane := range v {
			v[lane] = c[op.d.at[reg*lanes+lane]]
		}
		r.assign(s, 0, &v, mask)
	}
}

func readDoubles(r *Registers, f *fragment, m []uint64) {
	for reg, s := range f.slots {
		for lane, x := range r.wide(s, 0) {
			m[f.at[reg*lanes+lane]] = x
		}
	}
}

// moveMatrix transposes a matrix of 8x8 halves of words: of two of row lane/4 in each lane.
type moveMatrix struct {
	aligned
	d, a Slot
}

func (op *moveMatrix) Exec(r *Registers, mask uint64) {
	var t Words
	TransposeMatrix(&t, r.Narrow(op.a, 0))
	r.AssignWords(op.d, 0, &t, mask)
}

// TransposeMatrix transposes a matrix of 8x8 elements of 16 bits, of which lane i holds those of
// row i/4 and columns 2*(i%4) and 2*(i%4)+1.
func TransposeMatrix(d, a *Words) {
	for lane := range d {
		row, column := lane/4, lane%4*2
		element := func(row, column int) uint32 { return a[row*4+column/2] >> (column % 2 * 16) & 0xffff }
		d[lane] = element(column, row) | element(column+1, row)<<16
	}
}
