package value

import (
	"cmp"
	"fmt"
	"slices"

	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// useful is how many iterations bound a loop usefully whatever they follow from. Those of a counter that ends
// where the range of a type of 16 bits does are more, unless its steps are large.
const useful = 1 << 12

// doubted returns the same analysis of other numbers: all words of which nothing is stated, and all results
// that can be anything, are taken to be less than a fraction of what their type holds. This need not be true. What
// then is different rests on the range of a type.
func (r *Result) doubted() *Result {
	launch := r.Launch
	launch.doubted = true
	return Analyze(r.Graph, launch)
}

// doubt returns what takes the place of a set in a doubted analysis: only its least numbers if it holds all words
// of a type of at least 16 bits, or all multiples of something.
func (l *Launch) doubt(s strided.Interval) strided.Interval {
	if !l.doubted || s.Bits() < 16 || s.Step() == 0 || s.Count() != strided.Mask(s.Bits())/s.Step() {
		return s
	}
	return strided.FromSpan(s.Bits(), s.Base(), strided.Mask(s.Bits())>>(s.Bits()/4), s.Step())
}

// states reports whether the launch states a parameter's word at an offset.
func (l *Launch) states(offset int) bool {
	return slices.ContainsFunc(l.Params, func(w Word) bool { return w.Offset == offset })
}

// onlyTyped reports whether a bound of a loop rests on the range of a type alone: every exit that gives one gives
// a lesser one in a doubted analysis, or compares what has wrapped around.
func (l *counting) onlyTyped(doubted *Result) bool {
	d := &counting{r: doubted, loop: l.loop, dom: l.dom, paths: newPaths(doubted, l.dom)}
	for _, b := range l.loop.Body {
		there := d.exits(b)
		for i, c := range l.exits(b) {
			stated := l.count(c, b)
			if !stated.Known || stated.wraps() {
				continue
			}
			if i >= len(there) {
				continue // control does not come to this exit
			}
			if other := d.count(there[i], b); !other.Known || other.Iterations >= stated.Iterations {
				return false
			}
		}
	}
	return true
}

// typed says which type's range a bound rests on, and of what as far as that is known.
func (l *counting) typed(b *Bound) string {
	for _, f := range []Form{b.by.c.b.form, b.by.form} {
		if text := l.unknown(f); text != "" {
			return text
		}
	}
	letter := "u"
	if b.by.c.sign {
		letter = "s"
	}
	return fmt.Sprintf("%s%d", letter, b.by.gap.Bits())
}

// unknown names the first word that a form is made of and of which nothing is stated; empty if there is none that has
// a name.
func (l *counting) unknown(f Form) string {
	for _, t := range f.terms {
		y := &l.machine().syms.all[t.sym]
		text := ""
		switch {
		case y.origin == fixed && y.in == nil:
			text = l.r.unstated(y)
		case y.origin == defined && y.in == nil && y.pc < len(l.r.Graph.Kernel.Instrs):
			if in := &l.r.Graph.Kernel.Instrs[y.pc]; in.Op == isa.Ld {
				text = fmt.Sprintf("%s, loaded at %s", in.Type, where(in))
			}
		default:
			for _, arg := range y.args {
				text = cmp.Or(text, l.unknown(arg))
			}
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// unstated names the parameter or special register that a symbol is; empty if the launch states it.
func (r *Result) unstated(y *symbol) string {
	for _, p := range r.Graph.Kernel.Params {
		if y.name == p.Name && !r.Launch.states(p.Offset) {
			return fmt.Sprintf("%s %s", p.Type, y.name)
		}
	}
	if y.special >= isa.CtaidX && y.special <= isa.NctaidZ && !r.Launch.Known() {
		return "u32 %" + y.name
	}
	return ""
}

// wraps reports whether a bound follows from words that have wrapped around.
func (b *Bound) wraps() bool {
	t := b.by
	if t == nil { // it has few iterations
		return false
	}
	if t.c.cmp == isa.Ne {
		return t.wrapped(t.gap, t.distance)
	}
	far, near := t.wrapped(t.c.b.Strided, t.c.b.form), t.wrapped(t.from, t.form)
	if !t.step.IsPositive() {
		far, near = near, far
	}
	return far || near && t.c.sign // without sign a start is at least zero
}

// wrapped reports whether a set is most of its type's because numbers that do not fit its words have wrapped around.
func (l *counting) wrapped(s strided.Interval, f Form) bool {
	fits := l.machine().syms.fits(f, false) || l.machine().syms.fits(f, true)
	return s.Bits() >= 16 && s.Span() > strided.Mask(s.Bits())/2 && f.known() && !fits
}
