package emu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// hazardCases are kernels of one CTA without races, in warps of 32 threads that are scheduled independently, and which pairs of
// accesses only lock-step orders.
var hazardCases = []struct {
	name string
	body string
	want []string // kind, space, and the instructions
}{
	{"a step of a reduction", `
		st.volatile.shared.u32 [%s], %t; ld.volatile.shared.u32 %r1, [%s+64]; st.volatile.shared.u32 [%s+512], %r1; ret;`,
		[]string{"read-after-write shared warp 12 13"}},
	{"with bar.warp.sync", `
		st.volatile.shared.u32 [%s], %t; bar.warp.sync -1; xor.b32 %r1, %s, 64; ld.volatile.shared.u32 %r1, [%r1]; ret;`, nil},
	{"with bar.warp.sync for other lanes", `
		st.volatile.shared.u32 [%s], %t; bar.warp.sync -1; st.volatile.shared.u32 [%s], %l; @%low bar.warp.sync 0xffff; @%low ld.volatile.shared.u32 %r1, [%s+64]; ret;`,
		[]string{"read-after-write shared warp 14 16"}},
	{"with a barrier", `
		st.volatile.shared.u32 [%s], %t; bar.sync 0; xor.b32 %r1, %s, 64; ld.volatile.shared.u32 %r1, [%r1]; ret;`, nil},
	{"with a shuffle, which orders nothing", `
		st.volatile.shared.u32 [%s], %t; shfl.sync.bfly.b32 %r2, %t, 1, 31, -1; xor.b32 %r1, %s, 64; ld.volatile.shared.u32 %r1, [%r1]; ret;`,
		[]string{"read-after-write shared warp 12 15"}},
	{"with fences, which nobody reads between", `
		st.volatile.shared.u32 [%s], %t; membar.cta; xor.b32 %r1, %s, 64; ld.volatile.shared.u32 %r1, [%r1]; ret;`,
		[]string{"read-after-write shared warp 12 15"}},
	{"a write after others have read", `
		xor.b32 %r1, %s, 64; ld.relaxed.cta.shared.u32 %r2, [%r1]; st.relaxed.cta.shared.u32 [%s], %t; ret;`,
		[]string{"write-after-read shared warp 13 14"}},
	{"in global memory", `
		st.relaxed.gpu.global.u32 [%g], %t; xor.b64 %rd1, %g, 64; ld.relaxed.gpu.global.u32 %r2, [%rd1]; ret;`,
		[]string{"read-after-write global warp 12 14"}},
	{"one lane tells all", `
		@%first st.volatile.shared.u32 [%b], 7; @%w0 ld.volatile.shared.u32 %r1, [%b]; ret;`,
		[]string{"read-after-write shared warp 12 13"}},
	{"writes of one value", `
		@%low st.volatile.shared.u32 [%b], 7; st.volatile.shared.u32 [%b], 7; ret;`, nil},
	{"a lane alone", `st.volatile.shared.u32 [%s], %t; ld.volatile.shared.u32 %r1, [%s]; ret;`, nil},
	{"lanes of different warps", `
		st.volatile.shared.u32 [%s], %t; xor.b32 %r1, %s, 128; ld.volatile.shared.u32 %r1, [%r1]; ret;`, nil},
	{"counting", `atom.shared.add.u32 %r1, [%b], 1; ld.volatile.shared.u32 %r2, [%b]; ret;`, nil},
	{"release and acquire", `
		st.release.cta.shared.u32 [%s], %t; xor.b32 %r1, %s, 64; ld.acquire.cta.shared.u32 %r1, [%r1]; ret;`, nil},
	{"all lanes await what one of them tells", `
		@%first st.volatile.shared.u32 [%b], 7;
	L:	ld.volatile.shared.u32 %r1, [%b]; setp.ne.u32 %x1, %r1, 7; @%x1 bra L; ret;`, nil},
	{"lanes on another path await it", `
		@!%first bra W; st.volatile.shared.u32 [%b], 7; bra E;
	W:	ld.volatile.shared.u32 %r1, [%b]; add.u32 %r1, %r1, 1; setp.ne.u32 %x1, %r1, 8; @%x1 bra W; E: ret;`, nil},
	{"one lane after the other", `
		@!%w0 bra E;
	L:	atom.shared.cas.b32 %r1, [%b], 0, 1; setp.ne.u32 %x1, %r1, 0; @%x1 bra L;
		ld.volatile.shared.u32 %r2, [%b+4]; add.u32 %r2, %r2, 1; st.volatile.shared.u32 [%b+4], %r2;
		atom.shared.exch.b32 %r3, [%b], 0; E: ret;`, nil},
	{"a reduction in a loop", `
		mov.u32 %r1, 16; st.volatile.shared.u32 [%s], %t;
	L:	mad.lo.u32 %r2, %r1, 4, %s; ld.volatile.shared.u32 %r3, [%r2]; add.u32 %r4, %r4, %r3; bar.sync 0; st.volatile.shared.u32 [%s], %r4;
		shr.u32 %r1, %r1, 1; setp.ne.u32 %x1, %r1, 0; @%x1 bra L; ret;`,
		[]string{"read-after-write shared warp 13 15", "read-after-write shared warp 18 15"}},
	{"a branch in a loop that does not leave it", `
		mov.u32 %r1, 2; st.volatile.shared.u32 [%s], %t;
	L:	ld.volatile.shared.u32 %r3, [%s+64]; setp.gt.u32 %x2, %r3, 40; @%x2 bra M; add.u32 %r4, %r4, %r3;
	M:	sub.u32 %r1, %r1, 1; setp.ne.u32 %x1, %r1, 0; @%x1 bra L; ret;`,
		[]string{"read-after-write shared warp 13 14"}},
	{"a lane that leaves the others, tells them, and comes back", `
		@!%first bra N; st.volatile.shared.u32 [%b], 7; N: ld.volatile.shared.u32 %r1, [%b]; ret;`,
		[]string{"read-after-write shared warp 13 14"}},
	{"lanes that leave the others which told them", `
		st.volatile.shared.u32 [%s], %t; @!%low bra E; ld.volatile.shared.u32 %r1, [%s+64]; E: ret;`,
		[]string{"read-after-write shared warp 12 14"}},
	{"a lane that has read what it overwrites", `
		@%first st.volatile.shared.u32 [%b], 1; setp.eq.u32 %x1, %t, 5;
		@%x1 ld.volatile.shared.u32 %r1, [%b]; @%x1 st.volatile.shared.u32 [%b], 2; ret;`,
		[]string{"read-after-write shared warp 12 14"}},
	{"one instruction", `@%w0 st.volatile.shared.u32 [%b], %t; ret;`, nil},
}

