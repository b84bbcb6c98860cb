package cta

import (
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/method/cost"
)

// grid says of which class each CTA is: cells are boxes of CTAs in which classes repeat after
// period CTAs along each axis.
type grid struct {
	size   [3]int
	period [3]int
	cuts   [3][]int // along each axis: where cells begin, and the size
	cell   []int32  // class by cell and residue of the CTA modulo the period, both x fastest
}

// newGrid makes cells of the boxes of the warps' executions, such that a cell lies in one
// box of each warp.
func newGrid(size [3]int, warps [][]absexec.Result) *grid {
	g := &grid{size: size, period: [3]int{1, 1, 1}}
	for axis := range g.cuts {
		cuts := []int{size[axis]}
		for _, boxes := range warps {
			for _, r := range boxes {
				cuts = append(cuts, r.Box.Lo[axis])
				g.period[axis] = max(g.period[axis], r.Visitor.(*recorder).path.period[axis])
			}
		}
		slices.Sort(cuts)
		g.cuts[axis] = slices.Compact(cuts)
	}
	return g
}

// cells returns the number of cells.
func (g *grid) cells() int {
	n := 1
	for _, cuts := range g.cuts {
		n *= len(cuts) - 1
	}
	return n
}

// residues returns the number of CTAs of one period.
func (g *grid) residues() int { return g.period[0] * g.period[1] * g.period[2] }

// first returns the first CTA of a cell.
func (g *grid) first(cell int) (cta [3]int) {
	for axis, cuts := range g.cuts {
		cta[axis] = cuts[cell%(len(cuts)-1)]
		cell /= len(cuts) - 1
	}
	return cta
}

// interval returns the interval of an axis that a coordinate lies in.
func (g *grid) interval(axis, at int) int {
	i, found := slices.BinarySearch(g.cuts[axis], at)
	if !found {
		i--
	}
	return i
}

// at returns the coordinates of the CTA with a linear index.
func (g *grid) at(index int) (cta [3]int) {
	for axis, n := range g.size {
		cta[axis] = index % n
		index /= n
	}
	return cta
}

// class returns the class of the CTA with a linear index.
func (g *grid) class(index int) int32 {
	cta := g.at(index)
	cell := 0
	for axis := len(cta) - 1; axis >= 0; axis-- {
		cell = cell*(len(g.cuts[axis])-1) + g.interval(axis, cta[axis])
	}
	return g.cell[cell*g.residues()+cost.Residue(cta, g.period)]
}

// band is a range of CTAs, up to end, in which classes repeat after a period.
type band struct{ end, period int }

// bands returns the bands that a CTA begins: one that goes on along x, and then along
// y and z if its cells are as wide as the grid and what repeats goes on there; one of rows,
// one of planes.
func (g *grid) bands(index int) [3]band {
	cta := g.at(index)
	var bands [3]band
	period, base := 1, index // base is the index of cta with the axes before at 0
	for axis, n := range g.size {
		base -= cta[axis] * period
		// Along this axis to the end of its cell, and along the next ones as long as
		// the cell is all of the axis.
		end, stride, origin := index, period, base
		for k := axis; k < 3; k++ {
			i := g.interval(k, cta[k])
			end = origin + g.cuts[k][i+1]*stride
			if g.cuts[k][i] > 0 || g.cuts[k][i+1] < g.size[k] || k == 2 || g.size[k]%g.period[k] != 0 || g.period[k+1] > 1 {
				break
			}
			stride *= g.size[k]
			origin -= cta[k+1] * stride
		}
		bands[axis] = band{end, period * g.period[axis]}
		period *= n
	}
	return bands
}
