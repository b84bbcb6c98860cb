package bsb

import (
	"errors"
	"slices"
)

// item makes the item of a block. Its next are blocks.
func (d *regionBuilder) item(block int) (Item, error) {
	if l := d.headed(block); l != None && l != d.loop {
		return d.loopItem(l)
	}
	succ := slices.Clone(d.flow.Succ(block))
	r := d.flow.Reconverge(block)
	// Where work-items may end before they come to r, others that wait there, or where they
	// have left a loop to, go on at r nevertheless: so alternatives lead there too.
	closed := r != d.flow.Exit() && d.flow.Parted(block)
	switch {
	case len(succ) < 2:
		return Item{Kind: Plain, Block: block, Next: succ}, nil
	case d.diverged, d.uniform(block) && !closed:
		return Item{Kind: Choice, Block: block, Next: succ}, nil
	case d.body && !d.inLoop(r):
		return d.leave(block, succ, r)
	}
	kind := Branch
	if d.uniform(block) {
		kind = Choice
	}
	return d.successors(Item{Kind: kind, Block: block, Next: []int{r}}, succ, r)
}

// successors adds the paths of a branch that begin at the given blocks and end at r. An
// iteration in which all work-items may end on them may end there.
func (d *regionBuilder) successors(it Item, starts []int, r int) (Item, error) {
	exitsKernel := r != d.flow.Exit() && slices.Contains(starts, d.flow.Exit())
	for _, s := range starts {
		if s == r || s == d.flow.Exit() {
			continue
		}
		successor, err := d.region(place{start: s, stop: r, loop: d.outer(it.Kind)})
		if err != nil {
			return Item{}, because(err, it.Block)
		}
		it.Inner = append(it.Inner, successor)
		exitsKernel = exitsKernel || successor.exitsKernel
	}
	d.mayExit(&it, exitsKernel)
	switch {
	case len(it.Inner) > 0:
	case len(it.Next) > 1:
		it.Kind = Choice
	default:
		it.Kind = Plain
	}
	return it, nil
}

// mayExit notes that all work-items may have ended behind an item. Where they go on otherwise,
// they do until the region ends, and that is not shorter, unless that takes another
// iteration or never happens.
func (d *regionBuilder) mayExit(it *Item, exitsKernel bool) {
	if exitsKernel && (d.body || !d.canExit[it.Next[0]]) && !slices.Contains(it.Next, d.flow.Exit()) {
		it.Next = append(it.Next, d.flow.Exit())
	}
	d.exitsKernel = d.exitsKernel || exitsKernel
}

// outer returns the loop in which the paths of a branch are: those that leave a loop are in
// the one around it.
func (d *regionBuilder) outer(kind Kind) int {
	if kind == Leave {
		return d.flow.Loops().Loops[d.loop].Parent
	}
	return d.loop
}

// leave makes the item of a block at which the loop is left to r by some work-items, while
// others go on in the iteration.
func (d *regionBuilder) leave(block int, succ []int, r int) (Item, error) {
	away := slices.DeleteFunc(slices.Clone(succ), d.inLoop)
	stay := slices.DeleteFunc(succ, func(s int) bool { return !d.inLoop(s) })
	if len(stay) != 1 || d.reconverge != None && d.reconverge != r {
		return Item{}, &openError{d.loop, block}
	}
	d.reconverge = r
	return d.successors(Item{Kind: Leave, Block: block, Next: []int{stay[0], r}}, away, r)
}

// loopItem makes the item of a loop that is entered here.
func (d *regionBuilder) loopItem(l int) (Item, error) {
	header := d.flow.Loops().Loops[l].Header
	body, err := d.region(place{start: header, stop: header, loop: l, body: true, diverged: d.diverged})
	if open := (*openError)(nil); errors.As(err, &open) && open.loop == l {
		return d.divergingLoop(l, open.branch)
	}
	if err != nil {
		return Item{}, err
	}
	if body.reconverge != None && d.body && !d.inLoop(body.reconverge) {
		if d.reconverge != None && d.reconverge != body.reconverge {
			return Item{}, &openError{d.loop, header}
		}
		d.reconverge = body.reconverge
	}
	it := Item{Kind: Latch, Block: header, Inner: []*Region{body}, Next: slices.Clone(body.Exits)}
	for i := range it.Next {
		it.Via = append(it.Via, i)
	}
	return it, nil
}

// divergingLoop makes the item of a loop whose work-items may execute its iterations
// independently of each other. It reaches to the nearest point behind the loop at which they
// reconverge.
func (d *regionBuilder) divergingLoop(l, branch int) (Item, error) {
	loop := &d.flow.Loops().Loops[l]
	r := loop.Header
	for steps := 0; r != d.flow.Exit() && loop.Contains(r); steps++ {
		if r = d.flow.Reconverge(r); steps > len(loop.Body) {
			r = d.flow.Exit() // those that leave the loop end
		}
	}
	all, err := d.region(place{start: loop.Header, stop: r, loop: d.loop, diverged: true})
	if err != nil {
		return Item{}, because(err, branch)
	}
	it := Item{Kind: Lanes, Block: loop.Header, part: branch, Inner: []*Region{all}, Next: []int{r}}
	d.mayExit(&it, all.exitsKernel)
	return it, nil
}

// because adds the branch that is the reason for an open iteration, if none is known.
func because(err error, branch int) error {
	if open := (*openError)(nil); errors.As(err, &open) && open.branch == None {
		return &openError{open.loop, branch}
	}
	return err
}
