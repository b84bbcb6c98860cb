package ptx

import (
	"slices"
	"strings"

	"warpbound/internal/isa"
)

// effect is what a word of a mnemonic does to the instruction.
type effect func(*isa.Instr)

// words is a set of words of which one stands at its place. A word without
// effect has nil: it changes neither the result nor what is known of the time.
type words map[string]effect

// effects are the words that mean the same wherever they stand. Words that are
// neither here nor types have no effect, such as clamp, weak or aligned.
var effects = words{
	"ftz":        func(in *isa.Instr) { in.FTZ = true },
	"sat":        func(in *isa.Instr) { in.Sat = true },
	"approx":     func(in *isa.Instr) { in.Approx = true },
	"full":       func(in *isa.Instr) { in.Full = true },
	"NaN":        func(in *isa.Instr) { in.NaN = true },
	"abs":        func(in *isa.Instr) { in.Abs = true },
	"wrap":       func(in *isa.Instr) { in.Wrap = true },
	"shiftamt":   func(in *isa.Instr) { in.ShiftAmt = true },
	"volatile":   strong(isa.OrderRelaxed),
	"mmio":       strong(isa.OrderRelaxed),
	"relaxed":    strong(isa.OrderRelaxed),
	"acquire":    strong(isa.OrderAcquire),
	"release":    strong(isa.OrderRelease),
	"expect_tx":  mbarrierWith(isa.MbarrierExpect, isa.MbarrierArriveExpect, isa.MbarrierDropExpect),
	"noComplete": mbarrierWith(isa.MbarrierNone, isa.MbarrierArriveOnly, isa.MbarrierDropOnly),
	"parity":     func(in *isa.Instr) { in.Mbarrier++ }, // each operation on a state has that on a parity behind it
	"noinc":      mbarrier(isa.MbarrierCopiesExpected),
	"proxy":      order(isa.OrderRelaxed), // a fence between the ways to memory of one thread
	"global":     space(isa.Global),
	"local":      space(isa.Local),
	"rn":         round(isa.RoundRN),
	"rz":         round(isa.RoundRZ),
	"rm":         round(isa.RoundRM),
	"rp":         round(isa.RoundRP),
	"rna":        round(isa.RoundRNA),
	"rs":         round(isa.RoundRS),
	"relu":       func(in *isa.Instr) { in.Relu = true },
	"xorsign":    func(in *isa.Instr) { in.XorSign = true },
	"satfinite":  func(in *isa.Instr) { in.Finite = true },
	"shr7":       func(in *isa.Instr) { in.Video.Shift = 7 },
	"shr15":      func(in *isa.Instr) { in.Video.Shift = 15 },
}

