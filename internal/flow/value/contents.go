package value

import (
	"maps"

	"warpbound/internal/flow/access"
	"warpbound/internal/flow/transfer"
)

// This file tells what is loaded from buffers to which the kernel does not write. That it does not
// is checked while their contents are taken for granted, which is no circle: up to the first write
// to such a buffer, by any thread, the contents are what they were, so that write is one of those
// that are checked.

// withContents returns a result that takes into account what buffers hold. plain is the one that
// does not.
func withContents(plain *Result) *Result {
	kept := make([]bool, len(plain.Launch.Buffers))
	for i := range kept {
		kept[i] = plain.Launch.Buffers[i].Contents.Each > 0
	}
	known := make(access.ContentsMemo)
	for {
		r := plain.settleLoads(kept, known)
		hit := access.FindWriters(r.solution, r.loops.Bounds(), kept)
		if len(hit) == 0 {
			r.Kept = kept
			return r
		}
		for b := range hit {
			kept[b] = false
		}
	}
}

// maxRounds is how often what is loaded is made more precise by what is known of addresses then.
const maxRounds = 4

// settleLoads analyses the kernel with what some of the buffers hold.
func (r *Result) settleLoads(kept []bool, known access.ContentsMemo) *Result {
	found := access.FindLoads(r.solution, r.loops.Bounds(), kept, known)
	for range maxRounds {
		if len(found) == 0 {
			return r
		}
		r = analyze(r.Graph, r.Launch, found)
		again := access.FindLoads(r.solution, r.loops.Bounds(), kept, known)
		if maps.EqualFunc(found, again, (*transfer.Loaded).Equal) {
			break
		}
		found = again
	}
	return r
}

// Writers returns the buffers of the launch to which the kernel may write, each with the first
// instruction that may.
func (r *Result) Writers() map[int]int {
	all := make([]bool, len(r.Launch.Buffers))
	for i := range all {
		all[i] = true
	}
	return access.FindWriters(r.solution, r.loops.Bounds(), all)
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
