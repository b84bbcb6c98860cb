package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// Instr is a decoded instruction. Either one of the functions computes the destination D from
// the sources A, B and C in every lane, or Op says what is done. The operands are numbers of
// Words for Word, of Vectors for Func, and for Widening of Words but for D and C.
type Instr struct {
	Word       WordFunc
	Func       Func
	Widening   vec.WideningFunc
	D, A, B, C int32
	Op         Operation
}

// WordFunc and Func compute a result for every lane from up to three sources, of up to 32 bits
// or of more. The result may be one of the sources. Sources that an operation does not have are
// not read.
//
// The functions that run most dereference their operands first, so that the
// compiler checks them for nil outside of the loop.
type (
	WordFunc func(d, a, b, c *Words)
	Func     func(d, a, b, c *Vector)
)

// lanewise is the function of an instruction that computes each lane by itself: one of the
// two, or none.
type lanewise struct {
	word WordFunc
	wide Func
}

func (f lanewise) none() bool { return f.word == nil && f.wide == nil }

// Computes reports whether there is anything to compute.
func (in *Instr) Computes() bool {
	return in.Word != nil || in.Func != nil || in.Widening != nil || in.Op != nil
}

// Operation is what an instruction does that is no Func. A result may have the
// vector of a source: an operation reads what it needs of a lane, and of other
// lanes, before it writes there.
type Operation interface {
	// Exec executes the instruction for the lanes of mask, which is not empty.
	Exec(r *Registers, mask uint64)
}

// Operands tells where the operands of the instruction that is decoded lie. An operand that
// an instruction cannot have is for the implementation to report; what it returns for one
// does not matter then.
type Operands interface {
	// Source returns the place of source i, a number. What is no register has the width that
	// is asked for.
	Source(i int, wide bool) Slot

	// Dest returns the place of result i, a number of so many bits.
	Dest(i, bits int) Slot

	// Test returns source i, a truth value.
	Test(i int) Predicate

	// MaskDest returns the place of result i, a truth value.
	MaskDest(i int) MaskSlot

	// Zero returns the place of Words of zeros.
	Zero() Slot
}

// Decode decodes an instruction that computes: one that accesses no memory, leaves control
// alone and does not depend on where anything lies. It must have as many operands as its
// operation says. The register of its first result has width bits. An error says that the
// operation has no meaning on the instruction's types or with its modifiers.
func Decode(in *isa.Instr, width int, at Operands) (Instr, error) {
	d := &decoder{in: in, at: at}
	var out Instr
	if d.widening(&out) {
		return d.converted(out), d.err
	}
	if out.Op = d.operation(width); out.Op != nil && !in.HasOnly(separately(in)) {
		d.unsupported()
	}
	if out.Op == nil && d.err == nil {
		d.arithmetic(&out, width)
	}
	return d.converted(out), d.err
}

// decoder decodes one instruction. After the first error it asks for no operands, so that
// what comes first is reported.
type decoder struct {
	in     *isa.Instr
	at     Operands
	before []conversion // of sources
	after  []conversion // of results
	err    error
}

// unsupported notes that the operation has no meaning on its types.
func (d *decoder) unsupported() {
	if d.err == nil {
		d.err = Unsupported(d.in)
	}
}

// source returns the slot that holds source i, whatever the width of its register.
func (d *decoder) source(i int, wide bool) Slot {
	if d.err != nil {
		return SlotSink
	}
	return d.at.Source(i, wide)
}

// dest returns the slot of result i, of so many bits, whatever the width of its register.
func (d *decoder) dest(i, bits int) Slot {
	if d.err != nil {
		return SlotSink
	}
	return d.at.Dest(i, bits)
}

// word returns the number of the Words that hold source i.
func (d *decoder) word(i int) int32 { return d.as(d.source(i, false), false, &d.before) }

// vector returns the number of the Vector that holds source i.
func (d *decoder) vector(i int) int32 { return d.as(d.source(i, true), true, &d.before) }

