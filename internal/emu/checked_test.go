package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/alu"
)

// uninitialised executes the scenario with checks in CTAs of one slot.
func (s *scenario) uninitialised(t *testing.T, ctas int) []UninitialisedRead {
	t.Helper()
	code := decode(t, s.kernel(t))
	mem := new(Memory)
	out, err := mem.Alloc("out", 256)
	if err != nil {
		t.Fatal(err)
	}
	launch := Launch{Grid: [3]int{ctas, 1, 1}, Block: [3]int{64, 1, 1}, DynamicShared: s.dynamic, Params: binary.LittleEndian.AppendUint64(nil, out)}
	run := func(c *Code) *Grid {
		g, err := NewGrid(c, launch, mem, 32)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), g); err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := run(code.Checked())
	found := g.UninitialisedReads()
	if err := g.Restart(launch, mem); err != nil || len(g.UninitialisedReads()) > 0 {
		t.Errorf("after a restart: %v, %v", g.UninitialisedReads(), err)
	}
	if _, err := Run(context.Background(), g); err != nil || len(g.UninitialisedReads()) != len(found) {
		t.Errorf("the second run finds %v, %v, the first %v", g.UninitialisedReads(), err, found)
	}
	if list := run(code).UninitialisedReads(); len(list) > 0 {
		t.Errorf("without checks: %v", list)
	}
	return found
}

