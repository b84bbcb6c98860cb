package emu_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/test/emutest"
)

// What the host does not allow is a fault, by every kind of access; what it allows is none.
func TestPermissions(t *testing.T) {
	for _, c := range []struct {
		name, body  string
		reads, adds bool // what the kernel does to the buffer, apart from stores
		writes      bool
	}{
		{"load", "ld.global.u32 %r1, [%rd1];", true, false, false},
		{"vector", "ld.global.v2.u32 {%r1, %r2}, [%rd1];", true, false, false},
		{"generic load by some lanes", "setp.lt.u32 %p1, %tid, 3; @%p1 ld.u32 %r1, [%rd1];", true, false, false},
		{"store", "st.global.u32 [%rd1], %r1;", false, false, true},
		{"byte", "st.u8 [%rd1+3], %r1;", false, false, true},
		{"atomic", "atom.global.add.u32 %r1, [%rd1], 1;", true, true, true},
		{"reduction", "red.global.max.u32 [%rd1], 1;", true, true, true},
		{"asynchronous copy", "cp.async.ca.shared.global [tile], [%rd1], 4;", true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range []struct {
				name  string
				allow func(*emu.Memory, uint64)
				fault bool
			}{
				{"both", func(*emu.Memory, uint64) {}, false},
				{"read", (*emu.Memory).ReadOnly, c.writes},
				{"write", (*emu.Memory).WriteOnly, c.reads},
			} {
				err := runOn(t, c.body, p.allow)
				if got := errors.Is(err, emu.ErrForbidden); got != p.fault || !got && err != nil {
					t.Errorf("%s: %v", p.name, err)
				}
				if p.fault && !strings.Contains(err.Error(), "which is only to be "+map[string]string{"read": "read", "write": "written"}[p.name]) {
					t.Errorf("%s: %v", p.name, err)
				}
			}
		})
	}
}

// runOn executes instructions in two warps on a buffer whose address is in %rd1.
func runOn(t *testing.T, body string, allow func(*emu.Memory, uint64)) error {
	t.Helper()
	_, err := gridOn(t, body, allow)
	return err
}

func gridOn(t *testing.T, body string, allow func(*emu.Memory, uint64)) (*emu.Grid, error) {
	t.Helper()
	code := emutest.Code(t, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .pred %p<3>; .reg .b32 %r<5>, %tid; .reg .b64 %rd<5>;
.shared .align 16 .b8 tile[64]; .shared .align 8 .b64 bar;
ld.param.u64 %rd1, [p]; mov.u32 %tid, %tid.x; mov.u32 %r1, 0;
`+body+`
ret;
}
`)
	mem := new(emu.Memory)
	launch := emutest.Launch(t, mem, 512, 1, 64)
	allow(mem, binary.LittleEndian.Uint64(launch.Params))
	g, err := emu.NewGrid(code.Checked(), launch, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	_, err = emu.Run(context.Background(), g)
	return g, err
}

// bulkRead copies 32 bytes of the buffer in its first thread.
const bulkRead = `setp.ne.u32 %p1, %tid, 0; @%p1 exit; mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], 32;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 32, [bar];`

// Reads of a buffer without contents are told unless something wrote the bytes, and only then.
func TestUnset(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int64 // reads
	}{
		{"read", "ld.global.u32 %r1, [%rd1+8];", 64},
		{"written before", "st.global.u64 [%rd1+8], %rd1; ld.global.u32 %r1, [%rd1+12];", 0},
		{"written by half", "st.global.u16 [%rd1], %r1; ld.global.u32 %r1, [%rd1];", 64},
		{"written beside", "mul.wide.u32 %rd2, %tid, 8; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %tid; ld.global.u32 %r1, [%rd2+4];", 64},
		{"only the first warp", "mul.wide.u32 %rd2, %tid, 4; add.u64 %rd2, %rd2, %rd1; setp.lt.u32 %p1, %tid, 32; @%p1 st.global.u32 [%rd2], %tid; ld.global.u32 %r1, [%rd2];", 32},
		{"atomic", "red.global.add.u32 [%rd1], 1;", 1},
		{"copy", "cp.async.ca.shared.global [tile], [%rd1], 8;", 64},
		{"copy of none", "setp.lt.u32 %p1, %tid, 64; cp.async.ca.shared.global [tile], [%rd1], 8, %p1;", 0},
		{"counted copy", "cp.async.ca.shared.global [tile], [%rd1], 8, %tid;", 63},
		{"counted copy of what is written", "st.global.u32 [%rd1], 1; min.u32 %r1, %tid, 4; cp.async.ca.shared.global [tile], [%rd1], 8, %r1;", 0},
		{"bulk copy", bulkRead, 1},
		{"bulk copy of what is written", "st.global.v2.u64 [%rd1], {%rd1, %rd1}; st.global.v2.u64 [%rd1+16], {%rd1, %rd1};" + bulkRead, 0},
		{"bulk copy of half", "st.global.v2.u64 [%rd1], {%rd1, %rd1};" + bulkRead, 1},
		{"bulk copy to it", `st.shared.v2.u64 [tile], {%rd1, %rd1}; bar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 exit;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ld.global.u32 %r1, [%rd1+12];`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := gridOn(t, c.body, (*emu.Memory).Unset)
			if err != nil {
				t.Fatal(err)
			}
			reads := g.UninitialisedReads()
			count := int64(0)
			for _, r := range reads {
				count += r.Count
			}
			if count != c.want || len(reads) > 1 {
				t.Errorf("%v, want %d", reads, c.want)
			}
			if g.Alone() == nil {
				t.Error("several goroutines could note what is written")
			}
			if g, err = gridOn(t, c.body, func(*emu.Memory, uint64) {}); err != nil || len(g.UninitialisedReads()) > 0 {
				t.Errorf("with contents: %v, %v", g.UninitialisedReads(), err)
			}
		})
	}
}
