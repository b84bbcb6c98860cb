package divergence

import "warpbound/internal/isa"

// group is a set of branches in one loop whose lanes meet at one block.
type group struct{ meet, loop int }

// part takes note of what branches that have been found divergent do to the flow of
// warps: which blocks lanes may execute while others of their warp wait elsewhere, and
// in which loops lanes may be together in different iterations. It is true if there is
// news.
func (a *analysis) part() bool {
	g := a.Form.Graph
	groups := make(map[group][]int)
	for b := range g.Blocks {
		if !a.split[b] && g.Reachable(b) && !a.Uniform(b) {
			a.split[b] = true
			key := group{g.Reconverge(b), g.Loops().Innermost(b)}
			groups[key] = append(groups[key], b)
		}
	}
	for key, branches := range groups {
		region := a.region(key.meet, branches)
		for _, x := range region {
			a.apart[x] = true
		}
		a.skew(key, region)
	}
	return len(groups) > 0
}

// region returns the blocks that lanes may execute behind one of the branches before
// they meet again.
func (a *analysis) region(meet int, branches []int) []int {
	g := a.Form.Graph
	a.walk++
	a.seen[g.Exit()] = a.walk
	last := a.last(meet)
	if last < 0 {
		a.seen[meet] = a.walk
	}
	var region []int
	visit := func(from int) {
		for _, s := range g.Succ(from) {
			if a.seen[s] != a.walk {
				a.seen[s] = a.walk
				region = append(region, s)
			}
		}
	}
	for _, b := range branches {
		visit(b)
	}
	for i := 0; i < len(region); i++ {
		if region[i] != last {
			visit(region[i])
		}
	}
	return region
}

// last returns the block with the sync at which lanes meet that go on together at
// another, -1 if they meet without one.
func (a *analysis) last(meet int) int {
	if g := a.Form.Graph; g.Kernel.Meeting == isa.AtSyncs && meet != g.Exit() {
		return meet - 1
	}
	return -1
}

// skew finds the loops around branches in different iterations of which lanes may be
// when they meet again: those around both places of which lanes may begin another
// iteration on the way, unless they meet where it begins and never leave the loop
// before.
func (a *analysis) skew(key group, region []int) {
	g := a.Form.Graph
	if key.meet == g.Exit() || key.loop < 0 {
		return
	}
	on := a.leading(region, key.meet)
	loops := g.Loops()
	for l := key.loop; l >= 0; l = loops.Loops[l].Parent {
		loop := &loops.Loops[l]
		if !loop.Contains(key.meet) {
			continue
		}
		for _, x := range on {
			if x == loop.Header || key.meet == loop.Header && !loop.Contains(x) {
				a.skewed[l] = true
			}
		}
	}
}

// leading returns the blocks of a region from which lanes may come to where they meet.
func (a *analysis) leading(region []int, meet int) []int {
	g := a.Form.Graph
	a.walk++
	in := a.walk
	for _, x := range region {
		a.seen[x] = in
	}
	a.walk++
	var on []int
	if last := a.last(meet); last >= 0 {
		on, a.seen[last] = []int{last}, a.walk
	} else {
		on, a.seen[meet] = []int{meet}, a.walk
	}
	for i := 0; i < len(on); i++ {
		for _, p := range g.Pred(on[i]) {
			if a.seen[p] == in {
				a.seen[p] = a.walk
				on = append(on, p)
			}
		}
	}
	if a.last(meet) < 0 {
		on = on[1:]
	}
	return on
}
