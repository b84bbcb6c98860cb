package emu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"warpbound/internal/alu"
)

// Counters is what a functional execution counts.
type Counters struct {
	WarpInstrs   int64 // instructions executed by warps
	ThreadInstrs int64 // the same weighted by the lanes that executed them
	Looks        int64 // of the detector of races (race.Detector.Looks)
}

// looksOfInstr is how many looks of the detector of races take about as long as an instruction.
const looksOfInstr = 8

// Work returns what was executed in instructions of warps, with the looks of the detector of races.
func (n *Counters) Work() int64 { return n.WarpInstrs + n.Looks/looksOfInstr }

// ErrLimit is the error of a launch that goes on after as many instructions as it may execute.
var ErrLimit = errors.New("instruction limit reached")

// Run executes the launch without timing: CTA after CTA, and in a CTA warp after warp, each until
// it waits at a barrier, finds a phase of an mbarrier that is not complete, recurs (Warp.Recurs),
// or exits. The clocks stand still. Run ends with ctx.Err() soon after ctx is done. It is an error
// that wraps ErrLivelock if no warp of a CTA gets on, even if it waits for a later CTA.
func Run(ctx context.Context, g *Grid) (Counters, error) {
	return RunSerially(ctx, g, Serial{Limit: math.MaxInt64, SMs: 1})
}

// Serial says how RunSerially goes through a launch.
type Serial struct {
	Limit      int64 // of Counters.Work
	SMs        int   // multiprocessors, which CTAs are on by turns
	Descending bool  // the last CTA comes first, and of each CTA the last warp
}

// nth returns which of n is executed after so many others.
func (s *Serial) nth(after, n int) int {
	if s.Descending {
		return n - 1 - after
	}
	return after
}

// RunSerially is Run in a given order. It ends with ErrLimit where the work would be more than
// it may.
func RunSerially(ctx context.Context, g *Grid, how Serial) (Counters, error) {
	var n Counters
	cta, env, eff := &g.run.cta, &g.run.env, &g.run.eff
	*env = Env{SMs: how.SMs}
	for i := range g.CTAs() {
		index := how.nth(i, g.CTAs())
		env.SM = index % how.SMs
		g.StartCTA(cta, index)
		for !cta.Done() {
			before := n.WarpInstrs
			for k := range cta.Warps {
				w := &cta.Warps[how.nth(k, len(cta.Warps))]
				for !w.Done() && !w.AtBarrier() && !w.Recurs() && !w.Polled() {
					if n.WarpInstrs&0xfff == 0 && ctx.Err() != nil {
						return n, ctx.Err()
					}
					if n.Work() >= how.Limit {
						return n, ErrLimit
					}
					if err := w.Step(env, eff); err != nil {
						return n, err
					}
					n.WarpInstrs++
					if g.races != nil {
						n.Looks = g.races.Looks()
					}
					n.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))
					if eff.Changed {
						g.Change()
					}
				}
			}
			if n.WarpInstrs == before {
				return n, cta.makeLivelockError(env, eff)
			}
		}
	}
	return n, nil
}

// makeLivelockError returns the error of a CTA in which no warp gets on, some of which recur.
func (c *CTA) makeLivelockError(env *Env, eff *Effect) error {
	for i := range c.Warps {
		w := &c.Warps[i]
		if !w.Recurs() {
			continue
		}
		lane := alu.First(w.Active())
		loop, err := w.FollowLoop(env, eff)
		if err != nil {
			return err
		}
		reads := "reads no memory"
		if len(loop.Reads) > 0 {
			reads = "waits for a change of " + strings.Join(loop.Reads[:min(len(loop.Reads), 3)], ", ")
		}
		return w.fault(int32(loop.Start), lane, fmt.Errorf("%w: no warp of the CTA gets on; the loop that begins "+
			"here %s. CTAs are executed one after the other: none can wait for a later one", ErrLivelock, reads))
	}
	return nil
}
