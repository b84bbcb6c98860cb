package value

import (
	"math"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
)

// knowledge is what holds at a place besides what is known of each value: facts, and what they leave of the symbols in
// their forms. Facts about i*4 + j say something of i and of j alone, and so of whatever else is computed from them.
type knowledge struct {
	facts []fact
	left  map[affine.Symbol]strided.Interval
	anew  bool // operations on what is left of symbols that are not constants of the thread are computed anew
}

// maxNarrowings limits how often facts are used for the symbols in them: one may help another.
const maxNarrowings = 3

// knowing returns what follows from facts; false if they cannot all hold.
func (m *machine) knowing(facts []fact) (knowledge, bool) {
	k := knowledge{facts: facts}
	for range maxNarrowings {
		again := false
		for _, f := range facts {
			for i := range f.form.Terms {
				narrower, ok := m.use(&k, f, i)
				if !ok {
					return knowledge{}, false
				}
				again = again || narrower
			}
		}
		if !again {
			break
		}
	}
	return k, true
}

// use uses a fact for the symbol of a term of its form. It reports whether that leaves less of it, and false at last if
// it leaves nothing.
func (m *machine) use(k *knowledge, f fact, i int) (narrower, ok bool) {
	t := f.form.Terms[i]
	old := m.leaves(k, t.Symbol)
	words, ok := m.share(k, f, i)
	if !ok {
		return false, true
	}
	now, ok := old.Meet(words)
	if !ok || now == old {
		return false, ok
	}
	if k.left == nil {
		k.left = make(map[affine.Symbol]strided.Interval)
	}
	k.left[t.Symbol] = now
	return true, true
}

// share returns the words that the symbol of a term can have if the whole form has those of the fact; false if nothing is
// known of that.
func (m *machine) share(k *knowledge, f fact, i int) (strided.Interval, bool) {
	t, bits := f.form.Terms[i], m.syms.Symbols[f.form.Terms[i].Symbol].Set.Bits()
	if len(f.form.Terms) == 1 && bits == f.form.Bits && (t.Coefficient == 1 || t.Coefficient == strided.Mask(bits)) {
		return f.set.Add(strided.Const(int(bits), -f.form.Constant)).Times(t.Coefficient), true
	}
	lo, hi, ok := m.numbers(k, f)
	coef := strided.SignExtend(t.Coefficient, f.form.Bits)
	rest := f.form.AddMultiple(affine.Form{Bits: f.form.Bits, Terms: []affine.Term{t}}, ^uint64(0))
	lowest, greatest, okRest := m.exactUnder(k, rest)
	const limit = 1 << 61
	if !ok || !okRest || coef < -1<<31 || coef > 1<<31 || min(lo, lowest) < -limit || max(hi, greatest) > limit {
		return strided.Interval{}, false
	}
	r := affine.Range{Min: 0, Max: math.MaxInt64}.Where(coef, lo-greatest, hi-lowest)
	if bits < 64 {
		r.Max = min(r.Max, int64(strided.Mask(bits)))
	}
	if r.Min > r.Max {
		return strided.Interval{}, false // impossible, which the sets of registers tell
	}
	return strided.Between(int(bits), uint64(r.Min), uint64(r.Max)), true
}

// numbers returns the range of the form of a fact as a number that does not wrap around.
func (m *machine) numbers(k *knowledge, f fact) (lo, hi int64, ok bool) {
	lowest, greatest, ok := m.exactUnder(k, f.form)
	if !ok {
		return 0, 0, false
	}
	for _, sign := range []bool{false, true} {
		if f.set.Aliases(lowest, greatest, sign) {
			continue
		}
		if sign {
			lo, hi = f.set.Signed()
			return lo, hi, true
		}
		if a, b := f.set.Unsigned(); b <= math.MaxInt64 {
			return int64(a), int64(b), true
		}
	}
	return 0, 0, false
}

// exactUnder is symbols.exact where something more is known.
func (m *machine) exactUnder(k *knowledge, f affine.Form) (lo, hi int64, ok bool) {
	return m.syms.ExactRangeWith(f, func(s affine.Symbol) strided.Interval { return m.leaves(k, s) })
}

// leaves returns what is left of a symbol. An operation on constants of the thread is computed anew from what is left of
// them, and where that is wanted one on other symbols if something is left of these.
func (m *machine) leaves(k *knowledge, s affine.Symbol) strided.Interval {
	y := &m.syms.Symbols[s]
	if _, ok := k.left[s]; !ok && k.anew && y.Origin == affine.Defined {
		return m.computed(k, y)
	}
	if left, ok := k.left[s]; ok || k.left == nil || y.Origin != affine.Fixed || y.Operation == nil {
		if ok {
			return left
		}
		return y.Set
	}
	args := make([]strided.Interval, len(y.Args))
	for i, f := range y.Args {
		args[i] = m.syms.WordsWith(f, func(s affine.Symbol) strided.Interval { return m.leaves(k, s) })
	}
	if both, ok := y.Set.Meet(computeWords(y.Operation, args)); ok {
		return both
	}
	return y.Set
}

// computed returns what is left of the result of an operation on symbols of which something is left. These are assigned at
// places that all paths to the operation pass, so that it was computed anew if one of them has been.
func (m *machine) computed(k *knowledge, y *affine.SymbolFacts) strided.Interval {
	if y.Operation == nil || len(y.Operation.Dst) != 1 || rules[y.Operation.Op].set == nil {
		return y.Set
	}
	of := func(s affine.Symbol) strided.Interval {
		if left, ok := k.left[s]; ok {
			return left
		}
		return m.syms.Symbols[s].Set
	}
	helps := false
	args := make([]strided.Interval, len(y.Args))
	for i, f := range y.Args {
		if !f.IsKnown() {
			return y.Set
		}
		args[i] = m.syms.WordsWith(f, of)
		helps = helps || f.Mentions(func(s affine.Symbol) bool { _, ok := k.left[s]; return ok })
	}
	if !helps {
		return y.Set
	}
	if both, ok := y.Set.Meet(computeWords(y.Operation, args)); ok {
		return both
	}
	return y.Set
}

// restricted returns a value at a place where something more is known; false if it can have none there.
func (m *machine) restricted(v *Value, k *knowledge) (*Value, bool) {
	v, ok := restrict(v, k.facts)
	if !ok || k.left == nil || len(v.form.Terms) == 0 {
		return v, ok
	}
	words := m.syms.WordsWith(v.form, func(s affine.Symbol) strided.Interval { return m.leaves(k, s) })
	set, ok := v.Strided.Meet(words)
	if !ok || set == v.Strided {
		return v, ok
	}
	return &Value{Strided: set, form: v.form, cond: v.cond}, true
}

// here returns the words that a symbol can have at a place, as registers there tell that hold it.
func (m *machine) here(st state, s affine.Symbol) strided.Interval {
	set := m.syms.Symbols[s].Set
	for _, r := range m.alike.of[s] {
		v := st.get(r)
		if v == nil {
			continue
		}
		if y, single := v.form.AsSymbol(); single && y == s && v.Strided.Bits() == set.Bits() {
			set = set.Narrow(v.Strided)
		}
	}
	return set
}

// where returns a value where facts hold; false if they cannot.
func (m *machine) where(v *Value, facts []fact) (*Value, bool) {
	k, ok := m.knowing(facts)
	if !ok {
		return v, false
	}
	return m.restricted(v, &k)
}
