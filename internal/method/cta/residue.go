package cta

import "slices"

// maxResidues limits the CTAs after which requests repeat. Beyond it they are not told apart.
const maxResidues = 64

// varied are the requests of an access in the CTAs of a box: they repeat after period CTAs
// along each axis, all powers of two.
type varied struct {
	period [3]int
	counts []int32 // x fastest
}

// each calls visit for the CTAs of one period.
func (v *varied) each(visit func(at [3]int)) { eachOf(v.period, visit) }

func eachOf(size [3]int, visit func(at [3]int)) {
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				visit([3]int{x, y, z})
			}
		}
	}
}

// residue is the position of a CTA among those of one period.
func residue(at, period [3]int) int {
	return at[0]%period[0] + period[0]*(at[1]%period[1]+period[1]*(at[2]%period[2]))
}

// vary makes the variants of a path whose ops are certain but for requests that repeat. If
// they repeat too late, the path is not certain.
func (r *recorder) vary(p *path) {
	for _, v := range p.varied {
		for axis, n := range v.period {
			p.period[axis] = max(p.period[axis], n)
		}
	}
	if p.period[0]*p.period[1]*p.period[2] > maxResidues {
		p.certain, p.ops, p.period = false, nil, [3]int{1, 1, 1}
		return
	}
	eachOf(p.period, func(at [3]int) {
		q := &path{
			ops: slices.Clone(p.ops), certain: true, delays: p.delays, partial: p.partial, waits: p.waits,
			service: p.service, blocks: slices.Clone(p.blocks), period: [3]int{1, 1, 1},
		}
		for i := range q.ops {
			o := &q.ops[i]
			if o.requests >= 0 {
				continue
			}
			v := &p.varied[-1-o.requests]
			o.requests = v.counts[residue(at, v.period)]
			less := r.costs[o.pc].initiation * int64(slices.Max(v.counts)-o.requests)
			q.service -= less
			q.blocks[r.graph.BlockOf(int(o.pc))].service -= less
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
	return p.variants[residue(at, p.period)]
}
