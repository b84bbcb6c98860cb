package bsb

import (
	"fmt"
	"slices"

	"warpbound/internal/cfg"
)

// Region is code that is entered at one place and executed to the end before anything
// else: a path of a branch, an iteration of a loop, or the whole kernel. Its items are in
// topological order, and a block that belongs to it is in one of them.
type Region struct {
	Items       []Item
	Exits       []int // of an iteration: the blocks outside the loop that it may go to, or cfg's exit
	reconverge  int   // of an iteration: where work-items wait that have left the loop, or None
	exitsKernel bool  // some path leads to the end of the kernel and not to that of the region
}

// Item is a block with what it leads to until control is in the region again, or a loop.
type Item struct {
	Kind  Kind // Plain, Branch, Choice or Leave; Latch stands for a loop, Lanes for a diverging loop
	Block int  // of a loop, its header
	// Inner are the paths of a Branch, Choice or Leave, the iteration of a loop, or what one
	// work-item executes of a diverging loop.
	Inner []*Region
	// Next is where control goes on: items of this region, Behind, or one of its exits (ExitOf).
	// It goes there from the block itself, if it has no paths, and from the ends of all paths. Of
	// a Leave they are where the iteration goes on and where the loop is left to, of a loop the
	// destinations of its exits.
	Next []int
	Via  []int // of a loop, the exit that leads to each Next
	part int   // of a diverging loop, the branch that makes it one

	// Node and BSBs are those of the block in the form, or the Lanes; foot is the Latch, or the
	// Join or None.
	Node int
	BSBs []int
	foot int
}

// Behind is the destination behind a region.
const Behind = -1

// exit is the destination behind a region by its exit i.
func exit(i int) int { return -2 - i }

// ExitOf returns the exit of a region by which a destination that is neither an item of it nor
// Behind is reached.
func ExitOf(next int) int { return -2 - next }

// divergingLoops appends the diverging loops of the region.
func (r *Region) divergingLoops(all []DivergingLoop) []DivergingLoop {
	for i := range r.Items {
		it := &r.Items[i]
		if it.Kind == Lanes {
			all = append(all, DivergingLoop{Header: it.Block, Branch: it.part})
		}
		for _, inner := range it.Inner {
			all = inner.divergingLoops(all)
		}
	}
	return all
}

// place says which region is meant.
type place struct {
	start, stop int  // blocks; the stop is not part of the region
	loop        int  // the innermost loop in whose iteration the region is, or None
	body        bool // the region is that iteration
	diverged    bool // work-items execute it independently: every branch is a choice
}

// builder makes regions.
type builder struct {
	flow    *cfg.Flow
	uniform func(block int) bool
	canExit []bool // by block, whether the end of the kernel can be reached
	left    int    // items that may still be made
	depth   int
}

// openError says that an iteration of a loop does not hold all that is executed until the
// work-items at branch reconverge. The branch is None until it is known.
type openError struct{ loop, branch int }

func (e *openError) Error() string {
	return fmt.Sprintf("the branch of block %d reconverges outside of an iteration of the loop around it", e.branch)
}

// region makes the region of a place. An *openError says that the iteration of a loop
// around it is not closed.
func (b *builder) region(p place) (*Region, error) {
	if b.depth++; b.depth > MaxDepth {
		return nil, &shapeError{p.start, fmt.Sprintf("paths and loops nest more than %d deep", MaxDepth)}
	}
	defer func() { b.depth-- }()
	if p.start != p.stop && b.around(p.start, p.loop) {
		return nil, &openError{b.headed(p.start), None}
	}
	d := &regionBuilder{builder: b, place: p, at: make(map[int]int), reconverge: None}
	return d.draw()
}

// around reports whether a block is the header of the loop or of one around it.
func (b *builder) around(block, loop int) bool {
	loops := b.flow.Loops().Loops
	for ; loop != None; loop = loops[loop].Parent {
		if loops[loop].Header == block {
			return true
		}
	}
	return false
}

// headed returns the loop that a block is the header of, or None.
func (b *builder) headed(block int) int {
	l := b.flow.Loops().Innermost(block)
	if l != None && b.flow.Loops().Loops[l].Header == block {
		return l
	}
	return None
}

