package greedy_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/machine"
)

// accesses returns the terms of a kernel's bound on a machine like fermi-c2050.
func accesses(t *testing.T, change func(*machine.Machine), body string, words, ctas, threads int) *estimate.Greedy {
	t.Helper()
	m, err := machine.Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	return bound(t, fstest.MapFS{
		"m.toml": {Data: m.Format()},
		"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 data) {\n\t.reg .b32 %r<9>;\n\t.reg .b64 %d, %a;\n" +
			"\tld.param.u64 %d, [data];\n\tmov.u32 %r1, %tid.x;\n" + body + "\tret;\n}\n")},
		"job.toml": {Data: fmt.Appendf(nil, "module = 'k.ptx'\nmachine = 'm.toml'\ngrid = [%d]\nblock = [%d]\nparam = [{name = 'data', type = 'u32', count = %d, init = 'uniform(0, 99999)'}]\n", ctas, threads, words)},
	})
}

// TestMerges has accesses to one line or two, of which the L2 lets one wait until the line is there. An SM asks for it once, unless accesses pass by its L1.
func TestMerges(t *testing.T) {
	one := func(m *machine.Machine) { m.L2.Merge.Value = 1 }
	const chosen = "mul.wide.u32 %a, %r1, 4;\n\tand.b64 %a, %a, 255;\n\tadd.u64 %a, %a, %d;\n\tld.global.u32 %r2, [%a];\n" +
		"\tand.b32 %r2, %r2, 63;\n\tmul.wide.u32 %a, %r2, 4;\n\tadd.u64 %a, %a, %d;\n\tld.global.u32 %r2, [%a]"
	for _, c := range []struct {
		name, access string
		ctas         int
		blocked      bool
	}{
		{"loads of one SM", "ld.global.u32 %r2, [%d]", 1, false},
		{"loads of one SM of lines that data choose", chosen, 1, false},
		{"loads of two SMs of lines that data choose", chosen, 2, true},
		{"loads of two SMs", "ld.global.u32 %r2, [%d]", 2, true},
		{"volatile loads of one SM", "ld.volatile.global.u32 %r2, [%d]", 1, true},
		{"stores of one SM", "st.global.u32 [%d], %r1", 1, true},
		{"atomic operations of one SM", "atom.global.add.u32 %r2, [%d], 1", 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := accesses(t, one, "\t"+c.access+";\n", 64, c.ctas, 256); (d.Blocked > 0) != c.blocked {
				t.Errorf("the tags of the L2 wait for %d cycles", d.Blocked)
			}
		})
	}
}

// TestMemoryThatFills gathers words of a buffer that fills the L2 to the last line, or has one line more: then lines may have to make room, and
// each of 33 loads by 32 lanes of 8 warps may fetch one.
func TestMemoryThatFills(t *testing.T) {
	const lines = 6 * 16 // of 6 partitions
	small := func(m *machine.Machine) { m.L2.Sets.Value, m.L2.Ways.Value = 1, 16 }
	for _, c := range []struct{ lines, fetches int64 }{{lines, lines}, {lines + 1, 8 * 32 * 33}} {
		body := "\tmul.wide.u32 %a, %r1, 4;\n\tadd.u64 %a, %a, %d;\n\tld.global.u32 %r2, [%a];\n"
		for range 32 {
			body += fmt.Sprintf("\trem.u32 %%r2, %%r2, %d;\n\tmul.wide.u32 %%a, %%r2, 4;\n\tadd.u64 %%a, %%a, %%d;\n\tld.volatile.global.u32 %%r2, [%%a];\n", 32*c.lines)
		}
		if d := accesses(t, small, body, int(32*c.lines), 1, 256); d.Fetches > c.fetches || d.Fetches < c.fetches/2 {
			t.Errorf("%d lines: %d fetches of %d requests, want %d at most and half of that at least", c.lines, d.Fetches, d.Requests, c.fetches)
		}
	}
}

// localWords loads a number from an offset of the buffer, and then so many times one of 16 words of local memory, which the number before chooses.
func localWords(offset, loads int) string {
	return fmt.Sprintf("\t.local .align 64 .b8 frame[64];\n\tld.global.u32 %%r2, [%%d+%d];\n", offset) +
		strings.Repeat("\tand.b32 %r2, %r2, 15;\n\tmul.wide.u32 %a, %r2, 4;\n\tmov.u64 %d, frame;\n\tadd.u64 %a, %a, %d;\n\tld.local.u32 %r2, [%a];\n", loads)
}

// TestLocalMemoryThatFills loads words of local memory that data choose. If the L1 has as many ways as there are lines, each is requested once; with
// one way less, each load may be a request for each lane.
func TestLocalMemoryThatFills(t *testing.T) {
	const words, loads = 16, 20
	for ways, maximum := range map[int64]int64{words + 1: words + 1, words: loads*32 + 1} {
		body := localWords(0, loads)
		d := accesses(t, func(m *machine.Machine) { m.L1.Sets.Value, m.L1.Ways.Value, m.L1.Index.Value = 1, ways, machine.Linear }, body, 1, 1, 32)
		if d.Requests > maximum || d.Requests <= maximum/2 {
			t.Errorf("%d ways: %d requests, want %d", ways, d.Requests, maximum)
		}
	}
}

// TestSetsOfLocalMemory: the words of a warp are in one set of the L1, those of the next warp in the next. With a further line in that set one of them
// has to make room.
func TestSetsOfLocalMemory(t *testing.T) {
	const sets, words, loads, warps = 16, 16, 20, 3
	for set := range sets {
		body := localWords(128*set, loads)
		d := accesses(t, func(m *machine.Machine) {
			m.L1.Sets.Value, m.L1.Ways.Value, m.L1.Index.Value = sets, words, machine.Linear
		}, body, 32*sets, 1, 32*warps)
		if fits := set >= warps; fits != (d.Requests <= warps*(words+1)) {
			t.Errorf("with a line in set %d: %d requests", set, d.Requests)
		}
	}
}
