package ptx

// gate is a note of the PTX manual (version 9.0) on instructions: from which version of PTX they
// are there ("PTX ISA Notes"), and for which targets ("Target ISA Notes"). It holds of a module
// whatever the machine is that runs it, as with NVIDIA's assembler.
//
// forms is the first word of their mnemonics, or alternatives, then words that follow in this
// order, with others between them:
//
//	atom|red.add.f64        atom.global.add.f64, red.relaxed.gpu.add.f64, ...
//	mbarrier.arrive.!noComplete [a], b:u32
//
// A word behind ! must be missing. What stands behind a blank is among the operands of the matched
// row of forms.go. A name behind % is that of a special register.
type gate struct {
	forms   string
	version int    // ten times the version: 78 for 7.8
	target  string // or alternatives, as needOf reads them; empty for all
	below   int    // the note is on targets below this one alone; 0 for all
}

// The targets of what only some architectures have, from whose successors it may be gone.
const (
	blackwell = "sm_100f|sm_101f|sm_110f|sm_120f"
	hopper    = "sm_90a|" + blackwell
)

// gates are all notes; what an instruction needs is what all say that are on it.
var gates = []gate{
	// Integer arithmetic and bits.
	{"add.cc.u32|s32", 12, "", 0}, {"sub.cc.u32|s32", 12, "", 0}, {"addc|subc.u32|s32", 12, "", 0},
	{"add|sub|mad.cc.u64|s64", 43, "", 0}, {"addc|subc.u64|s64", 43, "", 0},
	{"mad.cc", 30, "sm_20", 0}, {"madc", 30, "sm_20", 0},
	{"add|sub|min|max|abs|neg.u16x2|s16x2", 80, "sm_90", 0}, {"min|max.relu", 80, "sm_90", 0},
	{"dp4a|dp2a", 50, "sm_61", 0},
	{"bfe|bfi|bfind|brev|clz|popc|prmt", 20, "sm_20", 0},
	{"shf", 31, "sm_32", 0},
	{"lop3", 43, "sm_50", 0}, {"lop3.and|or|xor", 82, "sm_70", 0},
	{"szext|bmsk", 76, "sm_70", 0}, {"fns", 60, "sm_30", 0},
	{"vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vset|vmad", 20, "sm_20", 0},
	{"vadd2|vsub2|vabsdiff2|vmin2|vmax2|vavrg2|vset2|vadd4|vsub4|vabsdiff4|vmin4|vmax4|vavrg4|vset4", 30, "sm_30", 0},

	// Floating-point arithmetic.
	{"add|sub|mul|fma|mad|div|abs|neg|min|max|rcp|sqrt|rsqrt|set|setp|selp|slct|cvt|ld|ldu|st|testp|copysign.f64", 10, "sm_13", 0},
	{"add|sub|mul.rm|rp.f32", 20, "sm_20", 0}, {"fma.f32", 20, "sm_20", 0}, {"mad.rn|rz|rm|rp.f32", 20, "sm_20", 0},
	{"div|rcp|sqrt.rn|rz|rm|rp.f32", 14, "sm_20", 0},
	{"div|rcp|sqrt.rz|rm|rp.f64", 14, "sm_20", 0}, {"rcp|sqrt.rn.f64", 14, "sm_13", 0},
	{"rcp.approx.ftz.f64", 21, "sm_20", 0}, {"rsqrt.approx.ftz.f64", 40, "sm_20", 0},
	{"testp|copysign", 20, "sm_20", 0},
	{"add|sub|mul|fma|set|setp.f16|f16x2", 42, "sm_53", 0},
	{"neg.f16|f16x2", 60, "sm_53", 0}, {"abs.f16|f16x2", 65, "sm_53", 0},
	{"min|max.f16|f16x2", 70, "sm_80", 0},
	{"add|sub|mul|set|setp.bf16|bf16x2", 78, "sm_90", 0},
	{"fma|neg|abs|min|max.bf16|bf16x2", 70, "sm_80", 0},
	{"fma.relu", 70, "sm_80", 0},
	{"min|max.NaN", 70, "sm_80", 0}, {"min|max.xorsign", 72, "sm_86", 0}, {"min|max.f32 a, b, c", 88, "sm_100", 0},
	{"add|sub|mul|fma.f32x2", 86, "sm_100", 0}, {"add|sub|fma.f32.f16|bf16", 86, "sm_100", 0},
	{"tanh", 70, "sm_75", 0}, {"ex2.f16|f16x2", 70, "sm_75", 0}, {"tanh|ex2.bf16|bf16x2", 78, "sm_90", 0},

	// Conversions.
	{"cvt.relu", 70, "sm_80", 0}, {"cvt.f16x2|bf16x2|tf32.f32", 70, "sm_80", 0}, {"cvt.bf16.f32", 70, "sm_80", 0},
	{"cvt.f32.bf16", 71, "sm_80", 0}, {"cvt.ftz.f32.bf16", 78, "sm_90", 0},
	{"cvt.bf16.u8|s8|u16|s16|u32|s32|u64|s64|f16|f64|bf16", 78, "sm_90", 0},
	{"cvt.u8|s8|u16|s16|u32|s32|u64|s64|f16|f64.bf16", 78, "sm_90", 0},
	{"cvt.rn|rz.tf32", 78, "sm_90", 0},
	{"cvt.satfinite.f16.f32", 81, "sm_70", 0}, // no note names the target; the assembler does
	{"cvt.satfinite.bf16|f16x2|bf16x2|tf32.f32", 81, "sm_80", 0},
	{"cvt.rn|rz.satfinite.tf32", 86, "sm_100", 0},
	{"cvt.e4m3x2|e5m2x2", 78, "sm_89", 0}, {"cvt.e4m3x2|e5m2x2", 81, "sm_89", 90},
	{"cvt.e2m1x2|e2m3x2|e3m2x2|ue8m0x2", 86, blackwell, 0},
	{"cvt.rs", 87, "sm_100a|sm_103a", 0},
	{"cvt.pack", 65, "sm_72", 0}, {"cvt.pack.u4|s4|u2|s2", 65, "sm_75", 0},

	// Movement.
	{"ld|st|mov.b128", 83, "sm_70", 0}, {"ld|st.v8", 88, "sm_100", 0}, {"ld|st.v4.b64|u64|s64|f64", 88, "sm_100", 0},
	{"ld|st.volatile", 11, "", 0}, {"ld|st.ca|cg|cs|lu|cv|wb|wt", 20, "sm_20", 0}, {"ldu", 20, "sm_20", 0},
	{"ld.nc", 31, "sm_32", 0},
	{"ld|st.weak|relaxed|acquire|release", 60, "sm_70", 0}, {"ld|st.mmio", 82, "sm_70", 0},
	{"ld|st|atom|red|fence.cluster", 78, "sm_90", 0},
	{"ld|st.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate", 74, "sm_70", 0},
	{"ld|st.L2::evict_normal|L2::evict_first|L2::evict_last", 88, "sm_100", 0},
	{"ld.L2::64B|L2::128B", 74, "sm_75", 0}, {"ld.L2::256B", 74, "sm_80", 0},
	{"ld|st|atom|red|cp.L2::cache_hint", 74, "sm_80", 0},
	{"ld|st|atom|red|cvta|isspacep|cp|mbarrier|ldmatrix|stmatrix.shared::cta", 78, "", 0},
	{"ld|st|atom|red|cvta|isspacep.shared::cluster", 78, "sm_90", 0},
	{"ld|st|cvta|isspacep.param::entry|param::func", 83, "", 0},
	{"prefetch|prefetchu|isspacep|cvta", 20, "sm_20", 0},
	{"isspacep|cvta.const", 31, "sm_20", 0}, {"isspacep|cvta.param|param::entry", 77, "sm_70", 0},
	{"prefetch.L2::evict_last|L2::evict_normal|L2::evict_first", 74, "sm_80", 0},
	{"applypriority|discard|createpolicy", 74, "sm_80", 0},
	{"mapa|getctarank", 78, "sm_90", 0},
	{"alloca|stacksave|stackrestore", 73, "sm_52", 0},

	// Asynchronous copies and barriers in memory.
	{"cp.async", 70, "sm_80", 0}, {"cp.async.L2::64B|L2::128B|L2::256B", 74, "sm_80", 0}, {"cp.async !c:pred", 75, "sm_80", 0},
	{"cp.async.bulk", 80, "sm_90", 0}, {"cp.async.bulk.shared::cta.global", 86, "sm_90", 0},
	{"mbarrier", 70, "sm_80", 0}, {"mbarrier.parity", 71, "sm_80", 0}, {"mbarrier.try_wait", 78, "sm_90", 0},
	{"mbarrier.arrive|arrive_drop.!noComplete [a], b:u32", 78, "sm_90", 0},
	{"mbarrier.expect_tx|complete_tx", 80, "sm_90", 0}, {"mbarrier.release|acquire", 80, "sm_80", 0},
	{"mbarrier.arrive|arrive_drop|test_wait|try_wait.relaxed", 80, "sm_90", 0},
	{"mbarrier.cluster", 80, "sm_90", 0}, {"mbarrier.shared::cluster", 80, "sm_90", 0},

	// Control.
	{"brx.idx", 60, "sm_30", 0}, {"pmevent", 14, "", 0}, {"pmevent.mask", 30, "sm_20", 0},
	{"nanosleep", 62, "sm_70", 0}, // 6.3 in the manual, and the assembler takes it before
	{"griddepcontrol", 78, "sm_90", 0}, {"setmaxnreg", 80, hopper, 0},

	// Synchronisation and communication.
	{"bar.arrive|red", 20, "sm_20", 0}, {"bar|barrier.sync a:u32, b:u32", 20, "sm_20", 0},
	{"barrier", 60, "sm_30", 0}, {"bar|barrier.cta", 78, "", 0}, {"bar.warp.sync", 60, "sm_30", 0},
	{"barrier.cluster", 78, "sm_90", 0}, {"barrier.cluster.release|relaxed|acquire", 80, "sm_90", 0},
	{"membar", 14, "", 0}, {"membar.sys", 20, "sm_20", 0}, {"membar.proxy.alias", 75, "sm_60", 0},
	{"fence", 60, "sm_70", 0}, {"fence.proxy.alias", 75, "sm_70", 0},
	{"membar|fence.proxy.async", 80, "sm_90", 0}, {"fence.mbarrier_init", 80, "sm_90", 0},
	{"fence.proxy.tensormap::generic", 83, "sm_90", 0}, {"fence.proxy.async::generic", 86, "sm_90", 0},
	{"fence.sync_restrict::shared::cta|sync_restrict::shared::cluster", 86, "sm_90", 0},
	{"atom", 11, "sm_11", 0}, {"red", 12, "sm_11", 0}, {"atom|red.f32", 20, "sm_20", 0},
	{"atom|red.u64|b64", 12, "sm_12", 0}, {"atom|red.shared.u64|b64", 20, "sm_20", 0}, {"atom|red.shared", 12, "sm_12", 0},
	{"atom|red.and|or|xor.b64", 31, "sm_32", 0}, {"atom|red.min|max.u64|s64", 31, "sm_32", 0},
	{"atom|red.f64", 50, "sm_60", 0}, {"atom|red.cta|gpu|sys", 50, "sm_60", 0},
	{"atom|red.relaxed|acquire|release|acq_rel", 60, "sm_70", 0},
	{"atom|red.f16x2", 62, "sm_60", 0}, {"atom|red.f16", 63, "sm_70", 0}, {"atom|red.bf16|bf16x2", 78, "sm_90", 0},
	{"atom|red.v2|v4|v8", 81, "sm_90", 0}, {"atom.b16", 63, "sm_70", 0}, {"atom.b128", 83, "sm_90", 0},
	{"vote", 12, "sm_12", 0}, {"vote.ballot", 20, "sm_20", 0}, {"vote|shfl.sync", 60, "sm_30", 0}, {"shfl", 30, "sm_30", 0},
	{"activemask", 62, "sm_30", 0}, {"match", 60, "sm_70", 0}, {"elect", 80, "sm_90", 0},
	{"redux", 70, "sm_80", 0}, {"redux.f32", 86, "sm_100f", 0},

	// Matrices.
	{"mma", 64, "sm_70", 0}, {"mma.m16n8k8.f16", 65, "sm_75", 0},
	{"mma.m8n8k16|m8n8k32", 65, "sm_75", 0}, {"mma.m8n8k128", 70, "sm_75", 0},
	{"mma.m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256", 70, "sm_80", 0},
	{"mma.bf16|tf32|f64", 70, "sm_80", 0}, {"mma.and", 71, "sm_80", 0},
	{"mma.m16n8k4|m16n8k8|m16n8k16.f64", 78, "sm_90", 0},
	{"mma.e4m3|e5m2", 84, "sm_89", 0}, {"mma.m16n8k16.e4m3|e5m2", 87, "sm_89", 0}, {"mma.f16.e4m3|e5m2", 87, "sm_89", 0},
	{"ldmatrix", 65, "sm_75", 0}, {"stmatrix", 78, "sm_90", 0}, {"movmatrix", 78, "sm_75", 0},

	// Special registers.
	{"%laneid|%warpid|%nwarpid|%smid|%nsmid", 13, "", 0},
	{"%lanemask_eq|%lanemask_le|%lanemask_lt|%lanemask_ge|%lanemask_gt|%clock64", 20, "sm_20", 0},
	{"%clock_hi", 50, "sm_20", 0}, {"%globaltimer|%globaltimer_lo|%globaltimer_hi", 31, "sm_30", 0},
	{"%dynamic_smem_size|%total_smem_size", 41, "sm_20", 0}, {"%aggr_smem_size", 81, "sm_90", 0},
	{"%clusterid|%nclusterid|%cluster_ctaid|%cluster_nctaid|%cluster_ctarank|%cluster_nctarank|%is_explicit_cluster", 78, "sm_90", 0},
	{"%current_graph_exec", 80, "sm_50", 0},
	{"%pm0_64|%pm1_64|%pm2_64|%pm3_64|%pm4_64|%pm5_64|%pm6_64|%pm7_64", 40, "sm_50", 0},
	{"%reserved_smem_offset_begin|%reserved_smem_offset_end|%reserved_smem_offset_cap|%reserved_smem_offset_0|%reserved_smem_offset_1", 76, "sm_80", 0},
}