// regionBuilder makes one region.
type regionBuilder struct {
	*builder
	place
	items       []Item
	at          map[int]int // by block, its item
	exits       []int
	reconverge  int
	exitsKernel bool
}

// draw follows the blocks from the start and puts them in topological order: a depth-first
// search leaves an item after all that follow it.
func (d *regionBuilder) draw() (*Region, error) {
	type frame struct{ item, next int }
	if err := d.add(d.start); err != nil {
		return nil, err
	}
	var order []int
	for stack := []frame{{}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		next := d.items[top.item].Next
		if top.next == len(next) {
			order = append(order, top.item)
			stack = stack[:len(stack)-1]
			continue
		}
		block := next[top.next]
		to, err := d.target(block)
		if err != nil {
			return nil, err
		}
		if to >= 0 && to == len(d.items) {
			if err := d.add(block); err != nil {
				return nil, err
			}
			stack = append(stack, frame{item: to})
			top = &stack[len(stack)-2]
		}
		next[top.next] = to
		top.next++
	}
	d.resume()
	slices.Reverse(order)
	return d.ordered(order)
}

// resume lets control go on where work-items wait that have left the loop, also where all
// others have ended.
func (d *regionBuilder) resume() {
	ended := slices.Index(d.exits, d.flow.Exit())
	if !d.body || d.reconverge == None || d.reconverge == d.flow.Exit() || ended < 0 {
		return
	}
	reconverge := d.exitTo(d.reconverge)
	for i := range d.items {
		it := &d.items[i]
		k := slices.Index(it.Next, exit(ended))
		if k < 0 {
			continue
		}
		it.Next = append(it.Next, reconverge)
		if it.Via != nil {
			it.Via = append(it.Via, it.Via[k])
		}
	}
}

// exitTo returns the exit of an iteration to a block.
func (d *regionBuilder) exitTo(block int) int {
	i := slices.Index(d.exits, block)
	if i < 0 {
		i = len(d.exits)
		d.exits = append(d.exits, block)
	}
	return exit(i)
}

// ordered puts the items in order.
func (d *regionBuilder) ordered(order []int) (*Region, error) {
	place := make([]int, len(order))
	for i, o := range order {
		place[o] = i
	}
	r := &Region{Items: make([]Item, len(order)), Exits: d.exits, reconverge: d.reconverge, exitsKernel: d.exitsKernel}
	for i, o := range order {
		r.Items[i] = d.items[o]
		next := r.Items[i].Next
		for k, to := range next {
			if to < 0 {
				continue
			}
			if next[k] = place[to]; next[k] <= i {
				return nil, &shapeError{r.Items[i].Block, "control comes back to a block before the iteration around it is over"}
			}
		}
	}
	return r, nil
}

// target returns where control is when it comes to a block: at the end of the region, at one
// of its exits, or at an item, which may be still to be added.
func (d *regionBuilder) target(block int) (int, error) {
	switch {
	case block == d.stop:
		return Behind, nil
	case d.body && !d.inLoop(block):
		return d.exitTo(block), nil
	case block == d.flow.Exit():
		d.exitsKernel = true
		return Behind, nil
	case d.around(block, d.loop):
		return 0, &openError{d.headed(block), None}
	}
	if i, ok := d.at[block]; ok {
		return i, nil
	}
	return len(d.items), nil
}

// inLoop reports whether a block is in the loop whose iteration the region is.
func (d *regionBuilder) inLoop(block int) bool {
	return block != d.flow.Exit() && d.flow.Loops().Loops[d.loop].Contains(block)
}

// add makes the item of a block. Its next are blocks so far.
func (d *regionBuilder) add(block int) error {
	if d.left--; d.left < 0 {
		return &shapeError{block, fmt.Sprintf("the paths of branches share so many blocks that a wavefront executes them in more than %d places", MaxNodes(d.flow.Len()))}
	}
	d.at[block] = len(d.items)
	it, err := d.item(block)
	if err != nil {
		return err
	}
	d.items = append(d.items, it)
	return nil
}
