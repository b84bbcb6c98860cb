package calibrate

import (
	"context"
	"math"
	"slices"

	"warpbound/internal/machine"
)

// Sizes that a machine file can state.
const (
	minLine, maxLine = 32, 256 // bytes
	maxWays          = 64
	maxPartitions    = 64
	maxSets          = 65536 // of a partition of the L2
	maxL1Sets        = 4096
	maxRow           = 65536 // bytes
)

// maxInterleave is the largest piece of addresses, in bytes, that is tried for a partition.
const maxInterleave = 4096

// held is how many places, so many bytes apart, a cache holds.
type held struct{ stride, places int }

// cacheSeen is what walks show of a cache.
type cacheSeen struct {
	line  int // bytes; 0 if walks were made with a known one
	lines int // of the whole cache
	held  []held
}

// l1Seen walks over global memory with loads that the L1 may keep. It returns nil if it
// keeps none.
func (p *prober) l1Seen(ctx context.Context, away float64) (*cacheSeen, error) {
	w, err := p.walk(".ca")
	if err != nil {
		return nil, err
	}
	defer w.unload()
	near, err := w.one(ctx, 0)
	if err != nil {
		return nil, err
	}
	if near > 0.9*away {
		return nil, nil
	}
	limit := (near + away) / 2
	beyond := 16 // so many places, at least a line apart, are more than the L1 holds
	for ; beyond*maxLine <= p.dataBytes/2; beyond *= 2 {
		n, err := w.slow(ctx, beyond, maxLine, 0, limit)
		if err != nil {
			return nil, err
		}
		if n == min(beyond, maxTimes) {
			break
		}
	}
	seen := &cacheSeen{}
	for seen.line = minLine; seen.line < maxLine; seen.line *= 2 {
		n := 2 * beyond * maxLine / seen.line
		slow, err := w.slow(ctx, n, seen.line, 0, limit)
		if err != nil {
			return nil, err
		}
		if float64(slow) > (1-fits)*float64(min(n, maxTimes)) {
			break
		}
	}
	if seen.lines, err = w.holds(ctx, 2*beyond*maxLine/seen.line, seen.line, 0, limit); err != nil {
		return nil, err
	}
	for stride := 2 * seen.line; stride <= p.dataBytes/maxWays; stride *= 2 {
		n, err := w.holds(ctx, min(seen.lines+1, p.dataBytes/stride-1), stride, 0, limit)
		if err != nil {
			return nil, err
		}
		seen.held = append(seen.held, held{stride, n})
	}
	return seen, nil
}

// withLine is what would be seen of a cache of the same size with longer lines.
func (s *cacheSeen) withLine(line int) *cacheSeen {
	out := &cacheSeen{line: line, lines: s.lines * s.line / line}
	for _, h := range s.held {
		if h.stride > line {
			out.held = append(out.held, held{h.stride, min(h.places, out.lines)})
		}
	}
	return out
}

// l1Shape finds sets, ways and index of an L1. The number of sets is rounded down to a
// power of two, which only loses lines if the number that was seen is none of such a cache.
func (s *cacheSeen) l1Shape() (sets, ways int, index machine.Index, known bool) {
	ways = s.lines
	for _, h := range s.held {
		ways = min(ways, h.places)
	}
	ways = min(max(ways, 1, (s.lines+maxL1Sets-1)/maxL1Sets), maxWays)
	sets = min(maxL1Sets, 1<<int(math.Log2(float64(s.lines)/float64(ways))))
	for _, index := range []machine.Index{machine.Linear, machine.Fermi} {
		if index == machine.Fermi && (sets != 32 || s.line != 128) {
			continue
		}
		if s.explained(func(addr int) int { return l1Set(addr, s.line, sets, index) }, ways) {
			return sets, ways, index, true
		}
	}
	return sets, ways, machine.Linear, false
}

// l1Set is the set of an address, as the indexes of machine files say.
func l1Set(addr, line, sets int, index machine.Index) int {
	set := addr / line
	if index == machine.Fermi {
		set ^= addr>>13&7 | addr>>17&1<<3 | addr>>19&1<<4
	}
	return set & (sets - 1)
}

// explained reports whether a cache with least recently used replacement that chooses sets
// so holds what was held.
func (s *cacheSeen) explained(set func(addr int) int, ways int) bool {
	for _, h := range s.held {
		if places(set, h.stride, ways, h.places+1) != h.places {
			return false
		}
	}
	return true
}

