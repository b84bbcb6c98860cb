package emu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa/ptx"
	"warpbound/internal/test/isatest"
)

// racePrelude is in front of all kernels: %t is the thread, %c its CTA, [%g] its word of global memory and [%s] of
// shared memory, [%p] and [%b] are their beginnings; %first holds in thread 0, %low in the first 16 threads of
// a warp, %w0 in the first warp, %c0 in the first CTA.
const racePrelude = `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.shared .align 16 .b32 tile[256];
	.reg .b32 %t, %c, %s, %b, %l, %r<9>;
	.reg .b64 %p, %g, %q, %rd<9>;
	.reg .b16 %h<4>;
	.reg .pred %first, %low, %w0, %c0, %x<9>;
	ld.param.u64 %p, [p];
	mov.u32 %t, %tid.x;
	mov.u32 %c, %ctaid.x;
	mad.wide.u32 %g, %t, 4, %p;
	mov.u32 %b, tile;
	mad.lo.u32 %s, %t, 4, %b;
	mad.wide.u32 %q, %c, 512, %g;
	and.b32 %l, %t, 31;
	setp.eq.u32 %first, %t, 0;
	setp.lt.u32 %low, %l, 16;
	setp.lt.u32 %w0, %t, 32;
	setp.eq.u32 %c0, %c, 0;
`

