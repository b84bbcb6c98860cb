package value

import (
	"context"
	"maps"

	"warpbound/internal/budget"
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/transfer"
)

// This file tells what is loaded from buffers to which the kernel does not write. That it does not
// is checked while their contents are taken for granted, which is no circle: up to the first write
// to such a buffer, by any thread, the contents are what they were, so that write is one of those
// that are checked.

// withContents returns a result that takes into account what buffers hold. plain is the one that
// does not.
func withContents(ctx context.Context, plain *Result) (*Result, error) {
	kept := make([]bool, len(plain.Launch.Buffers))
	for i := range kept {
		kept[i] = plain.Launch.Buffers[i].Contents.Each > 0
	}
	known := make(access.ContentsMemo)
	for {
		r, err := plain.settleLoads(ctx, kept, known)
		if err != nil {
			return nil, err
		}
		hit, err := r.findWriters(ctx, kept)
		if err != nil {
			return nil, err
		}
		if len(hit) == 0 {
			r.Kept = kept
			return r, nil
		}
		for b := range hit {
			kept[b] = false
		}
	}
}

// loadRounds limits how often what is loaded is made more precise by what is known of addresses then.
var loadRounds = budget.Limit{What: "rounds over loads whose addresses others tell", At: 4}

// settleLoads analyses the kernel with what some of the buffers hold.
func (r *Result) settleLoads(ctx context.Context, kept []bool, known access.ContentsMemo) (*Result, error) {
	found, err := r.findLoads(ctx, kept, known)
	if err != nil {
		return nil, err
	}
	for n := int64(1); len(found) > 0; n++ {
		if r, err = analyze(ctx, r.Graph, r.Launch, found); err != nil {
			return nil, err
		}
		again, err := r.findLoads(ctx, kept, known)
		if err != nil {
			return nil, err
		}
		if maps.EqualFunc(found, again, (*transfer.Loaded).Equal) || !r.solution.Machine.Work.Allows(loadRounds, n+1) {
			break
		}
		found = again
	}
	return r, nil
}

// findLoads returns what instructions load from some buffers.
func (r *Result) findLoads(ctx context.Context, kept []bool, known access.ContentsMemo) (transfer.Loads, error) {
	bounds, err := r.findBounds(ctx)
	if err != nil {
		return nil, err
	}
	return access.FindLoads(ctx, r.solution, bounds, kept, known)
}

// findWriters returns those of some buffers to which the kernel may write, each with the first
// instruction that may.
func (r *Result) findWriters(ctx context.Context, kept []bool) (map[int]int, error) {
	bounds, err := r.findBounds(ctx)
	if err != nil {
		return nil, err
	}
	return access.FindWriters(ctx, r.solution, bounds, kept)
}

// Writers returns the buffers of the launch to which the kernel may write, each with the first
// instruction that may. The error is that of ctx.
func (r *Result) Writers(ctx context.Context) (map[int]int, error) {
	all := make([]bool, len(r.Launch.Buffers))
	for i := range all {
		all[i] = true
	}
	return r.findWriters(ctx, all)
}

// Loaded tells, of each buffer of the launch, whether something is known of what the kernel loads
// there.
func (r *Result) Loaded() []bool {
	from := make([]bool, len(r.Launch.Buffers))
	for _, l := range r.solution.Machine.Loads {
		from[l.Buffer] = true
	}
	return from
}
