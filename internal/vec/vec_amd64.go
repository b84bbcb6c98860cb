//go:build !purego

package vec

import "golang.org/x/sys/cpu"

// available reports whether the processor has the instructions used here.
func available() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// Fast returns the function of an operation, nil if the processor has none.
func Fast(op Op) Func {
	if !available() {
		return nil
	}
	return [NumOps]Func{
		Copy32:     copy32,
		Extend32:   extend32,
		Add32:      add32,
		Add64:      add64,
		Sub32:      sub32,
		Sub64:      sub64,
		Mul32:      mul32,
		MulWideS32: mulWideS32,
		MulWideU32: mulWideU32,
		Mad32:      mad32,
		MadWideS32: madWideS32,
		MadWideU32: madWideU32,
		And32:      and32,
		And64:      and64,
		Or32:       or32,
		Or64:       or64,
		Xor32:      xor32,
		Xor64:      xor64,
		Shl32:      shl32,
		Shl64:      shl64,
		ShrS32:     shrS32,
		ShrU32:     shrU32,
		ShrU64:     shrU64,
		MinS32:     minS32,
		MinU32:     minU32,
		MaxS32:     maxS32,
		MaxU32:     maxU32,
		AddF32:     addF32,
		AddF64:     addF64,
		SubF32:     subF32,
		SubF64:     subF64,
		MulF32:     mulF32,
		MulF64:     mulF64,
		DivF32:     divF32,
		SqrtF32:    sqrtF32,
		FmaF32:     fmaF32,
		FmaF64:     fmaF64,
	}[op]
}

// FastTest returns the function of a comparison, nil if the processor has none.
func FastTest(t Test) TestFunc {
	if !available() {
		return nil
	}
	return [NumTests]TestFunc{
		Eq32:  eq32,
		LtS32: ltS32,
		LtU32: ltU32,
		LeS32: leS32,
		LeU32: leU32,
		Eq64:  eq64,
		LtS64: ltS64,
		LtU64: ltU64,
		LeS64: leS64,
		LeU64: leU64,
		EqF32: eqF32,
		LtF32: ltF32,
		LeF32: leF32,
	}[t]
}

// FastAccess returns the function of an access, nil if the processor has none.
func FastAccess(a Access) AccessFunc {
	if !available() {
		return nil
	}
	return [NumAccesses]AccessFunc{Load32: load32, Load64: load64, Store32: store32, Store64: store64}[a]
}

//go:noescape
func copy32(d, a, b, c *Vector)

//go:noescape
func extend32(d, a, b, c *Vector)

//go:noescape
func add32(d, a, b, c *Vector)

//go:noescape
func add64(d, a, b, c *Vector)

//go:noescape
func sub32(d, a, b, c *Vector)

//go:noescape
func sub64(d, a, b, c *Vector)

//go:noescape
func mul32(d, a, b, c *Vector)

//go:noescape
func mulWideS32(d, a, b, c *Vector)

//go:noescape
func mulWideU32(d, a, b, c *Vector)

//go:noescape
func mad32(d, a, b, c *Vector)

//go:noescape
func madWideS32(d, a, b, c *Vector)

//go:noescape
func madWideU32(d, a, b, c *Vector)

//go:noescape
func and32(d, a, b, c *Vector)

//go:noescape
func and64(d, a, b, c *Vector)

//go:noescape
func or32(d, a, b, c *Vector)

//go:noescape
func or64(d, a, b, c *Vector)

//go:noescape
func xor32(d, a, b, c *Vector)

//go:noescape
func xor64(d, a, b, c *Vector)

//go:noescape
func shl32(d, a, b, c *Vector)

//go:noescape
func shl64(d, a, b, c *Vector)

//go:noescape
func shrS32(d, a, b, c *Vector)

//go:noescape
func shrU32(d, a, b, c *Vector)

//go:noescape
func shrU64(d, a, b, c *Vector)

//go:noescape
func minS32(d, a, b, c *Vector)

//go:noescape
func minU32(d, a, b, c *Vector)

//go:noescape
func maxS32(d, a, b, c *Vector)

//go:noescape
func maxU32(d, a, b, c *Vector)

//go:noescape
func addF32(d, a, b, c *Vector)

//go:noescape
func addF64(d, a, b, c *Vector)

//go:noescape
func subF32(d, a, b, c *Vector)

//go:noescape
func subF64(d, a, b, c *Vector)

//go:noescape
func mulF32(d, a, b, c *Vector)

//go:noescape
func mulF64(d, a, b, c *Vector)

//go:noescape
func divF32(d, a, b, c *Vector)

//go:noescape
func sqrtF32(d, a, b, c *Vector)

//go:noescape
func fmaF32(d, a, b, c *Vector)

//go:noescape
func fmaF64(d, a, b, c *Vector)

//go:noescape
func eq32(a, b *Vector) uint32

//go:noescape
func ltS32(a, b *Vector) uint32

//go:noescape
func ltU32(a, b *Vector) uint32

//go:noescape
func leS32(a, b *Vector) uint32

//go:noescape
func leU32(a, b *Vector) uint32

//go:noescape
func eq64(a, b *Vector) uint32

//go:noescape
func ltS64(a, b *Vector) uint32

//go:noescape
func ltU64(a, b *Vector) uint32

//go:noescape
func leS64(a, b *Vector) uint32

//go:noescape
func leU64(a, b *Vector) uint32

//go:noescape
func eqF32(a, b *Vector) uint32

//go:noescape
func ltF32(a, b *Vector) uint32

//go:noescape
func leF32(a, b *Vector) uint32

//go:noescape
func load32(x, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

//go:noescape
func load64(x, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

//go:noescape
func store32(x, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

//go:noescape
func store64(x, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)
