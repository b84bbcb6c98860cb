package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"warpbound/internal/isa"
)

// pipeline is a group of equal pipelines of an SM and the classes that share it.
type pipeline struct {
	classes    []isa.Class
	count      int64
	initiation map[isa.Class]int64
}

// name is that of the first class.
func (p *pipeline) name() string { return p.classes[0].String() }

// fits is the largest relative error that is taken for noise of a measurement. Pipelines may
// be off by twice as much before more of them are assumed, and by four times as much if a burst
// showed their number: the last of several warps can be too few to keep them busy.
const fits = 0.03

// separate reports whether two classes have pipelines of their own: whether a mixture of
// both takes no longer than what takes longer alone. Both are the times alone, issue is
// the least time between instructions of an SM. Where issue hides the difference they
// count as sharing one: nobody can tell.
func separate(alone [2]float64, counts [2]int, mixed, issue float64) bool {
	a, b := float64(counts[0])*alone[0], float64(counts[1])*alone[1]
	shared, parallel := a+b, max(a, b, issue*float64(counts[0]+counts[1]))
	return shared > parallel*(1+2*fits) && mixed < (shared+parallel)/2
}

// mixture returns how many instructions of two classes keep two pipelines busy for about
// the same time.
func mixture(a, b float64) [2]int {
	const maximum = 16
	ratio := func(x, y float64) int { return int(min(maximum, max(1, math.Round(x/y)))) }
	return [2]int{ratio(b, a), ratio(a, b)}
}

// group finds out which classes share pipelines. Intervals are the times that instructions
// of a class alone take of an SM.
func (p *prober) group(ctx context.Context, intervals map[isa.Class]float64) ([]*pipeline, error) {
	issue := math.Inf(1)
	for _, v := range intervals {
		issue = min(issue, v)
	}
	var groups []*pipeline
	for _, class := range measured() {
		home := (*pipeline)(nil)
		for _, g := range groups {
			other := slices.MinFunc(g.classes, func(a, b isa.Class) int {
				distance := func(c isa.Class) float64 { return math.Abs(math.Log(intervals[c] / intervals[class])) }
				return cmp.Compare(distance(a), distance(b))
			})
			counts := mixture(intervals[other], intervals[class])
			mixed, err := p.interval(ctx, []isa.Class{other, class}, counts[:])
			if err != nil {
				return nil, err
			}
			if !separate([2]float64{intervals[other], intervals[class]}, counts, median(mixed), issue) {
				home = g
				break
			}
		}
		if home == nil {
			home = &pipeline{}
			groups = append(groups, home)
		}
		home.classes = append(home.classes, class)
	}
	return groups, nil
}

// fit chooses the number of pipelines of a group and the cycles for which instructions of
// each class occupy one: whole numbers whose quotients are the measured intervals. Of the
// numbers of pipelines that fit it takes the one that a burst of instructions showed, or
// else the least.
func (g *pipeline) fit(intervals map[isa.Class]float64, burst int64) {
	const maximum = 16
	best, minimum := int64(1), math.Inf(1)
	for count := int64(1); count <= maximum; count++ {
		worst := 0.0
		for _, c := range g.classes {
			worst = max(worst, math.Abs(float64(initiation(intervals[c], count))/float64(count)/intervals[c]-1))
		}
		switch {
		case worst <= 4*fits && count == burst:
			best, minimum = count, -1
		case minimum > 2*fits && worst < minimum-1e-9:
			best, minimum = count, worst
		}
	}
	g.count, g.initiation = best, make(map[isa.Class]int64)
	for _, c := range g.classes {
		g.initiation[c] = initiation(intervals[c], best)
	}
}

// initiation is how long an instruction occupies one of count pipelines if one can be
// issued to them every interval cycles.
func initiation(interval float64, count int64) int64 {
	return max(1, int64(math.Round(interval*float64(count))))
}

// burstLength is the number of instructions whose issue is looked at one by one.
const burstLength = 9

// burst makes a kernel that issues so many independent instructions of a class and waits
// for the last one.
func burst(name string, class isa.Class, length int) kernel {
	k, c := sections(name, 0, burstLength, []isa.Class{class}, []int{0}), chains[class]
	var section, last text
	for i := range length {
		c.step(&section, i, 0)
	}
	c.end(&last, length-1)
	k.finish = k.sink
	k.section += section.String()
	k.sink = last.String()
	return k
}

// pipelinesSeen measures how many instructions of a class one warp can issue without a
// pause, which is the number of pipelines. It is 0 if there is no pause.
func (p *prober) pipelinesSeen(ctx context.Context, class isa.Class) (int64, error) {
	var kernels []kernel
	for n := range burstLength {
		kernels = append(kernels, burst(fmt.Sprintf("burst%d", n+1), class, n+1))
	}
	times, err := p.times(ctx, shape{ctas: 1, warps: 1}, kernels...)
	if err != nil {
		return 0, err
	}
	for n := 1; n < burstLength; n++ {
		if median(times[n])-median(times[n-1]) > 1.5 {
			return int64(n), nil
		}
	}
	return 0, nil
}