// sets are the named sets of the forms.
var sets = map[string]words{
	// Types.
	"int":    alternatives("u16|u32|u64|s16|s32|s64"),
	"int8":   alternatives("u8|u16|u32|u64|s8|s16|s32|s64"),
	"narrow": alternatives("u16|u32|s16|s32"),
	"signed": alternatives("s16|s32|s64"),
	"carry":  alternatives("u32|s32|u64|s64"),
	"mix":    alternatives("u32|s32"),
	"pair":   alternatives("u16x2|s16x2"),
	"f8x2":   alternatives("e4m3x2|e5m2x2"),
	"f4x2":   alternatives("e2m1x2|e2m3x2|e3m2x2"),
	"flag":   alternatives("u32|s32|f32|f16|bf16"),
	"half":   alternatives("f16|f16x2"),
	"bhalf":  alternatives("bf16|bf16x2"),
	"float":  alternatives("f16|bf16|f32|f64"),
	"logic":  alternatives("pred|b16|b32|b64"),
	"word":   alternatives("b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"),
	"mem":    alternatives("b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64"),

	// Rounding.
	"rnd": alternatives("rn|rz|rm|rp"),
	"irnd": {
		"rni": round(isa.RoundIntRN), "rzi": round(isa.RoundIntRZ),
		"rmi": round(isa.RoundIntRM), "rpi": round(isa.RoundIntRP),
	},

	"prmt": {
		"f4e": permute(isa.PermuteF4E), "b4e": permute(isa.PermuteB4E), "rc8": permute(isa.PermuteRC8),
		"ecl": permute(isa.PermuteECL), "ecr": permute(isa.PermuteECR), "rc16": permute(isa.PermuteRC16),
	},

	// Comparison.
	"bcmp":  comparisons("eq", "ne"),
	"icmp":  comparisons("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"),
	"fcmp":  comparisons("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"),
	"class": comparisons("finite", "infinite", "number", "notanumber", "normal", "subnormal"),
	"bool": {
		"and": func(in *isa.Instr) { in.Combine = isa.CombineAnd },
		"or":  func(in *isa.Instr) { in.Combine = isa.CombineOr },
		"xor": func(in *isa.Instr) { in.Combine = isa.CombineXor },
	},

	// Memory.
	"space": {
		"global": space(isa.Global), "local": space(isa.Local), "const": space(isa.Const),
		"shared": space(isa.Shared), "shared::cta": space(isa.Shared), "shared::cluster": space(isa.Shared),
		"param": space(isa.Param), "param::entry": space(isa.Param), "param::func": space(isa.Param),
	},
	"vec":      alternatives("v2|v4|v8"),
	"elements": alternatives("v1|v2|v4|v8"), // v1, which some generators write, is no vector
	"cached":   {"ca": nil, "cs": nil, "lu": nil, "cg": volatile, "cv": volatile},
	"stored":   {"wb": nil, "cs": nil, "wt": nil, "cg": volatile},
	"evict":    alternatives("L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"),
	"evict2":   alternatives("L2::evict_normal|L2::evict_first|L2::evict_last"),
	"hint":     alternatives("L2::cache_hint"),
	"fetch":    alternatives("L2::64B|L2::128B|L2::256B"),
	"sem": { // atomics are done at L2 anyway
		"relaxed": order(isa.OrderRelaxed), "acquire": order(isa.OrderAcquire),
		"release": order(isa.OrderRelease), "acq_rel": order(isa.OrderAcqRel),
	},
	"clustersem": {"relaxed": nil, "acquire": nil, "release": nil}, // a cluster is one CTA
	"fence": {
		"sc": order(isa.OrderSC), "acquire": order(isa.OrderAcquire),
		"release": order(isa.OrderRelease), "acq_rel": order(isa.OrderAcqRel),
	},
	"membar":     {"cta": membar(isa.ScopeCTA), "gl": membar(isa.ScopeGPU), "sys": membar(isa.ScopeSystem)},
	"policy":     alternatives("L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"),
	"policy2":    alternatives("L2::evict_first|L2::evict_unchanged"),
	"sharedly":   alternatives("shared|shared::cta"),
	"everywhere": {"global": nil},
	"scope": {
		"cta": scoped(isa.ScopeCTA), "cluster": scoped(isa.ScopeCluster), "gpu": scoped(isa.ScopeGPU), "sys": scoped(isa.ScopeSystem),
	},
	"oneway":   {"acquire": order(isa.OrderAcquire), "release": order(isa.OrderRelease)},
	"restrict": alternatives("sync_restrict::shared::cta|sync_restrict::shared::cluster"),
	"proxied":  {"global": nil, "shared::cta": nil, "shared::cluster": nil},

	// Atomic operations.
	"logicop": {"and": atomic(isa.AtomAnd), "or": atomic(isa.AtomOr), "xor": atomic(isa.AtomXor)},
	"bitop": {
		"and": atomic(isa.AtomAnd), "or": atomic(isa.AtomOr), "xor": atomic(isa.AtomXor), "exch": atomic(isa.AtomExch),
	},
	"exch":  {"exch": atomic(isa.AtomExch)},
	"addop": {"add": atomic(isa.AtomAdd)},
	"incop": {"inc": atomic(isa.AtomInc), "dec": atomic(isa.AtomDec)},
	"minop": {"min": atomic(isa.AtomMin), "max": atomic(isa.AtomMax)},
	"casop": {"cas": atomic(isa.AtomCas)},

	// Barriers in memory.
	"mbarinit":   {"init": mbarrier(isa.MbarrierInit)},
	"mbarinval":  {"inval": mbarrier(isa.MbarrierInval)},
	"mbararrive": {"arrive": mbarrier(isa.MbarrierArrive), "arrive_drop": mbarrier(isa.MbarrierDrop)},
	"mbartx":     {"expect_tx": mbarrier(isa.MbarrierExpect), "complete_tx": mbarrier(isa.MbarrierComplete)},
	"mbartest":   {"test_wait": mbarrier(isa.MbarrierTest)},
	"mbartry":    {"try_wait": mbarrier(isa.MbarrierTry)},
	"mbarcopies": {"arrive": mbarrier(isa.MbarrierCopies)},
	"mbarspace":  {"shared": space(isa.Shared), "shared::cta": space(isa.Shared), "shared::cluster": space(isa.Shared)},
	"mbarscope":  {"cta": scoped(isa.ScopeCTA), "cluster": scoped(isa.ScopeCluster)},
	"bulkto":     alternatives("shared::cta|shared::cluster"),

	// Video.
	"vcmp":       comparisons("eq", "ne", "lt", "le", "gt", "ge"),
	"second":     {"add": atomic(isa.AtomAdd), "min": atomic(isa.AtomMin), "max": atomic(isa.AtomMax)},
	"accumulate": {"add": atomic(isa.AtomAdd)},
	"plusone":    {"po": func(in *isa.Instr) { in.Video.PlusOne = true }},
	"scale":      alternatives("shr7|shr15"),

	// Lanes and barriers.
	"sync":            {"sync": barrier(isa.BarrierSync)},
	"arrive":          {"arrive": barrier(isa.BarrierArrive)},
	"popc":            {"popc": barrier(isa.BarrierRedPopc)},
	"andor":           {"and": barrier(isa.BarrierRedAnd), "or": barrier(isa.BarrierRedOr)},
	"unalignedsync":   {"sync": unalignedBarrier(isa.BarrierSync)},
	"unalignedarrive": {"arrive": unalignedBarrier(isa.BarrierArrive)},
	"unalignedpopc":   {"popc": unalignedBarrier(isa.BarrierRedPopc)},
	"unalignedandor":  {"and": unalignedBarrier(isa.BarrierRedAnd), "or": unalignedBarrier(isa.BarrierRedOr)},
	"clusterarrive":   {"arrive": barrier(isa.BarrierClusterArrive)},
	"clusterwait":     {"wait": barrier(isa.BarrierClusterWait)},
	"vote":            {"all": lane(isa.VoteAll), "any": lane(isa.VoteAny), "uni": lane(isa.VoteUni)},
	"ballot":          {"ballot": lane(isa.VoteBallot)},
	"any":             {"any": lane(isa.MatchAny)},
	"all":             {"all": lane(isa.MatchAll)},
	"m8n8":            {"m8n8": shape(8, 8, 0)}, "m8n8k4": {"m8n8k4": shape(8, 8, 4)},
	"m8n8k16": {"m8n8k16": shape(8, 8, 16)}, "m8n8k32": {"m8n8k32": shape(8, 8, 32)}, "m8n8k128": {"m8n8k128": shape(8, 8, 128)},
	"m16n8k4": {"m16n8k4": shape(16, 8, 4)}, "m16n8k8": {"m16n8k8": shape(16, 8, 8)}, "m16n8k16": {"m16n8k16": shape(16, 8, 16)},
	"m16n8k32": {"m16n8k32": shape(16, 8, 32)}, "m16n8k64": {"m16n8k64": shape(16, 8, 64)},
	"m16n8k128": {"m16n8k128": shape(16, 8, 128)}, "m16n8k256": {"m16n8k256": shape(16, 8, 256)},
	"rowcol": {"row": nil, "col": func(in *isa.Instr) { in.Matrix.ColA = true }},
	"colrow": {"col": nil, "row": func(in *isa.Instr) { in.Matrix.RowB = true }},
	"bits":   {"xor": nil, "and": func(in *isa.Instr) { in.Matrix.And = true }},
	"trans":  {"trans": func(in *isa.Instr) { in.Matrix.Trans = true }},
	"count":  alternatives("x1|x2|x4"),
	"f8":     alternatives("e4m3|e5m2"),

	"lane": {
		"up": lane(isa.ShflUp), "down": lane(isa.ShflDown), "bfly": lane(isa.ShflBfly), "idx": lane(isa.ShflIdx),
	},
}

