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
