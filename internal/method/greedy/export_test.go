package greedy

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/method"
	"warpbound/internal/saturating"
)

// Bound is the bound of a problem as it is, and what it charges to lines.
func Bound(ctx context.Context, p *method.Problem) (*estimate.Estimate, error) {
	a, err := bound(ctx, p)
	if err != nil {
		return nil, err
	}
	return &a.Estimates[0], nil
}

// Without is what the bound would be if one instruction needed nothing, of what is added up, and took no time on the chains that are the
// longest with it.
func Without(ctx context.Context, p *method.Problem, pc int) (int64, error) {
	a, err := newAnalysis(ctx, p)
	if err != nil {
		return 0, err
	}
	if err := a.execute(ctx, p); err != nil {
		return 0, err
	}
	for _, results := range a.warps {
		for i := range results {
			a.drop(&results[i].Visitor.(*recorder).path, pc)
		}
	}
	classes, of, err := a.classes()
	if err != nil {
		return 0, err
	}
	a.findL1(classes, of)
	a.findFootprint()
	return a.compose(classes, of).sum().Int64(), nil
}

func (a *analysis) drop(p *path, pc int) {
	p.needs.each(func(of, column int, n saturating.Int) {
		switch {
		case of != pc || column == a.lengthAt(lengths):
		case column < a.lengthAt(0):
			p.sums[column] = p.sums[column].Sub(n)
		default:
			p.all[column-a.lengthAt(0)] = p.all[column-a.lengthAt(0)].Sub(n)
		}
	})
	stops := []*stop{&p.leaves, &p.ends}
	for i := range p.arrivals {
		stops = append(stops, &p.arrivals[i])
	}
	for _, s := range stops {
		s.way.each(func(of, measure int, n saturating.Int) {
			if of == pc {
				s.point[measure] = s.point[measure].Sub(n)
			}
		})
	}
}

// Ways returns how many ways of warps to barriers and ends there are, and an error if instructions take more or less on one than it takes.
func Ways(ctx context.Context, p *method.Problem) (int, error) {
	a, err := newAnalysis(ctx, p)
	if err != nil {
		return 0, err
	}
	if err := a.execute(ctx, p); err != nil {
		return 0, err
	}
	n := 0
	for _, results := range a.warps {
		for i := range results {
			w := &results[i].Visitor.(*recorder).path
			barriers := saturating.Int(0)
			w.needs.each(func(_, column int, x saturating.Int) {
				if column == a.lengthAt(lengths) {
					barriers = barriers.Add(x)
				}
			})
			if barriers != w.barriers {
				return n, fmt.Errorf("%d of %d barriers", barriers, w.barriers)
			}
			for _, s := range append(w.arrivals, w.leaves, w.ends, *a.inAnyOrder(w)) {
				var sum [lengths]saturating.Int
				s.way.each(func(_, column int, x saturating.Int) {
					if measure := column - s.column; measure >= 0 && measure < lengths {
						sum[measure] = sum[measure].Add(x)
					}
				})
				if n++; sum != [lengths]saturating.Int(s.point[:lengths]) {
					return n, fmt.Errorf("%v of %v cycles", sum, s.point[:lengths])
				}
			}
		}
	}
	return n, nil
}
