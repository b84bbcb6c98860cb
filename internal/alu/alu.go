// Package alu says what an instruction makes of its sources, lane by lane and across the
// lanes of a warp: everything of an instruction's meaning that needs neither memory nor
// control nor time.
//
// Decode turns an instruction into an Instr, which works on Registers: a Func where each
// lane is computed by itself, an Operation where predicates, several results or several
// lanes take part. Where the operands lie is for the user to say (Operands). A Pure is an
// instruction on its own, and an Evaluator computes it on values that its user holds.
//
// Results are the same on every host: floating-point operations round once and in the mode
// that the instruction names, NaN results are canonical (all bits of exponent and fraction
// set, sign clear), and the transcendental approximations use only correctly rounded basic
// operations.
//
// alu imports isa and vec. It must not import the emulator, which executes kernels with it,
// or anything else of the project: analyses share it with the simulators that they are
// tested against, and nothing more.
package alu

import (
	"fmt"
	"math/bits"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// lanes is the number of lanes of a vector. A warp of up to 32 lanes has one
// vector per register, a wider one has two.
const lanes = vec.Lanes

// MaxWidth is the largest number of lanes of a warp.
const MaxWidth = 64

// Words and Vector hold the values of a register in 32 lanes: Words those of up to 32 bits,
// Vector wider ones. They are unsigned, with the bits beyond the register's width zero.
type (
	Words  = vec.Words
	Vector = vec.Vector
)

// Slot is the place of a register in the tables of Registers: the number of Words, or the
// complement of that of a Vector.
type Slot int32

// SlotSink takes results that are dropped. RegsBase is the first number that is free for
// use in either table; those below are of Scratch.
const (
	SlotSink Slot = 0
	RegsBase      = 1 + temporaries
)

// WideSlot returns the place of Vector number n.
func WideSlot(n int) Slot { return ^Slot(n) }

// Wide reports whether the place is that of a Vector.
func (s Slot) Wide() bool { return s < 0 }

// number returns the number in the table.
func (s Slot) number() int32 { return int32(s ^ s>>31) }

// MaskSlot is the place of a predicate in Registers. The first is always true,
// the second takes results that are dropped.
type MaskSlot int32

// The places of the predicate that is always true and of dropped results, and the first
// that is free for use.
const (
	MaskTrue MaskSlot = iota
	MaskSink
	MaskRegs
)

// Predicate is a predicate source: a mask and what to complement in it.
type Predicate struct {
	Slot MaskSlot
	Not  uint64 // all ones or zero
}

// Registers is what instructions work on: the registers and predicates of a warp. Parts of
// a warp that are executed as warp-splits have Registers with the same tables.
type Registers struct {
	Full    uint64                      // a result for exactly these lanes may be written to all; zero if there is no such set
	Preds   []uint64                    // by MaskSlot: the lanes in which a predicate holds
	Words   [MaxWidth / lanes][]*Words  // of each chunk of 32 lanes, by number
	Vecs    [MaxWidth / lanes][]*Vector // the same of wide registers
	Chunks  int                         // chunks that a warp has
	Scratch *Scratch
}

// Sum returns a hash of what registers and predicates hold in some lanes.
func (r *Registers) Sum(registers []Slot, predicates []MaskSlot, of uint64) uint64 {
	const prime = 0x9e3779b97f4a7c15
	h := uint64(1)
	for _, p := range predicates {
		h = (h ^ r.Preds[p]&of) * prime
	}
	for _, s := range registers {
		for m := of; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			chunk, i := lane/lanes, lane%lanes
			if s.Wide() {
				v := r.Vecs[chunk][s.number()][i]
				h = (h^v)*prime ^ h>>32
			} else {
				h = (h ^ uint64(r.Words[chunk][s.number()][i])) * prime
			}
		}
	}
	return h
}

// Append appends what a register holds in some lanes to a list, in ascending order.
func (r *Registers) Append(list []uint64, s Slot, of uint64) []uint64 {
	for m := of; m != 0; m &= m - 1 {
		list = append(list, r.At(s, bits.TrailingZeros64(m)))
	}
	return list
}

// temporaries is the largest number of operands of an instruction that are converted.
const temporaries = 5

// Scratch is storage for values that do not last beyond an instruction. The first places of
// the tables of Registers lie here: that of dropped results, and the temporaries.
type Scratch struct {
	words [MaxWidth / lanes][RegsBase]Words
	vecs  [MaxWidth / lanes][RegsBase]Vector
	word  Words  // results before they are merged
	vec   Vector // the same
}

// Words returns the first entries of a table of Words for chunk k, with room for so many more.
func (s *Scratch) Words(k, more int) []*Words { return first(&s.words[k], more) }

// Vecs returns the first entries of a table of Vectors for chunk k, with room for so many more.
func (s *Scratch) Vecs(k, more int) []*Vector { return first(&s.vecs[k], more) }

func first[T any](places *[RegsBase]T, more int) []*T {
	table := make([]*T, 0, RegsBase+more)
	for i := range places {
		table = append(table, &places[i])
	}
	return table
}

