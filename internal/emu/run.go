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
}

// ErrLimit is the error of a launch that goes on after as many instructions as it may execute.
var ErrLimit = errors.New("instruction limit reached")

// Run executes the launch without timing: CTA after CTA, and in a CTA warp after warp, each until
// it waits at a barrier, finds a phase of an mbarrier that is not complete, recurs (Warp.Recurs),
// or exits. The clocks stand still. Run ends with ctx.Err() soon after ctx is done. It is an error
// that wraps ErrLivelock if no warp of a CTA gets on, even if it waits for a later CTA.
func Run(ctx context.Context, g *Grid) (Counters, error) { return RunUpTo(ctx, g, math.MaxInt64) }

// RunUpTo is Run that ends with ErrLimit where warps would execute more than so many instructions.
func RunUpTo(ctx context.Context, g *Grid, limit int64) (Counters, error) {
	var n Counters
	cta, env, eff := &g.run.cta, &g.run.env, &g.run.eff
	*env = Env{SMs: 1}
	for i := range g.CTAs() {
		g.StartCTA(cta, i)
		for !cta.Done() {
			before := n.WarpInstrs
			for k := range cta.Warps {
				w := &cta.Warps[k]
				for !w.Done() && !w.AtBarrier() && !w.Recurs() && !w.Polled() {
					if n.WarpInstrs&0xfff == 0 && ctx.Err() != nil {
						return n, ctx.Err()
					}
					if n.WarpInstrs >= limit {
						return n, ErrLimit
					}
					if err := w.Step(env, eff); err != nil {
						return n, err
					}
					n.WarpInstrs++
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
