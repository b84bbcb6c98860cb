package llc

import (
	"context"
	"fmt"

	"warpbound/internal/method"
	"warpbound/internal/method/cost"
	"warpbound/internal/method/llc/published"
)

// Published are times of a launch by Eqs. 1 to 3, in cycles. They need the latency of each access to the shared cache; the paper takes
// what the interconnect adds to it as known.
type Published struct {
	Alone  int64 // an access waits for no other one
	Queued int64 // it waits for all that its SM can have under way before it
}

// Published applies Eqs. 1 to 3 to a launch. An instruction has the latency of the slowest of its accesses: a hit in the L1, a hit in
// the shared cache, or a miss, as m classifies them (Section V). The equations know one group of warps, so that the times of the waves of an SM are
// added up; the SM that takes longest counts.
//
// Neither time is a bound, for the reasons that package published states, and since no access waits for the next interval. Errors are those of
// Bound, and that of a launch of which it is not known what its warps issue, or of which that is too much to follow.
func (m Method) Published(ctx context.Context, p *method.Problem) (*Published, error) {
	if err := m.Applies(p.Machine); err != nil {
		return nil, err
	}
	return method.Assuming(p, func(p *method.Problem) (*Published, error) {
		a, err := newAnalysis(ctx, p)
		if err != nil {
			return nil, err
		}
		if err := a.execute(ctx, p); err != nil {
			return nil, err
		}
		switch {
		case !a.ordered():
			return nil, fmt.Errorf("kernel %s: it is not known which instructions its warps issue", p.Graph.Kernel.Readable())
		case !a.short(p.Effort):
			return nil, fmt.Errorf("kernel %s: its warps issue more than %d instructions or accesses", p.Graph.Kernel.Readable(), p.Effort.Of(maxEvents))
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
	known, _, err := a.reuses(ctx, streams, m)
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
			all.Queued += a.machine.SM.Dispatch.Value + published.WCET(p.latencies(hits, &l, before, l.separation()))
		}
		longest.Alone, longest.Queued = max(longest.Alone, all.Alone), max(longest.Queued, all.Queued)
	}
	return &longest, nil
}

// latencies returns the latencies of the instructions of each warp of the wave. hits tells which accesses of the SM hit the shared
// cache. An access waits for each that is before it a number of cycles: for as many as stated, and those of its own instruction.
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
