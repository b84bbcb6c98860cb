package ptx

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/test/isatest"
)

// TestCheckWarps finds everything by which a kernel can tell how threads are grouped in
// warps. A line with a comment is expected to be named, once.
func TestCheckWarps(t *testing.T) {
	const src = `.version 8.6
.target sm_100a
.address_size 64
.global .align 4 .b8 unused[WARP_SZ];
.global .align 4 .b32 sized[2*WARP_SZ]; //
.global .align 4 .b32 filled[] = {1, {WARP_SZ+1}}; //
.global .align 4 .b32 plain[32];
.func (.reg .b32 out) twice(.reg .b32 x) {
	.reg .b32 lane;
	mov.u32 lane, %laneid; //
	add.u32 out, x, lane;
	ret;
}
.func elsewhere() {
	activemask.b32 _;
	ret;
}
.visible .entry k(.param .u64 out) {
	.reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .pred %p<10>; .reg .f32 %f<2>;
	mov.u64 %rd0, sized; mov.u64 %rd0, filled; mov.u64 %rd0, plain;
	mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5;
	bar.sync 0; barrier.sync 1, 64;
	mov.u32 %r2, WARP_SZ; //
	add.u32 %r2, %r2, (WARP_SZ << 1) | 3; //
	st.global.v2.u32 [%rd0], {%r2, WARP_SZ-1}; //
	ld.global.u32 %r2, [%rd0+WARP_SZ]; //
	call (%r3), twice, (%r2); call (%r3), twice, (%r3);
	call (%r3), twice, (WARP_SZ*2); //
	mov.u32 %r4, %lanemask_eq; //
	mov.u32 %r4, %lanemask_le; //
	mov.u32 %r4, %lanemask_lt; //
	mov.u32 %r4, %lanemask_ge; //
	@%p1 mov.u32 %r4, %lanemask_gt; //
	mov.u32 %r4, %warpid; //
	mov.u32 %r4, %nwarpid; //
	shfl.sync.down.b32 %r4, %r5, 1, 31, -1; //
	shfl.idx.b32 %r4|%p1, %r5, 1, 31; //
	vote.sync.ballot.b32 %r4, %p1, -1; //
	vote.ballot.b32 %r4, %p1; //
	vote.all.pred %p2, %p1; //
	vote.sync.any.pred %p2, %p1, -1; //
	vote.uni.pred %p2, %p1; //
	match.any.sync.b32 %r4, %r5, -1; //
	match.all.sync.b64 %r4|%p1, %rd0, -1; //
	redux.sync.add.s32 %r4, %r5, -1; //
	redux.sync.min.f32 %f0, %f0, -1; //
	elect.sync %r4|%p1, -1; //
	activemask.b32 %r4; //
	bar.warp.sync -1; //
	ret;
}
`
	mod, err := Parse("k.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := Lower(mod)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(prog, "k")
	if err != nil {
		t.Fatal(err)
	}
	if err := k.CheckWarps(32); err != nil {
		t.Errorf("warps of 32: %v", err)
	}
	var want []int32
	for i, line := range strings.Split(src, "\n") {
		if strings.HasSuffix(line, "//") {
			want = append(want, int32(i+1))
		}
	}
	for _, lanes := range []int{64, 4} {
		all, ok := k.CheckWarps(lanes).(interface{ Unwrap() []error })
		if !ok {
			t.Fatalf("warps of %d: no list of errors", lanes)
		}
		var got []int32
		for _, err := range all.Unwrap() {
			var e *diag.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			got = append(got, e.Pos.Line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("warps of %d: lines %v, want %v\n%v", lanes, got, want, k.CheckWarps(lanes))
		}
	}
	const first = `k.ptx:5:23: variable sized depends on warps of 32 threads, and those of the machine have 64: choose a machine with warp_size = 32
k.ptx:6:23: variable filled depends`
	if err := k.CheckWarps(64); !strings.HasPrefix(err.Error(), first) || !strings.Contains(err.Error(), "k.ptx:24:2: add.u32 %r2, %r2, 0x43 depends on warps") {
		t.Errorf("got %v\nwant %s", err, first)
	}
}
