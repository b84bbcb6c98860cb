package transfer

import (
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// computeCollective computes the first result of an operation in which lanes take part together;
// nil for others. Lanes that get the same result are not told from those that do not.
func (m *Machine) computeCollective(st *State, pc, i int) *Value {
	in := &m.kernel.Instrs[pc]
	lanes := min(m.launch.Lanes(), 32)
	some := strided.Between(32, 0, strided.Mask(lanes)) // a mask of lanes
	var set strided.Interval
	switch {
	case i > 0:
		return nil
	case in.Op == isa.Vote && in.Lane == isa.VoteBallot:
		set = some
		if x, ok := m.readTruth(st, in.Src[0]).Set.IsConst(); ok && x == 0 && !m.divergedOps[in.Op] {
			set = strided.Const(32, 0)
		}
	case in.Op == isa.Match && in.Lane == isa.MatchAll:
		set = some
	case in.Op == isa.Match, in.Op == isa.Activemask:
		set = strided.Between(32, 1, strided.Mask(lanes)) // the lane itself is in it
	case in.Op == isa.Elect:
		set = strided.Between(32, 0, uint64(lanes-1))
	case in.Op == isa.Bar && in.Barrier == isa.BarrierRedPopc:
		set = strided.Between(32, 0, uint64(m.launch.MaxThreads()))
	case m.divergedOps[in.Op]:
		return nil
	case in.Op == isa.Shfl && in.Type.Bits() == 32 && m.takesWholeWarps(in):
		set = m.readSource(st, in, 0, 32).Set // of another lane, or of this one
	case in.Op == isa.Redux:
		set = reduceWords(in, m.readSource(st, in, 0, 32).Set, lanes)
	default:
		return nil
	}
	return m.defineResult(pc, 0, set, nil, true)
}

// takesWholeWarps reports whether all lanes of full warps take part in a shuffle. What it reads
// from a lane that does not is undefined.
func (m *Machine) takesWholeWarps(in *isa.Instr) bool {
	named := len(in.Src) < 4 || in.Src[3].Kind == isa.KindImm && uint32(in.Src[3].Imm) == 1<<32-1
	threads := m.launch.Block[0] * m.launch.Block[1] * m.launch.Block[2] // 0 of an unknown launch
	return named && threads%32 == 0
}

// reduceWords is what is made of the words of some lanes.
func reduceWords(in *isa.Instr, s strided.Interval, lanes int) strided.Interval {
	switch in.Atom {
	case isa.AtomMin, isa.AtomMax:
		return s
	case isa.AtomAdd:
		return s.Mul(strided.Between(32, 1, uint64(lanes)))
	case isa.AtomAnd, isa.AtomOr, isa.AtomXor:
		value, unknown := s.KnownBits()
		if in.Atom == isa.AtomXor {
			value, unknown = 0, value|unknown
		}
		return strided.FromKnownBits(32, value, unknown)
	}
	return strided.Any(32)
}

// computeSet computes Set: all ones where a comparison holds, else zero.
func (m *Machine) computeSet(st *State, pc int) *Value {
	in := &m.kernel.Instrs[pc]
	width := in.Type.Bits()
	if in.SrcType == isa.F16x2 || in.SrcType == isa.BF16x2 || width != m.registerWidth(in.Dst[0].Reg) {
		return nil
	}
	c := m.makeComparison(st, in)
	args := []affine.Form{{}}
	if c != nil {
		args = []affine.Form{c.A.Form, c.B.Form}
	}
	if in.Combine != isa.CombineNone {
		c = nil
		args = append(args, m.readTruth(st, in.Src[2]).Form)
	}
	_, may := m.DeriveFacts(c, true)
	_, mayNot := m.DeriveFacts(c, false)
	set := strided.Const(width, 0)
	switch yes := strided.Const(width, strided.Mask(width)); {
	case may && !mayNot:
		set = yes
	case may:
		set = set.Join(yes)
	}
	return m.defineResult(pc, 0, set, nil, false, args...)
}
