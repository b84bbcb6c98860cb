package search

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/symexec"
)

// sumOfWarp adds up %r6 of all lanes of a warp.
func sumOfWarp() string {
	var text strings.Builder
	for _, by := range []int{16, 8, 4, 2, 1} {
		fmt.Fprintf(&text, "\tshfl.sync.bfly.b32 %%r7, %%r6, %d, 31, -1; add.u32 %%r6, %%r6, %%r7;\n", by)
	}
	return text.String()
}

// TestWarps explores warps whose lanes exchange what they have, and scales their paths to all
// warps.
func TestWarps(t *testing.T) {
	for name, c := range map[string]struct {
		block, body string
		threads     []int // of the explorations
		group       int
	}{
		"a sum of a warp": {"[64, 1, 1]", "ld.global.u32 %r6, [%rd4];\n" + sumOfWarp() + `
	setp.ne.u32 %p1, %r6, 12345;
	@%p1 bra A;
	st.global.u32 [%rd5], 7;
A:	ret;`, []int{32, 1}, 32},
		"a ballot": {"[64, 1, 1]", `
	ld.global.u32 %r6, [%rd4];
	setp.gt.u32 %p1, %r6, 995;
	vote.sync.ballot.b32 %r7, %p1, -1;
	setp.ne.u32 %p1, %r7, 0xf00d;
	@%p1 bra A;
	st.global.u32 [%rd5], 7;
A:	ret;`, []int{32, 1}, 32},
		"a sum of a CTA": {"[64, 1, 1]", "ld.global.u32 %r6, [%rd4];\n" + sumOfWarp() + `
	mov.u32 %r9, s;
	shr.u32 %r8, %r2, 3;
	and.b32 %r8, %r8, 4;
	add.u32 %r9, %r9, %r8;
	st.shared.u32 [%r9], %r6;
	bar.sync 0;
	setp.ge.u32 %p1, %r2, 32;
	ld.shared.u32 %r8, [s];
	ld.shared.u32 %r10, [s+4];
	add.u32 %r8, %r8, %r10;
	setp.ne.or.u32 %p1, %r8, 12345, %p1;
	@%p1 bra A;
	st.global.u32 [%rd5], 7;
A:	ret;`, []int{32, 1, 64}, 64},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := load(t, "[2, 1, 1]", c.block, c.body, words(1000))
			s.config.MaxSteps = 10_000
			res := s.trim(t)
			var threads []int
			for _, e := range res.Explorations {
				threads = append(threads, e.Threads)
			}
			if covered, _ := res.coverage(); covered != 100 || !slices.Equal(threads, c.threads) || res.Plan.Group != c.group {
				t.Fatalf("%g %% of the outcomes are covered after %+v, in groups of %d", covered, res.Explorations, res.Plan.Group)
			}
			best := 0
			for _, p := range res.Paths {
				if p.Atom < 0 {
					continue
				}
				if p.Scales != p.Tried {
					t.Errorf("%d of %d groups take the path of %v", p.Scales, p.Tried, p.Threads)
				}
				again := s.Again(t, s.Grid.Width())
				copy(again.Buffers[0], all(res.Plan, int32(p.Atom))[0])
				again.Run(t, again.Grid.CTAs(), func(*emu.CTA, int) func(*emu.Effect) { return nil })
				reached := 0
				for i := range 128 {
					if binary.LittleEndian.Uint32(again.Buffers[1][4*i:]) == 7 {
						reached++
					}
				}
				best = max(best, reached)
			}
			if want := 128 / len(res.Paths[0].Threads) * len(res.Paths[0].Threads); c.group == 32 && best != want || best == 0 {
				t.Errorf("on the inputs of no atom more than %d threads take the rare outcome", best)
			}
		})
	}
}

// TestUnfollowed has a warp whose lanes come to several instructions that name no lanes: its paths
// are cut off, which a note tells.
func TestUnfollowed(t *testing.T) {
	s := load(t, "[1, 1, 1]", "[32, 1, 1]", `
	ld.global.u32 %r6, [%rd4];
	setp.eq.u32 %p1, %r6, 5;
	@%p1 bra A;
	activemask.b32 %r7;
	ret;
A:	activemask.b32 %r8;
	ret;`, words(1000))
	res := s.trim(t)
	covered, _ := res.coverage()
	noted := slices.ContainsFunc(res.Notes, func(n string) bool {
		return strings.HasPrefix(n, "paths are cut off: k.ptx:") && strings.Contains(n, "names no lanes")
	})
	if covered != 100 || res.Explorations[0].CutOff == 0 || !noted {
		t.Errorf("%g %% of the outcomes are covered after %+v, with the notes %q", covered, res.Explorations, res.Notes)
	}
	for _, p := range res.Paths {
		if len(p.Threads) != 32 || slices.ContainsFunc(p.ways, func(w symexec.ThreadPath) bool { return w.Instructions == 0 }) {
			t.Errorf("path %+v", p)
		}
	}
}
