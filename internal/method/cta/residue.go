package cta

import (
	"slices"

	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// vary makes the variants of a path whose ops are certain but for requests that repeat. If
// they repeat too late, the path is not certain.
func (r *recorder) vary(p *path) {
	for _, v := range p.varied {
		for axis, n := range v.Period {
			p.period[axis] = max(p.period[axis], n)
		}
	}
	if p.period[0]*p.period[1]*p.period[2] > cost.MaxResidues {
		p.certain, p.ops, p.period = false, nil, [3]int{1, 1, 1}
		return
	}
	cost.EachOf(p.period, func(at [3]int) {
		q := &path{
			ops: slices.Clone(p.ops), certain: true, delays: p.delays, partial: p.partial, waits: p.waits,
			service: p.service, visible: p.visible, minor: p.minor, instrs: slices.Clone(p.instrs), route: p.route, period: [3]int{1, 1, 1},
		}
		for i := range q.ops {
			o := &q.ops[i]
			if o.requests >= 0 {
				continue
			}
			v := &p.varied[-1-o.requests]
			o.requests = v.Counts[cost.Residue(at, v.Period)]
			less := saturating.Of(r.costs[o.pc].Initiation * int64(slices.Max(v.Counts)-o.requests))
			in := &q.instrs[o.pc]
			q.service, q.visible, in.service = q.service.Sub(less), q.visible.Sub(less), in.service.Sub(less)
		}
		p.variants = append(p.variants, r.unique(q))
	})
	p.varied, p.ops = nil, nil
}

// in returns the path in a CTA that is at so many steps from the first of the box.
func (p *path) in(at [3]int) *path {
	if p.variants == nil {
		return p
	}
	return p.variants[cost.Residue(at, p.period)]
}
