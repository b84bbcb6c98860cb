package emu

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestAsyncRaces looks for races between two warps, of which the first thread has initialised an mbarrier behind the words of
// tile, for so many arrivals. The second warp goes on first.
func TestAsyncRaces(t *testing.T) {
	const (
		fetch   = `@%first mbarrier.arrive.expect_tx.shared.b64 _, [%b+512], 64; @%first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%b], [%p], 64, [%b+512];`
		await   = `W: mbarrier.try_wait.parity.shared.b64 %x1, [%b+512], 0; @!%x1 bra W;`
		read    = `ld.shared.u32 %r1, [%b+16];`
		publish = `@%first st.shared.u32 [%b], 5; @%first mbarrier.arrive.shared.b64 _, [%b+512];`
	)
	for _, c := range []struct {
		name, count, body string
		want              []string
	}{
		{"a bulk copy that all wait for", "1", fetch + await + read, nil},
		{"a bulk copy that nobody waits for", "1", fetch + read, []string{"read-after-write shared warp", "write-after-read shared cta"}},
		{"its own thread reads too early", "1", fetch + "@%first " + read, []string{"read-after-write shared warp"}},
		{"a barrier is no wait for a copy", "1", fetch + "bar.sync 0; @!%w0 " + read, []string{"read-after-write shared cta"}},
		{"only one warp waits", "1", fetch + "@!%w0 bra R; " + await + "R: " + read, []string{"write-after-read shared cta"}},
		{"its source is written too early", "1", fetch + "@%first st.global.u32 [%p+4], 3;", []string{"write-after-read global warp"}},
		{"its source is written in time", "1", fetch + await + "@%first st.global.u32 [%p+4], 3;", nil},

		{"an arrival releases", "1", publish + await + "ld.shared.u32 %r1, [%b];", nil},
		{"a test that is not made", "1", publish + "ld.shared.u32 %r1, [%b];", []string{"write-after-read shared cta"}},
		{"a relaxed arrival", "1", "@%first st.shared.u32 [%b], 5; @%first mbarrier.arrive.relaxed.cta.shared.b64 _, [%b+512];" + await + "ld.shared.u32 %r1, [%b];",
			[]string{"read-after-write shared cta"}},
		{"a relaxed wait", "1", publish + "W: mbarrier.try_wait.parity.relaxed.cta.shared.b64 %x1, [%b+512], 0; @!%x1 bra W; ld.shared.u32 %r1, [%b];",
			[]string{"read-after-write shared cta"}},
		{"the state of a phase", "2", "@%w0 st.shared.u32 [%s], %t; @%first mbarrier.arrive.shared.b64 _, [%b+512]; setp.ne.u32 %x2, %t, 32; @%x2 ret; " +
			"mbarrier.arrive.shared.b64 %rd1, [%b+512]; W: mbarrier.test_wait.shared.b64 %x1, [%b+512], %rd1; @!%x1 bra W; ld.shared.u32 %r1, [%b+16];", nil},
		{"what was written behind the arrival", "1", "@%first mbarrier.arrive.shared.b64 _, [%b+512]; @%first st.shared.u32 [%b], 5;" + await + "@!%w0 ld.shared.u32 %r1, [%b];",
			[]string{"read-after-write shared cta"}},
		{"arrivals that initialisation is not ordered before", "1", "setp.eq.u32 %x1, %t, 32; @%x1 mbarrier.init.shared.b64 [%b+520], 2; @%first mbarrier.arrive.shared.b64 _, [%b+520];",
			[]string{"write-after-write shared cta"}},

		{"copies that an mbarrier waits for", "1", "@%first cp.async.ca.shared.global [%b], [%p], 16; @%first cp.async.mbarrier.arrive.noinc.shared.b64 [%b+512];" + await + "ld.shared.u32 %r1, [%b];", nil},
		{"copies from one place", "1", "cp.async.ca.shared.global [%s], [%p], 4; cp.async.wait_all;", nil},
		{"before that", "1", "@%first cp.async.ca.shared.global [%b], [%p], 16; @%first cp.async.mbarrier.arrive.noinc.shared.b64 [%b+512]; @%first ld.shared.u32 %r1, [%b];",
			[]string{"read-after-write shared warp"}},

		{"a copy to global memory is waited for", "1", "@!%first ret; st.shared.u32 [%b], 1; cp.async.bulk.global.shared::cta.bulk_group [%p], [%b], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ld.global.u32 %r1, [%p]; st.shared.u32 [%b], 2;", nil},
		{"its destination is read too early", "1", "@!%first ret; cp.async.bulk.global.shared::cta.bulk_group [%p], [%b], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; ld.global.u32 %r1, [%p];",
			[]string{"read-after-write global warp"}},
		{"its source may be written when it has been read", "1", "@!%first ret; cp.async.bulk.global.shared::cta.bulk_group [%p], [%b], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; st.shared.u32 [%b], 2;", nil},
		{"and not before", "1", "@!%first ret; cp.async.bulk.global.shared::cta.bulk_group [%p], [%b], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1; st.shared.u32 [%b], 2;",
			[]string{"write-after-read shared warp"}},
		{"groups of the other kind of copies say nothing", "1", "@!%first ret; cp.async.bulk.global.shared::cta.bulk_group [%p], [%b], 16; cp.async.commit_group; cp.async.wait_all; st.shared.u32 [%b], 2;",
			[]string{"write-after-read shared warp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := raceGrid(t, "@%first mbarrier.init.shared.b64 [%b+512], "+c.count+"; bar.sync 0; "+c.body+" ret;", 1, true)
			var got []string
			for _, r := range g.Races() {
				got = append(got, fmt.Sprintf("%s %s %s", r.Kind, r.Space, r.Reach))
			}
			slices.Sort(got)
			got = slices.Compact(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), strings.Join(c.want, ", "))
			}
		})
	}
}
