package symexec

import (
	"slices"
	"testing"

	"warpbound/internal/isa"
)

// TestFollows lists the successors of instructions.
func TestFollows(t *testing.T) {
	for _, c := range []struct {
		name string
		in   isa.Instr
		want []int
	}{
		{"an addition", isa.Instr{Op: isa.Add}, []int{5}},
		{"an addition of some lanes", isa.Instr{Op: isa.Add, Guard: isa.Guard{Set: true}}, []int{5}},
		{"a jump", isa.Instr{Op: isa.Bra, Target: 9}, []int{9}},
		{"a branch", isa.Instr{Op: isa.Bra, Target: 9, Guard: isa.Guard{Set: true}}, []int{9, 5}},
		{"an indexed jump", isa.Instr{Op: isa.BrxIdx, Targets: []int{9, 2}}, []int{9, 2}},
		{"an indexed branch", isa.Instr{Op: isa.BrxIdx, Targets: []int{9, 2}, Guard: isa.Guard{Set: true}}, []int{9, 2, 5}},
		{"an exit", isa.Instr{Op: isa.Exit}, nil},
		{"an exit of some lanes", isa.Instr{Op: isa.Exit, Guard: isa.Guard{Set: true}}, []int{5}},
	} {
		if got := follows(4, &c.in); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
