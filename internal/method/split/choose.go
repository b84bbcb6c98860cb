package split

import (
	"context"
	"slices"

	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

// Plan is a set of split points that makes a wavefront as fast as it can be with a number of
// split contexts.
type Plan struct {
	Contexts int            // that may be used at the same time
	Cycles   saturating.Int // of the wavefront, at most
	Splits   []int          // the branches (blocks) to split, ascending; without any of them it takes longer
	Gains    []Gain         // the gain of each
	Passed   []int          // candidates that were not considered, ascending: see Choose
}

// Gain says what a split point is good for.
type Gain struct {
	Block   int
	Without saturating.Int // cycles of the wavefront if it splits at the others only
}

// maxCoupled is the largest number of candidates with several nodes each that Choose tries
// in all combinations.
const maxCoupled = 8

// Choose answers the question that the paper leaves open: which of the candidate branches to
// split so that the bound of a wavefront is least. costs[c] are the costs when c split contexts
// are provided for each wavefront, which differ because Eq. 2 makes SIMDs of those that
// are not; Choose returns the best choice for each c.
//
// It is exact. Write T(r, c) for the least time of a region r with c contexts. Every part of
// a region may use all c, since what the parts before it split off has merged: so in a
// sequence each part is at its own least time, a loop multiplies the least time of its
// iteration, and of alternatives the longest counts. All of these only grow with the times of
// the parts. The paths A and B of a branch that is not split take T(A, c) + T(B, c). If it is
// split, the paths are executed at the same time and share the contexts that are left, so it takes
//
//	e_s + e_m + the least of max(T(A, a), T(B, b)) over a + b + 1 <= c.
//
// That takes steps in the nodes of the form times the square of c.
//
// A branch with several nodes is split in all of them or in none. So all combinations of
// such branches are tried, if they are no more than maxCoupled; others are not considered. Nor are
// candidates that are not Splittable.
func Choose(ctx context.Context, f *bsb.Form, costs []Costs, loops Loops, candidates []int) ([]Plan, error) {
	candidates = slices.Clone(candidates)
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	var coupled, passed []int
	at := make([]decision, f.Flow().Len())
	for _, b := range candidates {
		switch {
		case !f.Splittable(b), len(f.NodesOf(b)) > 1 && len(coupled) == maxCoupled:
			passed = append(passed, b)
		case len(f.NodesOf(b)) > 1:
			coupled = append(coupled, b)
		default:
			at[b] = open
		}
	}
	var all []Plan
	for c := range costs {
		p := &planner{form: f, costs: costs[c], loops: loops, contexts: c, at: at}
		best := Plan{Contexts: c, Cycles: saturating.Max, Passed: passed}
		for set := range 1 << len(coupled) {
			for i, b := range coupled {
				at[b] = together
				if set>>i&1 == 1 {
					at[b] = isSplit
				}
			}
			cycles, splits, err := p.plan(ctx)
			if err != nil {
				return nil, err
			}
			if cycles < best.Cycles {
				best.Cycles, best.Splits = cycles, splits
			}
		}
		if best.Cycles == saturating.Max {
			return nil, ErrOverflow
		}
		if err := p.justify(ctx, &best); err != nil {
			return nil, err
		}
		all = append(all, best)
	}
	return all, nil
}

// decision says whether a branch is split.
type decision uint8

const (
	together decision = iota // it is not
	isSplit                  // it is
	open                     // whichever is better
)

// planner finds the best split points for a number of contexts.
type planner struct {
	form     *bsb.Form
	costs    Costs
	loops    Loops
	contexts int
	at       []decision // by block

	// shares says, for each branch and number of contexts, how many of them its first path
	// gets if it is split, or unsplit.
	shares map[*bsb.Item][]int
}

// unsplit stands where a branch is not split.
const unsplit = -1

// plan returns the least time for the decisions that are made, and the split points.
func (p *planner) plan(ctx context.Context) (saturating.Int, []int, error) {
	p.shares = make(map[*bsb.Item][]int)
	e := &evaluation{form: p.form, costs: p.costs, loops: p.loops, budgets: p.contexts + 1, serial: p.branch}
	times, err := e.kernel(ctx)
	if err != nil {
		return 0, nil, err
	}
	var splits []int
	p.walk(p.form.Root(), p.contexts, &splits)
	slices.Sort(splits)
	return times[p.contexts], slices.Compact(splits), nil
}

// branch returns the least times of the paths of a branch.
func (p *planner) branch(it *bsb.Item, successors []vector) vector {
	decided := p.at[it.Block]
	if decided == together {
		return inTurn(successors)
	}
	shares := slices.Repeat([]int{unsplit}, p.contexts+1)
	p.shares[it] = shares
	best := inTurn(successors)
	for c := range best {
		if decided == isSplit {
			best[c] = saturating.Max
		}
		for a := range c {
			longest := successors[0][a]
			if len(successors) > 1 {
				longest = max(longest, successors[1][c-1-a])
			}
			if t := longest.Add(p.costs.Split); t < best[c] {
				best[c], shares[c] = t, a
			}
		}
	}
	return best
}

// walk adds the branches of a region that are split with a number of contexts.
func (p *planner) walk(r *bsb.Region, contexts int, splits *[]int) {
	for i := range r.Items {
		it := &r.Items[i]
		shares, decided := p.shares[it]
		if !decided || shares[contexts] == unsplit {
			for _, inner := range it.Inner {
				p.walk(inner, contexts, splits)
			}
			continue
		}
		*splits = append(*splits, it.Block)
		a := shares[contexts]
		p.walk(it.Inner[0], a, splits)
		if len(it.Inner) > 1 {
			p.walk(it.Inner[1], contexts-1-a, splits)
		}
	}
}

// justify removes the split points from a choice that are off the longest path, and says
// what the others are good for.
func (p *planner) justify(ctx context.Context, c *Plan) error {
	for _, b := range slices.Clone(c.Splits) {
		others := without(c.Splits, b)
		cycles, err := timeOf(ctx, p.form, p.costs, p.loops, others)
		if err != nil {
			return err
		}
		if cycles <= c.Cycles {
			c.Splits = others
		}
	}
	for _, b := range c.Splits {
		cycles, err := timeOf(ctx, p.form, p.costs, p.loops, without(c.Splits, b))
		if err != nil {
			return err
		}
		c.Gains = append(c.Gains, Gain{Block: b, Without: cycles})
	}
	return nil
}

func without(blocks []int, b int) []int {
	return slices.DeleteFunc(slices.Clone(blocks), func(x int) bool { return x == b })
}
