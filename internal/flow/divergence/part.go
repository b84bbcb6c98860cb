package divergence

import "warpbound/internal/isa"

// part takes note of what branches that have been found divergent do to the flow of
// warps: which blocks lanes may execute while others of their warp wait elsewhere, and
// in which loops lanes may be together in different iterations. It is true if there is
// news.
func (a *analysis) part() bool {
	g := a.Form.Graph
	news := false
	for b := range g.Blocks {
		if a.split[b] || !g.Reachable(b) || a.Uniform(b) {
			continue
		}
		a.split[b], news = true, true
		region := a.region(b)
		for _, x := range region {
			a.apart[x] = true
		}
		a.skew(b, region)
	}
	return news
}

// region returns the blocks that lanes may execute behind a branch before they meet
// again.
func (a *analysis) region(b int) []int {
	g := a.Form.Graph
	r := g.Reconverge(b)
	seen := map[int]bool{g.Exit(): true}
	last := -1 // the block that each side executes before the lanes are together
	if g.Kernel.Meeting == isa.AtSyncs && r != g.Exit() {
		last = r - 1
	} else {
		seen[r] = true
	}
	var region []int
	visit := func(from int) {
		for _, s := range g.Succ(from) {
			if !seen[s] {
				seen[s] = true
				region = append(region, s)
			}
		}
	}
	visit(b)
	for i := 0; i < len(region); i++ {
		if region[i] != last {
			visit(region[i])
		}
	}
	return region
}

// skew finds the loops around a branch in different iterations of which lanes may be
// when they meet again: those around both places of which lanes may begin another
// iteration on the way, unless they meet where it begins and never leave the loop
// before.
func (a *analysis) skew(b int, region []int) {
	g := a.Form.Graph
	r := g.Reconverge(b)
	if r == g.Exit() {
		return
	}
	on := a.leading(region, r)
	if g.Kernel.Meeting == isa.AtSyncs {
		on = a.leading(region, r-1)
		on[r-1] = true
	}
	loops := g.Loops()
	for l := loops.Innermost(b); l >= 0; l = loops.Loops[l].Parent {
		loop := &loops.Loops[l]
		if !loop.Contains(r) {
			continue
		}
		again := on[loop.Header]
		if r == loop.Header {
			for x := range on {
				again = again || !loop.Contains(x)
			}
		}
		if again {
			a.skewed[l] = true
		}
	}
}

// leading returns the blocks of a region from which lanes may come to r in it.
func (a *analysis) leading(region []int, r int) map[int]bool {
	g := a.Form.Graph
	in := make(map[int]bool, len(region))
	for _, x := range region {
		in[x] = true
	}
	on := make(map[int]bool)
	work := []int{r}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range g.Pred(x) {
			if in[p] && !on[p] {
				on[p] = true
				work = append(work, p)
			}
		}
	}
	return on
}