// TestHazards looks for accesses that only lock-step orders: there are some where threads are scheduled independently, and none else.
func TestHazards(t *testing.T) {
	for _, c := range hazardCases {
		t.Run(c.name, func(t *testing.T) {
			code := raceCode(t, c.body).Checked()
			g := runWatched(t, code.WithRaces(false).WithThreads(Turns{Path: 1 << 16, Wait: 1 << 16}), 1)
			var got []string
			for _, h := range g.Hazards() {
				got = append(got, fmt.Sprintf("%s %s %s %d %d", h.Kind, h.Space, h.Reach, indexOf(code, h.First), indexOf(code, h.Second)))
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), strings.Join(c.want, ", "))
			}
			if races := g.Races(); len(races) > 0 {
				t.Errorf("there are races: %+v", races)
			}
		})
	}
	parts := runWatched(t, raceCode(t, `
		st.volatile.shared.u32 [%s], %t; xor.b32 %r1, %s, 64; ld.volatile.shared.u16 %h1, [%r1]; ret;`,
	).WithRaces(false).WithThreads(Turns{Path: 1, Wait: 1}), 1)
	if len(parts.Races()) == 0 || len(parts.Hazards()) > 0 {
		t.Errorf("a part of what another lane writes: races %+v, hazards %+v", parts.Races(), parts.Hazards())
	}
	for _, lockStep := range []bool{true, false} { // on a stack, in lock-step or not promised to be
		g := runWatched(t, raceCode(t, hazardCases[0].body).WithRaces(lockStep), 1)
		if h := g.Hazards(); len(h) > 0 {
			t.Errorf("threads are not independent, and there are hazards: %+v", h)
		}
	}
}

// indexOf returns which instruction of a kernel makes an access.
func indexOf(c *Code, a RaceAccess) int {
	return slices.IndexFunc(c.kernel.Instrs, func(in isa.Instr) bool { return in.Pos == a.Instr.Pos })
}
