package contract

import "slices"

// Order says that the elements of an array do not descend. If Limited, each is Min to Max more than the one before.
type Order struct {
	Limited  bool
	Min, Max uint64
}

// Broken returns the first element that is not in order behind the one before it, or -1.
func (o Order) Broken(keys []uint64) int {
	for i := 1; i < len(keys); i++ {
		a, b := keys[i-1], keys[i]
		if b < a || o.Limited && (b-a < o.Min || b-a > o.Max) {
			return i
		}
	}
	return -1
}

// Possible reports whether so many elements from low to high can be in order.
func (o Order) Possible(n int, low, high uint64) bool {
	return !o.Limited || n < 2 || (high-low)/uint64(n-1) >= o.Min
}

// Settle puts elements that are from low to high in order: it sorts them, and moves those that are too near or too far from the
// one before. They stay from low to high. The order must be possible.
func (o Order) Settle(keys []uint64, low, high uint64) {
	slices.Sort(keys)
	if !o.Limited {
		return
	}
	for i := range keys {
		last := high - o.Min*uint64(len(keys)-1-i) // leaves room for those behind
		if i == 0 {
			keys[i] = min(keys[i], last)
			continue
		}
		before := keys[i-1]
		keys[i] = max(keys[i], before+o.Min)
		if keys[i]-before > o.Max {
			keys[i] = before + o.Max
		}
		keys[i] = min(keys[i], last)
	}
}

// Format is how bits are a number.
type Format struct {
	Bits          int
	Signed, Float bool
}

// Key returns a number that is less than others exactly if what the bits are is.
func (f Format) Key(bits uint64) uint64 {
	sign := uint64(1) << (f.Bits - 1)
	switch {
	case f.Float && bits == sign: // the negative zero
		return sign
	case f.Float && bits&sign != 0:
		return ^bits & (sign | (sign - 1))
	case f.Float, f.Signed:
		return bits ^ sign
	}
	return bits
}

// Of returns the bits of a key.
func (f Format) Of(key uint64) uint64 {
	sign := uint64(1) << (f.Bits - 1)
	switch {
	case f.Float && key&sign == 0:
		return ^key & (sign | (sign - 1))
	case f.Float, f.Signed:
		return key ^ sign
	}
	return key
}
