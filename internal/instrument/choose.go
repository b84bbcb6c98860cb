package instrument

import (
	"slices"

	"warpbound/internal/isa/ptx"
)

// Code is a module with recording code.
type Code struct {
	Module *ptx.Module

	// Blocks tells which blocks of the kernel have an Ipoint. There may be more of them
	// than were chosen, since all copies of a function share its code, and calls of such
	// functions are told apart by records before the calls. Their Ipoints are numbered from
	// zero in the order of the blocks.
	Blocks []bool

	// Missing lists the chosen blocks that have none, because no statement of the module
	// stands for them alone: they belong to the call of a function.
	Missing []int

	records [][]uint32 // by Ipoint, the numbers that its block records, in order
}

// Choose makes the code for some blocks of the kernel, given by their index. Beside their
// Ipoints it records the start and the exit of every warp.
func (p *Points) Choose(chosen []bool) (*Code, error) {
	s := selection{points: p, number: make(map[int]uint32)}
	c := &Code{Blocks: make([]bool, len(p.of))}
	for b, is := range chosen {
		if is && p.graph.Reachable(b) && !s.pick(b) {
			c.Missing = append(c.Missing, b)
		}
	}
	if s.copied() {
		for _, point := range p.calls {
			s.add(point)
		}
	}
	for b := range p.of {
		if records := s.records(b); p.graph.Reachable(b) && records != nil {
			c.Blocks[b] = true
			c.records = append(c.records, records)
		}
	}
	numbers := make(map[*ptx.Instr]uint32, len(s.number))
	for point, n := range s.number {
		numbers[p.stmts[point]] = n
	}
	if err := p.write(c, numbers); err != nil {
		return nil, err
	}
	return c, nil
}

// selection numbers the points that record.
type selection struct {
	points *Points
	number map[int]uint32 // by point
}

// pick takes a point of a block, unless it has one already. It returns false if there is none.
func (s *selection) pick(b int) bool {
	points := s.points.of[b]
	if len(points) > 0 && s.records(b) == nil {
		s.add(points[0])
	}
	return len(points) > 0
}

// add numbers a point, unless it is already.
func (s *selection) add(point int) {
	if _, has := s.number[point]; !has {
		s.number[point] = uint32(len(s.number))
	}
}

// records returns the numbers that a block records, in order.
func (s *selection) records(b int) []uint32 {
	var list []uint32
	for _, point := range s.points.of[b] {
		if n, has := s.number[point]; has {
			list = append(list, n)
		}
	}
	return list
}

// copied reports whether a number is recorded at several places of the kernel.
func (s *selection) copied() bool {
	var all []uint32
	for b := range s.points.of {
		all = append(all, s.records(b)...)
	}
	slices.Sort(all)
	n := len(all)
	return len(slices.Compact(all)) < n
}
