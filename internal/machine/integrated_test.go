package machine

import (
	"strings"
	"testing"
)

// TestIntegratedErrors damages what only integrated cores have or must obey.
func TestIntegratedErrors(t *testing.T) {
	checkDamages(t, "integrated-fermi", []damage{
		{"crossbar", "[interconnect]", "[interconnect]\nflit = { value = 64 }", "flit", "an integrated core has no interconnect.flit"},
		{"L2", "[llc]", "[l2]\n[llc]", "l2]", "an integrated core has no l2"},
		{"loose", `"rr"`, `"lrr"`, "policy        =", "an integrated core schedules by rr, not by lrr"},
		{"schedulers", `value = 1, unit = "schedulers`, `value = 2, unit = "schedulers`, "schedulers    =", "an integrated core has 1 scheduler, not 2"},
		{"latency", "latency = 13, initiation = 2", "latency = 13, initiation = 14", "latency = 13, initiation = 14", "a latency of 13 is shorter than the initiation of 14"},
		{"barrier", "barrier       = { value = 4", "barrier       = { value = 3", "barrier       =", "3 cycles are less than the initiation of 4 of sync"},
		{"cores", "value = 15,", "value = 64,", "count         =", "64 SMs and a CPU are more than 64 cores"},
		{"lines", `value = 128, unit = "sets", `, `value = 65536, unit = "sets", `, "sets    =", "the caches together have 2105344 lines, more than 1048576"},
		{"index", `"linear"`, `"fermi"`, "index =", `the L1 of an integrated core has the index "linear", not "fermi"`},
		{"row", "row      = { value = 4096", "row      = { value = 64", "row      =", "64 bytes are less than a line of 128"},
		{"conflict", "conflict = { value = 104", "conflict = { value = 39", "conflict =", "39 cycles are less than the 40 of dram.open"},
		{"switch", `value = "on"`, `value = "auto"`, `value = "auto"`, `regulator.switch = "auto" is none of on, off`},
	})
	checkDamages(t, "predictable-rr", []damage{
		{"llc", "[memory]", "[llc]\n[memory]", "llc]", "a barrel core has no llc"},
		{"regulator", "[memory]", "[regulator]\n[memory]", "regulator]", "a barrel core has no regulator"},
	})
}

// TestIntegratedSizes checks Table III.
func TestIntegratedSizes(t *testing.T) {
	m := builtin(t, "integrated-fermi")
	if got := m.L1.Sets.Value * m.L1.Ways.Value * m.L1.Line.Value; got != 64<<10 {
		t.Errorf("an L1 has %d bytes", got)
	}
	if got := m.LLC.Sets.Value * m.LLC.Ways.Value * m.L1.Line.Value; got != 512<<10 {
		t.Errorf("the LLC has %d bytes", got)
	}
	if m.Cores() != 16 || !m.Regulated() {
		t.Errorf("%d cores, regulated: %t", m.Cores(), m.Regulated())
	}
}

func TestWithLLC(t *testing.T) {
	m := builtin(t, "integrated-fermi")
	for kib, sets := range map[int64]int64{256: 64, 512: 128, 1024: 256} {
		quota, off := int64(7), false
		got, err := m.WithLLC(LLCOptions{KiB: &kib, Quota: &quota, Regulated: &off})
		if err != nil || got.LLC.Sets.Value != sets || got.Regulator.Quota.Value != 7 || got.Regulated() {
			t.Errorf("%d KiB: got %+v, %+v and %v", kib, got.LLC, got.Regulator, err)
		}
	}
	same, err := m.WithLLC(LLCOptions{})
	if err != nil || same.Hash() != m.Hash() || m.LLC.Sets.Value != 128 || !m.Regulated() {
		t.Errorf("nothing chosen changes the machine: %v", err)
	}
	zero, odd := int64(0), int64(384)
	for want, c := range map[string]func() (*Machine, error){
		"fermi-c2050 has a scoreboard core, whose cache is not shared with a CPU": func() (*Machine, error) { return fermi(t).WithLLC(LLCOptions{}) },
		"0 KiB are not 32 ways of 128 bytes":                                      func() (*Machine, error) { return m.WithLLC(LLCOptions{KiB: &zero}) },
		"384 KiB are not 32 ways of 128 bytes in 1, 2, 4, ... sets":               func() (*Machine, error) { return m.WithLLC(LLCOptions{KiB: &odd}) },
		"a quota of 0 accesses is not between 1 and 1048576":                      func() (*Machine, error) { return m.WithLLC(LLCOptions{Quota: &zero}) },
	} {
		if _, err := c(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestLLCSpan compares with all ways in which the slots can lie.
func TestLLCSpan(t *testing.T) {
	for _, change := range []func(*Machine){
		func(*Machine) {},
		func(m *Machine) { m.Interconnect.Slot.Value, m.Interconnect.Latency.Value = 3, 17 },
		func(m *Machine) { m.DRAM.Slot.Value, m.LLC.Latency.Value = 7, 1 },
		func(m *Machine) { m.SM.Count.Value, m.DRAM.Conflict.Value = 2, 41 },
	} {
		m := builtin(t, "integrated-fermi")
		change(m)
		hit, miss := m.LLCSpan()
		cores := int64(m.Cores())
		frame, turn := cores*m.Interconnect.Slot.Value, cores*m.DRAM.Slot.Value
		next := func(t, phase, period int64) int64 { return t + ((phase-t)%period+period)%period }
		for core := range cores {
			for at := range frame * turn {
				slot := core * m.Interconnect.Slot.Value
				tags := next(at, slot, frame) + m.Interconnect.Latency.Value + m.LLC.Latency.Value
				check := func(what string, ready int64, in Span) {
					if took := next(ready, slot, frame) + m.Interconnect.Latency.Value - at; took < in.Min || took > in.Max {
						t.Fatalf("a %s of core %d at %d takes %d cycles, not %+v", what, core, at, took, in)
					}
				}
				check("hit", tags, hit)
				read := next(tags, core*m.DRAM.Slot.Value, turn)
				check("miss", read+m.DRAM.Open.Value, miss)
				check("miss", read+m.DRAM.Conflict.Value, miss)
			}
		}
	}
}
