package cta

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/method/cost"
)

// Method is the name of the estimate.
const Method = "static/cta"

// ErrMachine is the error of a machine whose times do not compose.
var ErrMachine = errors.New(Method + " needs a machine with barrel cores, such as predictable-rr: on others a locally shorter time can make a run longer (docs/methods.md)")

// ErrOverflow is the error of a bound that does not fit into 63 bits.
var ErrOverflow = errors.New(Method + ": the bound exceeds 2^63-1 cycles")

// result makes the estimate of what the SM that needs longest executes.
func (a *analysis) result(c Config, tallies []tally, facts []absexec.LoopFact) *estimate.Estimate {
	worst := 0
	for sm := range tallies {
		if tallies[sm].cycles > tallies[worst].cycles {
			worst = sm
		}
	}
	t := &tallies[worst]
	d := &estimate.CTA{SM: worst, Classes: len(a.classes), Waves: []estimate.CTAWave{}, Loops: []estimate.CTALoop{}}
	for _, same := range a.paths {
		d.Paths += len(same)
	}
	blocks := make([]share, a.graph.Len())
	for kind, times := range t.waves {
		if times == 0 {
			continue
		}
		w := &a.waves[kind]
		d.Waves = append(d.Waves, estimate.CTAWave{
			Times: times, CTAs: len(w.classes), Warps: w.warps, Exact: w.exact,
			Cycles: w.cycles, Issue: w.service, Stall: w.cycles - w.service,
		})
		d.Issue += times * w.service
		d.Stall += times * (w.cycles - w.service)
		d.Dispatch += times * a.dispatch
		for _, c := range w.classes {
			for _, p := range a.classes[c].warps {
				for b, s := range p.blocks {
					blocks[b].count += times * s.count
					blocks[b].service += times * s.service
				}
			}
		}
	}
	evidence := []estimate.Evidence{estimate.Proven}
	assumptions := cost.Assumptions()
	for _, b := range c.Fixed {
		assumptions = append(assumptions, fmt.Sprintf("buffer %s holds what the job gives it (nothing writes to it)", b.Name))
	}
	for i, l := range a.graph.Loops().Loops {
		issue := int64(0)
		for b := range blocks {
			if l.Contains(b) {
				issue += blocks[b].service
			}
		}
		if issue == 0 {
			continue
		}
		header := &a.graph.Blocks[l.Header]
		detail := estimate.CTALoop{
			Name: a.graph.Name(l.Header), Pos: header.Source().String(),
			Iterations: facts[i].Iterations, Evidence: estimate.Proven, Issue: issue,
		}
		if _, rests, _ := c.LoopBound(l.Header); facts[i].Forced && rests == estimate.Annotated {
			detail.Evidence = rests
			evidence = append(evidence, rests)
			assumptions = append(assumptions, fmt.Sprintf("loop %s goes back to its head at most %d times for each entry (annotated)",
				detail.Name, detail.Iterations))
		}
		d.Loops = append(d.Loops, detail)
	}
	return &estimate.Estimate{
		Method: Method, Cycles: t.cycles, Evidence: estimate.Weakest(evidence...),
		Assumptions: assumptions, Detail: d, Breakdown: a.shares(blocks, d),
	}
}

// shares says where the cycles go.
func (a *analysis) shares(blocks []share, d *estimate.CTA) []estimate.Share {
	var shares []estimate.Share
	for b, s := range blocks {
		if s.service > 0 {
			shares = append(shares, estimate.Share{
				Name: a.graph.Name(b), Pos: a.graph.Blocks[b].Source().String(), Count: s.count, Cycles: s.service,
			})
		}
	}
	waves := int64(0)
	for _, w := range d.Waves {
		waves += w.Times
	}
	for _, s := range []estimate.Share{
		{Name: "all warps wait", Count: waves, Cycles: d.Stall},
		{Name: "dispatch of waves", Count: waves, Cycles: d.Dispatch},
	} {
		if s.Cycles > 0 {
			shares = append(shares, s)
		}
	}
	slices.SortStableFunc(shares, func(s, t estimate.Share) int { return cmp.Compare(t.Cycles, s.Cycles) })
	return shares
}
