package alu

import "warpbound/internal/isa"

// Update is what an atomic operation leaves of an element: a function of what it was and of
// the sources that come after the address.
type Update func(old, b, c uint64) uint64

// UpdateFor returns the function of an atomic operation on n elements of a type, and the one
// that it has in global memory where that differs: additions of f32 flush subnormal numbers
// there. The first is nil if there is no such operation, the second if they are the same.
func UpdateFor(op isa.AtomOp, t isa.Type, n int) (update, inGlobal Update) {
	update = atomicFor(op, t)
	if extreme := op == isa.AtomMin || op == isa.AtomMax; extreme && n > 1 {
		update = atomicExtreme(op, t)
	}
	if t == isa.F32 {
		inGlobal = func(old, b, _ uint64) uint64 {
			return single32.flush(addSingle(single32.flush(old), single32.flush(b)))
		}
	}
	return update, inGlobal
}

// atomicFor returns the function of an atomic operation, nil if there is none on
// the type.
func atomicFor(op isa.AtomOp, t isa.Type) Update {
	size, class := t.Bits(), t.Class()
	long := size == 32 || size == 64
	e := extenderOf(t)
	switch {
	case op == isa.AtomAdd && class == isa.Float:
		return atomicFloatAdd(t)
	case op == isa.AtomAdd && long && (class == isa.Unsigned || t == isa.S32):
		return func(old, b, _ uint64) uint64 { return old + b }
	case op == isa.AtomMin && long && class == isa.Unsigned:
		return func(old, b, _ uint64) uint64 { return min(old, b) }
	case op == isa.AtomMax && long && class == isa.Unsigned:
		return func(old, b, _ uint64) uint64 { return max(old, b) }
	case op == isa.AtomMin && long && class == isa.Signed:
		return func(old, b, _ uint64) uint64 { return uint64(min(int64(e.extend(old)), int64(e.extend(b)))) }
	case op == isa.AtomMax && long && class == isa.Signed:
		return func(old, b, _ uint64) uint64 { return uint64(max(int64(e.extend(old)), int64(e.extend(b)))) }
	case op == isa.AtomInc && t == isa.U32:
		return func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case op == isa.AtomDec && t == isa.U32:
		return func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	case op == isa.AtomCas && class == isa.Bits && size >= 16 && size <= 64:
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case class != isa.Bits || !long:
		return nil
	case op == isa.AtomAnd:
		return func(old, b, _ uint64) uint64 { return old & b }
	case op == isa.AtomOr:
		return func(old, b, _ uint64) uint64 { return old | b }
	case op == isa.AtomXor:
		return func(old, b, _ uint64) uint64 { return old ^ b }
	case op == isa.AtomExch:
		return func(_, b, _ uint64) uint64 { return b }
	}
	return nil
}

func atomicFloatAdd(t isa.Type) Update {
	f, ok := formatOf(t)
	switch {
	case !ok || t == isa.F32x2:
		return nil
	case t == isa.F32:
		return func(old, b, _ uint64) uint64 { return addSingle(old, b) }
	case t == isa.F64:
		return func(old, b, _ uint64) uint64 { return bits64(f64(old) + f64(b)) }
	}
	return paired(f, t, func(x, y uint64) uint64 { return f.add(x, y, isa.RoundRN) })
}

func addSingle(x, y uint64) uint64 { return uint64(bits32(f32(uint32(x)) + f32(uint32(y)))) }

// atomicExtreme returns the lesser or the greater of two numbers of half
// precision.
func atomicExtreme(op isa.AtomOp, t isa.Type) Update {
	f, ok := formatOf(t)
	if !ok || f != half16 && f != brain16 {
		return nil
	}
	return paired(f, t, func(x, y uint64) uint64 { return f.extreme(x, y, false, op == isa.AtomMin) })
}

// paired applies a function to numbers, or to both halves of pairs.
func paired(f format, t isa.Type, g func(x, y uint64) uint64) Update {
	if t.Bits() == f.bits() {
		return func(old, b, _ uint64) uint64 { return g(old, b) }
	}
	return func(old, b, _ uint64) uint64 {
		const low = 1<<16 - 1
		return g(old&low, b&low) | g(old>>16, b>>16)<<16
	}
}