// places returns how many places, stride bytes apart and at most maximum, are before the first
// that does not find room in its set.
func places(set func(addr int) int, stride, ways, maximum int) int {
	used := map[int]int{}
	for n := range maximum {
		s := set(n * stride)
		if used[s]++; used[s] > ways {
			return n
		}
	}
	return maximum
}

// l2Seen walks over global memory with loads that pass by the L1. It returns nil if the walks
// do not show how much the L2 holds.
func (p *prober) l2Seen(ctx context.Context, line int) (*cacheSeen, error) {
	w, err := p.walk(".cg")
	if err != nil {
		return nil, err
	}
	defer w.unload()
	// All lanes load lines side by side to find the size, one for all lanes else.
	limits := [2]float64{}
	for i, spread := range []int{line, 0} {
		if limits[i], err = p.l2Limit(ctx, w, line, spread, []float64{0.1, 0.5}[i]); err != nil {
			return nil, err
		}
	}
	seen := &cacheSeen{}
	maximum := p.dataBytes/(32*line) - 1
	groups, err := w.holds(ctx, maximum, 32*line, line, limits[0])
	if err != nil {
		return nil, err
	}
	if groups == 0 || groups == maximum {
		return nil, nil
	}
	seen.lines = 32 * groups
	for _, stride := range l2Strides(line, p.dataBytes) {
		maximum := min(maxPlaces, p.dataBytes/stride-1)
		n, err := w.holds(ctx, maximum, stride, 0, limits[1])
		if err != nil {
			return nil, err
		}
		if n < maximum {
			seen.held = append(seen.held, held{stride, n})
		}
	}
	return seen, nil
}

// hits is a number of lines that every L2 holds side by side.
const hits = 128

// l2Limit returns a time between those of loads that hit the L2 and that miss it, so far from
// the former. Lines are at different distances from an SM, so that the slowest of many that
// hit counts.
func (p *prober) l2Limit(ctx context.Context, w *walker, line, spread int, share float64) (float64, error) {
	if err := p.flush(ctx, line); err != nil {
		return 0, err
	}
	at := path{n: 64, stride: 32 * line, spread: spread, rounds: 1}
	far, err := w.times(ctx, at)
	if err != nil {
		return 0, err
	}
	at = path{n: hits, stride: line, rounds: 3}
	if spread > 0 {
		at.n, at.stride, at.spread = hits/32, 32*line, spread
	}
	near := math.Inf(1)
	for range p.repeats { // what disturbs makes it only slower
		times, err := w.times(ctx, at)
		if err != nil {
			return 0, err
		}
		near = min(near, slices.Max(times))
	}
	return near + share*(median(far)-near), nil
}

// maxPlaces is the largest number of places that walks look for in the L2.
const maxPlaces = 256

// l2Strides are the distances of places that are looked for in the L2.
func l2Strides(line, bytes int) []int {
	var out []int
	for shift := 6; line<<shift <= bytes/maxPlaces; shift += 2 {
		for _, odd := range []int{1, 3, 5} {
			out = append(out, odd*line<<shift)
		}
	}
	return out
}

// l2Geometry is a shape of the L2.
type l2Geometry struct{ partitions, interleave, sets, ways int }

// l2Shapes returns the shapes that explain what was seen, the usual one first if it does,
// and others in the order of their numbers of partitions. Interleaves below a line make no
// difference.
func (s *cacheSeen) l2Shapes(line int, usual l2Geometry) []l2Geometry {
	var out []l2Geometry
	try := func(g l2Geometry) {
		n := g.partitions * g.sets * g.ways
		if n >= s.lines && n < s.lines+32 && !slices.Contains(out, g) &&
			s.explained(func(addr int) int { return l2Set(addr, line, g) }, g.ways) {
			out = append(out, g)
		}
	}
	try(usual)
	for partitions := 1; partitions <= maxPartitions; partitions++ {
		for sets := 1; sets <= maxSets; sets *= 2 {
			for ways := max(1, s.lines/(partitions*sets)); ways <= maxWays && partitions*sets*ways < s.lines+32; ways++ {
				try(l2Geometry{partitions, usual.interleave, sets, ways})
				for interleave := line; interleave <= maxInterleave; interleave *= 2 {
					try(l2Geometry{partitions, interleave, sets, ways})
				}
			}
		}
	}
	return out
}

// l2Set numbers the sets of all partitions, as the simulator chooses them.
func l2Set(addr, line int, g l2Geometry) int {
	number := addr / g.interleave
	within := number/g.partitions*g.interleave + addr%g.interleave
	return number%g.partitions*g.sets + within/line&(g.sets-1)
}