func TestUninitialisedReads(t *testing.T) {
	const shared = ".shared .align 16 .b8 s[512];"
	const own = "mov.u64 %rd2, s; mad.wide.u32 %rd3, %r0, 8, %rd2; " // 8 bytes of each thread
	for _, c := range []struct {
		name string
		scenario
		want []string // for each place: bytes, offset, thread and number of reads
	}{
		{"written", scenario{vars: shared, body: own + "st.shared.u32 [%rd3], 1; ld.shared.u32 %r1, [%rd3]; ret;"}, nil},
		{"not written", scenario{vars: shared, body: own + "ld.shared.u32 %r1, [%rd3+4]; ret;"}, []string{"4 at 4 of s+4 by 0, 128"}},
		{"by one thread", scenario{vars: shared, body: own + "setp.ne.u32 %p0, %r0, 37; @%p0 st.shared.u32 [%rd3], 1; ld.shared.u32 %r1, [%rd3]; ret;"},
			[]string{"4 at 296 of s+296 by 37, 2"}},
		{"under a guard", scenario{vars: shared, body: own + "setp.eq.u32 %p0, %r0, 37; @%p0 ld.shared.u32 %r1, [%rd3]; ret;"}, []string{"4 at 296 of s+296 by 37, 2"}},
		{"by another thread", scenario{vars: shared, body: own + "st.shared.u64 [%rd3], 1; bar.sync 0; ld.shared.u32 %r1, [s+508]; ret;"}, nil},
		{"a part", scenario{vars: shared, body: own + "st.shared.u8 [%rd3+1], 1; ld.shared.u16 %r1, [%rd3]; ld.shared.u8 %r1, [%rd3+1]; ret;"}, []string{"1 at 0 of s+0 by 0, 128"}},
		{"from parts", scenario{vars: shared, body: own + "st.shared.u16 [%rd3+2], 1; st.shared.u8 [%rd3+1], 1; st.shared.u8 [%rd3], 1; ld.shared.u32 %r1, [%rd3]; ret;"}, nil},
		{"a vector", scenario{vars: shared, body: own + "st.shared.u32 [%rd3+4], 1; ld.shared.v2.u32 {%r1, %r2}, [%rd3]; ld.shared.v2.u32 {_, %r2}, [%rd3]; ret;"}, []string{"4 at 0 of s+0 by 0, 128"}},
		{"elements that are not stored", scenario{vars: shared, body: own + "st.shared.v2.u32 [%rd3], {%r0, _}; ld.shared.v2.u32 {%r1, %r2}, [%rd3]; ret;"}, []string{"4 at 0 of s+0 by 0, 128"}},
		{"local", scenario{body: ".local .align 8 .b8 l[48]; setp.lt.u32 %p0, %r0, 40; @%p0 st.local.u64 [l+40], 1; ld.local.u32 %r1, [l+44]; ret;"},
			[]string{"4 at 44 of l+44 by 40, 48"}},
		{"generic address", scenario{body: ".local .align 8 .b8 l[16]; mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; st.u32 [%rd2], 1; ld.u32 %r1, [%rd2]; ld.u32 %r1, [%rd2+4]; ret;"},
			[]string{"4 at 4 of l+4 by 0, 128"}},
		{"atomic", scenario{vars: shared, body: own + "atom.shared.add.u32 %r1, [%rd3], 1; ld.shared.u32 %r1, [%rd3]; ret;"}, []string{"4 at 0 of s+0 by 0, 128"}},
		{"atomics on one address", scenario{vars: shared, body: "red.shared.add.u32 [s], 1; ret;"}, []string{"4 at 0 of s+0 by 0, 2"}},
		{"exchange", scenario{vars: shared, body: own + "atom.shared.exch.b32 _, [%rd3], 1; ld.shared.u32 %r1, [%rd3]; atom.shared.exch.b32 %r1, [%rd3+4], 1; ret;"}, []string{"4 at 4 of s+4 by 0, 128"}},
		{"wide swap", scenario{vars: shared, body: ".reg .b128 %q; atom.shared.cas.b128 %q, [s], %q, %q; ret;"}, []string{"16 at 0 of s+0 by 0, 2"}},
		{"dynamic shared memory", scenario{vars: ".extern .shared .align 4 .b8 d[];", dynamic: 64, body: "ld.shared.u32 %r1, [d+60]; ret;"}, []string{"4 at 60 of d+60 by 0, 128"}},
		{"asynchronous copy", scenario{vars: shared + ".global .align 16 .b8 g[64];", body: "setp.eq.u32 %p0, %r0, 0; mov.u32 %r2, s; @%p0 cp.async.ca.shared.global [%r2], [g], 8; cp.async.wait_all; bar.sync 0; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s]; ret;"},
			[]string{"8 at 0 of s+0 by 32, 128"}},
		{"bulk copy to shared memory", scenario{vars: shared + ".shared .align 8 .b64 m; .shared .align 16 .b8 b[32]; .global .align 16 .b8 g[64];",
			body: "mov.u32 %r2, b; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [m], 1; @%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [g], 16, [m]; bar.sync 0; ld.shared.u32 %r1, [b+12]; ld.shared.u32 %r1, [b+16]; ret;"},
			[]string{"4 at 16 of b+16 by 32, 128"}},
		{"bulk copy from shared memory", scenario{vars: ".shared .align 16 .b8 b[32]; .global .align 16 .b8 g[64];",
			body: "setp.eq.u32 %p0, %r0, 0; st.shared.u64 [b], 1; bar.sync 0; @%p0 cp.async.bulk.global.shared::cta.bulk_group [g], [b], 32; ret;"},
			[]string{"24 at 0 of b+0 by 0, 2"}},
		{"heap", scenario{vars: ".extern .func (.param .b64 r) malloc(.param .b64 n);", body: `
{ .param .b64 n; .param .b64 p; st.param.b64 [n], 16; call (p), malloc, (n); ld.param.b64 %rd2, [p]; }
st.u32 [%rd2], 1; ld.u32 %r1, [%rd2]; ld.global.u64 %rd3, [%rd2]; st.u32 [%rd1], %r1; ld.global.u32 %r1, [%rd0]; ret;`},
			[]string{"4 at 0 of heap by 0, 128"}},
		{"parameters and global memory", scenario{vars: ".global .u32 g; .const .u32 c;", body: "ld.global.u32 %r1, [g]; ld.const.u32 %r1, [c]; ld.global.u32 %r1, [%rd1]; ret;"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range c.uninitialised(t, 2) {
				_, place, _ := strings.Cut(r.Place, "offset ")
				offset, rest, _ := strings.Cut(place, " of ")
				_, name, found := strings.Cut(strings.TrimSuffix(rest, ")"), "; ")
				if !found {
					name = "heap"
				}
				got = append(got, fmt.Sprintf("%d at %s of %s by %d, %d", r.Bytes, offset, name, r.Thread[0], r.Count))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestUninitialisedReadString(t *testing.T) {
	s := scenario{vars: ".shared .align 4 .b8 s[64];", body: "setp.eq.u32 %p0, %r0, 35; @%p0 ld.shared.u32 %r1, [s+8]; ret;"}
	const want = "@%p0 ld.shared.u32 %r1, [s+8] reads 4 uninitialised bytes: 0x8, offset 8 of shared memory (64 bytes; s+8), in CTA (0,0,0), thread (35,0,0)"
	for ctas, want := range map[int]string{1: want + "; they are zero", 3: want + ", the first of 3 such reads; they are zero"} {
		if list := s.uninitialised(t, ctas); len(list) != 1 || list[0].String() != want {
			t.Errorf("got %v, want %s", list, want)
		}
	}
}

// TestWritten compares with a flag for each byte.
func TestWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 192
		var s written
		var flags [size]bool
		s.reset(size)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			n := rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "bytes")
			at := rapid.IntRange(0, size/n-1).Draw(t, "at") * n
			lacking, left := 0, 0
			for _, b := range flags[at:][:n] {
				if !b {
					lacking++
				}
			}
			if got := s.lacks(uint64(at), n); got != lacking {
				t.Fatalf("%d of %d bytes at %d are lacking, want %d", got, n, at, lacking)
			}
			s.add(uint64(at), n)
			for i := range n {
				flags[at+i] = true
			}
			for _, b := range flags {
				if !b {
					left++
				}
			}
			if s.left != left {
				t.Fatalf("%d bytes are left, want %d", s.left, left)
			}
		}
	})
}

