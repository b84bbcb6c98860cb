package transfer

import (
	"math"

	"warpbound/internal/budget"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
)

// Knowledge is what holds at a place besides what is known of each value: facts, and what they
// leave of the symbols in their forms. Facts about i*4 + j say something of i and of j alone, and
// so of whatever else is computed from them.
type Knowledge struct {
	facts []Fact
	left  map[affine.Symbol]strided.Interval
	Anew  bool // operations on what is left of symbols that are not constants of the thread are computed anew
}

// narrowings limits how often facts are used for the symbols in them: one may help another.
var narrowings = budget.Limit{What: "uses of facts for what others say", At: 3}

// DeriveKnowledge returns what follows from facts; false if they cannot all hold.
func (m *Machine) DeriveKnowledge(facts []Fact) (Knowledge, bool) {
	k := Knowledge{facts: facts}
	for n := int64(1); m.Work.Allows(narrowings, n); n++ {
		again := false
		for _, f := range facts {
			for i := range f.Form.Terms {
				narrower, ok := m.applyFact(&k, f, i)
				if !ok {
					return Knowledge{}, false
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

// applyFact uses a fact for the symbol of a term of its form. It reports whether that leaves less
// of it, and false at last if it leaves nothing.
func (m *Machine) applyFact(k *Knowledge, f Fact, i int) (narrower, ok bool) {
	t := f.Form.Terms[i]
	old := m.wordsLeft(k, t.Symbol)
	words, ok := m.solveForTerm(k, f, i)
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

// solveForTerm returns the words that the symbol of a term can have if the whole form has those of
// the fact; false if nothing is known of that.
func (m *Machine) solveForTerm(k *Knowledge, f Fact, i int) (strided.Interval, bool) {
	t, bits := f.Form.Terms[i], m.Syms.Symbols[f.Form.Terms[i].Symbol].Set.Bits()
	if len(f.Form.Terms) == 1 && bits == f.Form.Bits && (t.Coefficient == 1 || t.Coefficient == strided.Mask(bits)) {
		return f.Set.Add(strided.Const(int(bits), -f.Form.Constant)).Times(t.Coefficient), true
	}
	lo, hi, ok := m.factRange(k, f)
	coef := strided.SignExtend(t.Coefficient, f.Form.Bits)
	rest := f.Form.AddMultiple(affine.Form{Bits: f.Form.Bits, Terms: []affine.Term{t}}, ^uint64(0))
	lowest, greatest, okRest := m.exactRangeUnder(k, rest)
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

// factRange returns the range of the form of a fact as a number that does not wrap around.
func (m *Machine) factRange(k *Knowledge, f Fact) (lo, hi int64, ok bool) {
	lowest, greatest, ok := m.exactRangeUnder(k, f.Form)
	if !ok {
		return 0, 0, false
	}
	for _, sign := range []bool{false, true} {
		if f.Set.Aliases(lowest, greatest, sign) {
			continue
		}
		if sign {
			lo, hi = f.Set.Signed()
			return lo, hi, true
		}
		if a, b := f.Set.Unsigned(); b <= math.MaxInt64 {
			return int64(a), int64(b), true
		}
	}
	return 0, 0, false
}

// exactRangeUnder is Table.ExactRange where something more is known.
func (m *Machine) exactRangeUnder(k *Knowledge, f affine.Form) (lo, hi int64, ok bool) {
	return m.Syms.ExactRangeWith(f, func(s affine.Symbol) strided.Interval { return m.wordsLeft(k, s) })
}

// wordsLeft returns what is left of a symbol. An operation on constants of the thread is computed
// anew from what is left of them, and where that is wanted one on other symbols if something is
// left of these.
func (m *Machine) wordsLeft(k *Knowledge, s affine.Symbol) strided.Interval {
	y := &m.Syms.Symbols[s]
	if _, ok := k.left[s]; !ok && k.Anew && y.Origin == affine.Defined {
		return m.recomputeWords(k, y)
	}
	if left, ok := k.left[s]; ok || k.left == nil || y.Origin != affine.Fixed || y.Operation == nil {
		if ok {
			return left
		}
		return y.Set
	}
	args := make([]strided.Interval, len(y.Args))
	for i, f := range y.Args {
		args[i] = m.Syms.WordsWith(f, func(s affine.Symbol) strided.Interval { return m.wordsLeft(k, s) })
	}
	if both, ok := y.Set.Meet(ComputeWords(y.Operation, args)); ok {
		return both
	}
	return y.Set
}

// recomputeWords returns what is left of the result of an operation on symbols of which something
// is left. These are assigned at places that all paths to the operation pass, so that it was
// computed anew if one of them has been.
func (m *Machine) recomputeWords(k *Knowledge, y *affine.SymbolFacts) strided.Interval {
	if y.Operation == nil || len(y.Operation.Dst) != 1 || rules[y.Operation.Op].set == nil {
		return y.Set
	}
	of := func(s affine.Symbol) strided.Interval {
		if left, ok := k.left[s]; ok {
			return left
		}
		return m.Syms.Symbols[s].Set
	}
	helps := false
	args := make([]strided.Interval, len(y.Args))
	for i, f := range y.Args {
		if !f.IsKnown() {
			return y.Set
		}
		args[i] = m.Syms.WordsWith(f, of)
		helps = helps || f.Mentions(func(s affine.Symbol) bool { _, ok := k.left[s]; return ok })
	}
	if !helps {
		return y.Set
	}
	if both, ok := y.Set.Meet(ComputeWords(y.Operation, args)); ok {
		return both
	}
	return y.Set
}

// RestrictValue returns a value at a place where something more is known; false if it can have none
// there.
func (m *Machine) RestrictValue(v *Value, k *Knowledge) (*Value, bool) {
	v, ok := restrictByFacts(v, k.facts)
	if !ok || k.left == nil || len(v.Form.Terms) == 0 {
		return v, ok
	}
	words := m.Syms.WordsWith(v.Form, func(s affine.Symbol) strided.Interval { return m.wordsLeft(k, s) })
	set, ok := v.Set.Meet(words)
	if !ok || set == v.Set {
		return v, ok
	}
	return &Value{Set: set, Form: v.Form, Cond: v.Cond}, true
}

// FindSymbolWords returns the words that a symbol can have at a place, as registers there tell that
// hold it.
func (m *Machine) FindSymbolWords(st *State, s affine.Symbol) strided.Interval {
	set := m.Syms.Symbols[s].Set
	for _, r := range m.alike.of[s] {
		v := st.Get(r)
		if v == nil {
			continue
		}
		if y, single := v.Form.AsSymbol(); single && y == s && v.Set.Bits() == set.Bits() {
			set = set.Narrow(v.Set)
		}
	}
	return set
}

// RestrictToFacts returns a value where facts hold; false if they cannot.
func (m *Machine) RestrictToFacts(v *Value, facts []Fact) (*Value, bool) {
	k, ok := m.DeriveKnowledge(facts)
	if !ok {
		return v, false
	}
	return m.RestrictValue(v, &k)
}
