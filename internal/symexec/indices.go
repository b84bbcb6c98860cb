package symexec

import (
	"fmt"
	"math/bits"

	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// Index is the index of the thread or of its CTA in a dimension, which is symbolic: any number
// below a limit. What follows from a thread's index, such as %laneid, is symbolic with it.
type Index struct {
	Register isa.Special // %tid or %ctaid in x, y or z
	Below    uint64      // from 1 to the launch's extent
}

// indexWidth is the bits of registers of indices.
const indexWidth = 32

// Name returns the name of the register's variable in models.
func (i Index) Name() string { return "%" + i.Register.String() }

// AllIndices returns the indices of all threads of a launch of a grid of CTAs.
func AllIndices(grid, block [3]int) []Index {
	var all []Index
	for axis := range 3 {
		if block[axis] > 1 {
			all = append(all, Index{isa.TidX + isa.Special(axis), uint64(block[axis])})
		}
		if grid[axis] > 1 {
			all = append(all, Index{isa.CtaidX + isa.Special(axis), uint64(grid[axis])})
		}
	}
	return all
}

// extent returns the number of values that a register of indices has in the launch; 0 for
// other registers.
func (x *explorer) extent(register isa.Special) int {
	switch {
	case register >= isa.TidX && register <= isa.TidZ:
		return x.block()[register-isa.TidX]
	case register >= isa.CtaidX && register <= isa.CtaidZ:
		return x.launch.Grid()[register-isa.CtaidX]
	}
	return 0
}

// block returns the threads of a CTA in x, y and z.
func (x *explorer) block() [3]int {
	var block [3]int
	for axis := range block {
		n, _ := x.launch.Constant(isa.Operand{Kind: isa.KindSpecial, Special: isa.NtidX + isa.Special(axis)}, [3]int{}, 0, 0)
		block[axis] = int(n)
	}
	return block
}

// checkIndices returns an error if the launch has no such indices.
func (x *explorer) checkIndices() error {
	for _, i := range x.Indices {
		if extent := x.extent(i.Register); i.Below < 1 || i.Below > uint64(extent) {
			return fmt.Errorf("%s below %d is no index of the launch, which has %d", i.Name(), i.Below, extent)
		}
	}
	return nil
}

// index returns what a symbolic special register holds: a variable of just the bits that it takes, so that
// terms over it are seen to be small.
func (x *explorer) index(i Index) *smt.Term {
	width := max(1, bits.Len64(i.Below-1))
	return x.b.ZeroExt(x.b.Var(i.Name(), smt.Bits(width)), i.Register.Bits())
}

// symbolic returns the variable of a symbolic index.
func (x *explorer) symbolic(register isa.Special) (*smt.Term, bool) {
	for _, i := range x.Indices {
		if i.Register == register {
			return x.index(i), true
		}
	}
	return nil, false
}

// special returns what a special register holds that is symbolic or follows from one that is, for a
// thread with other indices like t.
func (x *explorer) special(register isa.Special, t Thread) (*smt.Term, bool) {
	if v, ok := x.symbolic(register); ok {
		return v, true
	}
	b := x.b
	number := func(n int) *smt.Term { return b.Number(indexWidth, uint64(n)) }
	linear, width := x.linear(t), number(x.launch.Width())
	if linear == nil {
		return nil, false
	}
	lane := b.URem(linear, width)
	one := b.Shl(number(1), lane)
	below := b.Sub(one, number(1))
	switch register {
	case isa.LaneID:
		return lane, true
	case isa.WarpID:
		return b.UDiv(linear, width), true
	case isa.LanemaskEq:
		return one, true
	case isa.LanemaskLt:
		return below, true
	case isa.LanemaskLe:
		return b.BvOr(one, below), true
	case isa.LanemaskGe:
		return b.BvNot(below), true
	case isa.LanemaskGt:
		return b.BvNot(b.BvOr(one, below)), true
	}
	return nil, false
}

// linear returns the number of the thread in its CTA, nil if no index of threads is symbolic.
func (x *explorer) linear(t Thread) *smt.Term {
	block, sum, some := x.block(), x.b.Number(indexWidth, 0), false
	for axis := 2; axis >= 0; axis-- {
		register := isa.TidX + isa.Special(axis)
		at, isSymbolic := x.symbolic(register)
		if !isSymbolic {
			n, _ := x.launch.Constant(isa.Operand{Kind: isa.KindSpecial, Special: register}, t.CTA, t.Warp, t.Lane)
			at = x.b.Number(indexWidth, n)
		}
		some = some || isSymbolic
		sum = x.b.Add(x.b.Mul(sum, x.b.Number(indexWidth, uint64(block[axis]))), at)
	}
	if !some {
		return nil
	}
	return sum
}
