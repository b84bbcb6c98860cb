package arithmetic

import "warpbound/internal/isa"

// Types are those that operations are tried on: all but .b128.
func Types() (types []isa.Type) {
	for t := isa.Pred; t <= isa.TF32; t++ {
		if t != isa.B128 {
			types = append(types, t)
		}
	}
	return types
}

// Tried calls visit with instructions, without operands, and numbers of their sources: all that the
// manual has but for video instructions and those of a whole warp, and many that it has not. An
// Unpack has as many results as it is tried with.
func Tried(visit func(in isa.Instr, sources int)) {
	for _, t := range Types() {
		for op := isa.Add; op <= isa.Fns; op++ {
			tryArithmetic(op, t, visit)
		}
		tryComparisons(t, visit)
		tryMoves(t, visit)
		for _, from := range Types() {
			tryConversions(from, t, visit)
		}
	}
}

// tryArithmetic visits an operation on a type with all modifiers.
func tryArithmetic(op isa.Op, t isa.Type, visit func(in isa.Instr, sources int)) {
	info := op.Info()
	switch op {
	case isa.AddCarry, isa.SubCarry, isa.MadCarry, isa.MadHiCarry:
		visit(isa.Instr{Op: op, Type: t}, info.Src[0])
		visit(isa.Instr{Op: op, Type: t}, info.Src[1])
		return
	case isa.Dp4a, isa.Dp2a, isa.Dp2aHi:
		for _, from := range Types() {
			visit(isa.Instr{Op: op, Type: t, SrcType: from}, 3)
		}
		return
	case isa.Lop3:
		for c := isa.CombineAnd; c <= isa.CombineXor; c++ {
			visit(isa.Instr{Op: op, Type: t, Combine: c}, 5)
		}
	}
	modify(isa.Instr{Op: op, Type: t}, func(in isa.Instr) {
		for n := info.Src[0]; n <= info.Src[1] && op != isa.Lop3 || n == info.Src[0]; n++ {
			visit(in, n)
		}
		for _, from := range []isa.Type{isa.F16, isa.BF16, isa.F32, isa.U16} {
			if (t == isa.F16 || t == isa.F32 || t == isa.F64) && info.Src[0] > 1 && op < isa.And {
				in.SrcType = from
				visit(in, info.Src[0])
			}
		}
	})
}

// modify visits an instruction with modifiers: those that go together in any, others alone.
func modify(in isa.Instr, visit func(in isa.Instr)) {
	set := func(change func(v *isa.Instr)) {
		v := in
		change(&v)
		visit(v)
	}
	yesNo := []bool{false, true}
	rounds := []isa.Round{isa.RoundDefault, isa.RoundRN, isa.RoundRZ, isa.RoundRM, isa.RoundRP, isa.RoundIntRN}
	for _, ftz := range yesNo {
		for _, sat := range yesNo {
			for _, round := range rounds {
				for kind := range 4 {
					set(func(v *isa.Instr) {
						v.Round, v.FTZ, v.Sat = round, ftz, sat
						v.Approx, v.Full = kind&1 != 0, kind&2 != 0
					})
				}
			}
			for _, round := range rounds[:3] {
				set(func(v *isa.Instr) { v.Relu, v.Round, v.FTZ, v.Sat = true, round, ftz, sat })
			}
		}
		for kind := 1; kind < 8; kind++ {
			set(func(v *isa.Instr) { v.NaN, v.Abs, v.XorSign, v.FTZ = kind&1 != 0, kind&2 != 0, kind&4 != 0, ftz })
		}
	}
	set(func(v *isa.Instr) { v.Wrap = true })
	set(func(v *isa.Instr) { v.ShiftAmt = true })
	set(func(v *isa.Instr) { v.Finite = true })
	set(func(v *isa.Instr) { v.Round = isa.RoundRNA })
	set(func(v *isa.Instr) { v.Round = isa.RoundRS })
	for p := isa.PermuteF4E; p <= isa.PermuteRC16; p++ {
		set(func(v *isa.Instr) { v.Permute = p })
	}
}

