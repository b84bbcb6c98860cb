package llc

import (
	"context"
	"fmt"

	"warpbound/internal/method"
	"warpbound/internal/method/cost"
	"warpbound/internal/method/llc/published"
)

// Published are times of a launch by Eqs. 1 to 3, in cycles. They need the latency of each access to the shared cache, of which the
// paper takes that of the interconnect to be known.
type Published struct {
	Alone  int64 // an access waits for no other one
	Behind int64 // it waits for all that its SM can have under way before it
}

// Published applies Eqs. 1 to 3 to a launch. The latency of an instruction that accesses memory is the longest of a hit in the L1, a hit in
// the shared cache and a miss that m allows it (Section V). CTAs of an SM execute in waves, of which the equations say nothing:
// the times of the waves are added up, and the SM that takes longest counts.
//
// Neither time is a bound: package published says why, and no access is throttled. Errors are those of Bound, and that of
// a launch of which it is not known which instructions its warps issue.
func (m Method) Published(ctx context.Context, p *method.Problem) (*Published, error) {
	if err := m.Applies(p.Machine); err != nil {
		return nil, err
	}
	return method.Assuming(p, func(p *method.Problem) (*Published, error) {
		a, err := newAnalysis(p)
		if err != nil {
			return nil, err
		}
		if err := a.execute(ctx, p); err != nil {
			return nil, err
		}
		if !a.ordered() || !a.short(p.Effort) {
			return nil, fmt.Errorf("kernel %s: it is not known which instructions its warps issue, one after the other", p.Graph.Kernel.Readable())
		}
		return a.equations(ctx, m)
	})
}

// equations applies them to each wave of each SM.
func (a *analysis) equations(ctx context.Context, m Method) (*Published, error) {
	streams, err := a.streams(ctx)
	if err != nil {
		return nil, err
	}
	known, _, err := a.reuses(streams, m)
	if err != nil {
		return nil, err
	}
	var longest Published
	for sm, hits := range surelyThere(known, len(streams)) {
		p, l := a.player(sm), newLatencies(a.machine, sm)
		var all Published
		for {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			more, err := p.play()
			if err != nil {
				return nil, err
			}
			if !more {
				break
			}
			before := a.machine.Interconnect.Credits.Value - 1 // accesses that are not answered when an instruction issues
			all.Alone += a.machine.SM.Dispatch.Value + published.WCET(p.latencies(hits, &l, 0, 0))
			all.Behind += a.machine.SM.Dispatch.Value + published.WCET(p.latencies(hits, &l, before, l.separation()))
		}
		longest.Alone, longest.Behind = max(longest.Alone, all.Alone), max(longest.Behind, all.Behind)
	}
	return &longest, nil
}

// latencies returns the latencies of the instructions of each warp of the wave. hits tells which accesses of the SM hit the shared
// cache. An access waits for so many before those of its instruction, and for these, a number of cycles each.
func (p *player) latencies(hits []bool, l *latencies, before, each int64) [][]published.Instr {
	warps := make([][]published.Instr, len(p.warps))
	number := p.before
	for i := range p.events {
		e := &p.events[i]
		c := &p.costs[e.pc]
		in := published.Instr{Issue: c.Initiation, Execution: c.TailLatency()}
		if c.Kind == cost.Load || c.Kind == cost.Posted {
			in.Issue *= int64(max(e.requests, 1))
		}
		memory := int64(0)
		for k := range int64(e.sends) {
			took := l.oldest()
			if hits[number] {
				took = l.oldestHit()
			}
			memory = max(memory, took+(before+k)*each+int64(p.sent[number-p.before].extra))
			number++
		}
		in.Execution += memory
		warps[e.warp] = append(warps[e.warp], in)
	}
	return warps
}
