package arithmetic

import (
	"math/big"

	"warpbound/internal/isa"
)

// Lane is a lane that takes part in an instruction of its warp.
type Lane struct {
	Number  int
	Sources []uint64
}

// WarpRow is what the manual says of an instruction whose result depends on other lanes.
type WarpRow struct {
	Sources []isa.Type // without the member mask, which is the last source if there is one
	Results []isa.Type

	// Evaluate returns the results of the at-th of the lanes that take part, in ascending order.
	Evaluate func(lanes []Lane, at int) []Result
}

// OfWarp returns the row of an instruction with so many sources, nil if the manual has no such
// instruction (PTX ISA, "Parallel Synchronization and Communication Instructions" and "shfl").
func OfWarp(in *isa.Instr, sources int) *WarpRow {
	if in.SrcType != isa.Invalid || in.Cmp != isa.CmpNone || in.Combine != isa.CombineNone {
		return nil
	}
	if in.Op == isa.Redux {
		return rowOfRedux(in, sources)
	}
	if in.Modifiers() != 0 || in.Atom != isa.AtomNone {
		return nil
	}
	switch in.Op {
	case isa.Vote:
		return rowOfVote(in, sources)
	case isa.Match:
		return rowOfMatch(in, sources)
	case isa.Shfl:
		return rowOfShuffle(in, sources)
	case isa.Elect: // which lane is elected is for the device
		if sources != 1 || in.Type != isa.Invalid || in.Lane != isa.LaneNone {
			return nil
		}
		return &WarpRow{Results: []isa.Type{isa.B32, isa.Pred}, Evaluate: func(lanes []Lane, at int) []Result {
			leads := choose[uint64](at == 0, 1, 0)
			return []Result{{Bits: uint64(lanes[0].Number), Open: true}, {Bits: leads, Open: true}}
		}}
	case isa.Activemask:
		if sources != 0 || in.Type != isa.B32 || in.Lane != isa.LaneNone {
			return nil
		}
		return &WarpRow{Results: []isa.Type{isa.B32}, Evaluate: func(lanes []Lane, _ int) []Result {
			return []Result{{Bits: maskOf(lanes, func(Lane) bool { return true })}}
		}}
	}
	return nil
}

// maskOf has a bit for each lane for which something holds.
func maskOf(lanes []Lane, holds func(l Lane) bool) (mask uint64) {
	for _, l := range lanes {
		if holds(l) {
			mask |= 1 << l.Number
		}
	}
	return mask
}

// rowOfVote returns the rows of vote and vote.sync.
func rowOfVote(in *isa.Instr, sources int) *WarpRow {
	if sources != 1 && sources != 2 {
		return nil
	}
	truth := []isa.Type{isa.Pred}
	ballot := func(lanes []Lane) uint64 { return maskOf(lanes, func(l Lane) bool { return l.Sources[0]&1 == 1 }) }
	everybody := func(lanes []Lane) uint64 { return maskOf(lanes, func(Lane) bool { return true }) }
	decide := func(f func(yes, all uint64) bool) *WarpRow {
		if in.Type != isa.Pred {
			return nil
		}
		return &WarpRow{truth, truth, func(lanes []Lane, _ int) []Result {
			return []Result{{Bits: choose[uint64](f(ballot(lanes), everybody(lanes)), 1, 0)}}
		}}
	}
	switch in.Lane {
	case isa.VoteAll:
		return decide(func(yes, all uint64) bool { return yes == all })
	case isa.VoteAny:
		return decide(func(yes, _ uint64) bool { return yes != 0 })
	case isa.VoteUni:
		return decide(func(yes, all uint64) bool { return yes == 0 || yes == all })
	case isa.VoteBallot:
		if in.Type == isa.B32 {
			return &WarpRow{truth, []isa.Type{isa.B32}, func(lanes []Lane, _ int) []Result {
				return []Result{{Bits: ballot(lanes)}}
			}}
		}
	}
	return nil
}

