package llc

import (
	"context"

	"warpbound/internal/method/llc/reuse"
)

// inOrder bounds a launch of which it is known in which order each SM issues. What it sends to the shared
// cache may be known but for some accesses that it may make or not.
func (a *analysis) inOrder(ctx context.Context, m Method) (*detail, error) {
	streams, err := a.streams(ctx)
	if err != nil {
		return nil, err
	}
	known, later, err := a.reuses(ctx, streams, m)
	if err != nil {
		return nil, err
	}
	hits := surelyThere(known, len(streams))
	d := a.detail()
	d.Bounded = a.bounded().Int64()
	for _, s := range streams {
		d.Uncertain += s.optional
	}
	d.Exact = d.Uncertain == 0
	d.misses(streams, known, later)
	if d.Regulated && !d.Exact {
		return d, a.windows(ctx, d, streams, hits)
	}
	var banks [][]int32
	if d.Exact && !a.warm { // else a line may be there although no core has opened its row in this launch
		banks = a.banks(streams)
	}
	times, err := a.schedule(ctx, hits, banks)
	if err != nil {
		return nil, err
	}
	d.times(times)
	return d, nil
}

// surelyThere tells of the accesses of so many SMs which need no turn at the DRAM.
func surelyThere(known *reuse.Result, sms int) [][]bool {
	hits := make([][]bool, sms)
	for sm := range hits {
		hits[sm] = make([]bool, len(known.Cores[sm]))
		for i, o := range known.Cores[sm] {
			// A hit that follows from the core's own last use finds the line, or the answer that brings it is
			// before its own.
			hits[sm][i] = o.Class == reuse.Hit && (o.Own || o.Filled)
		}
	}
	return hits
}

// reuses tells of the accesses of all cores, the CPU last, whether they hit the shared cache. Those that the
// CPU makes later than any SM have no influence on SMs; so many are left out. The error may be that of ctx.
func (a *analysis) reuses(
	ctx context.Context, streams []*stream, m Method,
) (known *reuse.Result, later int64, err error) {
	core := reuse.Unordered
	cpu := reuse.Unordered
	ofCPU := a.cpu.accesses
	if quota := a.quota(); m == Interval {
		core = func(all []reuse.Access) reuse.Core { return reuse.Regulated(all, quota) }
		cpu = func(all []reuse.Access) reuse.Core { return reuse.Limited(all, quota) }
		intervals := int64(0)
		for _, s := range streams {
			intervals = max(intervals, (int64(len(s.sent))+quota-1)/quota)
		}
		ofCPU, later = a.cpu.during(intervals, quota)
	}
	var cores []reuse.Core
	for _, s := range streams {
		cores = append(cores, core(s.sent))
	}
	beside := cpu(ofCPU)
	beside.Aside = true
	cores = append(cores, beside)
	cache := reuse.Cache{Sets: int(a.machine.LLC.Sets.Value), Ways: int(a.machine.LLC.Ways.Value)}
	if a.warm {
		cache.Warm, cache.Held = true, func(line uint64) bool { return a.held[line] }
	}
	known, err = reuse.Analyze(ctx, cache, 0, cores)
	return known, later, err
}
