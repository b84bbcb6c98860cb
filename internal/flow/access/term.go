package access

import (
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// Role tells how the values of a term differ between the threads of a launch.
type Role uint8

// The roles.
const (
	Common      Role = iota // one value in all threads: a parameter, an extent, the address of a variable
	ThreadIndex             // a component of the thread's index in its CTA
	CTAIndex                // a component of the CTA's index in the grid
	OfThread                // determined by the thread's index in its CTA
	Free                    // any value of its range, at every execution
)

// Term is a coefficient times an unsigned number.
type Term struct {
	Coef     int64
	Role     Role
	Axis     int // of an index
	Name     string
	Min, Max uint64
	Base     bool // a parameter as wide as an address, or the address of a variable: what a pointer may come from
	Param    int  // of a parameter: its offset in the parameter block plus one; 0 of others

	symbol affine.Symbol
}

// Same reports whether two terms of one analysis are multiples of the same number, if they are not
// of role Free.
func (t *Term) Same(u *Term) bool { return t.Role == u.Role && t.symbol == u.symbol }

// describeTerm describes a term of a form.
func describeTerm(r *fixpoint.Solution, t affine.Term, width int) Term {
	y := &r.Machine.Syms.Symbols[t.Symbol]
	lo, hi := y.Set.Unsigned()
	out := Term{
		Coef: strided.SignExtend(t.Coefficient, width), Name: y.Name, Min: lo, Max: hi, Param: y.Word, symbol: t.Symbol,
	}
	out.Role, out.Axis = roleOf(r, t.Symbol)
	out.Base = out.Role == Common && y.Operation == nil && y.Element == nil && y.Special == 0 &&
		y.Set.Bits() == r.Graph.Kernel.AddressBits
	return out
}

// roleOf tells how a symbol differs between threads.
func roleOf(r *fixpoint.Solution, s affine.Symbol) (Role, int) {
	y := &r.Machine.Syms.Symbols[s]
	switch {
	case y.Origin != affine.Fixed:
		return Free, 0
	case y.Special >= isa.TidX && y.Special <= isa.TidZ:
		return ThreadIndex, int(y.Special - isa.TidX)
	case y.Special >= isa.CtaidX && y.Special <= isa.CtaidZ:
		return CTAIndex, int(y.Special - isa.CtaidX)
	case y.Special == isa.LaneID:
		return OfThread, 0
	case y.Special >= isa.NtidX && y.Special <= isa.NtidZ, y.Special >= isa.NctaidX && y.Special <= isa.NctaidZ,
		y.Special == isa.WarpSize:
		return Common, 0
	case y.Special != 0:
		return Free, 0
	}
	role := Common
	for _, f := range y.Args {
		for _, t := range f.Terms {
			switch part, _ := roleOf(r, t.Symbol); part {
			case Common:
			case ThreadIndex, OfThread:
				if role == Common {
					role = OfThread
				}
			default:
				role = Free
			}
		}
	}
	return role, 0
}

// wordsInThread returns the words that a symbol has in a thread of a CTA.
func wordsInThread(t *affine.Table, s affine.Symbol, l *launchfacts.Launch, thread int) strided.Interval {
	y := &t.Symbols[s]
	switch {
	case y.Origin != affine.Fixed:
	case y.Special >= isa.TidX && y.Special <= isa.TidZ:
		return strided.Const(32, uint64(l.ThreadIndex(thread)[y.Special-isa.TidX]))
	case y.Special == isa.LaneID:
		return strided.Const(32, uint64(thread%l.Lanes()))
	case y.Operation != nil && y.Varies:
		args := make([]strided.Interval, len(y.Args))
		for i, f := range y.Args {
			args[i] = t.WordsWith(f, func(s affine.Symbol) strided.Interval { return wordsInThread(t, s, l, thread) })
		}
		return transfer.ComputeWords(y.Operation, args)
	}
	return y.Set
}
