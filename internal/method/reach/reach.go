// Package reach tells from the numbers that registers can hold which addresses an instruction can access.
//
// reach imports abi, absexec, value and method. It must not import a simulator, nor a method of bounds.
package reach

import (
	"math"
	"math/bits"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/flow/access"
	"warpbound/internal/method"
)

// Of returns the lowest and the highest address, in bytes, at which threads of a launch begin to access memory at an instruction, for all
// inputs; false if it is not known.
func Of(a *access.Address, p *method.Problem) (first, last uint64, ok bool) {
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
func pointer(t *access.Term, p *method.Problem) (uint64, bool) {
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
