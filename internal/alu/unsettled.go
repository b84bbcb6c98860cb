package alu

import "warpbound/internal/isa"

// InLane is what an instruction computed in a lane.
type InLane struct {
	Src  [maxSources]uint64 // by source, immediates among them; 0 for predicates
	Dst  uint64             // the first result
	Lane int
	Mask uint64 // lanes that took part
}

// maxSources is more than any instruction has that Unsettled tells of.
const maxSources = 6

// Unsettled returns a function that tells in which lanes bounds must not rest on the first result
// of an instruction, since a device may have another one than the emulator, which follows the
// manual; nil if there are none:
//
//   - integers of NaN: the manual says what they are (PTX ISA, "cvt", Integer Notes), NVIDIA's guides to its devices call them undefined;
//   - the bits of NaN, which are unspecified in single precision and a payload in double;
//   - approximations, but of sources for which the manual's tables have one value: zeros and infinities;
//   - quotients and remainders of integers by zero: unspecified;
//   - which lane is elected;
//   - what a shuffle reads from a lane that does not take part: undefined;
//   - where an assembler makes other code than the manual has (docs/results/devices.md): places and lengths beyond a byte of fields of
//     64-bit words, and video instructions that compute on more than 32 bits.
func Unsettled(in *isa.Instr) func(l *InLane) bool {
	switch in.Op {
	case isa.Cvt:
		if f, ok := formatOf(in.SrcType); ok && isInteger(in.Type) {
			return func(l *InLane) bool { return f.isNaN(l.Src[0]) }
		}
	case isa.Shfl:
		op := &shfl{mode: in.Lane}
		return func(l *InLane) bool {
			from, ok := op.source(uint32(l.Lane), uint32(l.Src[1])&31, uint32(l.Src[2])&31, uint32(l.Src[2])>>8&31)
			return ok && l.Mask>>(from%lanes)&1 == 0
		}
	case isa.Elect:
		return always
	case isa.Bfe:
		return beyondByte(in, 1)
	case isa.Bfi:
		return beyondByte(in, 2)
	case isa.Fns:
		return func(l *InLane) bool { return uint32(l.Src[2]) == 1<<31 } // without a positive counterpart
	case isa.Sin, isa.Cos, isa.Ex2, isa.Lg2, isa.Tanh, isa.Rsqrt: // approximations, whether they say so or not
		if f, ok := formatOf(in.Type); ok {
			return approximated(in, f)
		}
	case isa.Rcp, isa.Sqrt, isa.Div:
		if isInteger(in.Type) {
			return byZero(in)
		}
		if f, ok := formatOf(in.Type); ok && (in.Approx || in.Full) {
			return approximated(in, f)
		}
	case isa.Rem:
		return byZero(in)
	case isa.VAdd, isa.VSub, isa.VAbsDiff, isa.VMin, isa.VMax, isa.VSet, isa.VShl, isa.VShr:
		second := len(in.Src) > 2 // operation, or what the result is put into
		if in.Video.Parts == 1 && (second || in.Sat && in.Op == isa.VShl) {
			return always
		}
	case isa.VMad:
		if in.Sat {
			return always
		}
	}
	return unspecifiedNaN(in)
}

func always(*InLane) bool { return true }

// byZero tells where a divisor is zero.
func byZero(in *isa.Instr) func(l *InLane) bool {
	bits := LowBits(in.Type.Bits()) // a register may be wider
	if len(in.Src) > 1 && in.Src[1].Kind == isa.KindImm && in.Src[1].Imm&bits != 0 {
		return nil
	}
	return func(l *InLane) bool { return l.Src[1]&bits == 0 }
}

// beyondByte tells where the place or the length of a field in a word of 64 bits does not fit a
// byte. Both follow each other from a source on.
func beyondByte(in *isa.Instr, at int) func(l *InLane) bool {
	if in.Type.Bits() != 64 {
		return nil
	}
	return func(l *InLane) bool { return uint32(l.Src[at]) > 255 || uint32(l.Src[at+1]) > 255 }
}

// approximated tells where an approximation has no source of which the manual states the result.
func approximated(in *isa.Instr, f format) func(l *InLane) bool {
	sources := 1
	if in.Op == isa.Div {
		sources = 2
	}
	parts := in.Type.Bits() / f.bits()
	return func(l *InLane) bool {
		for part := range parts {
			stated := false
			for _, x := range l.Src[:sources] {
				x = x >> (part * f.bits()) & (f.sign() | f.nan())
				stated = stated || f.isZero(x) || f.isInf(x)
			}
			if !stated || f.isNaN(l.Dst>>(part*f.bits())&(f.sign()|f.nan())) {
				return true
			}
		}
		return false
	}
}

// computed are the operations on floating-point numbers that make a NaN of their own of one, or of
// no number.
func computed(op isa.Op) bool {
	switch op {
	case isa.Add, isa.Sub, isa.Mul, isa.Fma, isa.Div, isa.Rcp, isa.Sqrt, isa.Abs, isa.Neg, isa.Min, isa.Max, isa.Cvt:
		return true
	}
	return false
}

// unspecifiedNaN tells where a computation gives NaN.
func unspecifiedNaN(in *isa.Instr) func(l *InLane) bool {
	f, ok := formatOf(in.Type)
	if !ok || !computed(in.Op) || in.Op == isa.Cvt && isInteger(in.SrcType) {
		return nil
	}
	parts := in.Type.Bits() / f.bits()
	return func(l *InLane) bool {
		for part := range parts {
			if f.isNaN(l.Dst >> (part * f.bits()) & (f.sign() | f.nan())) {
				return true
			}
		}
		return false
	}
}
