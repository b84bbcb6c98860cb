package scoreboard

import (
	"context"
	"fmt"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
)

// TestCopies: what the host has copied through the L2 is there when a launch begins, the last of it if there is not room for
// all, and nothing of a buffer that has no contents. A launch that goes on with what another one left finds that instead.
func TestCopies(t *testing.T) {
	m := fermi(t)
	m.L2.Copies.Value = machine.On
	load := func(offset int) *Sim {
		return newSim(t, m, compile(t, fmt.Sprintf("ld.global.u32 %%r1, [%%buf+%d]; add.u32 %%r2, %%r1, 1; ret;", offset)))
	}
	reads := func(s *Sim, unset bool) int64 {
		var mem emu.Memory
		l := launch(t, &mem, 1, 32)
		if unset {
			for addr := range mem.Filled {
				mem.Unset(addr)
			}
		}
		r, err := s.Run(context.Background(), l, &mem, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Counters.DRAMReads
	}
	capacity := int(m.L2.Partitions.Value * m.L2.Sets.Value * m.L2.Ways.Value * m.L2.Line.Value)
	first, last := load(bufBytes-capacity-1<<16), load(bufBytes-128)
	if got := reads(first, false); got != 1 {
		t.Errorf("a line that others have replaced: %d reads of DRAM", got)
	}
	if got := reads(last, false); got != 0 {
		t.Errorf("the line that was copied last: %d reads of DRAM", got)
	}
	if got := reads(last, true); got != 1 {
		t.Errorf("a line that was not copied: %d reads of DRAM", got)
	}
	again := load(bufBytes - 128)
	if again.Continue(last); reads(again, true) != 0 {
		t.Error("a launch does not find what another one has read")
	}
	if reads(again, true) != 1 {
		t.Error("a launch that does not go on with another one finds what that has read")
	}
	m.L2.Copies.Value = machine.Off
	if got := reads(load(bufBytes-128), false); got != 1 {
		t.Errorf("without copies: %d reads of DRAM", got)
	}
}