// rowOfMatch returns the rows of match.sync.
func rowOfMatch(in *isa.Instr, sources int) *WarpRow {
	if sources != 2 || in.Type != isa.B32 && in.Type != isa.B64 {
		return nil
	}
	equal := func(lanes []Lane, at int) uint64 {
		return maskOf(lanes, func(l Lane) bool { return l.Sources[0] == lanes[at].Sources[0] })
	}
	switch in.Lane {
	case isa.MatchAny:
		return &WarpRow{times(1, in.Type), []isa.Type{isa.B32}, func(lanes []Lane, at int) []Result {
			return []Result{{Bits: equal(lanes, at)}}
		}}
	case isa.MatchAll:
		return &WarpRow{times(1, in.Type), []isa.Type{isa.B32, isa.Pred}, func(lanes []Lane, at int) []Result {
			all := maskOf(lanes, func(Lane) bool { return true })
			if equal(lanes, at) != all {
				return []Result{{}, {}}
			}
			return []Result{{Bits: all}, {Bits: 1}}
		}}
	}
	return nil
}

// rowOfRedux returns the rows of redux.sync. Of numbers in single precision it is the extreme one,
// as of min and max.
func rowOfRedux(in *isa.Instr, sources int) *WarpRow {
	t := in.Type
	if sources != 2 || in.Lane != isa.LaneNone {
		return nil
	}
	extreme := in.Atom == isa.AtomMin || in.Atom == isa.AtomMax
	minimum := in.Atom == isa.AtomMin
	if t == isa.F32 {
		if !extreme || in.Modifiers()&^(isa.ModNaN|isa.ModAbs) != 0 {
			return nil
		}
		return &WarpRow{times(1, t), times(1, t), func(lanes []Lane, _ int) []Result {
			var x []uint64
			for _, l := range lanes {
				x = append(x, l.Sources[0]&choose(in.Abs, single.sign()-1, lowBits(32)))
			}
			return []Result{{Bits: single.extreme(x, minimum, in.NaN)}}
		}}
	}
	number := t == isa.U32 || t == isa.S32
	var join func(a, b *big.Int) *big.Int
	switch in.Atom {
	case isa.AtomAdd:
		join = sum
	case isa.AtomMin, isa.AtomMax:
		join = func(a, b *big.Int) *big.Int { return lesser(a, b, minimum) }
	case isa.AtomAnd:
		join = func(a, b *big.Int) *big.Int { return new(big.Int).And(a, b) }
	case isa.AtomOr:
		join = func(a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) }
	case isa.AtomXor:
		join = func(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) }
	}
	arithmetic := in.Atom == isa.AtomAdd || extreme
	if join == nil || in.Modifiers() != 0 || arithmetic && !number || !arithmetic && t != isa.B32 {
		return nil
	}
	return &WarpRow{times(1, t), times(1, t), func(lanes []Lane, _ int) []Result {
		d := integerOf(lanes[0].Sources[0], t)
		for _, l := range lanes[1:] {
			d = join(d, integerOf(l.Sources[0], t))
		}
		return []Result{{Bits: wrap(d, 32)}}
	}}
}

// rowOfShuffle is the program text of PTX ISA, "shfl.sync". What lies in a lane that does not take
// part is undefined; it is the lane's own value here.
func rowOfShuffle(in *isa.Instr, sources int) *WarpRow {
	if in.Type != isa.B32 || sources != 3 && sources != 4 || in.Lane < isa.ShflUp {
		return nil
	}
	return &WarpRow{times(3, isa.B32), []isa.Type{isa.B32, isa.Pred}, func(lanes []Lane, at int) []Result {
		lane := lanes[at].Number
		b, c := int(lanes[at].Sources[1]), int(lanes[at].Sources[2])
		bval, cval, mask := b&0x1f, c&0x1f, c>>8&0x1f
		maxLane, minLane := lane&mask|cval&^mask, lane&mask
		j, p := 0, false
		switch in.Lane {
		case isa.ShflUp:
			j = lane - bval
			p = j >= maxLane
		case isa.ShflDown:
			j = lane + bval
			p = j <= maxLane
		case isa.ShflBfly:
			j = lane ^ bval
			p = j <= maxLane
		default:
			j = minLane | bval&^mask
			p = j <= maxLane
		}
		if !p {
			j = lane
		}
		d := Result{Bits: lanes[at].Sources[0], Open: true}
		for _, l := range lanes {
			if l.Number == j {
				d = Result{Bits: l.Sources[0]}
			}
		}
		return []Result{d, {Bits: choose[uint64](p, 1, 0)}}
	}}
}
