// Package cells tells CTAs apart by what is known of them: cells are boxes of CTAs in which
// the same happens, or repeats, so that neither time nor memory depends on their number.
//
// cells imports absexec and nothing of the methods.
package cells

import (
	"slices"

	"warpbound/internal/absexec"
)

// Grid divides the CTAs of a launch into cells, in which what CTAs do repeats after Period
// CTAs along each axis.
type Grid struct {
	Size   [3]int
	Period [3]int
	Cuts   [3][]int // along each axis: where cells begin, and the size
}

// New makes cells such that each lies in one box of every warp.
func New(size, period [3]int, warps [][]absexec.Result) *Grid {
	g := &Grid{Size: size, Period: period}
	for axis := range g.Cuts {
		cuts := []int{size[axis]}
		for _, boxes := range warps {
			for _, r := range boxes {
				cuts = append(cuts, r.Box.Lo[axis])
			}
		}
		slices.Sort(cuts)
		g.Cuts[axis] = slices.Compact(cuts)
	}
	return g
}

// Len returns the number of cells.
func (g *Grid) Len() int {
	n := 1
	for _, cuts := range g.Cuts {
		n *= len(cuts) - 1
	}
	return n
}

// CTAs returns the number of CTAs.
func (g *Grid) CTAs() int { return g.Size[0] * g.Size[1] * g.Size[2] }

// Residues returns the number of CTAs of one period.
func (g *Grid) Residues() int { return g.Period[0] * g.Period[1] * g.Period[2] }

// First returns the first CTA of a cell.
func (g *Grid) First(cell int) (cta [3]int) {
	for axis, cuts := range g.Cuts {
		cta[axis] = cuts[cell%(len(cuts)-1)]
		cell /= len(cuts) - 1
	}
	return cta
}

// At returns the coordinates of the CTA with a linear index.
func (g *Grid) At(index int) (cta [3]int) {
	for axis, n := range g.Size {
		cta[axis] = index % n
		index /= n
	}
	return cta
}

// Cell returns the cell that a CTA lies in.
func (g *Grid) Cell(cta [3]int) int {
	cell := 0
	for axis := len(cta) - 1; axis >= 0; axis-- {
		cell = cell*(len(g.Cuts[axis])-1) + g.interval(axis, cta[axis])
	}
	return cell
}

// In calls visit for the cells of a box that New was told of.
func (g *Grid) In(box absexec.Box, visit func(cell int)) {
	var first, last [3]int
	for axis := range g.Cuts {
		first[axis], last[axis] = g.interval(axis, box.Lo[axis]), g.interval(axis, box.Hi[axis])
	}
	nx, ny := len(g.Cuts[0])-1, len(g.Cuts[1])-1
	for z := first[2]; z < last[2]; z++ {
		for y := first[1]; y < last[1]; y++ {
			for x := first[0]; x < last[0]; x++ {
				visit((z*ny+y)*nx + x)
			}
		}
	}
}

// interval returns the interval of an axis that a coordinate lies in.
func (g *Grid) interval(axis, at int) int {
	i, found := slices.BinarySearch(g.Cuts[axis], at)
	if !found {
		i--
	}
	return i
}

// Waves visits the waves of sms SMs with slots CTAs each. The CTA of a wave in slot i is
// first + i*sms, if there is one. Waves that repeat are visited once, with how often they
// come. The time does not depend on the number of CTAs.
func (g *Grid) Waves(sms, slots int, visit func(sm, first int, times int64) error) error {
	total, at := g.CTAs(), sms*slots // CTAs of a wave of all SMs
	for first := 0; first < total; {
		waves, times := 1, 1
		for _, b := range g.bands(first) {
			n := b.period / gcd(b.period, at)
			if cover := (b.end - first) / at / n; cover > 1 {
				waves, times = n, cover
				break
			}
		}
		for range waves {
			for sm := range sms {
				if err := visit(sm, first+sm, int64(times)); err != nil {
					return err
				}
			}
			first += at
		}
		first += at * waves * (times - 1)
	}
	return nil
}

// band is a range of CTAs, up to end, in which what they do repeats after a period.
type band struct{ end, period int }

// bands returns the bands that a CTA begins: one that goes on along x, and then along
// y and z if its cells are as wide as the grid and what repeats goes on there; one of rows,
// one of planes.
func (g *Grid) bands(index int) [3]band {
	cta := g.At(index)
	var bands [3]band
	period, base := 1, index // base is the index of cta with the axes before at 0
	for axis, n := range g.Size {
		base -= cta[axis] * period
		// Along this axis to the end of its cell, and along the next ones as long as
		// the cell is all of the axis.
		end, stride, origin := index, period, base
		for k := axis; k < 3; k++ {
			i := g.interval(k, cta[k])
			end = origin + g.Cuts[k][i+1]*stride
			if g.Cuts[k][i] > 0 || g.Cuts[k][i+1] < g.Size[k] || k == 2 || g.Size[k]%g.Period[k] != 0 || g.Period[k+1] > 1 {
				break
			}
			stride *= g.Size[k]
			origin -= cta[k+1] * stride
		}
		bands[axis] = band{end, period * g.Period[axis]}
		period *= n
	}
	return bands
}

func gcd(x, y int) int {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}
