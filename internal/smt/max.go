package smt

import "math/bits"

// depth is how far below a term its bounds are looked for.
const depth = 6

// Max returns a number that no value of a bit-vector exceeds.
func (t *Term) Max() uint64 { return t.maximum(depth) }

func (t *Term) maximum(depth int) uint64 {
	all := t.sort.mask()
	if t.op == Const {
		return t.value
	}
	if depth == 0 {
		return all
	}
	below := func(i int) uint64 { return t.args[i].maximum(depth - 1) }
	switch t.op {
	case ZeroExt:
		return below(0)
	case Concat:
		return below(0)<<t.args[1].sort.Width | below(1)
	case Extract:
		if t.value == 0 {
			return min(below(0), all)
		}
		return min(below(0)>>t.value, all)
	case BvAnd:
		return min(below(0), below(1))
	case BvOr, BvXor:
		return bitsBelow(below(0) | below(1))
	case Ite:
		return max(below(1), below(2))
	case BvAdd:
		if sum, carry := bits.Add64(below(0), below(1), 0); carry == 0 && sum <= all {
			return sum
		}
	case BvMul:
		if high, low := bits.Mul64(below(0), below(1)); high == 0 && low <= all {
			return low
		}
	case BvURem:
		if d, isConst := t.args[1].Const(); isConst && d > 0 {
			return min(below(0), d-1)
		}
	case BvUDiv:
		if d, isConst := t.args[1].Const(); isConst && d > 0 {
			return below(0) / d
		}
	case BvLshr:
		return below(0)
	}
	return all
}

// bitsBelow returns the number with all bits set up to the highest of x.
func bitsBelow(x uint64) uint64 { return 1<<bits.Len64(x) - 1 }

// zeros returns how many low bits of a bit-vector are seen to be zero.
func (t *Term) zeros(depth int) int {
	if t.op == Const {
		return min(bits.TrailingZeros64(t.value), t.sort.Width)
	}
	if depth == 0 {
		return 0
	}
	below := func(i int) int { return t.args[i].zeros(depth - 1) }
	switch t.op {
	case ZeroExt, SignExt:
		if n := below(0); n < t.args[0].sort.Width {
			return n
		}
		return t.sort.Width
	case Concat:
		if n := below(1); n < t.args[1].sort.Width {
			return n
		}
		return t.args[1].sort.Width + below(0)
	case Extract:
		return max(0, min(below(0)-int(t.value), t.sort.Width))
	case BvAdd, BvSub, BvOr, BvXor:
		return min(below(0), below(1))
	case BvAnd:
		return max(below(0), below(1))
	case BvMul:
		return min(below(0)+below(1), t.sort.Width)
	case Ite:
		return min(below(1), below(2))
	}
	return 0
}
