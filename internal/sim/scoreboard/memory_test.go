package scoreboard

import (
	"fmt"
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// twoLines loads two lines with one instruction and uses the result.
const twoLines = `
	shl.b32 %r8, %t, 3;
	cvt.u64.u32 %rd1, %r8;
	add.u64 %rd2, %buf, %rd1;
	ld.global.u32 %r1, [%rd2];
	add.u32 %r2, %r1, 1;
	ret;`

// TestWaitingForRoom leaves room for one request at a time, in one place after
// the other, and checks that the second line then waits for the first.
func TestWaitingForRoom(t *testing.T) {
	for name, narrow := range map[string]func(*machine.Machine){
		"L1 registers": func(m *machine.Machine) { m.L1.MSHRs.Value = 1 },
		"L1 lines":     func(m *machine.Machine) { m.L1.Sets.Value, m.L1.Ways.Value = 1, 1 },
		"credits":      func(m *machine.Machine) { m.Interconnect.Credits.Value = 1 },
	} {
		m := fermi(t)
		at, _ := solo(t, m, twoLines)
		if got := at[4] - at[3]; got > idleMiss(m)+20 {
			t.Errorf("with room the lines take %d cycles", got)
		}
		narrow(m)
		at, _ = solo(t, m, twoLines)
		if got := at[4] - at[3]; got < 2*idleMiss(m)-60 {
			t.Errorf("%s: both lines take %d cycles, one alone %d", name, got, idleMiss(m))
		}
	}
	m := fermi(t)
	m.L2.MSHRs.Value = 1
	at, _ := solo(t, m, twoLines) // both lines belong to one partition
	if got, dram := at[4]-at[3], idleMiss(m)-idleHit(m); got < idleMiss(m)+dram-20 {
		t.Errorf("L2 registers: both lines take %d cycles, one alone %d", got, idleMiss(m))
	}
}

// TestMerging lets two warps load one line at the same time.
func TestMerging(t *testing.T) {
	code := compile(t, "ld.global.u32 %r1, [%buf]; add.u32 %r2, %r1, 1; ret;")
	c := observe(t, newSim(t, fermi(t), code), 1, 64).Counters
	if c.L1Misses != 1 || c.L1Merged != 1 || c.L2Misses != 1 {
		t.Errorf("two warps of an SM: %+v", c)
	}
	c = observe(t, newSim(t, fermi(t), code), 2, 32).Counters
	if c.L1Misses != 2 || c.L2Misses != 1 || c.L2Merged != 1 || c.DRAMReads != 1 {
		t.Errorf("warps of two SMs: %+v", c)
	}
}

// TestStorePolicy follows stores through the caches.
func TestStorePolicy(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       sim.Counters // the counters of the caches
	}{
		{"a global store drops the line", "ld.global.u32 %r1, [%buf]; add.u32 %r2, %r1, 1; st.global.u32 [%buf], %r2; ld.global.u32 %r3, [%buf]; ret;",
			sim.Counters{L1Misses: 2, L2Misses: 1, L2Hits: 2, DRAMReads: 1}},
		{"a store of a part fetches the line", "st.global.u32 [%buf], %t; ret;",
			sim.Counters{L2Misses: 1, DRAMReads: 1}},
		{"a store of a whole line does not", "mul.wide.u32 %rd1, %t, 4; add.u64 %rd2, %buf, %rd1; st.global.u32 [%rd2], %t; ret;",
			sim.Counters{L2Misses: 1}},
		{"local memory is written back", ".local .b8 f[8]; st.local.u32 [f], %t; ld.local.u32 %r1, [f]; add.u32 %r2, %r1, 1; st.local.u32 [f], %r2; ret;",
			sim.Counters{L1Misses: 2, L1Hits: 1, L2Misses: 1, L2Hits: 1}},
	} {
		_, o := solo(t, fermi(t), c.body)
		got := o.Counters
		got = sim.Counters{
			L1Hits: got.L1Hits, L1Misses: got.L1Misses, L1Merged: got.L1Merged,
			L2Hits: got.L2Hits, L2Misses: got.L2Misses, L2Merged: got.L2Merged, L2WriteBacks: got.L2WriteBacks,
			DRAMReads: got.DRAMReads, DRAMWrites: got.DRAMWrites,
		}
		if got != c.want {
			t.Errorf("%s: counters %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestWriteBack fills a small L2 with written lines.
func TestWriteBack(t *testing.T) {
	m := fermi(t)
	m.L2.Sets.Value, m.L2.Ways.Value = 1, 2
	code := compile(t, `
		mad.lo.u32 %r1, %c, 32, %t;
		mul.wide.u32 %rd1, %r1, 4;
		add.u64 %rd2, %buf, %rd1;
		st.global.u32 [%rd2], %t;
		ret;`)
	const lines = 100
	c := observe(t, newSim(t, m, code), lines, 32).Counters
	room := int64(6 * 2)
	if c.L2WriteBacks != lines-room || c.DRAMReads != 0 || c.DRAMWrites > c.L2WriteBacks {
		t.Errorf("%d lines through room for %d: %+v", lines, room, c)
	}
}

// TestBandwidth streams through memory with all SMs: it must not be faster than
// the DRAM can be, and not much slower.
func TestBandwidth(t *testing.T) {
	m := fermi(t)
	const ctas, threads, loads = 64, 128, 16
	body := "mad.lo.u32 %r1, %c, 128, %t; mul.wide.u32 %rd1, %r1, 8; add.u64 %rd2, %buf, %rd1;\n"
	for i := range loads {
		body += fmt.Sprintf("ld.global.u64 %%rd%d, [%%rd2+%d];\n", i+10, i*ctas*threads*8)
	}
	o := observe(t, newSim(t, m, compile(t, body+"ret;")), ctas, threads)
	bytes := int64(ctas * threads * loads * 8)
	if o.Counters.DRAMReads*m.L2.Line.Value != bytes {
		t.Fatalf("%d lines were read for %d bytes", o.Counters.DRAMReads, bytes)
	}
	core, dram := m.ClockRatio()
	minimum := bytes / (m.L2.Partitions.Value * m.DRAM.Burst.Value) * m.DRAM.CCD.Value * core / dram
	if o.Cycles < minimum || o.Cycles > 2*minimum+2*idleMiss(m) {
		t.Errorf("%d bytes take %d cycles; the bus alone takes %d", bytes, o.Cycles, minimum)
	}
	t.Logf("%d of %d cycles, %d row hits, %d misses", minimum, o.Cycles, o.Counters.RowHits, o.Counters.RowMisses)
}
