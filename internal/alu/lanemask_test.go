package alu

import (
	"testing"

	"warpbound/internal/isa"
)

// TestHasLaneMask: masks of 32 lanes are what a ballot returns, and what instructions for named lanes
// are given.
func TestHasLaneMask(t *testing.T) {
	sources := func(n int) []isa.Operand { return make([]isa.Operand, n) }
	for _, c := range []struct {
		name string
		in   isa.Instr
		want bool
	}{
		{"activemask", isa.Instr{Op: isa.Activemask}, true},
		{"shfl", isa.Instr{Op: isa.Shfl, Src: sources(3)}, true},
		{"vote.all", isa.Instr{Op: isa.Vote, Lane: isa.VoteAll, Src: sources(1)}, false},
		{"vote.any", isa.Instr{Op: isa.Vote, Lane: isa.VoteAny, Src: sources(1)}, false},
		{"vote.ballot", isa.Instr{Op: isa.Vote, Lane: isa.VoteBallot, Src: sources(1)}, true},
		{"vote.sync.any", isa.Instr{Op: isa.Vote, Lane: isa.VoteAny, Src: sources(2)}, true},
		{"bar.warp.sync", isa.Instr{Op: isa.BarWarp, Src: sources(1)}, true},
		{"elect.sync", isa.Instr{Op: isa.Elect, Src: sources(1)}, true},
		{"match.sync", isa.Instr{Op: isa.Match, Src: sources(2)}, true},
		{"redux.sync", isa.Instr{Op: isa.Redux, Src: sources(2)}, true},
		{"redux of all lanes", isa.Instr{Op: isa.Redux, Src: sources(1)}, false},
		{"add", isa.Instr{Op: isa.Add, Src: sources(2)}, false},
	} {
		if got := HasLaneMask(&c.in); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
