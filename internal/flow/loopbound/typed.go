package loopbound

import (
	"cmp"
	"fmt"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// useful is how many iterations bound a loop usefully whatever they follow from. Those of a counter
// that ends where the range of a type of 16 bits does are more, unless its steps are large.
const useful = 1 << 12

// restsOnType reports whether a bound of a loop rests on the range of a type alone: every exit that
// gives one gives a lesser one in a doubted analysis, or compares what has wrapped around.
func (l *loopAnalysis) restsOnType(doubted *fixpoint.Solution) (bool, error) {
	d := &loopAnalysis{ctx: l.ctx, solution: doubted, loop: l.loop, paths: newPaths(doubted), work: l.work, unrolled: l.unrolled}
	for _, b := range l.loop.Body {
		if err := l.ctx.Err(); err != nil {
			return false, err
		}
		there := d.findExitComparisons(b)
		for i, c := range l.findExitComparisons(b) {
			stated := l.boundByComparison(c, b)
			if !stated.Known || stated.followsFromWrap() {
				continue
			}
			if i >= len(there) {
				continue // control does not come to this exit
			}
			if other := d.boundByComparison(there[i], b); !other.Known || other.Iterations >= stated.Iterations {
				return false, nil
			}
		}
	}
	return true, nil
}

// describeType says which type's range a bound rests on, and of what as far as that is known.
func (l *loopAnalysis) describeType(b *Bound) string {
	for _, f := range []affine.Form{b.by.c.B.Form, b.by.form} {
		if text := l.nameUnknown(f); text != "" {
			return text
		}
	}
	letter := "u"
	if b.by.c.Sign {
		letter = "s"
	}
	return fmt.Sprintf("%s%d", letter, b.by.gap.Bits())
}

// nameUnknown names the first word that a form is made of and of which nothing is stated; empty if
// there is none that has a name.
func (l *loopAnalysis) nameUnknown(f affine.Form) string {
	for _, t := range f.Terms {
		y := &l.machine().Syms.Symbols[t.Symbol]
		text := ""
		switch {
		case y.Origin == affine.Fixed && y.Operation == nil:
			text = nameUnstated(l.solution, y)
		case y.Origin == affine.Defined && y.Operation == nil && y.PC < len(l.solution.Graph.Kernel.Instrs):
			if in := &l.solution.Graph.Kernel.Instrs[y.PC]; in.Op == isa.Ld {
				text = fmt.Sprintf("%s, loaded at %s", in.Type, positionOf(in))
			}
		default:
			for _, arg := range y.Args {
				text = cmp.Or(text, l.nameUnknown(arg))
			}
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// nameUnstated names the parameter or special register that a symbol is; empty if the launch states
// it.
func nameUnstated(r *fixpoint.Solution, y *affine.SymbolFacts) string {
	for _, p := range r.Graph.Kernel.Params {
		if y.Name == p.Name && !r.Launch.States(p.Offset) {
			return fmt.Sprintf("%s %s", p.Type, y.Name)
		}
	}
	if y.Special >= isa.CtaidX && y.Special <= isa.NctaidZ && !r.Launch.Known() {
		return "u32 %" + y.Name
	}
	return ""
}

// followsFromWrap reports whether a bound follows from words that have wrapped around.
func (b *Bound) followsFromWrap() bool {
	t := b.by
	if t == nil { // it has few iterations
		return false
	}
	if t.c.Cmp == isa.Ne {
		return t.hasWrapped(t.gap, t.distance) || t.goesRound()
	}
	far, near := t.hasWrapped(t.c.B.Set, t.c.B.Form), t.hasWrapped(t.from, t.form)
	if !t.step.IsPositive() {
		far, near = near, far
	}
	return far || near && t.c.Sign // without sign a start is at least zero
}

// goesRound reports whether a counter is equal to the limit only after it has wrapped around, from
// some start: it is far from it both for signed and for unsigned numbers.
func (t *linearCounter) goesRound() bool {
	_, far := t.gap.UnwrapUnsigned().Unsigned()
	if far <= strided.Mask(t.gap.Bits())/2 {
		return false
	}
	for _, sign := range []bool{false, true} {
		startMin, startMax, okA := strided.Range(t.from, sign)
		limitMin, limitMax, okB := strided.Range(t.c.B.Set, sign)
		if !okA || !okB {
			return false // a word of 64 bits, which has no bound that one could mistake
		}
		distance := limitMax - startMin
		if !t.step.IsPositive() {
			distance = startMax - limitMin
		}
		inOrder := uint64(startMax-startMin) == t.from.Span() && uint64(limitMax-limitMin) == t.c.B.Set.Span()
		if inOrder && uint64(distance) == far {
			return false
		}
	}
	return true
}

// hasWrapped reports whether a set is most of its type's because numbers that do not fit its words
// have wrapped around.
func (l *loopAnalysis) hasWrapped(s strided.Interval, f affine.Form) bool {
	fits := l.machine().Syms.Fits(f, false) || l.machine().Syms.Fits(f, true)
	return s.Bits() >= 16 && s.Span() > strided.Mask(s.Bits())/2 && f.IsKnown() && !fits
}
