package scoreboard

import (
	"testing"

	"warpbound/internal/machine"
)

// among returns the machine with others that take num/den of what its DRAM moves at most.
func among(t *testing.T, m *machine.Machine, num, den int64) *machine.Machine {
	t.Helper()
	other, err := m.WithBackground(m.Peak() / den * num)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// TestBackgroundShare streams lines through the DRAM of a partition while others take a share of it. The kernel keeps the rest of the
// bus.
func TestBackgroundShare(t *testing.T) {
	m := fermi(t)
	core, cycles := m.ClockRatio()
	var stream []uint64
	const n = 512
	for i := range uint64(n) {
		stream = append(stream, i*uint64(m.L2.Line.Value))
	}
	burst := m.L2.Line.Value / m.DRAM.Burst.Value * m.DRAM.CCD.Value
	last, _ := drain(t, m, stream)
	for _, c := range []struct{ num, den int64 }{{1, 4}, {1, 2}, {3, 4}, {9, 10}} {
		got, hits := drain(t, among(t, m, c.num, c.den), stream)
		want := scale(n*burst*c.den/(c.den-c.num), core, cycles)
		if got <= last || got < want || got > want+want/4 {
			t.Errorf("with %d/%d taken, %d lines take %d cycles with %d row hits; want %d and at most a quarter more, and above %d", c.num, c.den, n, got, hits, want, last)
		}
		last = got
	}
}

// TestBackgroundRows checks that others close rows: a bank that the kernel alone would have open has their row.
func TestBackgroundRows(t *testing.T) {
	m := fermi(t)
	var stream []uint64
	for i := range uint64(256) {
		stream = append(stream, i*uint64(m.L2.Line.Value))
	}
	_, alone := drain(t, m, stream)
	if _, hits := drain(t, among(t, m, 1, 2), stream); hits >= alone {
		t.Errorf("%d row hits among others, %d alone", hits, alone)
	}
}

// TestBackgroundTimes compares when lines of all partitions are due with their definition.
func TestBackgroundTimes(t *testing.T) {
	m := fermi(t)
	m.DRAM.Background.Value = 1_000_000_007
	parts := m.L2.Partitions.Value
	for p := range parts {
		b := newBackground(m, int(p))
		for k := range int64(50) {
			n := k*parts + p // bytes*clock/rate, rounded up
			want := (n*m.L2.Line.Value*m.Clock.DRAM.Value + m.DRAM.Background.Value - 1) / m.DRAM.Background.Value
			if got := b.due(); got != want {
				t.Fatalf("line %d of partition %d is due at %d, want %d", k, p, got, want)
			}
			b.sent++
		}
	}
	if b := newBackground(fermi(t), 0); b.due() != never {
		t.Errorf("a line of nobody is due at %d", b.due())
	}
}

// TestBackgroundLetsThrough gives both one bank of rows of one line, for which they compete in all their requests, and others
// nearly all of the bus.
func TestBackgroundLetsThrough(t *testing.T) {
	m := fermi(t)
	m.DRAM.Banks.Value, m.DRAM.Row.Value = 1, m.L2.Line.Value
	var lines []uint64
	for i := range uint64(64) {
		lines = append(lines, i*7*uint64(m.L2.Line.Value))
	}
	drain(t, among(t, m, 99, 100), lines)
}

// TestBackgroundFindsStuck has nothing to do for the kernel but others' requests: that a barrier is never satisfied is found
// at once all the same, and not when a limit of cycles is reached.
func TestBackgroundFindsStuck(t *testing.T) {
	code := compile(t, "setp.eq.u32 %p1, %t, 0; @%p1 bra on; bar.sync 0, 96; on: bar.sync 1, 96; ret;")
	m := among(t, fermi(t), 1, 2)
	if got, want := stuckAt(t, newSim(t, m, code), 1<<40, 1, 64), stuckAt(t, newSim(t, fermi(t), code), 1<<40, 1, 64); got != want || got == "" {
		t.Errorf("among others: %s\nalone: %s", got, want)
	}
}
