package scoreboard

import (
	"fmt"
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/test/emutest"
)

// stream returns how many bytes per core cycle all SMs of a machine read, once they have the first of so many that they read once and
// in order.
func stream(t *testing.T, m *machine.Machine, bytes int) float64 {
	t.Helper()
	const threads, loads, each = 128, 4, 16
	ctas := bytes / (threads * loads * each)
	body := fmt.Sprintf("mad.lo.u32 %%r1, %%c, %d, %%t; mul.wide.u32 %%rd1, %%r1, %d; add.u64 %%rd2, %%buf, %%rd1;\n", threads*loads, each)
	for i := range loads {
		body += fmt.Sprintf("ld.global.v2.u64 {%%rd%d, %%rd%d}, [%%rd2+%d];\n", 2*i+10, 2*i+11, i*threads*each)
	}
	o := &observation{}
	l := emutest.Launch(t, &o.mem, bytes, ctas, threads)
	o.run(t, newSim(t, m, compile(t, body+"ret;")), l)
	if got := o.Counters.DRAMReads * m.L2.Line.Value; got != int64(bytes) {
		t.Fatalf("%d bytes come from DRAM, want %d", got, bytes)
	}
	return float64(bytes) / float64(o.Cycles-idleMiss(m))
}

// TestStreams reads from memory of several kinds as fast as it can. With MSHRs for all that is under way the bus decides, and rows
// cost little; with few of them, what they hold over the time for which they hold it. Each chip has an eighth of its SMs and
// partitions here.
func TestStreams(t *testing.T) {
	const bytes = 2 << 20
	for _, c := range []struct{ chip, memory string }{
		{"v100", "HBM2"}, {"a100", "HBM2E"}, {"h100", "HBM3"}, {"rtx-3070", "GDDR6"}, {"orin-agx", "LPDDR5"},
	} {
		m, err := machine.Builtin(c.chip)
		if err != nil {
			t.Fatal(err)
		}
		m.L2.Copies.Value = machine.Off // else the buffer is in the L2
		m.SM.Count.Value, m.L2.Partitions.Value = m.SM.Count.Value/8, m.L2.Partitions.Value/8
		core, dram := m.ClockRatio()
		perBus := float64(m.DRAM.Burst.Value*dram) / float64(m.DRAM.CCD.Value*core)
		peak := perBus * float64(m.L2.Partitions.Value)

		m.L2.MSHRs.Value = 1024
		if part := stream(t, m, bytes) / peak; part < 0.94 || part > 1 {
			t.Errorf("%s (%s): %.3f of %.1f bytes per cycle are reached, want 0.94 to 1", c.chip, c.memory, part, peak)
		}

		// An MSHR is taken until its line is back: the quickest have the way to DRAM and an access to an open row.
		held := float64(m.DRAM.Latency.Value) + float64(m.DRAM.CL.Value*core)/float64(dram) + float64(m.L2.Line.Value)/perBus
		m.L2.MSHRs.Value = int64(perBus * held / float64(m.L2.Line.Value) / 2)
		limit := float64(m.L2.MSHRs.Value*m.L2.Line.Value) / held / perBus
		if part := stream(t, m, bytes) / peak; part < 0.85*limit || part > limit {
			t.Errorf("%s (%s) with %d MSHRs: %.3f of %.1f bytes per cycle are reached, want little less than %.3f", c.chip, c.memory, m.L2.MSHRs.Value, part, peak, limit)
		}
	}
}
