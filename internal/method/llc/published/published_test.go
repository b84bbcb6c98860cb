package published

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// barrier is an instruction at which a warp waits for all others, as turns understands it.
const barrier = -1

// turns is when warps end that issue strictly in turn: those that have ended or wait at a barrier are
// passed over, the others are waited for. The last warp to come to a barrier lets all go on.
func turns(warps [][]Instr) int64 {
	next := make([]int, len(warps))
	ready := make([]int64, len(warps))
	waits := make([]bool, len(warps))
	port, end := int64(0), int64(0)
	for issued := true; issued; {
		issued = false
		for i, w := range warps {
			if next[i] == len(w) || waits[i] {
				continue
			}
			in := w[next[i]]
			next[i]++
			issued = true
			now := max(port, ready[i])
			port = now + in.Issue
			ready[i] = port + max(in.Execution, 0)
			if next[i] == len(w) {
				end = max(end, ready[i])
			}
			waits[i] = in.Execution == barrier
			all := true
			for k := range warps {
				all = all && (waits[k] || next[k] == len(warps[k]))
			}
			for k := range warps {
				if all && waits[k] {
					waits[k], ready[k] = false, port
				}
			}
		}
	}
	return end
}

// TestFigure5 has three warps whose issuing latencies follow one another and whose execution
// latencies overlap.
func TestFigure5(t *testing.T) {
	warp := []Instr{{Issue: 2, Execution: 7}, {Issue: 2, Execution: 3}}
	got := Issued([][]Instr{warp, warp, warp})
	want := [][]int64{{0, 9}, {2, 11}, {4, 13}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if end := WCET([][]Instr{warp, warp, warp}); end != 18 {
		t.Errorf("WCET %d, want 13 + 2 + 3", end)
	}
}

// TestEqualSequences compares the equations with warps that take turns, of equally many
// instructions.
func TestEqualSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "instructions")
		instr := rapid.Custom(func(t *rapid.T) Instr {
			return Instr{rapid.Int64Range(1, 9).Draw(t, "issue"), rapid.Int64Range(0, 40).Draw(t, "execution")}
		})
		warps := rapid.SliceOfN(rapid.SliceOfN(instr, n, n), 1, 6).Draw(t, "warps")
		if got, want := WCET(warps), turns(warps); got != want {
			t.Fatalf("WCET %d, in turn %d", got, want)
		}
	})
}

// TestUnequalSequences has a warp between two others that ends early: the equations let the others
// issue at the same time.
func TestUnequalSequences(t *testing.T) {
	long := []Instr{{Issue: 10}, {Issue: 10}, {Issue: 10}}
	warps := [][]Instr{long, {{Issue: 1}}, long}
	if got, want := WCET(warps), turns(warps); got != 41 || want != 61 {
		t.Errorf("WCET %d, in turn %d; want a bound of 41 below the truth of 61", got, want)
	}
}

// TestBarrier has a warp that waits at a barrier for another one: the equations let it go on.
func TestBarrier(t *testing.T) {
	wait := Instr{Issue: 1, Execution: barrier}
	warps := [][]Instr{{wait, {Issue: 1, Execution: 200}}, {{Issue: 1, Execution: 100}, wait}}
	got := WCET([][]Instr{{{Issue: 1}, {Issue: 1, Execution: 200}}, {{Issue: 1, Execution: 100}, {Issue: 1}}})
	if want := turns(warps); got != 203 || want != 304 {
		t.Errorf("WCET %d, in turn %d; want a bound of 203 below the truth of 304", got, want)
	}
}
