package symexec_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/kernelgen"
	"warpbound/internal/symexec"
	"warpbound/internal/test/effort"
)

// TestProofsOfFeatures executes kernels that have each feature, of which no thread takes an outcome that is proved not to
// be taken.
func TestProofsOfFeatures(t *testing.T) {
	for _, seed := range effort.Draw(t, 180) {
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 7)), kernelgen.Options{
			Statements: 8, Depth: 2, Trips: 4, Threads: 8, CTAs: 2, Bounded: true, Features: kernelgen.InTurn(seed) &^ (kernelgen.Contracts | kernelgen.CrossLane),
		})
		s := together(t, 0, c.Job, c.Module).concrete().limited(t, 100_000)
		s.options.MaxQueries = 20
		_, proved := s.prove(t)
		if len(proved) == 0 {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 6))
		for range 4 {
			again := s.Again(t, 1)
			for _, b := range s.options.Buffers {
				if b.Name == "links" {
					continue // whose pointers lead into it
				}
				contents := again.Grid.Contents(b.Address, b.Bytes)
				for at := 0; at+4 <= len(contents); at += 4 {
					binary.LittleEndian.PutUint32(contents[at:], r.Uint32()>>r.IntN(32))
				}
			}
			branch := make(map[*emu.Warp]int)
			again.Run(t, again.Grid.CTAs(), func(cta *emu.CTA, warp int) func(*emu.Effect) {
				w := &cta.Warps[warp]
				if outcome := (symexec.BranchOutcome{Branch: branch[w], Target: w.PC()}); slices.Contains(proved, outcome) {
					t.Errorf("seed %d: a thread takes %v", seed, outcome)
				}
				branch[w] = w.PC()
				return nil
			})
		}
	}
}
