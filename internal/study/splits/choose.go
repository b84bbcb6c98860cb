package splits

import (
	"context"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/machine"
	"warpbound/internal/method/split"
	"warpbound/internal/workload"
)

// choice is a set of branches to split, which are blocks of the kernel without splits.
type choice struct {
	blocks   []int
	contexts int // that it uses at a time, at most
	cycles   int64
}

// choose finds the branches to split for which the bound is least, for each number of contexts.
//
// split.Choose finds the sets with the least time of a wavefront. There is one for each number
// of contexts that are provided and each rule for what is shared, since the kernel's bound is the
// least by any of these rules. Which number is best depends on the SIMDs that the
// others become (Eq. 2), so the kernel's bound with each set, analysed anew, decides. What SELECT
// takes of all branches is among the sets if its bound is less still.
func (c *comparison) choose(ctx context.Context) error {
	sets, passed, err := c.plans(ctx)
	if err != nil {
		return err
	}
	best := make([]*choice, c.out.SplitSIMDs+1) // by contexts
	for _, set := range sets {
		ch, err := c.judge(ctx, set)
		if err != nil {
			return err
		}
		if b := best[ch.contexts]; b == nil || ch.cycles < b.cycles || ch.cycles == b.cycles && len(ch.blocks) < len(b.blocks) {
			best[ch.contexts] = ch
		}
	}
	if err := c.addSelected(ctx, best); err != nil {
		return err
	}
	found := &estimate.SplitChoice{Passed: c.points(passed)}
	for _, ch := range best {
		if ch == nil {
			continue
		}
		found.Sets = append(found.Sets, estimate.SplitSet{Contexts: ch.contexts, Cycles: ch.cycles, Points: c.points(ch.blocks)})
		if ch.cycles < found.Sets[found.Best].Cycles {
			found.Best = len(found.Sets) - 1
		}
	}
	c.out.Choice = found
	set := &found.Sets[found.Best]
	blocks := best[set.Contexts].blocks
	for i, b := range blocks {
		if set.Points[i].Without, err = c.without(ctx, blocks, b); err != nil {
			return err
		}
	}
	return nil
}

// plans returns sets of branches that may be the best, the empty one among them. passed are
// branches that none of them considers.
func (c *comparison) plans(ctx context.Context) (sets [][]int, passed []int, err error) {
	pws, err := c.In(machine.PWS)
	if err != nil {
		return nil, nil, err
	}
	all := make([]*split.Prices, c.out.SplitSIMDs+1) // by contexts
	for used := range all {
		if all[used], err = prices(ctx, pws, used); err != nil {
			return nil, nil, err
		}
	}
	form := all[0].Form
	branches := slices.DeleteFunc(c.Whole().First().Splittable(), func(b int) bool {
		return !form.Splittable(b) // of the lanes that come there all go the same way
	})
	for rule := range all[0].Rules {
		var costs []split.Costs
		for _, p := range all {
			costs = append(costs, p.Rules[rule])
		}
		plans, err := split.Choose(ctx, form, costs, all[0].Loops, branches)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range plans {
			sets, passed = append(sets, p.Splits), p.Passed
		}
	}
	slices.SortFunc(sets, slices.Compare[[]int])
	return slices.CompactFunc(sets, slices.Equal[[]int]), passed, nil
}

// judge bounds the kernel with a set of branches split.
func (c *comparison) judge(ctx context.Context, set []int) (*choice, error) {
	blocks, contexts, err := c.Whole().First().Select(set, c.out.SplitSIMDs)
	if err != nil {
		return nil, err
	}
	e, err := c.pws(ctx, blocks)
	if err != nil {
		return nil, err
	}
	return &choice{blocks, contexts, e.Cycles}, nil
}

// addSelected adds what SELECT takes of all branches, with each number of contexts, where
// that is better than all that was found.
func (c *comparison) addSelected(ctx context.Context, best []*choice) error {
	k := c.Whole().First()
	for used := range best {
		selected, _, err := k.Select(k.Splittable(), used)
		if err != nil {
			return err
		}
		ch, err := c.judge(ctx, selected)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(best, func(b *choice) bool { return b != nil && b.cycles <= ch.cycles }) {
			best[ch.contexts] = ch
		}
	}
	return nil
}

// points names branches.
func (c *comparison) points(blocks []int) []estimate.SplitPoint {
	list := []estimate.SplitPoint{}
	for _, b := range blocks {
		list = append(list, c.point(b))
	}
	return list
}

// prices returns what the blocks of a kernel cost before it splits, if it will use so many split contexts at
// the same time (mode pws).
func prices(ctx context.Context, w *workload.Workload, used int) (*split.Prices, error) {
	hardware, err := w.Machine.Reuse(used)
	if err != nil {
		return nil, err
	}
	p, err := analysis.ProblemOn(ctx, w.Whole(), hardware, nil)
	if err != nil {
		return nil, err
	}
	return split.PricesOf(ctx, p)
}