func volatile(in *isa.Instr) { in.Volatile = true }

// strong makes an access strong, which L1 may not serve.
func strong(o isa.Order) effect { return func(in *isa.Instr) { in.Volatile, in.Order = true, o } }

func order(o isa.Order) effect { return func(in *isa.Instr) { in.Order = o } }

func scoped(s isa.Scope) effect { return func(in *isa.Instr) { in.Scope = s } }

// membar is a fence of the older notation, which is sequentially consistent.
func membar(s isa.Scope) effect {
	return func(in *isa.Instr) { in.Order, in.Scope = isa.OrderSC, s }
}

func space(s isa.Space) effect { return func(in *isa.Instr) { in.Space = s } }

func round(r isa.Round) effect { return func(in *isa.Instr) { in.Round = r } }

func permute(p isa.Permute) effect { return func(in *isa.Instr) { in.Permute = p } }

func atomic(a isa.AtomOp) effect { return func(in *isa.Instr) { in.Atom = a } }

func lane(l isa.LaneOp) effect { return func(in *isa.Instr) { in.Lane = l } }

func shape(m, n, k int) effect {
	return func(in *isa.Instr) { in.Matrix.M, in.Matrix.N, in.Matrix.K = m, n, k }
}

func barrier(b isa.BarrierOp) effect { return func(in *isa.Instr) { in.Barrier = b } }

// unalignedBarrier is barrier for a form without .aligned, in which the threads of a warp arrive
// one by one.
func unalignedBarrier(b isa.BarrierOp) effect {
	return func(in *isa.Instr) { in.Barrier, in.Unaligned = b, true }
}

// alternatives makes a set of words that mean the same everywhere.
func alternatives(list string) words {
	set := make(words)
	for w := range strings.SplitSeq(list, "|") {
		set[w] = effects[w]
	}
	return set
}

// comparisons makes a set of comparisons of their names in isa.
func comparisons(names ...string) words {
	set := make(words)
	for c := isa.Eq; c <= isa.Subnormal; c++ {
		if slices.Contains(names, c.String()) {
			set[c.String()] = func(in *isa.Instr) { in.Cmp = c }
		}
	}
	return set
}
