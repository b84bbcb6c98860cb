package racefree

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"warpbound/internal/flow/access"
	"warpbound/internal/flow/affine"
	"warpbound/internal/isa"
)

// class is the accesses of which the same is known: what is found of two of them in two classes is so of all such.
type class struct {
	members []int // ascending
	shape   int

	same  relation // of an access with itself
	races []int    // classes with whose later accesses its own may race
	open  bool     // it is undecided whether its first access may race with some of those from it on
}

// shape is the classes of accesses whose addresses differ by a constant alone.
type shape struct{ classes []int } // by their constants

// relation is what is found of an access and itself or a later one.
type relation uint8

const (
	disjoint relation = iota
	mayRace
	undecided
)

// comparison compares accesses class by class.
type comparison struct {
	*analysis
	classes []class // by their first accesses
	classOf []int   // of each access
	shapes  []shape
	near    map[[2]int]window // of two shapes
}

// window is by how much the constants of two accesses differ, the first one's minus the second one's, where they may not be
// disjoint, if that is known.
type window struct {
	affine.Range
	known bool
}

// compareAccesses finds the verdict. It costs what the classes of accesses cost whose addresses are
// near, and what is listed. The error is that of ctx.
func (a *analysis) compareAccesses(ctx context.Context) (Result, error) {
	c := a.classifyAccesses()
	first := -1 // class that is open
	for i := range c.classes {
		if err := c.relateClass(ctx, i); err != nil {
			return Result{}, err
		}
		if c.classes[i].open && first < 0 {
			first = i
		}
		if first >= 0 && !a.values.Launch.Known() {
			break // no two accesses are known to race, and it is known which ones are said not to be known
		}
	}
	if pairs, omitted := c.listPairs(); len(pairs) > 0 {
		return Result{Verdict: MayRace, Pairs: pairs, Omitted: omitted}, nil
	}
	if first < 0 {
		return Result{Verdict: Free}, nil
	}
	p := c.firstUndecided(first)
	return Result{Reason: p.conflict()(), Instr: p.b.Instr}, nil
}

// classifyAccesses finds the classes, in the order of their first accesses, and the shapes.
func (a *analysis) classifyAccesses() *comparison {
	type shapeKey struct {
		address string
		space   isa.Space
		loads   bool
		order   isa.Order
		scope   isa.Scope
		bytes   int
	}
	type classKey struct {
		shape          int
		access, within string
	}
	c := &comparison{analysis: a, classOf: make([]int, len(a.accesses)), near: make(map[[2]int]window)}
	shapes, classes := make(map[shapeKey]int), make(map[classKey]int)
	for i := range a.accesses {
		x := &a.accesses[i]
		in := &a.graph.Kernel.Instrs[x.Instr]
		order, scope := in.Strength()
		form := numberOf(shapes, shapeKey{x.Shape(), in.Space, a.loads(i), order, scope, in.Type.Bytes()}, &c.shapes)
		kind := classKey{form, x.Key(), intervalsKey(a.within[i])}
		if _, known := classes[kind]; !known {
			c.shapes[form].classes = append(c.shapes[form].classes, len(c.classes))
		}
		c.classOf[i] = numberOf(classes, kind, &c.classes)
		of := &c.classes[c.classOf[i]]
		of.members, of.shape = append(of.members, i), form
	}
	for _, s := range c.shapes {
		slices.SortStableFunc(s.classes, func(i, j int) int { return cmp.Compare(c.constantOf(i), c.constantOf(j)) })
	}
	return c
}

// numberOf returns the number of a key, the next one if it is new, for which an element is added to a list.
func numberOf[K comparable, E any](numbers map[K]int, key K, list *[]E) int {
	n, known := numbers[key]
	if !known {
		n = len(*list)
		numbers[key] = n
		*list = append(*list, *new(E))
	}
	return n
}

// firstOf returns the first access of a class.
func (c *comparison) firstOf(class int) *access.Address {
	return &c.accesses[c.classes[class].members[0]]
}

// constantOf returns the constant in the addresses of a class.
func (c *comparison) constantOf(class int) int64 { return c.firstOf(class).Constant }

// loads reports whether an access does not write.
func (a *analysis) loads(i int) bool { return a.graph.Kernel.Instrs[a.accesses[i].Instr].Op == isa.Ld }

