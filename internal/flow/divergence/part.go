package divergence

import (
	"context"
	"fmt"

	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/isa"
)

// group is a set of branches in one loop whose lanes reconverge at one block.
type group struct{ reconverge, loop int }

// part takes note of what branches that have been found divergent do to the flow of
// warps: which blocks lanes may execute one after another, and in which loops lanes may
// be together in different iterations. It is true if there is news. pass counts the calls. The error is that
// of ctx.
func (a *analysis) part(ctx context.Context, pass int) (news bool, err error) {
	g := a.Form.Graph
	groups := make(map[group][]int)
	for b := range g.Blocks {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if !a.split[b] && g.Reachable(b) && !a.Uniform(b) {
			a.split[b] = true
			if a.trace != nil {
				name := fmt.Sprintf("%v: branch of %s", g.Last(b).Pos, g.Name(b))
				a.trace(constraint.Step{Iteration: pass + 1, Name: name, Before: "uniform", After: a.Branch(b).String()})
			}
			key := group{g.Reconverge(b), g.Loops().Innermost(b)}
			groups[key] = append(groups[key], b)
			a.findDivergedOps(b)
			if a.allowsSteps() {
				a.separate(b)
			}
		}
	}
	coarse := !a.allowsSteps()
	for key, branches := range groups {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		var starts []int
		for _, b := range branches {
			starts = append(starts, g.Succ(b)...)
		}
		a.walk++
		region, _ := a.region(key.reconverge, starts, a.walk)
		a.skew(key, region)
		if coarse {
			a.mark(region)
		}
	}
	return len(groups) > 0, nil
}

// walkedBlocks limits the blocks that are walked for single branches. In kernels with more all
// blocks that are executed before lanes reconverge count as executed diverged.
var walkedBlocks = budget.Limit{What: "blocks between branches and where their lanes reconverge", At: 1 << 26}

// allowsSteps reports whether blocks are still walked for single branches.
func (a *analysis) allowsSteps() bool { return a.work.Allows(walkedBlocks, int64(a.steps)) }

// separate finds the blocks that lanes may execute one after another because they went
// different ways at a branch: those to which several of its edges lead before the lanes
// reconverge.
func (a *analysis) separate(b int) {
	g := a.Form.Graph
	reconverge, before := g.Reconverge(b), a.walk
	var diverged []int
	for _, s := range g.Succ(b) {
		a.walk++
		_, again := a.region(reconverge, []int{s}, before+1)
		diverged = append(diverged, again...)
	}
	a.walk++
	behind, _ := a.region(reconverge, diverged, a.walk)
	a.mark(behind)
}

// findDivergedOps finds the operations of a warp that lanes may execute before they reconverge
// behind a branch. Where they are scheduled independently, lanes that are at other instructions may
// take part in them then, so that not all lanes which execute the instruction together get one
// result. Ways on which lanes come to no such operation any more do not count.
func (a *analysis) findDivergedOps(b int) {
	g := a.Form.Graph
	var ways []int
	for _, s := range g.Succ(b) {
		if a.leading[s] {
			ways = append(ways, s)
		}
	}
	if len(ways) < 2 {
		return
	}
	a.walk++
	region, _ := a.region(g.Reconverge(b), ways, a.walk)
	for _, x := range region {
		for pc := g.Blocks[x].Start; pc < g.Blocks[x].End; pc++ {
			if in := &g.Kernel.Instrs[pc]; in.Op.Info().Effect&isa.Crosslane != 0 {
				a.divergedOps[in.Op] = true
			}
		}
	}
}

// leadingToLanes returns the blocks from which lanes can come to an operation of a warp.
func leadingToLanes(g *cfg.Graph) []bool {
	var at []int
	for b := range g.Blocks {
		for pc := g.Blocks[b].Start; pc < g.Blocks[b].End; pc++ {
			if g.Kernel.Instrs[pc].Op.Info().Effect&isa.Crosslane != 0 {
				at = append(at, b)
				break
			}
		}
	}
	return g.Flow.Graph().Reverse().Reachable(at...)
}

// mark notes that lanes execute blocks diverged.
func (a *analysis) mark(blocks []int) {
	for _, x := range blocks {
		a.diverged[x] = true
	}
}

// region returns the blocks that lanes may execute from one of starts, itself included,
// before they reconverge, and those at which it stopped because a walk from the one numbered
// since on had been there.
func (a *analysis) region(reconverge int, starts []int, since int) (region, again []int) {
	g := a.Form.Graph
	last := a.last(reconverge)
	visit := func(x int) {
		switch {
		case x == g.Exit() || x == reconverge && last < 0 || a.seen[x] == a.walk:
		case a.seen[x] >= since:
			again = append(again, x)
		default:
			a.seen[x] = a.walk
			region = append(region, x)
		}
	}
	for _, s := range starts {
		visit(s)
	}
	for i := 0; i < len(region); i++ {
		if region[i] != last {
			for _, s := range g.Succ(region[i]) {
				visit(s)
			}
		}
	}
	a.steps += len(region)
	return region, again
}

// last returns the block with the sync at which lanes reconverge that go on together at
// another, -1 if they reconverge without one.
func (a *analysis) last(reconverge int) int {
	if g := a.Form.Graph; g.Kernel.Reconvergence == isa.AtSyncs && reconverge != g.Exit() {
		return reconverge - 1
	}
	return -1
}

// skew finds the loops around branches in different iterations of which lanes may be
// when they reconverge: those around both places of which lanes may begin another
// iteration on the way, unless they reconverge where it begins and never leave the loop
// before.
func (a *analysis) skew(key group, region []int) {
	g := a.Form.Graph
	if key.reconverge == g.Exit() || key.loop < 0 {
		return
	}
	on := a.returning(region, key.reconverge)
	loops := g.Loops()
	for l := key.loop; l >= 0; l = loops.Loops[l].Parent {
		loop := &loops.Loops[l]
		if !loop.Contains(key.reconverge) {
			continue
		}
		for _, x := range on {
			if x == loop.Header || key.reconverge == loop.Header && !loop.Contains(x) {
				a.skewed[l] = true
			}
		}
		if a.skewed[l] {
			a.mark(loop.Body)
		}
	}
}

// returning returns the blocks of a region from which lanes may come to where they reconverge.
func (a *analysis) returning(region []int, reconverge int) []int {
	g := a.Form.Graph
	a.walk++
	in := a.walk
	for _, x := range region {
		a.seen[x] = in
	}
	a.walk++
	var on []int
	if last := a.last(reconverge); last >= 0 {
		on, a.seen[last] = []int{last}, a.walk
	} else {
		on, a.seen[reconverge] = []int{reconverge}, a.walk
	}
	for i := 0; i < len(on); i++ {
		for _, p := range g.Pred(on[i]) {
			if a.seen[p] == in {
				a.seen[p] = a.walk
				on = append(on, p)
			}
		}
	}
	if a.last(reconverge) < 0 {
		on = on[1:]
	}
	return on
}