// raceCases are kernels and what is found in them, executed CTA after CTA in warps of 32 threads. The CTAs have 64 threads.
var raceCases = []struct {
	name        string
	ctas        int
	independent bool // lanes of a warp are not in lock-step
	body        string
	want        []string // kind, space, and which threads race
}{
	{"shared memory read without a barrier", 1, false, `
		st.shared.u32 [%s], %t; xor.b32 %r1, %s, 128; ld.shared.u32 %r2, [%r1]; ret;`,
		[]string{"read-after-write shared cta", "write-after-read shared cta"}},
	{"with a barrier", 1, false, `
		st.shared.u32 [%s], %t; bar.sync 0; xor.b32 %r1, %s, 128; ld.shared.u32 %r2, [%r1]; ret;`, nil},
	{"shared memory written again without a barrier", 1, false, `
		st.shared.u32 [%s], %t; bar.sync 0; xor.b32 %r1, %s, 128; ld.shared.u32 %r2, [%r1]; st.shared.u32 [%s], %r2; ret;`,
		[]string{"write-after-read shared cta", "read-after-write shared cta"}},
	{"a loop with one barrier where it needs two", 1, false, `
		mov.u32 %r5, 0;
	L:	st.shared.u32 [%s], %r5; bar.sync 0; xor.b32 %r1, %s, 128; ld.shared.u32 %r2, [%r1];
		add.u32 %r5, %r5, 1; setp.lt.u32 %x1, %r5, 3; @%x1 bra L; ret;`,
		[]string{"read-after-write shared cta", "write-after-read shared cta"}},
	{"a loop with two barriers", 1, false, `
		mov.u32 %r5, 0;
	L:	st.shared.u32 [%s], %r5; bar.sync 0; xor.b32 %r1, %s, 128; ld.shared.u32 %r2, [%r1]; bar.sync 0;
		add.u32 %r5, %r5, 1; setp.lt.u32 %x1, %r5, 3; @%x1 bra L; ret;`, nil},
	{"a barrier in front of the store", 1, false, `
		bar.sync 0; @%first st.shared.u32 [%b], %t; ld.shared.u32 %r1, [%b]; ret;`,
		[]string{"write-after-read shared cta"}},
	{"all threads store different values", 1, false, `st.shared.u32 [%b], %t; ret;`,
		[]string{"write-after-write shared instruction"}},
	{"all threads store one value", 1, false, `st.shared.u32 [%b], 7; ret;`,
		[]string{"equal-writes shared instruction"}},
	{"CTAs store different values", 2, false, `@%first st.global.u32 [%p], %c; ret;`,
		[]string{"write-after-write global grid"}},
	{"CTAs store one value", 2, false, `@%first st.global.u32 [%p], 1; ret;`,
		[]string{"equal-writes global grid"}},
	{"a CTA reads what another wrote", 2, false, `
		@%c0 bra W; ld.global.u32 %r1, [%g]; ret; W: st.global.u32 [%g], %t; ret;`,
		[]string{"read-after-write global grid"}},
	{"a CTA writes what another reads", 2, false, `
		@!%c0 bra W; ld.global.u32 %r1, [%g]; ret; W: st.global.u32 [%g], %t; ret;`,
		[]string{"write-after-read global grid"}},
	{"a barrier does not order CTAs", 2, false, `
		st.global.u32 [%g], %t; bar.sync 0; ld.global.u32 %r1, [%g]; ret;`,
		[]string{"equal-writes global grid", "read-after-write global grid", "write-after-read global grid"}},
	{"CTAs in memory of their own", 2, false, `st.global.u32 [%q], %t; ld.global.u32 %r1, [%q]; ret;`, nil},

	{"atomic operations alone", 2, false, `red.global.add.u32 [%p], 1; atom.global.max.u32 %r1, [%p], %t; ret;`, nil},
	{"an ordinary load beside atomic operations", 1, false, `red.shared.add.u32 [%b], 1; ld.shared.u32 %r1, [%b]; ret;`,
		[]string{"read-after-write shared cta", "write-after-read shared cta"}},
	{"an ordinary store beside atomic operations", 1, false, `@%first st.shared.u32 [%b], 0; red.shared.add.u32 [%b], 1; ret;`,
		[]string{"write-after-write shared cta"}},
	{"an ordinary store and a barrier before atomic operations", 1, false, `
		@%first st.shared.u32 [%b], 0; bar.sync 0; red.shared.add.u32 [%b], 1; ret;`, nil},
	{"atomic operations of too narrow a scope", 2, false, `red.relaxed.cta.global.add.u32 [%p], 1; ret;`,
		[]string{"write-after-write global grid"}},
	{"a store of too narrow a scope before one of another CTA's", 2, false, `
		@!%first bra E; @!%c0 bra W; st.relaxed.cta.global.u32 [%p], 1; W: st.relaxed.gpu.global.u32 [%p], 1; E: ret;`,
		[]string{"equal-writes global grid"}},
	{"a store of too narrow a scope behind another thread's atomic operation", 2, false, `
		@%c0 bra W; @%first atom.acquire.gpu.global.add.u32 %r1, [%p], 1;
		setp.eq.u32 %x1, %t, 32; @%x1 st.relaxed.cta.global.u32 [%p], 3; ret;
	W:	@%first st.release.gpu.global.u32 [%p], 5; ret;`,
		[]string{"write-after-write global grid"}},
	{"a message whose flag an ordinary store overwrites", 2, false, `
		@%c0 bra W; @!%first bra E; ld.acquire.gpu.global.u32 %r1, [%p+1024]; ld.global.u32 %r2, [%p]; E: ret;
	W:	@%first st.global.u32 [%p], 5; @%first st.release.gpu.global.u32 [%p+1024], 1; @%first st.global.u32 [%p+1024], 2; ret;`,
		[]string{"read-after-write global grid", "read-after-write global grid"}},
	{"stores of which one half is equal", 2, false, `
		mov.u32 %r1, 7; mov.b64 %rd1, {%r1, %c}; @%first st.global.u64 [%p], %rd1; ret;`,
		[]string{"equal-writes global grid", "write-after-write global grid"}},
	{"the upper half of a double word", 2, false, `
		@%c0 bra W; @%first ld.global.u32 %r1, [%p+4]; ret; W: mov.b64 %rd1, {%t, %c}; @%first st.global.u64 [%p], %rd1; ret;`,
		[]string{"read-after-write global grid"}},
	{"a word that one lane has read", 1, false, `
		@!%w0 bra W; ld.shared.u32 %r1, [%s]; ret; W: setp.eq.u32 %x1, %t, 37; @%x1 st.shared.u32 [%s+-128], 1; ret;`,
		[]string{"write-after-read shared cta"}},
	{"a word that two lanes have read, one of which tells the other", 1, true, `
		setp.lt.u32 %x1, %t, 2; setp.eq.u32 %x2, %t, 1; @%x1 ld.shared.u32 %r1, [%b];
		@%first red.release.cta.shared.add.u32 [%b+4], 1; @%x2 ld.acquire.cta.shared.u32 %r2, [%b+4]; @%x2 st.shared.u32 [%b], 5; ret;`, nil},
	{"atomic operations on words and double words", 1, false, `
		setp.eq.u32 %x1, %t, 32; @%first red.global.add.u64 [%p], 1; @%x1 red.global.add.u32 [%p+4], 1; ret;`,
		[]string{"write-after-write global cta"}},
	{"the last to count begins anew", 2, false, `
		@!%first bra E; atom.global.add.u32 %r1, [%p], 1; setp.ne.u32 %x1, %r1, 1; @%x1 bra E; st.global.u32 [%p], 0; E: ret;`, nil},
	{"the last CTA reads what all have written", 2, false, `
		st.global.u32 [%q], %t; membar.gl; bar.sync 0; @%first atom.global.add.u32 %r1, [%p+4096], 1; @%first st.shared.u32 [%b], %r1;
		bar.sync 0; ld.shared.u32 %r2, [%b]; setp.ne.u32 %x1, %r2, 1; @%x1 bra E; membar.gl; xor.b64 %rd1, %q, 128; ld.global.u32 %r3, [%rd1+-512]; E: ret;`, nil},
	{"volatile accesses", 2, false, `st.volatile.global.u32 [%p], 1; ld.volatile.global.u32 %r1, [%p]; ret;`, nil},

	{"a message with both fences", 2, false, `
		@%c0 bra W; @!%first bra E; ld.volatile.global.u32 %r1, [%p+1024]; membar.gl; ld.global.u32 %r2, [%p]; E: ret;
	W:	@!%first bra F; st.global.u32 [%p], 5; membar.gl; st.volatile.global.u32 [%p+1024], 1; F: ret;`, nil},
	{"a message without the sender's fence", 2, false, `
		@%c0 bra W; @!%first bra E; ld.volatile.global.u32 %r1, [%p+1024]; membar.gl; ld.global.u32 %r2, [%p]; E: ret;
	W:	@!%first bra F; st.global.u32 [%p], 5; st.volatile.global.u32 [%p+1024], 1; F: ret;`,
		[]string{"read-after-write global grid"}},
	{"a message without the receiver's fence", 2, false, `
		@%c0 bra W; @!%first bra E; ld.volatile.global.u32 %r1, [%p+1024]; ld.global.u32 %r2, [%p]; E: ret;
	W:	@!%first bra F; st.global.u32 [%p], 5; membar.gl; st.volatile.global.u32 [%p+1024], 1; F: ret;`,
		[]string{"read-after-write global grid"}},
	{"a message with a fence of too narrow a scope", 2, false, `
		@%c0 bra W; @!%first bra E; ld.volatile.global.u32 %r1, [%p+1024]; membar.gl; ld.global.u32 %r2, [%p]; E: ret;
	W:	@!%first bra F; st.global.u32 [%p], 5; membar.cta; st.volatile.global.u32 [%p+1024], 1; F: ret;`,
		[]string{"read-after-write global grid"}},
	{"a message with a receiver's fence of too narrow a scope", 2, false, `
		@%c0 bra W; @!%first bra E; ld.volatile.global.u32 %r1, [%p+1024]; fence.acq_rel.cta; ld.global.u32 %r2, [%p]; E: ret;
	W:	@!%first bra F; st.global.u32 [%p], 5; membar.gl; st.volatile.global.u32 [%p+1024], 1; F: ret;`,
		[]string{"read-after-write global grid"}},
	{"a message with an ordinary flag", 2, false, `
		@%c0 bra W; @!%first bra E; ld.global.u32 %r1, [%p+1024]; membar.gl; ld.global.u32 %r2, [%p]; E: ret;
	W:	@!%first bra F; st.global.u32 [%p], 5; membar.gl; st.global.u32 [%p+1024], 1; F: ret;`,
		[]string{"read-after-write global grid", "read-after-write global grid"}},
	{"a message by release and acquire", 2, false, `
		@%c0 bra W; @!%first bra E; ld.acquire.gpu.global.u32 %r1, [%p+1024]; ld.global.u32 %r2, [%p]; E: ret;
	W:	@!%first bra F; st.global.u32 [%p], 5; st.release.gpu.global.u32 [%p+1024], 1; F: ret;`, nil},
	{"a message by relaxed accesses", 2, false, `
		@%c0 bra W; @!%first bra E; ld.relaxed.gpu.global.u32 %r1, [%p+1024]; ld.global.u32 %r2, [%p]; E: ret;
	W:	@!%first bra F; st.global.u32 [%p], 5; st.relaxed.gpu.global.u32 [%p+1024], 1; F: ret;`,
		[]string{"read-after-write global grid"}},
	{"a message at an overwritten place", 2, false, `
		@%c0 bra W; @!%first bra E; ld.acquire.gpu.global.u32 %r1, [%p+1024]; ld.global.u32 %r2, [%p]; E: ret;
	W:	@%first st.global.u32 [%p], 5; @%first st.release.gpu.global.u32 [%p+1024], 1; @%first st.relaxed.gpu.global.u32 [%p+1024], 2; ret;`, nil},
	{"a message passed on by an atomic operation", 3, false, `
		@!%first bra E; @%c0 bra W; setp.eq.u32 %x1, %c, 1; @%x1 bra M;
		atom.acquire.gpu.global.add.u32 %r1, [%p+1024], 1; ld.global.u32 %r2, [%p]; ret;
	M:	atom.relaxed.gpu.global.add.u32 %r1, [%p+1024], 1; ret;
	W:	st.global.u32 [%p], 5; red.release.gpu.global.add.u32 [%p+1024], 1; E: ret;`, nil},
	{"a message passed on by a thread that acquires", 3, false, `
		@!%first bra E; @%c0 bra W; setp.eq.u32 %x1, %c, 1; @%x1 bra M;
		ld.acquire.gpu.global.u32 %r1, [%p+2048]; ld.global.u32 %r2, [%p]; ret;
	M:	ld.acquire.gpu.global.u32 %r1, [%p+1024]; st.release.gpu.global.u32 [%p+2048], 1; ret;
	W:	st.global.u32 [%p], 5; st.release.gpu.global.u32 [%p+1024], 1; E: ret;`, nil},
	{"a message passed on by a thread that does not", 3, false, `
		@!%first bra E; @%c0 bra W; setp.eq.u32 %x1, %c, 1; @%x1 bra M;
		ld.acquire.gpu.global.u32 %r1, [%p+2048]; ld.global.u32 %r2, [%p]; ret;
	M:	ld.relaxed.gpu.global.u32 %r1, [%p+1024]; st.release.gpu.global.u32 [%p+2048], 1; ret;
	W:	st.global.u32 [%p], 5; st.release.gpu.global.u32 [%p+1024], 1; E: ret;`,
		[]string{"read-after-write global grid"}},
	{"the last CTA adds up", 3, false, `
		st.global.u32 [%q], %t; membar.gl; bar.sync 0;
		@%first atom.global.add.u32 %r1, [%p+4096], 1; @%first membar.gl; bar.sync 0;
		setp.ne.u32 %x1, %c, 2; @%x1 bra E; ld.global.u32 %r2, [%g]; ld.global.u32 %r3, [%g+512]; E: ret;`, nil},
	{"the last CTA adds up, without a fence", 3, false, `
		st.global.u32 [%q], %t; bar.sync 0;
		@%first atom.global.add.u32 %r1, [%p+4096], 1; @%first membar.gl; bar.sync 0;
		setp.ne.u32 %x1, %c, 2; @%x1 bra E; ld.global.u32 %r2, [%g]; ld.global.u32 %r3, [%g+512]; E: ret;`,
		[]string{"read-after-write global grid", "read-after-write global grid"}},
	{"the last CTA adds up, with fences that only acquire and release", 3, false, `
		st.global.u32 [%q], %t; fence.acq_rel.gpu; bar.sync 0;
		@%first atom.global.add.u32 %r1, [%p+4096], 1; @%first fence.acq_rel.gpu; bar.sync 0;
		setp.ne.u32 %x1, %c, 2; @%x1 bra E; ld.global.u32 %r2, [%g]; ld.global.u32 %r3, [%g+512]; E: ret;`,
		[]string{"read-after-write global grid", "read-after-write global grid"}},
	{"the last CTA adds up, two barriers and a narrower fence behind the fence", 3, false, `
		st.global.u32 [%q], %t; membar.gl; bar.sync 0; fence.acq_rel.cta; bar.sync 0;
		@%first atom.global.add.u32 %r1, [%p+4096], 1; @%first membar.gl; bar.sync 0;
		setp.ne.u32 %x1, %c, 2; @%x1 bra E; ld.global.u32 %r2, [%g]; ld.global.u32 %r3, [%g+512]; E: ret;`, nil},
	{"the last CTA adds up, one fence of the first thread for all", 3, false, `
		st.global.u32 [%q], %t; bar.sync 0; @%first membar.gl;
		@%first atom.global.add.u32 %r1, [%p+4096], 1; @%first membar.gl; bar.sync 0;
		setp.ne.u32 %x1, %c, 2; @%x1 bra E; ld.global.u32 %r2, [%g]; ld.global.u32 %r3, [%g+512]; E: ret;`, nil},

	{"lanes in lock-step", 1, false, `
		st.shared.u32 [%s], %t; xor.b32 %r1, %s, 4; ld.shared.u32 %r2, [%r1]; ret;`, nil},
	{"lanes that are not", 1, true, `
		st.shared.u32 [%s], %t; xor.b32 %r1, %s, 4; ld.shared.u32 %r2, [%r1]; ret;`,
		[]string{"read-after-write shared warp"}},
	{"lanes that wait for each other", 1, true, `
		st.shared.u32 [%s], %t; bar.warp.sync -1; xor.b32 %r1, %s, 4; ld.shared.u32 %r2, [%r1]; ret;`, nil},
	{"lanes behind a barrier of the CTA", 1, true, `
		st.shared.u32 [%s], %t; bar.sync 0; xor.b32 %r1, %s, 4; ld.shared.u32 %r2, [%r1]; ret;`, nil},
	{"a wait that names some lanes", 1, true, `
		st.shared.u32 [%s], %t; @%low bar.warp.sync 0xffff; xor.b32 %r1, %s, 4; ld.shared.u32 %r2, [%r1]; ret;`,
		[]string{"read-after-write shared warp"}},
	{"a shuffle orders nothing", 1, true, `
		st.shared.u32 [%s], %t; shfl.sync.idx.b32 %r3, %t, 0, 31, -1; xor.b32 %r1, %s, 4; ld.shared.u32 %r2, [%r1]; ret;`,
		[]string{"read-after-write shared warp"}},
	{"paths of a diverged branch", 1, false, `
		@%low bra W; ld.shared.u32 %r1, [%b]; bra E; W: @%first st.shared.u32 [%b], 1; E: ret;`,
		[]string{"read-after-write shared cta", "write-after-read shared warp"}},
	{"behind the reconvergence point", 1, false, `
		@!%w0 bra E; @!%low bra J; st.shared.u32 [%s], 1; J: ld.shared.u32 %r1, [%s+64]; E: ret;`, nil},
	{"diverged, together, and diverged again", 1, false, `
		@!%w0 bra E; @!%low bra J; st.shared.u32 [%s], 1; J: add.u32 %r3, %t, 1; @%low bra E; xor.b32 %r1, %s, 64; ld.shared.u32 %r2, [%r1]; E: ret;`, nil},

	{"a barrier of one warp", 1, false, `
		@%first st.shared.u32 [%b], 1; @!%w0 bra R; bar.sync 1, 32; R: ld.shared.u32 %r1, [%b]; ret;`,
		[]string{"read-after-write shared cta"}},
	{"a producer that does not wait", 1, false, `
		@!%w0 bra R; @%first st.shared.u32 [%b], 1; bar.arrive 1, 64; ret;
	R:	bar.sync 1, 64; ld.shared.u32 %r1, [%b]; ret;`, nil},
	{"a producer that arrives too early", 1, false, `
		@!%w0 bra R; bar.arrive 1, 64; @%first st.shared.u32 [%b], 1; ret;
	R:	bar.sync 1, 64; ld.shared.u32 %r1, [%b]; ret;`,
		[]string{"read-after-write shared cta"}},
	{"the barrier of a cluster", 1, false, `
		st.shared.u32 [%s], %t; barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r1, %s, 128; ld.shared.u32 %r2, [%r1];
		barrier.cluster.arrive; barrier.cluster.wait; st.shared.u32 [%s], %t; ret;`, nil},

	{"bytes of a word", 1, false, `
		add.u32 %r1, %b, %t; cvt.u16.u32 %h1, %t; st.shared.u8 [%r1], %h1; ret;`, nil},
	{"halves that share a byte with others' bytes", 1, false, `
		add.u32 %r1, %b, %t; cvt.u16.u32 %h1, %t; and.b32 %r2, %t, 1; setp.eq.u32 %x1, %r2, 0; st.shared.u8 [%r1], %h1;
		@!%w0 bra E; @%x1 st.shared.u16 [%r1+32], %h1; E: ret;`,
		[]string{"write-after-write shared cta"}},
	{"vectors that overlap", 1, false, `
		mad.lo.u32 %r1, %t, 8, %b; st.shared.v2.u32 [%r1], {%t, %t}; setp.gt.u32 %x1, %t, 1;
		@%x1 bra E; mad.lo.u32 %r1, %t, 16, %b; ld.shared.v4.u32 {%r2, %r3, %r4, _}, [%r1+256]; E: ret;`,
		[]string{"write-after-read shared cta"}},

	{"a matrix loaded without a barrier", 1, false, `
		st.shared.u32 [%s], %t; mad.lo.u32 %r1, %l, 16, %b; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1]; ret;`,
		[]string{"read-after-write shared cta"}},
	{"a matrix loaded behind a barrier", 1, false, `
		st.shared.u32 [%s], %t; bar.sync 0; mad.lo.u32 %r1, %l, 16, %b; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1]; ret;`, nil},
	{"a matrix stored by two warps", 1, false, `
		mad.lo.u32 %r1, %l, 16, %b; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%t}; ret;`,
		[]string{"write-after-write shared cta"}},
	{"halves that a word has, too", 1, false, `
		cvt.u16.u32 %h1, 7; @!%w0 bra W; @%first st.shared.u16 [%b], %h1; ret;
	W:	@%low st.shared.u32 [%s+-128], 0x50007; ret;`,
		[]string{"equal-writes shared cta"}},
	{"a copy without a wait", 1, false, `
		cp.async.ca.shared.global [%s], [%g], 4; ld.shared.u32 %r1, [%s]; ret;`,
		[]string{"read-after-write shared warp"}},
	{"a copy with a wait", 1, false, `
		cp.async.ca.shared.global [%s], [%g], 4; cp.async.wait_all; ld.shared.u32 %r1, [%s]; ret;`, nil},
	{"a copy of another thread, with a wait and no barrier", 1, false, `
		cp.async.ca.shared.global [%s], [%g], 4; cp.async.wait_all; xor.b32 %r1, %s, 128; ld.shared.u32 %r1, [%r1]; ret;`,
		[]string{"read-after-write shared cta", "write-after-read shared cta"}},
	{"a copy of another thread, with a barrier and no wait", 1, false, `
		cp.async.ca.shared.global [%s], [%g], 4; bar.sync 0; xor.b32 %r1, %s, 128; ld.shared.u32 %r1, [%r1]; ret;`,
		[]string{"read-after-write shared cta"}},
	{"the first of two groups of copies", 1, false, `
		cp.async.ca.shared.global [%s], [%g], 4; cp.async.commit_group;
		cp.async.ca.shared.global [%s+256], [%g], 4; cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;
		xor.b32 %r1, %s, 128; ld.shared.u32 %r2, [%r1]; ret;`, nil},
	{"the second of two groups of copies", 1, false, `
		cp.async.ca.shared.global [%s], [%g], 4; cp.async.commit_group;
		cp.async.ca.shared.global [%s+256], [%g], 4; cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;
		xor.b32 %r1, %s, 128; ld.shared.u32 %r2, [%r1+256]; ret;`,
		[]string{"read-after-write shared cta"}},
}

