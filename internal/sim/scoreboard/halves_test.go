package scoreboard

import (
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/machine"
)

// halvedFermi returns a machine whose L2 has halves that are so far apart, and offsets of two lines in a buffer that begins at
// abi.GlobalBase: one in the half of the first SMs, one in the other half.
func halvedFermi(t *testing.T, far int64) (m *machine.Machine, same, other uint64) {
	m = fermi(t)
	m.L2.Far.Value = far
	m.Clock.DRAM.Value = m.Clock.Core.Value // so that misses do not take a cycle more or less
	offset := func(half int) uint64 {
		for at := uint64(0); ; at += uint64(m.L2.Interleave.Value) {
			if part, _ := locate(m, abi.GlobalBase+at); part/int(m.L2.Partitions.Value/2) == half {
				return at
			}
		}
	}
	return m, offset(0), offset(1)
}

// TestHalves follows what one warp accesses in the other half of the L2: what it reads is far away once, what it writes always, and
// what is written has to be fetched again. Bodies access the line at %rd1; each access takes so much longer than in its own half.
func TestHalves(t *testing.T) {
	const far = 201
	const load, add = "ld.volatile.global.u32 %r1, [%rd1];", "atom.global.add.u32 %r1, [%rd1], 1;"
	for _, c := range []struct {
		name     string
		accesses []string
		longer   []int64
	}{
		{"read", []string{load, load, load}, []int64{far, 0, 0}},
		{"read by way of the L1", []string{"ld.global.u32 %r1, [%rd1];", load}, []int64{far, 0}},
		{"atomic operations", []string{add, add}, []int64{far, far}},
		{"read after writing", []string{load, add, load, load}, []int64{far, far, far, 0}},
	} {
		m, same, other := halvedFermi(t, far)
		times := func(offset uint64) []int64 {
			body := fmt.Sprintf("add.u64 %%rd1, %%buf, %d;", offset)
			for _, access := range c.accesses {
				body += access + "add.u32 %r2, %r1, 1;"
			}
			at, _ := solo(t, m, body+"ret;")
			var all []int64
			for i := range c.accesses {
				all = append(all, at[2*i+2]-at[2*i+1])
			}
			return all
		}
		here, there := times(same), times(other)
		for i, longer := range c.longer {
			if there[i]-here[i] != longer {
				t.Errorf("%s: access %d takes %d cycles in the near half and %d in the far one, want %d more", c.name, i, here[i], there[i], longer)
			}
		}
	}
}

// TestHalvesOfSMs: half of the SMs are near one half of the L2, the others near the other, and those of one half share copies.
func TestHalvesOfSMs(t *testing.T) {
	m, same, _ := halvedFermi(t, 300)
	m.SM.Count.Value = 4
	// CTA i waits for i times the time that an access takes, and writes down how long its own takes.
	code := compile(t, fmt.Sprintf(`
		mul.lo.u32 %%r1, %%c, 5000; mov.u32 %%r2, %%clock;
	wait:
		mov.u32 %%r3, %%clock; sub.u32 %%r3, %%r3, %%r2; setp.lt.u32 %%p1, %%r3, %%r1; @%%p1 bra wait;
		mov.u32 %%r4, %%clock; ld.volatile.global.u32 %%r5, [%%buf+%d]; add.u32 %%r5, %%r5, 1; mov.u32 %%r6, %%clock;
		sub.u32 %%r6, %%r6, %%r4;
		mul.wide.u32 %%rd1, %%c, 4; add.u64 %%rd1, %%rd1, %%buf; st.global.u32 [%%rd1+%d], %%r6; ret;`, same, 64<<10))
	o := observe(t, newSim(t, m, code), 4, 1)
	var times [4]int64
	for i := range times {
		times[i] = int64(o.word(16<<10 + i))
	}
	hit := times[1]
	if times[0] < hit+100 || times[2] != hit+300 || times[3] != hit {
		t.Errorf("a line of the first half takes the SMs %v cycles, want a miss, a hit, a hit far away and a hit of its copy", times)
	}
}

// TestHalvesFinish: halves that get what they answer from each other do not wait for each other, however little room they have.
func TestHalvesFinish(t *testing.T) {
	m, _, _ := halvedFermi(t, 50)
	m.SM.Count.Value, m.L2.Partitions.Value = 4, 2
	m.L2.Sets.Value, m.L2.Ways.Value, m.L2.MSHRs.Value, m.L2.Merge.Value = 1, 1, 1, 1
	var body strings.Builder
	body.WriteString("mad.lo.u32 %r1, %c, 64, %t; mul.wide.u32 %rd1, %r1, 132; add.u64 %rd1, %rd1, %buf;")
	for i := range 4 {
		fmt.Fprintf(&body, "ld.global.u32 %%r%d, [%%rd1+%d]; st.global.u32 [%%rd1+%d], %%t;", i+2, i<<12, i<<12+2048)
	}
	o := observe(t, newSim(t, m, compile(t, body.String()+"ret;")), 8, 64)
	same(t, "by visiting every cycle", o, observe(t, slowly(newSim(t, m, compile(t, body.String()+"ret;"))), 8, 64))
	if c := o.Counters; c.L2WriteBacks == 0 || c.L2Misses == 0 {
		t.Errorf("nothing competes for the room: %+v", c)
	}
}
