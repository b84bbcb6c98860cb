package cta

import "warpbound/internal/saturating"

// compose bounds the delays on a chain of warps of one CTA, each of which lets the next
// one go from a barrier (docs/methods/cta.md), in cycles.
func (a *analysis) compose(warps []*path) saturating.Int {
	partial := false
	for _, p := range warps {
		partial = partial || p.partial
	}
	if partial {
		return a.all(warps)
	}
	var greatest []saturating.Int // by the number of the barrier: the delay from it to the next
	for _, p := range warps {
		for i, d := range numbered(p.delays) {
			if i == len(greatest) {
				greatest = append(greatest, 0)
			}
			greatest[i] = max(greatest[i], d)
		}
	}
	sum := a.release.Mul(saturating.Of(len(greatest) - 1))
	for _, d := range greatest {
		sum = sum.Add(d)
	}
	return sum
}

// all bounds the delays on any chain of warps: each delay of each warp is on it at most
// once, and each warp is let go at most as often as it comes to barriers.
func (a *analysis) all(warps []*path) saturating.Int {
	sum := saturating.Int(0)
	for _, p := range warps {
		for _, s := range p.delays {
			sum = sum.Add(s.delay)
		}
		sum = sum.AddMul(a.release, p.waits)
	}
	return sum
}

// numbered returns for each i the most that a warp can be delayed between its i-th
// barrier and the next. A segment of which it is not known whether the warp comes to the
// barriers before it may be one of several.
func numbered(segments []segment) []saturating.Int {
	// Segment k begins with a barrier from the least[k]-th to the k-th: the former if the
	// warp comes to none of those before that it may pass by.
	maximum := make([]saturating.Int, len(segments))
	minimum := make([]int, len(segments))
	for k := len(segments) - 1; k >= 0; k-- {
		maximum[k] = segments[k].delay
		if k+1 < len(segments) && !segments[k+1].certain {
			maximum[k] = maximum[k].Add(maximum[k+1]) // the warp may pass by the barrier between them
		}
	}
	for k, certain := 1, 0; k < len(segments); k++ {
		minimum[k] = certain + 1
		if segments[k].certain {
			certain++
		}
	}
	// The greatest of a window of segments that moves on, as a queue of those of which
	// none later is greater.
	var queue []int
	greatest := make([]saturating.Int, len(segments))
	entered := 0
	for i := range greatest {
		for ; entered < len(segments) && minimum[entered] <= i; entered++ {
			for len(queue) > 0 && maximum[queue[len(queue)-1]] <= maximum[entered] {
				queue = queue[:len(queue)-1]
			}
			queue = append(queue, entered)
		}
		for queue[0] < i {
			queue = queue[1:]
		}
		greatest[i] = maximum[queue[0]]
	}
	return greatest
}