// TestTogether compares what is noted of an access to one place of local memory for all lanes
// with what is noted for one after another.
func TestTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 48
		var fast, slow Warp
		for _, w := range []*Warp{&fast, &slow} {
			w.local.size, w.own = size, new(ownWritten)
			w.own.reset(size, MaxWidth)
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			op := checked{reads: rapid.Bool().Draw(t, "reads"), writes: rapid.Bool().Draw(t, "writes")}
			n := rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "bytes")
			for i := range rapid.IntRange(1, 3).Draw(t, "pieces") {
				op.pieces = append(op.pieces, piece{i * n, n})
			}
			at := uint64(rapid.IntRange(0, 2).Draw(t, "at") * 8)
			set := rapid.SampledFrom([]uint64{1<<32 - 1, 1<<64 - 1, 1 << 40, 0xff00ff}).Draw(t, "lanes")
			lacking := 0
			for m := set; m != 0; m &= m - 1 {
				lacking += op.lane(&slow, alu.First(m), &slow.local, at)
			}
			if got := op.together(&fast, set, at); got != (lacking == 0) {
				t.Fatalf("all lanes together: %v, but %d bytes are lacking", got, lacking)
			} else if !got {
				for m := set; m != 0; m &= m - 1 {
					op.lane(&fast, alu.First(m), &fast.local, at)
				}
			}
			left := 0
			for _, mask := range slow.own.lanes {
				left += bits.OnesCount64(^mask)
			}
			if !slices.Equal(fast.own.lanes, slow.own.lanes) || fast.own.left != left || slow.own.left != left {
				t.Fatalf("%d bytes are left, or %d, want %d\n%x\n%x", fast.own.left, slow.own.left, left, fast.own.lanes, slow.own.lanes)
			}
		}
	})
}

// TestOwnWritten compares with a flag for each byte of each lane.
func TestOwnWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 32
		var s ownWritten
		var flags [MaxWidth][size]bool
		s.reset(size, MaxWidth)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			n := rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "bytes")
			at := rapid.IntRange(0, size/n-1).Draw(t, "at") * n
			lane := rapid.IntRange(0, MaxWidth-1).Draw(t, "lane")
			lacking := 0
			for _, b := range flags[lane][at:][:n] {
				if !b {
					lacking++
				}
			}
			if got, has := s.lacks(uint64(at), n, lane), s.has(uint64(at), n, 1<<lane); got != lacking || has != (lacking == 0) {
				t.Fatalf("%d of %d bytes at %d are lacking, has %v, want %d", got, n, at, has, lacking)
			}
			s.add(uint64(at), n, 1<<lane)
			for i := range n {
				flags[lane][at+i] = true
			}
		}
	})
}

// TestUninitialisedReadsOfWarpSplits checks that a warp-split shares what is noted of local memory
// with the warp that it was detached from.
func TestUninitialisedReadsOfWarpSplits(t *testing.T) {
	s := scenario{body: ".local .align 8 .b8 l[16]; setp.lt.u32 %p0, %r0, 2; st.local.u32 [l], 1; @%p0 bra end;\nst.local.u32 [l+4], 1;\nend: ld.local.u64 %rd2, [l]; ret;"}
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{4, 1, 1}, Params: make([]byte, 8)}
	g, err := NewGrid(decode(t, s.kernel(t)).Checked(), launch, new(Memory), 4)
	if err != nil {
		t.Fatal(err)
	}
	r := startWarpSplits(t, g)
	for _, command := range strings.Fields("w w w w w w w>a a a<w w w") {
		if _, err := r.do(command); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
	if found := g.UninitialisedReads(); len(found) != 1 || found[0].Count != 2 || found[0].Bytes != 4 || found[0].Thread[0] != 0 {
		t.Errorf("found %v, want 4 bytes of threads 0 and 1", found)
	}
}