// wordDest returns the number of the Words that take result i, of so many bits.
func (d *decoder) wordDest(i, bits int) int32 { return d.as(d.dest(i, bits), false, &d.after) }

// vectorDest returns the number of the Vector that takes result i, of so many bits.
func (d *decoder) vectorDest(i, bits int) int32 { return d.as(d.dest(i, bits), true, &d.after) }

// test returns source i, a predicate.
func (d *decoder) test(i int) Predicate {
	if d.err != nil {
		return Predicate{}
	}
	return d.at.Test(i)
}

// maskDest returns the mask of result i.
func (d *decoder) maskDest(i int) MaskSlot {
	if d.err != nil {
		return MaskSink
	}
	return d.at.MaskDest(i)
}

// zero returns the number of Words of zeros.
func (d *decoder) zero() int32 {
	if d.err != nil {
		return 0
	}
	return d.at.Zero().number()
}

// secondMask returns the mask of the predicate that is the second result, which
// may be missing.
func (d *decoder) secondMask() MaskSlot {
	if len(d.in.Dst) > 1 {
		return d.maskDest(1)
	}
	return MaskSink
}

// operation returns how an instruction is executed that no Func describes,
// nil if one may.
func (d *decoder) operation(width int) Operation {
	in := d.in
	switch in.Op {
	case isa.Cvt, isa.Shl, isa.Shr, isa.Popc, isa.Clz, isa.Bfind:
		return d.mixed(width)
	case isa.BarWarp, isa.Vote, isa.Match, isa.Redux, isa.Elect, isa.Shfl, isa.Activemask:
		return d.crossLane()
	case isa.Mma:
		return d.matrixProduct()
	case isa.MovMatrix:
		return &moveMatrix{d: d.dest(0, 32), a: d.source(0, false)}
	case isa.Setp:
		return d.setp()
	case isa.Set:
		return d.set()
	case isa.Testp:
		return d.testp()
	case isa.Selp, isa.Slct:
		return d.choice()
	case isa.Pack:
		return d.pack()
	case isa.Unpack:
		return d.unpack()
	case isa.Bfi:
		return d.bfi()
	case isa.Lop3:
		if len(in.Dst) > 1 {
			return d.lop3Test()
		}
	case isa.AddCarry, isa.SubCarry, isa.MadCarry, isa.MadHiCarry:
		return d.carrying()
	}
	if in.Type == isa.Pred {
		return d.logic()
	}
	return nil
}

// arithmetic decodes an instruction that computes each lane by itself.
func (d *decoder) arithmetic(out *Instr, width int) {
	in := d.in
	f := funcFor(in, width)
	if f.none() {
		d.unsupported()
		return
	}
	out.Word, out.Func = f.word, f.wide
	dest, source := d.wordDest, d.word
	if f.wide != nil {
		dest, source = d.vectorDest, d.vector
	}
	out.D = dest(0, resultBits(in))
	sources := []*int32{&out.A, &out.B, &out.C}
	for i := range min(len(in.Src), len(sources)) {
		*sources[i] = source(i)
	}
}

// resultBits returns the width of the result of an instruction.
func resultBits(in *isa.Instr) int {
	switch in.Op {
	case isa.MulWide, isa.MadWide:
		return 2 * in.Type.Bits()
	case isa.Popc, isa.Clz, isa.Bfind, isa.Dp4a, isa.Dp2a, isa.Dp2aHi, isa.CvtPack:
		return 32
	}
	return in.Type.Bits()
}

// separately returns the modifiers that an instruction may have which no Func
// describes: comparisons may flush their sources. Those of conversions and products of matrices have been looked at.
func separately(in *isa.Instr) isa.Modifiers {
	switch in.Op {
	case isa.Cvt:
		return in.Modifiers()
	case isa.Setp, isa.Set, isa.Slct:
		return isa.ModFTZ
	case isa.Redux:
		return isa.ModNaN | isa.ModAbs
	case isa.Mma:
		return in.Modifiers()
	}
	return 0
}
