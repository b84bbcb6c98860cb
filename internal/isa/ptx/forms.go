package ptx

import "warpbound/internal/isa"

// row is one form of an instruction in the notation of the PTX manual:
//
//	mnemonic.word[.optional].<set>.<this|that> operand, operand, ...
//
// A name in angle brackets is a set of words.go or alternatives; what is in
// square brackets may be missing. The first type among the words is the type of
// the instruction, the second that of its sources.
//
// An operand is a letter: d and e are results, other letters sources, L a label,
// T a list of labels, and i must be constant. Around and behind the letter:
//
//	[a]     an address
//	{a}     a vector of parts of the type
//	a*      a vector if the mnemonic has .v2, .v4 or .v8
//	d|e     the second result may be missing
//	!a      may be complemented
//	a~      a register may be wider than the type
//	a:u32   of another type than the instruction's: a type's name; src, the type
//	        of the sources; wide, twice as wide; addr, an unsigned address
//
// Rows with the same mnemonic are tried in order.
type row struct {
	op   isa.Op
	form string
}

var rows = []row{
	// Integer arithmetic.
	{isa.Add, "add.<int> d, a, b"},
	{isa.Add, "add.sat.s32 d, a, b"},
	{isa.Sub, "sub.<int> d, a, b"},
	{isa.Sub, "sub.sat.s32 d, a, b"},
	{isa.Mul, "mul.lo.<int> d, a, b"},
	{isa.MulHi, "mul.hi.<int> d, a, b"},
	{isa.MulWide, "mul.wide.<narrow> d:wide, a, b"},
	{isa.Mad, "mad.lo.<int> d, a, b, c"},
	{isa.MadHi, "mad.hi.<int> d, a, b, c"},
	{isa.MadHi, "mad.hi.sat.s32 d, a, b, c"},
	{isa.MadWide, "mad.wide.<narrow> d:wide, a, b, c:wide"},
	{isa.Mul24, "mul24.lo.<u32|s32> d, a, b"},
	{isa.Mad24, "mad24.lo.<u32|s32> d, a, b, c"},
	{isa.Div, "div.<int> d, a, b"},
	{isa.Rem, "rem.<int> d, a, b"},
	{isa.Abs, "abs.<signed> d, a"},
	{isa.Neg, "neg.<signed> d, a"},
	{isa.Min, "min.<int> d, a, b"},
	{isa.Max, "max.<int> d, a, b"},
	{isa.Sad, "sad.<int> d, a, b, c"},

	// Floating-point arithmetic.
	{isa.Add, "add[.<rnd>][.ftz][.sat].f32 d, a, b"},
	{isa.Add, "add[.<rnd>].f64 d, a, b"},
	{isa.Add, "add[.rn][.ftz][.sat].<half> d, a, b"},
	{isa.Add, "add[.rn].<bhalf> d, a, b"},
	{isa.Sub, "sub[.<rnd>][.ftz][.sat].f32 d, a, b"},
	{isa.Sub, "sub[.<rnd>].f64 d, a, b"},
	{isa.Sub, "sub[.rn][.ftz][.sat].<half> d, a, b"},
	{isa.Sub, "sub[.rn].<bhalf> d, a, b"},
	{isa.Mul, "mul[.<rnd>][.ftz][.sat].f32 d, a, b"},
	{isa.Mul, "mul[.<rnd>].f64 d, a, b"},
	{isa.Mul, "mul[.rn][.ftz][.sat].<half> d, a, b"},
	{isa.Mul, "mul[.rn].<bhalf> d, a, b"},
	{isa.Fma, "fma.<rnd>[.ftz][.sat].f32 d, a, b, c"},
	{isa.Fma, "fma.<rnd>.f64 d, a, b, c"},
	{isa.Fma, "fma.rn[.ftz][.sat].<half> d, a, b, c"},
	{isa.Fma, "fma.rn.<bhalf> d, a, b, c"},
	{isa.Fma, "mad.<rnd>[.ftz][.sat].f32 d, a, b, c"},
	{isa.Fma, "mad[.<rnd>].f64 d, a, b, c"},
	{isa.Mad, "mad[.ftz][.sat].f32 d, a, b, c"}, // sm_1x: the product is truncated
	{isa.Div, "div.<approx|full|rn|rz|rm|rp>[.ftz].f32 d, a, b"},
	{isa.Div, "div.<rnd>.f64 d, a, b"},
	{isa.Abs, "abs[.ftz].f32 d, a"},
	{isa.Abs, "abs.f64 d, a"},
	{isa.Abs, "abs[.ftz].<half> d, a"},
	{isa.Abs, "abs.<bhalf> d, a"},
	{isa.Neg, "neg[.ftz].f32 d, a"},
	{isa.Neg, "neg.f64 d, a"},
	{isa.Neg, "neg[.ftz].<half> d, a"},
	{isa.Neg, "neg.<bhalf> d, a"},
	{isa.Min, "min[.ftz][.NaN].f32 d, a, b"},
	{isa.Min, "min.f64 d, a, b"},
	{isa.Min, "min[.ftz][.NaN].<half> d, a, b"},
	{isa.Min, "min[.NaN].<bhalf> d, a, b"},
	{isa.Max, "max[.ftz][.NaN].f32 d, a, b"},
	{isa.Max, "max.f64 d, a, b"},
	{isa.Max, "max[.ftz][.NaN].<half> d, a, b"},
	{isa.Max, "max[.NaN].<bhalf> d, a, b"},
	{isa.Rcp, "rcp.<approx|rn|rz|rm|rp>[.ftz].f32 d, a"},
	{isa.Rcp, "rcp.<rnd>.f64 d, a"},
	{isa.Rcp, "rcp.approx.ftz.f64 d, a"},
	{isa.Sqrt, "sqrt.<approx|rn|rz|rm|rp>[.ftz].f32 d, a"},
	{isa.Sqrt, "sqrt.<rnd>.f64 d, a"},
	{isa.Rsqrt, "rsqrt.approx[.ftz].<f32|f64> d, a"},
	{isa.Sin, "sin.approx[.ftz].f32 d, a"},
	{isa.Cos, "cos.approx[.ftz].f32 d, a"},
	{isa.Lg2, "lg2.approx[.ftz].f32 d, a"},
	{isa.Ex2, "ex2.approx[.ftz].f32 d, a"},
	{isa.Ex2, "ex2.approx.<half> d, a"},
	{isa.Ex2, "ex2.approx.ftz.<bhalf> d, a"},
	{isa.Tanh, "tanh.approx.<f32|f16|f16x2|bf16|bf16x2> d, a"},
	{isa.Copysign, "copysign.<f32|f64> d, a, b"},
	{isa.Testp, "testp.<class>.<f32|f64> d:pred, a"},

	// Bits.
	{isa.And, "and.<logic> d, a, b"},
	{isa.Or, "or.<logic> d, a, b"},
	{isa.Xor, "xor.<logic> d, a, b"},
	{isa.Not, "not.<logic> d, a"},
	{isa.Cnot, "cnot.<b16|b32|b64> d, a"},
	{isa.Shl, "shl.<b16|b32|b64> d, a, b:u32"},
	{isa.Shr, "shr.<b16|b32|b64> d, a, b:u32"},
	{isa.Shr, "shr.<int> d, a, b:u32"},
	{isa.ShfL, "shf.l.<clamp|wrap>.b32 d, a, b, c:u32"},
	{isa.ShfR, "shf.r.<clamp|wrap>.b32 d, a, b, c:u32"},
	{isa.Lop3, "lop3.b32 d, a, b, c, i"},
	{isa.Prmt, "prmt.b32 d, a, b, c"},
	{isa.Popc, "popc.<b32|b64> d:u32, a"},
	{isa.Clz, "clz.<b32|b64> d:u32, a"},
	{isa.Bfind, "bfind[.shiftamt].<u32|u64|s32|s64> d:u32, a"},
	{isa.Brev, "brev.<b32|b64> d, a"},
	{isa.Bfe, "bfe.<u32|u64|s32|s64> d, a, b:u32, c:u32"},
	{isa.Bfi, "bfi.<b32|b64> d, a, b, c:u32, x:u32"},

	// Comparison and selection.
	{isa.Setp, "setp.<bcmp>.<b16|b32|b64> d:pred|e:pred, a, b"},
	{isa.Setp, "setp.<icmp>.<int> d:pred|e:pred, a, b"},
	{isa.Setp, "setp.<fcmp>[.ftz].<f32|f16> d:pred|e:pred, a, b"},
	{isa.Setp, "setp.<fcmp>.<f64|bf16> d:pred|e:pred, a, b"},
	{isa.Setp, "setp.<bcmp>.<bool>.<b16|b32|b64> d:pred|e:pred, a, b, !c:pred"},
	{isa.Setp, "setp.<icmp>.<bool>.<int> d:pred|e:pred, a, b, !c:pred"},
	{isa.Setp, "setp.<fcmp>.<bool>[.ftz].<f32|f16> d:pred|e:pred, a, b, !c:pred"},
	{isa.Setp, "setp.<fcmp>.<bool>.<f64|bf16> d:pred|e:pred, a, b, !c:pred"},
	{isa.Set, "set.<bcmp>.<u32|s32|f32>.<b16|b32|b64> d, a:src, b:src"},
	{isa.Set, "set.<icmp>.<u32|s32|f32>.<int> d, a:src, b:src"},
	{isa.Set, "set.<fcmp>[.ftz].<u32|s32|f32>.<f32|f16> d, a:src, b:src"},
	{isa.Set, "set.<fcmp>.<u32|s32|f32>.<f64|bf16> d, a:src, b:src"},
	{isa.Set, "set.<bcmp>.<bool>.<u32|s32|f32>.<b16|b32|b64> d, a:src, b:src, !c:pred"},
	{isa.Set, "set.<icmp>.<bool>.<u32|s32|f32>.<int> d, a:src, b:src, !c:pred"},
	{isa.Set, "set.<fcmp>.<bool>[.ftz].<u32|s32|f32>.<f32|f16> d, a:src, b:src, !c:pred"},
	{isa.Set, "set.<fcmp>.<bool>.<u32|s32|f32>.<f64|bf16> d, a:src, b:src, !c:pred"},
	{isa.Selp, "selp.<word> d, a, b, c:pred"},
	{isa.Slct, "slct.<word>.s32 d, a, b, c:src"},
	{isa.Slct, "slct[.ftz].<word>.f32 d, a, b, c:src"},

	// Movement.
	{isa.Mov, "mov.pred d, a"},
	{isa.Mov, "mov.<word|b128> d, a"},
	{isa.Pack, "mov.<b16|b32|b64|b128> d, {a}"},
	{isa.Unpack, "mov.<b16|b32|b64|b128> {d}, a"},
	{isa.Cvt, "cvt[.sat].<int8>.<int8> d~, a~:src"},
	{isa.Cvt, "cvt.<irnd>[.ftz][.sat].<int8>.<float> d~, a~:src"},
	{isa.Cvt, "cvt.<rnd>[.ftz][.sat].<float>.<int8> d~, a~:src"},
	{isa.Cvt, "cvt.<rnd>[.ftz][.sat].<float>.<float> d~, a~:src"},
	{isa.Cvt, "cvt[.<irnd>][.ftz][.sat].<float>.<float> d~, a~:src"},
	{isa.CvtaTo, "cvta.to.<space>.<u32|u64> d, a"},
	{isa.Cvta, "cvta.<space>.<u32|u64> d, a"},
	{isa.Isspacep, "isspacep.<space> d:pred, a:addr"},
	{isa.Ld, "ld[.weak][.<space>][.<cached>][.<evict>][.<evict2>][.<fetch>][.<vec>].<mem> d*~, [a]"},
	{isa.Ld, "ld.volatile[.<space>][.<fetch>][.<vec>].<mem> d*~, [a]"},
	{isa.Ld, "ld.<relaxed|acquire>.<scope>[.<space>][.<evict>][.<evict2>][.<fetch>][.<vec>].<mem> d*~, [a]"},
	{isa.Ld, "ld.mmio.relaxed.sys[.global].<mem> d~, [a]"},
	{isa.Ld, "ld[.weak].global[.<cached>].nc[.<evict>][.<evict2>][.<fetch>][.<vec>].<mem> d*~, [a]"},
	{isa.Ld, "ldu[.global][.<vec>].<mem> d*~, [a]"},
	{isa.St, "st[.weak][.<space>][.<stored>][.<evict>][.<evict2>][.<vec>].<mem> [a], b*~"},
	{isa.St, "st.volatile[.<space>][.<vec>].<mem> [a], b*~"},
	{isa.St, "st.<relaxed|release>.<scope>[.<space>][.<evict>][.<evict2>][.<vec>].<mem> [a], b*~"},
	{isa.St, "st.mmio.relaxed.sys[.global].<mem> [a], b~"},
	{isa.Prefetch, "prefetch[.<global|local>].<L1|L2> [a]"},
	{isa.Prefetch, "prefetch.global.<evict2> [a]"},
	{isa.Prefetch, "prefetchu.L1 [a]"},

	// Control.
	{isa.Bra, "bra[.uni] L"},
	{isa.BrxIdx, "brx.idx[.uni] a:u32, T"},
	{isa.Ret, "ret[.uni]"},
	{isa.Exit, "exit"},
	{isa.Trap, "trap"},
	{isa.Nop, "brkpt"},

	// Synchronisation and communication.
	{isa.Bar, "bar[.cta].<sync> a:u32"},
	{isa.Bar, "bar[.cta].<sync> a:u32, b:u32"},
	{isa.Bar, "bar[.cta].<arrive> a:u32, b:u32"},
	{isa.Bar, "bar[.cta].red.<popc>.u32 d, a, !c:pred"},
	{isa.Bar, "bar[.cta].red.<popc>.u32 d, a, b, !c:pred"},
	{isa.Bar, "bar[.cta].red.<andor>.pred d, a:u32, !c"},
	{isa.Bar, "bar[.cta].red.<andor>.pred d, a:u32, b:u32, !c"},
	{isa.Bar, "barrier[.cta].<sync>[.aligned] a:u32"},
	{isa.Bar, "barrier[.cta].<sync>[.aligned] a:u32, b:u32"},
	{isa.Bar, "barrier[.cta].<arrive>[.aligned] a:u32, b:u32"},
	{isa.Bar, "barrier[.cta].red.<popc>[.aligned].u32 d, a, !c:pred"},
	{isa.Bar, "barrier[.cta].red.<popc>[.aligned].u32 d, a, b, !c:pred"},
	{isa.Bar, "barrier[.cta].red.<andor>[.aligned].pred d, a:u32, !c"},
	{isa.Bar, "barrier[.cta].red.<andor>[.aligned].pred d, a:u32, b:u32, !c"},
	{isa.BarWarp, "bar.warp.sync a:u32"},
	{isa.Fence, "membar.<cta|gl|sys>"},
	{isa.Fence, "fence[.<fence>].<scope>"},
	{isa.Atom, "atom[.<sem>][.<scope>][.<space>].<bitop>.<b32|b64> d, [a], b"},
	{isa.Atom, "atom[.<sem>][.<scope>][.<space>].<exch>.b128 d, [a], b"},
	{isa.Atom, "atom[.<sem>][.<scope>][.<space>].<addop>.<u32|s32|u64|f32|f64> d, [a], b"},
	{isa.Atom, "atom[.<sem>][.<scope>][.<space>].<addop>.noftz.<half|bhalf> d, [a], b"},
	{isa.Atom, "atom[.<sem>][.<scope>][.<space>].<incop>.u32 d, [a], b"},
	{isa.Atom, "atom[.<sem>][.<scope>][.<space>].<minop>.<u32|s32|u64|s64> d, [a], b"},
	{isa.Atom, "atom[.<sem>][.<scope>][.<space>].<casop>.<b16|b32|b64|b128> d, [a], b, c"},
	{isa.Red, "red[.<sem>][.<scope>][.<space>].<bitop>.<b32|b64> [a], b"},
	{isa.Red, "red[.<sem>][.<scope>][.<space>].<addop>.<u32|s32|u64|f32|f64> [a], b"},
	{isa.Red, "red[.<sem>][.<scope>][.<space>].<addop>.noftz.<half|bhalf> [a], b"},
	{isa.Red, "red[.<sem>][.<scope>][.<space>].<incop>.u32 [a], b"},
	{isa.Red, "red[.<sem>][.<scope>][.<space>].<minop>.<u32|s32|u64|s64> [a], b"},
	{isa.Vote, "vote.<vote>.pred d, !a"},
	{isa.Vote, "vote.<ballot>.b32 d, !a:pred"},
	{isa.Vote, "vote.sync.<vote>.pred d, !a, m:u32"},
	{isa.Vote, "vote.sync.<ballot>.b32 d, !a:pred, m:u32"},
	{isa.Shfl, "shfl.<lane>.b32 d|e:pred, a, b:u32, c:u32"},
	{isa.Shfl, "shfl.sync.<lane>.b32 d|e:pred, a, b:u32, c:u32, m:u32"},
	{isa.Activemask, "activemask.b32 d"},
}
