package split

import (
	"context"
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

// Costs says how long what a form executes takes.
type Costs struct {
	// Blocks are the times of the blocks of the flow graph in cycles, for each execution
	// by a wavefront.
	Blocks []saturating.Int
	// Split is what splitting at a branch and merging again costs in cycles, beside what the
	// times of blocks hold (e_s + e_m, Section 5).
	Split saturating.Int
}

// Loops returns how often control goes back to the header of a loop for each entry, at most,
// and what that rests on, in a word. It must hold for each work-item. ok is false where
// nothing is known.
type Loops func(header int) (bound int64, evidence string, ok bool)

// UnboundedError is the error of a loop that takes time and has no bound.
type UnboundedError struct {
	Header int // block
	Name   string
}

func (e *UnboundedError) Error() string {
	return fmt.Sprintf("the loop at %s has no bound", e.Name)
}

// ErrOverflow is the error of a time that does not fit into 63 bits.
var ErrOverflow error = &diag.OverflowError{Err: errors.New("the time of a wavefront exceeds 2^63-1 cycles")}

// ErrEndless is the error of a kernel of which no execution ends.
var ErrEndless = errors.New("no execution of the kernel ends")

// vector holds a time for each budget of split contexts. Nil stands for what no
// execution that ends executes, saturating.Max also for what a budget forbids.
type vector []saturating.Int

// add adds w, which may be nil, to v.
func (v vector) add(w vector) {
	for i := range w {
		v[i] = v[i].Add(w[i])
	}
}

// atLeast raises v to w, which may be nil.
func (v vector) atLeast(w vector) {
	for i := range w {
		v[i] = max(v[i], w[i])
	}
}

// evaluation finds the longest path through a form, region by region, for some budgets at
// a time. serial says what the paths of a branch take together.
type evaluation struct {
	form    *bsb.Form
	costs   Costs
	loops   Loops
	budgets int
	serial  func(it *bsb.Item, successors []vector) vector
	err     error // the first
}

// kernel returns the time of the kernel.
func (e *evaluation) kernel(ctx context.Context) (vector, error) {
	if len(e.costs.Blocks) != e.form.Flow().Len() {
		return nil, fmt.Errorf("times of %d blocks for a flow graph of %d", len(e.costs.Blocks), e.form.Flow().Len())
	}
	for b, t := range e.costs.Blocks {
		if t < 0 || e.costs.Split < 0 {
			return nil, fmt.Errorf("block %s takes %d cycles, a split %d", e.form.BlockName(b), t, e.costs.Split)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, _ := e.region(e.form.Root())
	switch {
	case e.err != nil:
		return nil, e.err
	case all == nil:
		return nil, ErrEndless
	}
	return all, nil
}

// region returns the times of the longest paths from the entry of a region to its end and to
// its exits.
func (e *evaluation) region(r *bsb.Region) (vector, []vector) {
	var atEnd vector
	exits := make([]vector, len(r.Exits))
	dist := make([]vector, len(r.Items))
	reach := func(to *vector, v vector) {
		if *to == nil {
			*to = make(vector, e.budgets)
		}
		to.atLeast(v)
	}
	dist[0] = make(vector, e.budgets)
	for i := range r.Items {
		if dist[i] == nil {
			continue
		}
		it := &r.Items[i]
		one, each := e.item(it)
		for k, to := range it.Next {
			cost := one
			if each != nil {
				cost = each[it.Via[k]]
			}
			if cost == nil {
				continue
			}
			sum := make(vector, e.budgets)
			sum.add(dist[i])
			sum.add(cost)
			switch {
			case to >= 0:
				reach(&dist[to], sum)
			case to == bsb.Behind:
				reach(&atEnd, sum)
			default:
				reach(&exits[bsb.ExitOf(to)], sum)
			}
		}
		dist[i] = nil
	}
	return atEnd, exits
}

// item returns the time of an item, or of a loop for each of its exits.
func (e *evaluation) item(it *bsb.Item) (one vector, each []vector) {
	switch it.Kind {
	case bsb.Latch:
		return nil, e.loop(it)
	case bsb.Lanes:
		path, _ := e.region(it.Inner[0])
		for i := range path {
			path[i] = path[i].Mul(saturating.Of(e.form.Lanes))
		}
		return path, nil
	}
	one = make(vector, e.budgets)
	for i := range one {
		one[i] = e.costs.Blocks[it.Block]
	}
	successors := make([]vector, len(it.Inner))
	for i, r := range it.Inner {
		if successors[i], _ = e.region(r); successors[i] == nil {
			successors[i] = make(vector, e.budgets) // no execution that ends takes it
		}
	}
	switch it.Kind {
	case bsb.Branch:
		one.add(e.serial(it, successors))
	case bsb.Choice:
		longest := make(vector, e.budgets)
		for _, s := range successors {
			longest.atLeast(s)
		}
		one.add(longest)
	default:
		for _, s := range successors {
			one.add(s)
		}
	}
	return one, nil
}

// loop returns the time of a loop for each of its exits: as many iterations as it may have,
// and the way from the header to the exit.
func (e *evaluation) loop(it *bsb.Item) []vector {
	around, exits := e.region(it.Inner[0])
	takes := false
	for _, t := range around {
		takes = takes || t > 0
	}
	if !takes {
		return exits
	}
	bound, _, ok := e.loops(it.Block)
	if !ok {
		e.fail(&UnboundedError{Header: it.Block, Name: e.form.BlockName(it.Block)})
	}
	if bound < 0 {
		e.fail(fmt.Errorf("the bound of the loop at %s is %d", e.form.BlockName(it.Block), bound))
	}
	for _, x := range exits {
		for i := range x {
			x[i] = x[i].AddMul(around[i], saturating.Of(max(bound, 0)))
		}
	}
	return exits
}

func (e *evaluation) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// inTurn returns the time of paths that are executed one after the other.
func inTurn(successors []vector) vector {
	sum := make(vector, len(successors[0]))
	for _, s := range successors {
		sum.add(s)
	}
	return sum
}
