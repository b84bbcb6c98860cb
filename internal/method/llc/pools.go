package llc

import (
	"cmp"
	"context"
	"math"
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
	"warpbound/internal/method"
	"warpbound/internal/method/reach"
)

// pools are where lanes of unknown address access memory: anywhere in global memory, in the local memory of their warps, or
// in a range that the values of registers tell.
type pools struct {
	lines [][]uint64  // of each pool but that of local memory
	many  []bool      // by pool: there are too many lines to look at each
	of    map[int]int // by instruction; anyGlobal if it is not there
}

// The pools that there always are.
const (
	anyGlobal = iota
	ofLocal
	ranges // the first one of a range
)

// maxPools limits the ranges that are told apart.
const maxPools = 64

// newPools finds where the instructions of a kernel access global memory. A pool has at most so many lines that each is
// looked at. The error is that of ctx.
func newPools(ctx context.Context, p *method.Problem, l *layout, limit int) (*pools, error) {
	s := &pools{lines: make([][]uint64, ranges), many: make([]bool, ranges), of: make(map[int]int)}
	regions := p.Launch.Regions()
	for i := range p.Graph.Kernel.Instrs {
		if p.Graph.Kernel.Instrs[i].System == isa.SysAlloc {
			s.many[anyGlobal] = true
			return s, nil // there is more memory than that
		}
	}
	s.lines[anyGlobal], s.many[anyGlobal] = linesOf(regions, 0, math.MaxUint64, l, limit)
	if p.Values == nil {
		return s, nil
	}
	addresses, err := p.Values.Addresses(ctx)
	if err != nil {
		return nil, err
	}
	type span struct{ first, last uint64 }
	known := make(map[span]int)
	for _, a := range addresses {
		first, last, ok := reach.Of(&a, p)
		if !ok || first < abi.GlobalBase {
			continue
		}
		last += uint64(max(a.Width, 1)) - 1
		pool, found := known[span{first, last}]
		if !found {
			lines, many := linesOf(regions, first, last, l, limit)
			if many || len(s.lines) == maxPools {
				continue
			}
			pool = len(s.lines)
			known[span{first, last}] = pool
			s.lines, s.many = append(s.lines, lines), append(s.many, false)
		}
		s.of[a.Instr] = pool
	}
	return s, nil
}

// linesOf returns the lines of memory in a range of addresses, unless they are more than a limit.
func linesOf(regions []abi.Region, first, last uint64, l *layout, limit int) (lines []uint64, many bool) {
	for _, r := range regions {
		from, to := max(r.Addr, first), min(r.Addr+r.Bytes-1, last)
		if from > to {
			continue
		}
		from, to = from>>l.shift, to>>l.shift
		if to-from >= uint64(limit-len(lines)) {
			return nil, true
		}
		for n := from; n <= to; n++ {
			lines = append(lines, n)
		}
	}
	slices.SortFunc(lines, cmp.Compare[uint64])
	return slices.Compact(lines), false
}
