package isa

// Feature is a group of instructions that came with a generation of devices, so that
// older ones have no timing of their own for it.
type Feature struct {
	Name   string // as machine files write it
	What   string // for messages
	Since  int    // the first target that has it: 30 for sm_30 (PTX ISA, Target ISA Notes)
	Memory bool   // its instructions access memory

	has func(*Instr) bool
}

func extreme(op Op) bool { return op == Min || op == Max }

func atomicOp(op Op) bool { return op == Atom || op == Red }

// moves reports whether an operation takes its type for a number of bits alone.
func moves(op Op) bool {
	switch op {
	case Mov, Ld, St, Selp, Pack, Unpack, Prefetch, CpAsync, BulkCopy:
		return true
	}
	return false
}

// typed reports whether the instruction computes on one of the types or makes it.
func (in *Instr) typed(types ...Type) bool {
	for _, t := range types {
		if in.Type == t || in.SrcType == t {
			return !moves(in.Op)
		}
	}
	return false
}

func ofOps(ops ...Op) func(*Instr) bool {
	return func(in *Instr) bool {
		for _, op := range ops {
			if in.Op == op {
				return true
			}
		}
		return false
	}
}

// features are looked through in this order: an instruction has the first that fits.
var features = []Feature{
	{"shuffle", "warp shuffles", 30, false, ofOps(Shfl)},
	{"warp-sync", "barriers and masks of a warp", 30, false, ofOps(BarWarp, Activemask)},
	{"fns", "fns", 30, false, ofOps(Fns)},
	{"simd-video", "video instructions on several parts of a word", 30, false, func(in *Instr) bool { return in.Video != nil && in.Video.Parts > 1 }},
	{"funnel-shift", "funnel shifts", 32, false, ofOps(ShfL, ShfR)},
	{"lop3", "lop3", 50, false, ofOps(Lop3)},
	{"dot-product", "dot products of bytes and halves", 61, false, ofOps(Dp4a, Dp2a, Dp2aHi)},
	{"match", "match", 70, false, ofOps(Match)},
	{"bit-mask", "szext and bmsk", 70, false, ofOps(Szext, Bmsk)},
	{"cvt-pack", "packing conversions of integers", 72, false, ofOps(CvtPack)},
	{"redux", "reductions over a warp", 80, false, ofOps(Redux)},
	{"async-copy", "asynchronous copies", 80, true, ofOps(CpAsync)},
	{"mbarrier", "barriers in memory", 80, true, ofOps(Mbarrier)},
	{"bulk-copy", "copies in bulk", 90, true, ofOps(BulkCopy)},
	{"elect", "elect", 90, false, ofOps(Elect)},
	{"cluster-barrier", "barriers of a cluster", 90, false, func(in *Instr) bool {
		return in.Op == Bar && (in.Barrier == BarrierClusterArrive || in.Barrier == BarrierClusterWait)
	}},

	{"mma-70", "products of matrices of the first tensor cores", 70, false, mmaSince(70)},
	{"mma-75", "products of matrices of more shapes, of halves and small integers", 75, false, mmaSince(75)},
	{"mma-80", "products of matrices of more shapes and types", 80, false, mmaSince(80)},
	{"mma-89", "products of matrices of 8-bit floats", 89, false, mmaSince(89)},
	{"mma-90", "products of larger matrices of double precision", 90, false, mmaSince(90)},
	{"move-matrix", "transposition of matrices in registers", 75, false, ofOps(MovMatrix)},
	{"load-matrix", "loads of matrices", 75, true, ofOps(LdMatrix)},
	{"store-matrix", "stores of matrices", 90, true, ofOps(StMatrix)},

	{"atomic-vector", "atomics on several elements or 128 bits", 90, true, func(in *Instr) bool { return atomicOp(in.Op) && in.elements() > 1 }},
	{"atomic-half", "atomics on floats of 16 bits", 60, true, func(in *Instr) bool { return atomicOp(in.Op) && in.typed(F16, F16x2, BF16, BF16x2) }},
	{"atomic-f64", "atomics on double precision", 60, true, func(in *Instr) bool { return atomicOp(in.Op) && in.Type == F64 }},
	{"atomic-64", "64-bit atomics other than add, exch and cas", 32, true, func(in *Instr) bool {
		return atomicOp(in.Op) && in.Type.Bits() == 64 && in.Atom != AtomAdd && in.Atom != AtomExch && in.Atom != AtomCas
	}},
	{"atomic-16", "cas on 16 bits", 70, true, func(in *Instr) bool { return atomicOp(in.Op) && in.Type.Bits() == 16 }},
	{"wide-access", "accesses of 32 bytes by a thread", 100, true, func(in *Instr) bool {
		return (in.Op == Ld || in.Op == St) && in.elements()*in.Type.Bytes() == 32
	}},

	{"small-float", "floats of 4, 6, 8 and 19 bits, and rounding by random bits", 80, false, func(in *Instr) bool {
		return in.Round == RoundRS || in.typed(E4M3x2, E5M2x2, E2M1x2, E2M3x2, E3M2x2, UE8M0x2, TF32)
	}},
	{"bfloat", "bf16", 80, false, func(in *Instr) bool { return in.typed(BF16, BF16x2) }},
	{"float-pair", "pairs of single precision", 100, false, func(in *Instr) bool { return in.typed(F32x2) }},
	{"integer-pair", "pairs of 16-bit integers", 90, false, func(in *Instr) bool { return in.typed(U16x2, S16x2) }},
	{"tanh", "tanh, and transcendental functions of halves", 75, false, func(in *Instr) bool {
		return in.Op == Tanh || in.Op == Ex2 && in.typed(F16, F16x2)
	}},
	{"half-minmax", "minimum and maximum of halves", 80, false, func(in *Instr) bool { return extreme(in.Op) && in.typed(F16, F16x2) }},
	{"minmax-modes", "minimum and maximum with modes or three sources", 80, false, func(in *Instr) bool {
		return extreme(in.Op) && (in.NaN || in.XorSign || in.Abs || in.Relu || len(in.Src) > 2)
	}},
	{"half", "arithmetic on halves", 53, false, func(in *Instr) bool { return in.Op != Cvt && in.typed(F16, F16x2) }},
}

// Features returns all features, for those who must know each.
func Features() []Feature { return append([]Feature(nil), features...) }

// Feature returns the feature that the instruction belongs to, if it belongs to one:
// what is in none is older than sm_30.
func (in *Instr) Feature() (Feature, bool) {
	for i := range features {
		if features[i].has(in) {
			return features[i], true
		}
	}
	return Feature{}, false
}