// intervalsKey is a string that is another one for other intervals.
func intervalsKey(intervals []int) string {
	text := make([]byte, 0, 4*len(intervals))
	for _, n := range intervals {
		text = append(text, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return string(text)
}

// relateClass compares an access of a class with itself, with another one, and with those of the others that follow, but for
// those of which their shapes tell that they are disjoint. The error is that of ctx.
func (c *comparison) relateClass(ctx context.Context, i int) error {
	of := &c.classes[i]
	of.same = c.relationOf(of.members[0], of.members[0])
	of.open = of.same == undecided
	for j, found := range c.eachRelated(i) {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch found {
		case mayRace:
			of.races = append(of.races, j)
		case undecided:
			of.open = true
		}
	}
	return ctx.Err()
}

// eachRelated calls for each class of which later accesses are not known to be disjoint from those of a class.
func (c *comparison) eachRelated(i int) iter.Seq2[int, relation] {
	return func(yield func(int, relation) bool) {
		for s := range c.shapes {
			for _, j := range c.nearClasses(i, s) {
				first, later := c.classes[i].members[0], c.classes[j].members
				if later[len(later)-1] <= first {
					continue
				}
				at, _ := slices.BinarySearch(later, first+1)
				if found := c.relationOf(first, later[at]); found != disjoint && !yield(j, found) {
					return
				}
			}
		}
	}
}

// nearClasses returns the classes of a shape of whose accesses those of a class may not be disjoint.
func (c *comparison) nearClasses(i, of int) []int {
	all := c.shapes[of].classes
	key := [2]int{c.classes[i].shape, of}
	near, made := c.near[key]
	if !made {
		near = c.findWindow(&c.shapes[key[0]], &c.shapes[key[1]])
		c.near[key] = near
	}
	if !near.known {
		return all
	}
	byConstant := func(j int, constant int64) int { return cmp.Compare(c.constantOf(j), constant) }
	from, _ := slices.BinarySearchFunc(all, c.constantOf(i)-near.Max, byConstant)
	to, found := slices.BinarySearchFunc(all, c.constantOf(i)-near.Min, byConstant)
	for ; found && to < len(all) && c.constantOf(all[to]) == c.constantOf(i)-near.Min; to++ {
	}
	return all[from:max(from, to)]
}

// findWindow returns the window of two shapes.
func (c *comparison) findWindow(s, t *shape) window {
	none, all := window{affine.Range{Min: 0, Max: -1}, true}, window{}
	p := &pair{analysis: c.analysis, a: c.firstOf(s.classes[0]), b: c.firstOf(t.classes[0])}
	a, b := p.instrs()
	x, okX := base(p.a)
	y, okY := base(p.b)
	switch {
	case a.Op == isa.Ld && b.Op == isa.Ld || p.orderly(false):
		return none
	case a.Space == isa.Generic || b.Space == isa.Generic:
		return all
	case a.Space != b.Space:
		return none
	case p.a.Reason != "" || p.b.Reason != "" || !okX || !okY || (x == nil) != (y == nil):
		return all
	case x != nil && x.Name != y.Name:
		if a.Space == isa.Global && !p.values.Launch.Aliased {
			return none
		}
		return all
	}
	lowestA, highestA := c.constantsOf(s)
	lowestB, highestB := c.constantsOf(t)
	if min(lowestA, lowestB) < -limit || max(highestA, highestB) > limit {
		return all
	}
	sum := p.difference(false, func(*access.Term) bool { return false }) // in which that of two threads of one CTA lies, too
	between := p.a.Constant - p.b.Constant
	lo, hi := sum.lo-between, sum.hi-between // without the constants
	sum.lo, sum.hi = lo+lowestA-highestB, hi+highestA-lowestB
	if !sum.fits() {
		return all
	}
	return window{affine.Range{Min: 1 - int64(p.a.Width) - hi, Max: int64(p.b.Width) - 1 - lo}, true}
}

// constantsOf returns the least and the greatest constant of a shape.
func (c *comparison) constantsOf(s *shape) (lowest, highest int64) {
	return c.constantOf(s.classes[0]), c.constantOf(s.classes[len(s.classes)-1])
}

// relationOf compares two accesses.
func (c *comparison) relationOf(i, j int) relation {
	p := c.pairOf(i, j)
	switch {
	case p.conflict() == nil:
		return disjoint
	case p.witnessed():
		return mayRace
	}
	return undecided
}

// pairOf returns an access and itself, or a later one.
func (a *analysis) pairOf(i, j int) *pair {
	return &pair{analysis: a, a: &a.accesses[i], b: &a.accesses[j], concurrent: a.concurrent(i, j)}
}

// listPairs returns the first pairs that may race, and how many more there are.
func (c *comparison) listPairs() (list []Pair, omitted int) {
	all := 0
	for i := range c.classes {
		if c.classes[i].same == mayRace {
			all += len(c.classes[i].members)
		}
		for _, j := range c.classes[i].races {
			all += countLaterPairs(c.classes[i].members, c.classes[j].members)
		}
	}
	for i := 0; i < len(c.accesses) && len(list) < min(all, MaxPairs); i++ {
		of := &c.classes[c.classOf[i]]
		var partners []int
		if of.same == mayRace {
			partners = append(partners, i)
		}
		for _, j := range of.races {
			at, _ := slices.BinarySearch(c.classes[j].members, i+1)
			partners = append(partners, c.classes[j].members[at:]...)
		}
		slices.Sort(partners)
		for _, j := range partners {
			list = append(list, Pair{c.accesses[i].Instr, c.accesses[j].Instr})
		}
	}
	list = list[:min(len(list), MaxPairs)]
	return list, all - len(list)
}

// countLaterPairs counts the pairs of a member of one class and a later one of another.
func countLaterPairs(first, later []int) int {
	n, at := 0, 0
	for _, i := range first {
		for at < len(later) && later[at] <= i {
			at++
		}
		n += len(later) - at
	}
	return n
}

// firstUndecided returns the first access of a class, and the first from it on with which it is undecided whether it races.
func (c *comparison) firstUndecided(i int) *pair {
	first := c.classes[i].members[0]
	if c.classes[i].same == undecided {
		return c.pairOf(first, first)
	}
	earliest := len(c.accesses)
	for j, found := range c.eachRelated(i) {
		if found == undecided {
			at, _ := slices.BinarySearch(c.classes[j].members, first+1)
			earliest = min(earliest, c.classes[j].members[at])
		}
	}
	return c.pairOf(first, earliest)
}
