package greedy

import (
	"context"
	"math"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
	"warpbound/internal/method"
	"warpbound/internal/method/reach"
)

// span is a range of addresses.
type span struct{ first, last uint64 }

// pools are where instructions access global memory at addresses that are not known: in a range that the values of registers tell, or
// anywhere in it.
type pools struct {
	of    map[int]span // by instruction
	limit int64        // lines of a pool that are looked at
	all   []abi.Region
	alloc bool // there is more memory than that
	lines map[span][]uint64
}

// newPools finds them. A pool has at most so many lines that each is looked at. The error is that of ctx.
func newPools(ctx context.Context, p *method.Problem, limit int64) (*pools, error) {
	s := &pools{of: make(map[int]span), limit: limit, all: p.Launch.Regions(), lines: make(map[span][]uint64)}
	for i := range p.Graph.Kernel.Instrs {
		s.alloc = s.alloc || p.Graph.Kernel.Instrs[i].System == isa.SysAlloc
	}
	if p.Values == nil {
		return s, nil
	}
	all, err := p.Values.Addresses(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		a := &all[i]
		if first, last, ok := reach.Of(a, p); ok && first >= abi.GlobalBase {
			s.of[a.Instr] = span{first, last + uint64(max(a.Width, 1)) - 1}
		}
	}
	return s, nil
}

// ranged reports whether an instruction accesses global memory alone.
func (s *pools) ranged(pc int) bool {
	_, ok := s.of[pc]
	return ok
}

// at returns the lines, of so many bytes, that an instruction can access; false if they are too many to look at.
func (s *pools) at(pc int, line uint64) ([]uint64, bool) {
	if s.alloc {
		return nil, false
	}
	within, ok := s.of[pc]
	if !ok {
		within = span{0, math.MaxUint64}
	}
	lines, ok := s.lines[within]
	if !ok {
		lines = s.find(within, line)
		s.lines[within] = lines
	}
	return lines, int64(len(lines)) <= s.limit
}

// find returns the lines of memory in a range, or more than the limit.
func (s *pools) find(within span, line uint64) []uint64 {
	var lines []uint64
	seen := make(map[uint64]bool)
	for _, r := range s.all {
		first, last := max(r.Addr, within.first), min(r.Addr+r.Bytes-1, within.last)
		for at := first &^ (line - 1); r.Bytes > 0 && first <= last && at <= last; at += line {
			if !seen[at] {
				seen[at] = true
				lines = append(lines, at)
			}
			if int64(len(lines)) > s.limit {
				return lines
			}
		}
	}
	return lines
}
