package kernelgen

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sampled is a kernel with the features that its seed draws.
func sampled(seed uint64) (*Case, Features) {
	src := rand.New(rand.NewPCG(1, seed))
	f := DrawFeatures(src)
	return New(src, Options{
		Statements: 20, Depth: 3, Trips: 8, Threads: 100, CTAs: 10, Bounded: true, Features: f, Warp: 32, Independent: true, Narrowed: 1,
	}), f
}

// occurrences are words by which one sees that kernels hold what the features promise, for each feature in its order.
var occurrences = [][]string{
	{"bfe.u32", "bfe.s32", "bfe.u64", "bfi.b32", "bfi.b64", "lop3.b32", "prmt.b32 ", "prmt.b32.f4e", "prmt.b32.rc16", "bfind.u32", "bfind.shiftamt.s32",
		"bfind.u64", "shf.l.wrap", "shf.r.clamp", "bmsk.clamp", "bmsk.wrap", "szext.clamp.s32", "szext.wrap.u32"},
	{"mul24.lo.s32", "mul24.hi.u32", "mad24.lo.u32", "mad24.hi.s32", "sad.s32", "dp4a.u32.s32", "dp2a.lo.s32.u32", "dp2a.hi."},
	{"mul.wide.s16", "shr.u16", "mad.lo.u16", "setp.lt.s16", "add.u16", "cvt.s32.s8"},
	{"setp.lt.u64", "setp.lt.s16", "add.rn.f32 %f32_", "setp.ne.u32", "setp.gt.s32", "div.u32", "shl.b32", "and.b32", ", -2;", ", -4;"},
	{"setp.le.and.s32", "setp.ge.or.s32", "and.pred", "setp.eq.s32 %pred_", "setp.eq.and.s32"},
	{"call.uni (returned), f", ".func (.param .b32 result) f"},
	{"call.uni (returned), r", "call (deeper)"},
	{"st.local.u32", "ld.local.s8", "st.local.u16", "cvta.local.u64", "ld.local.u32 %b32_"},
	{"%SP, %SPL", "ld.u32 %b32_", "st.u32 [%SP", "st.local.u32 [%SPL"},
	{".const .align 4", ".global .align 4", "ld.const.u32", "ld.global.nc.u32"},
	{"ld.u32", "cvta.to.global.u64", "selp.b64", "cvta.shared.u64", "isspacep.shared", "red.add.u32"},
	{"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.cta"},
	{"cp.async.cg.shared.global", "cp.async.ca.shared.global", "commit_group", "wait_group 1", "wait_all"},
	{"vote.sync.ballot", "vote.sync.uni", "shfl.sync.idx", "shfl.sync.bfly", "shfl.sync.up", "match.any", "match.all", "redux.sync.add", "bar.warp.sync"},
	{"bar.sync 3, 32", "bar.arrive", "bar.red.popc", "bar.red.and.pred"},
	{"red.global.add.u64", "atom.shared.max.s64", "red.global.v2.f32.add", "red.global.v4.f32.add", "atom.global.add.f64", ".inc.u32"},
	{".extern .shared"},
	{"ld.global.u32 %b32_", "%m, %n", "+4]"},
	{"selp.b32"},
	{"ld.global.u64 %b64_", "ld.global.nc.u64", "ld.volatile.u32", "ld.global.nc.u32"},
	{"cvt.rzi.u64.f64", "cvt.rmi.s8.", ".ftz.", "cvt.rni.s16.bf16", "0x7fffffffffffffff", "div.rn.f64", "min.u32 %b32_", "min.s32 %b32_"},
	{"match.any.sync.b32 %b32_", "vote.sync.ballot.b32 %b32_", "0xaaaaaaaa, 0x55555555", "0xffff0000;", "shl.b32 %b32_", "shfl.sync.bfly", "redux.sync.xor"},
	{"barrier.sync 7;", "barrier.sync 12, 32;", "barrier.arrive ", "barrier.red.popc", "barrier.red.and.pred", "barrier.sync %b32_"},
}

// TestFeatures looks for what features promise in kernels that have them, and checks that a kernel has few, that all
// are understood, and that what is not among a kernel's features is not in it.
func TestFeatures(t *testing.T) {
	const kernels = 1500
	if len(occurrences) != len(featureNames) || AllFeatures != 1<<len(featureNames)-1 {
		t.Fatalf("%d names, %d rows, features %b", len(featureNames), len(occurrences), AllFeatures)
	}
	missing := map[string]string{}
	for i, words := range occurrences {
		for _, w := range words {
			missing[w] = featureNames[i]
		}
	}
	with := make([]int, len(featureNames))
	for seed := range uint64(kernels) {
		c, f := sampled(seed)
		if bits.OnesCount32(uint32(f)) > 3 {
			t.Fatalf("kernel %d has the features %b", seed, f)
		}
		for i, words := range occurrences {
			if f&(1<<i) == 0 {
				continue
			}
			with[i]++
			for _, w := range words {
				if strings.Contains(c.Module, w) {
					delete(missing, w)
				}
			}
		}
		if seed%10 == 0 {
			flowGraph(t, c.Module)
		}
	}
	for w, name := range missing {
		t.Errorf("%s: %q does not occur", name, w)
	}
	if fewest := slices.Min(with); fewest < kernels/20 {
		t.Errorf("a feature is in %d of %d kernels only: %v", fewest, kernels, with)
	}
}