func raceGrid(t *testing.T, body string, ctas int, lockStep bool) *Grid {
	t.Helper()
	return runWatched(t, raceCode(t, body).Checked().WithRaces(lockStep), ctas)
}

// raceCode decodes a kernel with racePrelude in front.
func raceCode(t *testing.T, body string) *Code {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(racePrelude+body+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(p, "k")
	if err != nil {
		t.Fatal(err)
	}
	code, err := Decode(k, build(k))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// runWatched runs CTAs of 64 threads of a kernel with racePrelude.
func runWatched(t *testing.T, code *Code, ctas int) *Grid {
	t.Helper()
	mem := new(Memory)
	buffer, err := mem.Alloc("data", 8192)
	if err != nil {
		t.Fatal(err)
	}
	params := make([]byte, 8)
	put(params, 8, buffer)
	g, err := NewGrid(code, Launch{Grid: [3]int{ctas, 1, 1}, Block: [3]int{64, 1, 1}, Params: params}, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestRaces looks for the races of small kernels.
func TestRaces(t *testing.T) {
	for _, c := range raceCases {
		t.Run(c.name, func(t *testing.T) {
			g := raceGrid(t, c.body, c.ctas, !c.independent)
			var got []string
			for _, r := range g.Races() {
				got = append(got, fmt.Sprintf("%s %s %s", r.Kind, r.Space, r.Reach))
				if r.Space.String() == "global" && r.Buffer != "data" || r.Space.String() == "shared" && r.Buffer != "tile" {
					t.Errorf("a race in %s memory is said to be in %s", r.Space, r.Buffer)
				}
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(c.want))
			if !slices.Equal(got, want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), strings.Join(want, ", "))
			}
		})
	}
}

// TestOrderDecides looks which operations show threads what others have done so far.
func TestOrderDecides(t *testing.T) {
	for body, want := range map[string]bool{
		"st.global.u32 [%p], %t; bar.sync 0; ld.global.u32 %r1, [%p]; ret;": false,
		"st.volatile.global.u32 [%p], %t; fence.acq_rel.gpu; ret;":          false,
		"ld.volatile.shared.u32 %r1, [%b]; ret;":                            true,
		"ld.relaxed.gpu.global.u32 %r1, [%p]; ret;":                         true,
		"ld.acquire.cta.shared.u32 %r1, [%b]; ret;":                         true,
		"atom.global.add.u32 %r1, [%p], 1; ret;":                            true,
		"red.global.add.u32 [%p], 1; ret;":                                  false,
		"red.global.add.u32 [%p], 1; fence.acq_rel.gpu; ret;":               true,
		"red.release.gpu.global.add.u32 [%p], 1; ret;":                      false,
		"mbarrier.init.shared.b64 [%b], 1; ret;":                            false,
		"mbarrier.test_wait.parity.shared.b64 %x1, [%b], 0; ret;":           true,
		"mbarrier.arrive.shared.b64 %rd1, [%b]; ret;":                       true,
	} {
		if got := raceCode(t, body).OrderDecides(); got != want {
			t.Errorf("%s: %t, want %t", body, got, want)
		}
	}
}

// TestRunSeriallyLooks has many CTAs take a lock: what the detector looks at counts as work.
func TestRunSeriallyLooks(t *testing.T) {
	const body = `atom.global.cas.b32 %r1, [%p+1024], 0, 1; setp.ne.u32 %x1, %r1, 0; @%x1 bra E;
		membar.gl; ld.global.u32 %r2, [%p]; add.u32 %r2, %r2, 1; st.global.u32 [%p], %r2; membar.gl;
		atom.global.exch.b32 %r3, [%p+1024], 0; E: ret;`
	g := raceGrid(t, body, 16, true)
	run := func(limit int64) (Counters, error) {
		if err := g.Restart(g.launch, g.mem); err != nil {
			t.Fatal(err)
		}
		return RunSerially(context.Background(), g, Serial{Limit: limit, SMs: 1})
	}
	all, err := run(1 << 40)
	if err != nil || all.Looks == 0 || all.Work() != all.WarpInstrs+all.Looks/8 {
		t.Fatalf("%+v, %v", all, err)
	}
	if again, err := run(all.Work() + 1); err != nil || again != all {
		t.Errorf("%+v and then %+v, %v", all, again, err)
	}
	if part, err := run(all.WarpInstrs + 1); !errors.Is(err, ErrLimit) || part.WarpInstrs >= all.WarpInstrs {
		t.Errorf("%+v of %+v, %v", part, all, err)
	}
}
