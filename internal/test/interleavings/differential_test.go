package interleavings_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/emutest"
	"warpbound/internal/test/interleavings"
)

// schedule is how the emulator executes a program.
type schedule struct {
	turns emu.Turns
	steps int // of a warp before it is the next one's turn
}

// Limits of a comparison.
const (
	maxStates = 20_000  // of the model
	maxSteps  = 300_000 // of the emulator
)

// TestEmulator executes random programs on the emulator: what they write is a result of one of the
// interleavings, and they end in a deadlock only if an interleaving does.
func TestEmulator(t *testing.T) {
	var programs, large, undefined, deadlocks, races int
	for _, seed := range effort.Draw(t, 2000) {
		src := rand.New(rand.NewPCG(seed, 31))
		for _, often := range []bool{false, true} {
			how := schedule{emu.Turns{Path: 1 << 16, Wait: 1 << 16, Swap: src.IntN(2) == 0}, 1000}
			if often {
				how.turns.Path, how.turns.Wait, how.steps = 1+src.IntN(4), 1+src.IntN(4), 1+src.IntN(3)
			}
			p := interleavings.Random(src, interleavings.AllFeatures&interleavings.Features(src.Uint32()))
			programs++
			o, why, err := examine(t, p, how)
			switch {
			case why != "":
				less := interleavings.Reduce(p, func(p *interleavings.Program) bool {
					_, now, _ := examine(t, p, how)
					return now == why
				})
				t.Errorf("seed %d, %+v: %s (%v); this does the same:\n%s", seed, how, why, err, less.PTX())
			case o == nil:
				large++
			case o.Undefined != "":
				undefined++
			case o.Deadlock:
				deadlocks++
			case len(o.Results) > 1:
				races++
			}
		}
	}
	t.Logf("%d programs: %d large, %d undefined, %d deadlocks, %d races", programs, large, undefined, deadlocks, races)
	few := programs / 50
	if effort.Many() && (large > few || undefined > 10*few || deadlocks < few || races < few) {
		t.Error("too few tell anything")
	}
}

// examine returns the outcome of a program, nil if there are too many states, what the emulator
// makes of it that is no part of that, and the emulator's error.
func examine(t testing.TB, p *interleavings.Program, how schedule) (o *interleavings.Outcome, why string, err error) {
	all, err := interleavings.Explore(p, maxStates)
	if err != nil {
		return nil, "", nil
	}
	if all.Undefined != "" {
		return &all, "", nil
	}
	result, err := emulate(t, p, how)
	deadlock := errors.Is(err, emu.ErrDeadlock)
	switch {
	case err == nil && all.Has(result), deadlock && all.Deadlock, errors.Is(err, emu.ErrLimit) && all.Spin:
	case err == nil && len(all.Results) == 0:
		why = "a deadlock is not found"
	case err == nil:
		why = "no interleaving has this result"
	case deadlock:
		why = "no interleaving has this deadlock"
	default:
		why = "no interleaving has an error"
	}
	return &all, why, err
}

// emulate returns what a program writes when the emulator executes it.
func emulate(t testing.TB, p *interleavings.Program, how schedule) (r interleavings.Result, err error) {
	t.Helper()
	threads := p.Warps * p.Lanes
	code := emutest.Code(t, p.PTX()).WithThreads(how.turns)
	mem := new(emu.Memory)
	launch := emutest.Launch(t, mem, 4*interleavings.Outputs*threads, 1, threads)
	buffer := mem.Bytes(binary.LittleEndian.Uint64(launch.Params))
	clear(buffer)
	g, err := emu.NewGrid(code, launch, mem, p.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	err = execute(g, how.steps)
	for i := range threads {
		for k := range interleavings.Outputs {
			r[i][k] = int64(binary.LittleEndian.Uint32(buffer))
			buffer = buffer[4:]
		}
	}
	return r, err
}

// execute executes a CTA. Each warp makes some steps before it is the next one's turn.
func execute(g *emu.Grid, steps int) error {
	var cta emu.CTA
	var eff emu.Effect
	g.StartCTA(&cta, 0)
	for total := 0; !cta.Done(); total++ {
		for i := range cta.Warps {
			w := &cta.Warps[i]
			for n := 0; n < steps && !w.Done() && !w.AtBarrier() && !w.Polled(); n++ {
				total++
				if err := w.Step(new(emu.Env), &eff); err != nil {
					return err
				}
			}
		}
		if total > maxSteps {
			return emu.ErrLimit
		}
	}
	return nil
}
