package scoreboard

import (
	"fmt"
	"testing"
)

// TestBulkCopyLines checks that a bulk copy accesses the lines of the loads or stores of the same bytes.
func TestBulkCopyLines(t *testing.T) {
	m := fermi(t)
	for _, c := range []struct {
		from, bytes int
		lines       int64
		partly      int64 // lines of which a store writes some words and not all
	}{{0, 16, 1, 1}, {112, 16, 1, 1}, {112, 32, 2, 2}, {0, 128, 1, 0}, {64, 128, 2, 2}, {16, 1024, 9, 2}, {0, 0, 0, 0}} {
		load := fmt.Sprintf(`setp.ne.u32 %%p1, %%t, 0; @%%p1 bra E;
			mbarrier.init.shared.b64 [sh], 1; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [sh+16], [%%buf+%d], %d, [sh]; E: ret;`, c.from, c.bytes)
		store := fmt.Sprintf(`setp.eq.u32 %%p1, %%t, 0; @%%p1 cp.async.bulk.global.shared::cta.bulk_group [%%buf+%d], [sh], %d;
			cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;`, c.from, c.bytes)
		for _, body := range []string{load, store} {
			if _, o := solo(t, m, body); o.Counters.Transactions != c.lines {
				t.Errorf("%d bytes from %d: %d lines, want %d\n%s", c.bytes, c.from, o.Counters.Transactions, c.lines, body)
			} else if reads := o.Counters.DRAMReads; body == store && reads != c.partly {
				t.Errorf("a store of %d bytes from %d reads %d lines, want %d", c.bytes, c.from, reads, c.partly)
			}
		}
	}
}

// TestBulkCopyIsServedFirst checks that an mbarrier is told of a copy, and a wait for a group is over, when the copy is served.
func TestBulkCopyIsServedFirst(t *testing.T) {
	m := fermi(t)
	for _, body := range []string{
		`cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [sh+16], [%buf], 64, [sh];`,
		`cp.async.ca.shared.global [sh+16], [%buf], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [sh];`,
		`ld.global.u32 %r3, [%buf]; cp.async.bulk.global.shared::cta.bulk_group [%buf+512], [sh+16], 64; cp.async.bulk.wait_group.read 0; mov.u32 %r4, 1;`,
	} {
		at, _ := solo(t, m, `mbarrier.init.shared.b64 [sh], 32; setp.ne.u32 %p1, %t, 0; `+body+` ret;`)
		last := len(at) - 2
		if waited := at[last] - at[last-1]; waited < idleHit(m)/2 {
			t.Errorf("%s issues at %v", body, at)
		}
	}
}