// tryComparisons visits comparisons and choices of a type.
func tryComparisons(t isa.Type, visit func(in isa.Instr, sources int)) {
	for _, ftz := range []bool{false, true} {
		for cmp := isa.CmpNone; cmp <= isa.Subnormal; cmp++ {
			visit(isa.Instr{Op: isa.Testp, Type: t, Cmp: cmp, FTZ: ftz}, 1)
			for c := isa.CombineNone; c <= isa.CombineXor; c++ {
				sources := choose(c == isa.CombineNone, 2, 3)
				visit(isa.Instr{Op: isa.Setp, Type: t, Cmp: cmp, FTZ: ftz, Combine: c}, sources)
				for _, to := range Types() {
					if c != isa.CombineNone && !to.IsFloat() && !isInteger(to) {
						continue
					}
					visit(isa.Instr{Op: isa.Set, Type: to, SrcType: t, Cmp: cmp, FTZ: ftz, Combine: c}, sources)
				}
			}
		}
		visit(isa.Instr{Op: isa.Selp, Type: t, FTZ: ftz}, 3)
		for _, by := range Types() {
			visit(isa.Instr{Op: isa.Slct, Type: t, SrcType: by, FTZ: ftz}, 3)
		}
	}
}

// tryMoves visits what copies bits of a type.
func tryMoves(t isa.Type, visit func(in isa.Instr, sources int)) {
	visit(isa.Instr{Op: isa.Mov, Type: t, Space: isa.Global}, 1)
	for _, op := range []isa.Op{isa.Cvta, isa.CvtaTo} {
		visit(isa.Instr{Op: op, Type: t, Space: isa.Global}, 2)
	}
	for _, parts := range []int{2, 3, 4, 8} {
		visit(isa.Instr{Op: isa.Pack, Type: t}, parts)
		in := isa.Instr{Op: isa.Unpack, Type: t, Dst: make([]isa.Operand, parts)}
		visit(in, 1)
	}
	for _, sat := range []bool{false, true} {
		for sources := 2; sources <= 3; sources++ {
			from := choose(sources == 3, isa.B32, isa.S32)
			visit(isa.Instr{Op: isa.CvtPack, Type: t, SrcType: from, Sat: sat}, sources)
		}
	}
}

// tryConversions visits conversions from one type to another.
func tryConversions(from, to isa.Type, visit func(in isa.Instr, sources int)) {
	for round := isa.RoundDefault; round <= isa.RoundIntRP; round++ {
		for flags := range 10 {
			in := isa.Instr{Op: isa.Cvt, Type: to, SrcType: from, Round: round}
			switch { // .ftz and .sat in all ways, .relu and .satfinite too, and two that do not go together
			case flags < 4:
				in.FTZ, in.Sat = flags&1 != 0, flags&2 != 0
			case flags < 8:
				in.Relu, in.Finite = flags&1 != 0, flags&2 != 0
			case flags == 8:
				in.FTZ, in.Relu = true, true
			default:
				in.Sat, in.Finite = true, true
			}
			for sources := 1; sources == 1 || sources <= 3 && from == isa.F32; sources++ {
				visit(in, sources)
			}
		}
	}
}

// InWarp calls visit with the instructions of a whole warp, without operands, and the numbers of
// their sources.
func InWarp(visit func(in isa.Instr, sources int, row *WarpRow)) {
	try := func(in isa.Instr, sources int) {
		if row := OfWarp(&in, sources); row != nil {
			visit(in, sources, row)
		}
	}
	try(isa.Instr{Op: isa.Elect}, 1)
	for _, t := range Types() {
		for op := isa.Vote; op <= isa.Activemask; op++ {
			info := op.Info()
			for sources := info.Src[0]; sources <= info.Src[1]; sources++ {
				for mode := isa.LaneNone; mode <= isa.ShflIdx; mode++ {
					try(isa.Instr{Op: op, Type: t, Lane: mode}, sources)
				}
				for atom := isa.AtomAdd; atom <= isa.AtomDec; atom++ {
					for flags := range 4 {
						try(isa.Instr{Op: op, Type: t, Atom: atom, Abs: flags&1 != 0, NaN: flags&2 != 0}, sources)
					}
				}
			}
		}
	}
}
