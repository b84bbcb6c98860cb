package llc

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/method"
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
// looked at.
func newPools(p *method.Problem, l *layout, limit int) *pools {
	s := &pools{lines: make([][]uint64, ranges), many: make([]bool, ranges), of: make(map[int]int)}
	regions := p.Launch.Regions()
	for i := range p.Graph.Kernel.Instrs {
		if p.Graph.Kernel.Instrs[i].System == isa.SysAlloc {
			s.many[anyGlobal] = true
			return s // there is more memory than that
		}
	}
	s.lines[anyGlobal], s.many[anyGlobal] = linesOf(regions, 0, math.MaxUint64, l, limit)
	if p.Values == nil {
		return s
	}
	type span struct{ first, last uint64 }
	known := make(map[span]int)
	for _, a := range p.Values.Addresses() {
		first, last, ok := rangeOf(&a, p)
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
	return s
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

// rangeOf returns the least and the greatest address that threads access at an instruction; false if it is not known.
func rangeOf(a *value.Address, p *method.Problem) (first, last uint64, ok bool) {
	if a.Reason != "" || a.Bits != 64 {
		return 0, 0, false
	}
	lo, hi := a.Constant, a.Constant
	for i := range a.Terms {
		t := &a.Terms[i]
		minimum, maximum := t.Min, t.Max
		if t.Base {
			v, known := pointer(t, p)
			if !known {
				return 0, 0, false
			}
			minimum, maximum = v, v
		}
		if t.Coef < 0 {
			minimum, maximum = maximum, minimum
		}
		var fits, fit bool
		if lo, fits = plusTimes(lo, t.Coef, minimum); !fits {
			return 0, 0, false
		}
		if hi, fit = plusTimes(hi, t.Coef, maximum); !fit {
			return 0, 0, false
		}
	}
	return uint64(lo), uint64(hi), lo >= 0 && hi >= lo
}

// pointer returns the value of a parameter that is the same in all executions.
func pointer(t *value.Term, p *method.Problem) (uint64, bool) {
	if t.Param == 0 {
		return 0, false
	}
	addr := abi.ParamAddress(t.Param - 1)
	for _, r := range p.Inputs {
		if overlaps(r, addr, 8) {
			return 0, false
		}
	}
	data := p.Launch.ReadOnly(addr, 8)
	if data == nil {
		return 0, false
	}
	v := uint64(0)
	for i, b := range data {
		v |= uint64(b) << (8 * i)
	}
	return v, true
}

func overlaps(r absexec.Range, addr, bytes uint64) bool {
	return r.Addr < addr+bytes && addr < r.Addr+uint64(r.Bytes)
}

// plusTimes returns x + k*n, unless that does not fit.
func plusTimes(x, k int64, n uint64) (int64, bool) {
	high, low := bits.Mul64(uint64(max(k, -k)), n)
	if high != 0 || low > math.MaxInt64/2 || x > math.MaxInt64/2 || x < -math.MaxInt64/2 {
		return 0, false
	}
	if k < 0 {
		return x - int64(low), true
	}
	return x + int64(low), true
}