// Compute executes an instruction for the lanes of mask, which is not empty. If all living
// threads take part, lanes that hold none receive some value too, since nothing reads it.
func (r *Registers) Compute(in *Instr, mask uint64) {
	switch {
	case in.Word != nil:
		for k := range r.Chunks {
			w := r.Words[k]
			if mask == r.Full {
				in.Word(w[in.D], w[in.A], w[in.B], w[in.C])
				continue
			}
			in.Word(&r.Scratch.word, w[in.A], w[in.B], w[in.C])
			vec.SelectWords(w[in.D], &r.Scratch.word, w[in.D], Half(mask, k))
		}
	case in.Func != nil:
		for k := range r.Chunks {
			v := r.Vecs[k]
			if mask == r.Full {
				in.Func(v[in.D], v[in.A], v[in.B], v[in.C])
				continue
			}
			in.Func(&r.Scratch.vec, v[in.A], v[in.B], v[in.C])
			vec.SelectVector(v[in.D], &r.Scratch.vec, v[in.D], Half(mask, k))
		}
	case in.Widening != nil:
		for k := range r.Chunks {
			w, v := r.Words[k], r.Vecs[k]
			if mask == r.Full {
				in.Widening(v[in.D], w[in.A], w[in.B], v[in.C])
				continue
			}
			in.Widening(&r.Scratch.vec, w[in.A], w[in.B], v[in.C])
			vec.SelectVector(v[in.D], &r.Scratch.vec, v[in.D], Half(mask, k))
		}
	default:
		in.Op.Exec(r, mask)
	}
}

// Mask evaluates a predicate.
func (r *Registers) Mask(p Predicate) uint64 { return r.Preds[p.Slot] ^ p.Not }

// SetMask assigns value to a predicate in the lanes of mask.
func (r *Registers) SetMask(p MaskSlot, value, mask uint64) {
	r.Preds[p] = r.Preds[p]&^mask | value&mask
}

// At returns the value in a lane.
func (r *Registers) At(s Slot, lane int) uint64 {
	if s.Wide() {
		return r.Vecs[lane/lanes][^s][lane%lanes]
	}
	return uint64(r.Words[lane/lanes][s][lane%lanes])
}

// Set assigns x to a lane.
func (r *Registers) Set(s Slot, lane int, x uint64) {
	if s.Wide() {
		r.Vecs[lane/lanes][^s][lane%lanes] = x
		return
	}
	r.Words[lane/lanes][s][lane%lanes] = uint32(x)
}

// Vector returns the lanes of a wide register in chunk k.
func (r *Registers) Vector(s Slot, k int) *Vector { return r.Vecs[k][^s] }

// Fill assigns x to all lanes of chunk k.
func (r *Registers) Fill(s Slot, k int, x uint64) {
	if s.Wide() {
		r.Vecs[k][^s].Fill(x)
		return
	}
	vec.FillWords(r.Words[k][s], uint32(x))
}

// Broadcast assigns x to a slot in the lanes of mask.
func (r *Registers) Broadcast(s Slot, x, mask uint64) {
	if mask == r.Full {
		for k := range r.Chunks {
			r.Fill(s, k, x)
		}
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		r.Set(s, First(mask), x)
	}
}

// Uniform returns the value of the lowest lane of mask, which is not empty, and the lowest
// lane that has another one, -1 if all have it.
func (r *Registers) Uniform(s Slot, mask uint64) (x uint64, other int) {
	x = r.At(s, First(mask))
	if others := mask &^ r.equal(s, x); others != 0 {
		return x, First(others)
	}
	return x, -1
}

// equal returns the lanes that have the value x.
func (r *Registers) equal(s Slot, x uint64) (lanes uint64) {
	for k := range r.Chunks {
		if s.Wide() {
			lanes |= uint64(equalTo(r.Vecs[k][^s], x)) << (k * vec.Lanes)
		} else {
			lanes |= uint64(vec.EqualWords(r.Words[k][s], uint32(x))) << (k * vec.Lanes)
		}
	}
	return lanes
}

func equalTo(v *Vector, x uint64) (m uint32) {
	for i, y := range v {
		m |= bit(y == x) << i
	}
	return m
}

// First returns the number of the lowest lane of a mask that is not empty.
func First(mask uint64) int { return bits.TrailingZeros64(mask) }

// Half returns the bits of mask for the k-th vector of a register.
func Half(mask uint64, k int) uint32 { return uint32(mask >> (lanes * k)) }

// Spread returns a mask of all lanes or none.
func Spread(b bool) uint64 {
	if b {
		return ^uint64(0)
	}
	return 0
}

// LowBits returns the n lowest bits set, for n up to 64.
func LowBits(n int) uint64 { return ^uint64(0) >> (64 - n) }

// bit returns 1 for true. It is inlined without a branch.
func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Unsupported returns the error of an instruction whose operation has no meaning on its
// types, or not with its modifiers.
func Unsupported(in *isa.Instr) error {
	if src := in.SrcType; src != isa.Invalid && src != in.Type {
		return fmt.Errorf("%s is not defined from %s to %s with these modifiers", in.Op, src, in.Type)
	}
	return fmt.Errorf("%s is not defined on %s with these modifiers", in.Op, in.Type)
}
