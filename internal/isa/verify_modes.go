package isa

import (
	"errors"
	"fmt"
)

// words checks that the words of an instruction exist and belong to its operation.
func (v *verifier) words() error {
	in := v.in
	switch {
	case in.Op >= numOps:
		return fmt.Errorf("operation %d is unknown", in.Op)
	case in.Type >= numTypes, in.SrcType >= numTypes:
		return errors.New("the type is unknown")
	case in.Round > RoundIntRP:
		return fmt.Errorf("rounding mode %d is unknown", in.Round)
	}
	if err := modesOf[in.Op].check(in); err != nil {
		return err
	}
	switch {
	case (in.Video != nil) != (in.Op >= VAdd && in.Op <= VMad):
		return errors.New("video operations, and no others, select parts of their operands")
	case (in.Matrix != nil) != (in.Op >= Mma && in.Op <= MovMatrix):
		return errors.New("operations on matrices, and no others, have a shape")
	case in.Target != 0 && in.Op != Bra, in.Targets != nil && in.Op != BrxIdx:
		return errors.New("the operation has no such target")
	case (in.Callee != "" || in.Callees != nil) && in.Op != Call:
		return errors.New("the operation has no callee")
	case in.Split && (in.Op != Bra || !in.Guard.Set):
		return errors.New("wavefronts split at branches with guards only")
	}
	if in.Video != nil {
		if err := in.Video.verify(); err != nil {
			return err
		}
	}
	if in.Matrix != nil {
		if err := in.verifyMatrix(); err != nil {
			return err
		}
	}
	for _, list := range [2][]Operand{in.Dst, in.Src} {
		for _, o := range list {
			if o.Kind == KindNone || o.Kind > KindParam || o.Kind == KindSpecial && (o.Special == NoSpecial || o.Special >= numSpecials) {
				return fmt.Errorf("an operand is of kind %d, special register %d", o.Kind, o.Special)
			}
		}
	}
	return nil
}

// verify checks that the parts of the operands of a video operation lie in them, and those
// of the result in the result.
func (x *Video) verify() error {
	width := func(bits uint8) bool { return bits == 8 || bits == 16 || bits == 32 }
	switch {
	case !x.TypeB.known():
		return errors.New("the type of the second source is unknown")
	case x.Parts != 1 && x.Parts != 2 && x.Parts != 4, !width(x.Width), x.Shift > 63:
		return fmt.Errorf("%d parts, in a result with parts of %d bits, shifted by %d", x.Parts, x.Width, x.Shift)
	case x.Width < 32 && (x.Into == 0 || int(x.Into)>>(32/x.Width) != 0):
		return fmt.Errorf("parts %b of a result with parts of %d bits", x.Into, x.Width)
	}
	for _, s := range [2]Selection{x.A, x.B} {
		for _, at := range s.At {
			if !width(s.Bits) || int(at)*int(s.Bits) >= 64 {
				return fmt.Errorf("part %d of %d bits of a source", at, s.Bits)
			}
		}
	}
	return nil
}

// span is a range of words, both ends included. The zero span has only the word that stands
// for none.
type span [2]uint8

func (s span) has(word uint8) bool { return s[0] <= word && word <= s[1] }

// modes are the words that an operation may have.
type modes struct {
	space   span
	cmp     span
	combine span
	atom    span
	lane    span
	barrier span
	mbar    span
	system  span
	permute span
	order   span
	scope   span
}

var (
	spaces      = span{uint8(Generic), uint8(Param)}
	comparisons = span{uint8(Eq), uint8(NaN)}
	combines    = span{uint8(CombineNone), uint8(CombineXor)}
	accesses    = span{uint8(OrderWeak), uint8(OrderAcqRel)}
	scopes      = span{uint8(ScopeDefault), uint8(ScopeSystem)}
	merges      = modes{atom: span{uint8(AtomNone), uint8(AtomMax)}} // of video operations
)

// modesOf has the operations that have words.
var modesOf = [numOps]modes{
	VAdd: merges, VSub: merges, VAbsDiff: merges, VMin: merges, VMax: merges, VAvrg: merges, VShl: merges, VShr: merges,
	VSet: {cmp: span{uint8(Eq), uint8(Ge)}, atom: merges.atom},

	Setp:  {cmp: comparisons, combine: combines},
	Set:   {cmp: comparisons, combine: combines},
	Testp: {cmp: span{uint8(Finite), uint8(Subnormal)}},
	Lop3:  {combine: combines},
	Prmt:  {permute: span{uint8(PermuteBytes), uint8(PermuteRC16)}},

	OpaqueAccess: {space: spaces},

	Cvta:     {space: spaces},
	CvtaTo:   {space: spaces},
	Isspacep: {space: spaces},
	Ld:       {space: spaces, order: span{uint8(OrderWeak), uint8(OrderAcquire)}, scope: scopes},
	St:       {space: spaces, order: span{uint8(OrderWeak), uint8(OrderRelease)}, scope: scopes},
	Prefetch: {space: spaces},
	CpAsync:  {space: spaces},
	BulkCopy: {space: span{uint8(Global), uint8(Shared)}},
	Mbarrier: {space: spaces, mbar: span{uint8(MbarrierInit), uint8(MbarrierTryParity)}, order: accesses, scope: scopes},
	Atom:     {space: spaces, atom: span{uint8(AtomAdd), uint8(AtomDec)}, order: accesses, scope: scopes},
	Red:      {space: spaces, atom: span{uint8(AtomAdd), uint8(AtomDec)}, order: accesses, scope: scopes},
	Fence:    {order: span{uint8(OrderWeak), uint8(OrderSC)}, scope: scopes},

	RunSystem: {system: span{uint8(NoSystem) + 1, uint8(numSystemCalls) - 1}},
	Bar:       {barrier: span{uint8(BarrierSync), uint8(BarrierClusterWait)}},
	Vote:      {lane: span{uint8(VoteAll), uint8(VoteBallot)}},
	Match:     {lane: span{uint8(MatchAny), uint8(MatchAll)}},
	Shfl:      {lane: span{uint8(ShflUp), uint8(ShflIdx)}},
	Redux:     {atom: span{uint8(AtomAdd), uint8(AtomXor)}},
	LdMatrix:  {space: span{uint8(Shared), uint8(Shared)}},
	StMatrix:  {space: span{uint8(Shared), uint8(Shared)}},
}

// check returns an error if an instruction has other words than its operation may have.
func (m *modes) check(in *Instr) error {
	what := ""
	switch {
	case !m.space.has(uint8(in.Space)):
		what = "space"
	case !m.cmp.has(uint8(in.Cmp)):
		what = "comparison"
	case !m.combine.has(uint8(in.Combine)):
		what = "combination"
	case !m.atom.has(uint8(in.Atom)):
		what = "atomic operation"
	case !m.lane.has(uint8(in.Lane)):
		what = "lane mode"
	case !m.barrier.has(uint8(in.Barrier)):
		what = "form of a barrier"
	case in.Unaligned && (in.Op != Bar || in.Barrier >= BarrierClusterArrive):
		what = "form without .aligned"
	case !m.mbar.has(uint8(in.Mbarrier)):
		what = "operation on an mbarrier"
	case !m.system.has(uint8(in.System)):
		what = "system function"
	case !m.permute.has(uint8(in.Permute)):
		what = "permutation"
	case !m.order.has(uint8(in.Order)):
		what = "order"
	case !m.scope.has(uint8(in.Scope)):
		what = "scope"
	default:
		return nil
	}
	return fmt.Errorf("%s has no such %s", in.Op, what)
}
