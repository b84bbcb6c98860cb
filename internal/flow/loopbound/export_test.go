package loopbound

import (
	"context"

	"warpbound/internal/flow/fixpoint"
)

// Follow returns what following the loops iteration by iteration tells of them, also of those that
// have another bound, if it is not large: each way by itself, and all ways together.
func Follow(s *fixpoint.Solution, bounds []Bound) [][]Bound {
	var all [2][]Bound
	for i, l := range makeAnalyses(context.Background(), s) {
		for k := range all {
			b := Bound{}
			if bounds[i].Iterations < 40 && s.In[l.loop.Header] != nil && l.loop.Header != s.Graph.Entry() && s.IsRegular(l.loop) {
				b, _ = l.followIterations(k == 0)
			}
			all[k] = append(all[k], b)
		}
	}
	return all[:]
}

// CountUnrolled returns the work of following the loops of a kernel iteration by iteration, and the
// work that is allowed for all of them: the limit, what a loop may exceed it by, and what is left for each.
func CountUnrolled(ctx context.Context, s *fixpoint.Solution) (work, limit int64, err error) {
	all := makeAnalyses(ctx, s)
	for _, l := range all {
		if _, err := l.boundByExits(); err != nil {
			return 0, 0, err
		}
	}
	return *all[0].unrolled, maxUnrolledInAll + 2*maxUnrolled + int64(len(all))*4*minUnrolled, nil
}
