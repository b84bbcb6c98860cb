package split

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/saturating"
)

// TestChain holds the chain of workgroups of a CU against runs, cycle by cycle, in which each workgroup takes
// its time or less, and less once few are left.
func TestChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(1, 40), 1, 4).Draw(t, "times")
		a := &analysis{
			config:   &config{Problem: &method.Problem{Machine: &machine.Machine{}}},
			classes:  make([]*class, len(times)),
			resident: residency{slots: saturating.Of(rapid.Int64Range(1, 4).Draw(t, "slots")), wavefronts: 1, simds: 1, parts: 1},
		}
		a.timing = &timing{machine: a.Machine}
		a.Machine.SM.Dispatch.Value = rapid.Int64Range(0, 5).Draw(t, "dispatch")
		classes := rapid.SliceOfN(rapid.Int32Range(0, int32(len(times)-1)), 1, 20).Draw(t, "classes")
		a.resident.groups = saturating.Of(int64(len(classes)) + rapid.Int64Range(0, 3).Draw(t, "of the CU with the most"))
		var full, last []*group
		for _, n := range times {
			full = append(full, &group{cycles: saturating.Of(n)})
			last = append(last, &group{cycles: saturating.Of(rapid.Int64Range(1, n).Draw(t, "by themselves"))})
		}
		l := a.chain(classes, full, last)
		a.sum(l, demand{})

		type running struct{ left, alone int64 }
		busy := make([]running, a.resident.slots.Int64())
		next, now := 0, int64(0)
		for unfinished := len(classes); unfinished > 0; now++ {
			for i := range busy {
				if busy[i].left == 0 && next < len(classes) {
					c := classes[next]
					next++
					d := a.Machine.SM.Dispatch.Value
					busy[i] = running{d + rapid.Int64Range(1, full[c].cycles.Int64()).Draw(t, "takes"), d + last[c].cycles.Int64()}
				}
			}
			few := int64(unfinished) <= a.resident.last().Int64()
			for i := range busy {
				if busy[i].left == 0 {
					continue
				}
				if few {
					busy[i].left = min(busy[i].left, busy[i].alone)
					busy[i].alone--
				}
				if busy[i].left--; busy[i].left == 0 {
					unfinished--
				}
			}
		}
		if now > l.cycles.Int64() {
			t.Fatalf("workgroups of classes %v take %d cycles, the bound is %d", classes, now, l.cycles)
		}
	})
}
