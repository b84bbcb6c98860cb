package transfer

import (
	"slices"

	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Condition is what is known of a predicate: a comparison of integers or floating-point
// numbers, or a combination of conditions. It does not change, and may be nil: nothing is known.
type Condition struct {
	Op   isa.Op // Setp, And, Or, Not
	Cmp  isa.Cmp
	Sign bool // the operands are signed

	Real  isa.Type // of floating-point numbers, else Invalid
	flush bool     // subnormal numbers count as zeros

	A, B        *Value     // of Setp
	Left, Right *Condition // of And, Or; of Not only Left
	deep        int
}

// depth limits how deep conditions are nested.
var depth = budget.Limit{What: "levels of conditions in a predicate", At: 4, Levels: 2}

// combineConditions joins conditions, nil if nothing is known of the result.
func (m *Machine) combineConditions(op isa.Op, l, r *Condition) *Condition {
	c := &Condition{Op: op, Left: l, Right: r}
	for _, part := range []*Condition{l, r} {
		if part != nil {
			c.deep = max(c.deep, part.deep+1)
		}
	}
	if c.deep == 0 || !m.Work.Allows(depth, int64(c.deep)) {
		return nil
	}
	return c
}

// Equal reports whether two conditions are the same comparisons of the same values.
func (c *Condition) Equal(d *Condition) bool {
	if c == d || c == nil || d == nil {
		return c == d
	}
	same := c.Op == d.Op && c.Cmp == d.Cmp && c.Sign == d.Sign && c.Real == d.Real && c.flush == d.flush &&
		c.Left.Equal(d.Left) && c.Right.Equal(d.Right)
	if !same || c.Op != isa.Setp {
		return same
	}
	return c.A.Set == d.A.Set && c.B.Set == d.B.Set && c.A.Form.Equal(d.A.Form) && c.B.Form.Equal(d.B.Form)
}

// Join returns what is known of a predicate that is one or the other: nothing, unless both compare
// the same forms, of which more may have been known on one way to a place or in one pass than in
// another.
func (c *Condition) Join(d *Condition) *Condition {
	switch {
	case c.Equal(d):
		return c
	case c == nil || d == nil || c.Op != isa.Setp || d.Op != isa.Setp:
		return nil
	case c.Cmp != d.Cmp || c.Sign != d.Sign || c.Real != d.Real || c.flush != d.flush:
		return nil
	case !c.A.Form.IsKnown() || !c.B.Form.IsKnown() || !c.A.Form.Equal(d.A.Form) || !c.B.Form.Equal(d.B.Form):
		return nil
	}
	both := *c
	both.A = &Value{Set: c.A.Set.Join(d.A.Set), Form: c.A.Form}
	both.B = &Value{Set: c.B.Set.Join(d.B.Set), Form: c.B.Form}
	return &both
}

// Mentions reports whether a symbol occurs for which the test holds.
func (c *Condition) Mentions(test func(affine.Symbol) bool) bool {
	if c == nil {
		return false
	}
	if c.Op == isa.Setp {
		return c.A.Form.Mentions(test) || c.B.Form.Mentions(test)
	}
	return c.Left.Mentions(test) || c.Right.Mentions(test)
}

// Comparisons returns comparisons of integers that all hold where the condition holds or does not.
func (c *Condition) Comparisons(holds bool) []*Condition {
	if c == nil {
		return nil
	}
	switch {
	case c.Op == isa.Not:
		return c.Left.Comparisons(!holds)
	case c.Op == isa.And && holds, c.Op == isa.Or && !holds:
		return append(c.Left.Comparisons(holds), c.Right.Comparisons(holds)...)
	case c.Op != isa.Setp || c.Real != isa.Invalid:
		return nil
	case holds:
		return []*Condition{c}
	}
	not := *c
	not.Cmp = opposites[c.Cmp]
	return []*Condition{&not}
}

// SwapOperands returns a comparison of the same words in the other order.
func (c *Condition) SwapOperands() *Condition {
	swapped := *c
	swapped.Cmp, swapped.A, swapped.B = turned[c.Cmp], c.B, c.A
	return &swapped
}

// opposites are the comparisons that hold where others do not.
var opposites = map[isa.Cmp]isa.Cmp{
	isa.Eq: isa.Ne, isa.Ne: isa.Eq, isa.Lt: isa.Ge, isa.Ge: isa.Lt, isa.Le: isa.Gt, isa.Gt: isa.Le,
}

// turned are the comparisons with their operands exchanged.
var turned = map[isa.Cmp]isa.Cmp{
	isa.Eq: isa.Eq, isa.Ne: isa.Ne, isa.Lt: isa.Gt, isa.Gt: isa.Lt, isa.Le: isa.Ge, isa.Ge: isa.Le,
}

// unsignedNames are the comparisons that are unsigned whatever the type.
var unsignedNames = map[isa.Cmp]isa.Cmp{isa.Lo: isa.Lt, isa.Ls: isa.Le, isa.Hi: isa.Gt, isa.Hs: isa.Ge}

// makeComparison returns the condition of a comparison, nil if its type is not followed.
func (m *Machine) makeComparison(st *State, in *isa.Instr) *Condition {
	t := in.Type
	if in.Op == isa.Set {
		t = in.SrcType
	}
	if isReal(t) {
		a, b := m.readSource(st, in, 0, t.Bits()), m.readSource(st, in, 1, t.Bits())
		return &Condition{Op: isa.Setp, Cmp: in.Cmp, Real: t, flush: in.FTZ, A: a, B: b}
	}
	if !isInteger(t) {
		return nil
	}
	c := &Condition{Op: isa.Setp, Cmp: in.Cmp, Sign: t.IsSigned()}
	if plain, ok := unsignedNames[in.Cmp]; ok {
		c.Cmp, c.Sign = plain, false
	}
	if _, ok := opposites[c.Cmp]; !ok {
		return nil
	}
	c.A, c.B = m.readSource(st, in, 0, t.Bits()), m.readSource(st, in, 1, t.Bits())
	return c
}

// readTruth returns a predicate source.
func (m *Machine) readTruth(st *State, o isa.Operand) *Value {
	v := unknownValue(1)
	switch o.Kind {
	case isa.KindImm:
		bit := o.Imm
		if bit != 0 {
			bit = 1
		}
		v = &Value{Set: strided.Const(1, bit), Form: affine.Constant(1, bit)}
	case isa.KindReg:
		v = m.ReadRegister(st, o.Reg)
	}
	if o.Not {
		v = m.negateTruth(v)
	}
	return v
}

// negateTruth returns the opposite of a truth value.
func (m *Machine) negateTruth(v *Value) *Value {
	form := v.Form.AddMultiple(affine.Constant(1, 1), 1)
	return &Value{Set: v.Set.Not(), Form: form, Cond: m.combineConditions(isa.Not, v.Cond, nil)}
}

// computePredicate computes a result that is a predicate.
func (m *Machine) computePredicate(st *State, pc, i int) *Value {
	in := &m.kernel.Instrs[pc]
	var c *Condition
	switch in.Op {
	case isa.Mov:
		return m.readTruth(st, in.Src[0])
	case isa.Not:
		o := in.Src[0]
		o.Not = !o.Not
		return m.readTruth(st, o)
	case isa.Setp:
		c = m.makeComparison(st, in)
		if i == 1 {
			c = m.combineConditions(isa.Not, c, nil)
		}
		if in.Combine != isa.CombineNone {
			c = m.combineConditions(combinations[in.Combine], c, m.readTruth(st, in.Src[2]).Cond)
		}
	case isa.Xor:
		a, b := m.readTruth(st, in.Src[0]), m.readTruth(st, in.Src[1])
		if _, constant := a.Set.IsConst(); constant {
			a, b = b, a
		}
		switch bit, constant := b.Set.IsConst(); {
		case !constant:
		case bit == 0:
			return a
		default:
			return m.negateTruth(a)
		}
	case isa.And, isa.Or:
		c = m.combineConditions(in.Op, m.readTruth(st, in.Src[0]).Cond, m.readTruth(st, in.Src[1]).Cond)
	}
	set := strided.Any(1)
	if _, ok := m.DeriveFacts(c, true); !ok {
		set = strided.Const(1, 0)
	} else if _, ok := m.DeriveFacts(c, false); !ok {
		set = strided.Const(1, 1)
	}
	v := *m.defineOpaque(st, pc, i, set)
	v.Cond = c
	return &v
}

// combinations are the operations by which Setp joins its comparison.
var combinations = map[isa.Combine]isa.Op{isa.CombineAnd: isa.And, isa.CombineOr: isa.Or, isa.CombineXor: isa.Xor}

// Fact says that a form has words of a set only.
type Fact struct {
	Form affine.Form
	Set  strided.Interval
}

// DeriveFacts returns what holds where a condition holds or does not; false if that is
// impossible.
func (m *Machine) DeriveFacts(c *Condition, holds bool) ([]Fact, bool) {
	if c == nil {
		return nil, true
	}
	switch {
	case c.Op == isa.Not:
		return m.DeriveFacts(c.Left, !holds)
	case c.Op == isa.And && holds, c.Op == isa.Or && !holds:
		l, okL := m.DeriveFacts(c.Left, holds)
		r, okR := m.DeriveFacts(c.Right, holds)
		return slices.Concat(l, r), okL && okR
	case c.Op == isa.And, c.Op == isa.Or:
		return m.deriveAlternatives(c, holds)
	case c.Op != isa.Setp:
		return nil, true
	case c.Real != isa.Invalid:
		return nil, c.isPossible(holds)
	}
	cmp := c.Cmp
	if !holds {
		cmp = opposites[cmp]
	}
	a, b, ok := RestrictCompared(c.A.Set, c.B.Set, cmp, c.Sign)
	return slices.Concat(m.widenFact(c.A.Form, a), m.widenFact(c.B.Form, b), m.deriveDifference(c, cmp),
		m.deriveMasked(c.A.Form, a), m.deriveMasked(c.B.Form, b)), ok
}

// deriveDifference returns what a comparison says of the difference of its operands, if that counts
// as a number, and from which constant one of them differs: sets, which are intervals, do not tell
// that of one amid others.
func (m *Machine) deriveDifference(c *Condition, cmp isa.Cmp) []Fact {
	for _, pair := range [2][2]*Value{{c.A, c.B}, {c.B, c.A}} {
		if _, constant := pair[1].Set.IsConst(); cmp == isa.Ne && constant && len(pair[0].Form.Terms) > 0 {
			words, _ := strided.Any(pair[0].Set.Bits()).RemoveEnd(pair[1].Set)
			return []Fact{{pair[0].Form, words}}
		}
	}
	if len(c.A.Form.Terms) == 0 || len(c.B.Form.Terms) == 0 {
		return nil
	}
	if d := c.A.Form.AddMultiple(c.B.Form, ^uint64(0)); cmp == isa.Ne && d.IsKnown() && len(d.Terms) > 0 {
		words, _ := strided.Any(d.Bits).RemoveEnd(strided.Const(d.Bits, 0))
		return []Fact{{d, words}}
	}
	if !m.Syms.Fits(c.A.Form, c.Sign) || !m.Syms.Fits(c.B.Form, c.Sign) {
		return nil
	}
	difference := c.A.Form.AddMultiple(c.B.Form, ^uint64(0))
	lo, hi, ok := m.Syms.ExactRange(difference)
	if !ok || len(difference.Terms) == 0 {
		return nil
	}
	switch cmp {
	case isa.Lt:
		hi = min(hi, -1)
	case isa.Le:
		hi = min(hi, 0)
	case isa.Gt:
		lo = max(lo, 1)
	case isa.Ge:
		lo = max(lo, 0)
	default:
		return nil
	}
	if lo > hi || uint64(hi)-uint64(lo) >= strided.Mask(difference.Bits) {
		return nil
	}
	return []Fact{{difference, strided.Between(difference.Bits, uint64(lo), uint64(hi))}}
}

// widenFact says that a form has words of a set, in its width and, if it is the same number there,
// in greater ones: code compares words and goes on with what it has converted them to.
func (m *Machine) widenFact(f affine.Form, set strided.Interval) []Fact {
	all := []Fact{{f, set}}
	if len(f.Terms) == 0 {
		return all
	}
	for _, width := range []int{32, 64} {
		for _, sign := range []bool{false, true} {
			if width > f.Bits && m.Syms.Fits(f, sign) {
				all = append(all, Fact{f.Lift(width), set.Extend(int(width), sign)})
				break
			}
		}
	}
	return all
}

// deriveAlternatives returns what holds where one of the two parts of a condition does or does not.
func (m *Machine) deriveAlternatives(c *Condition, holds bool) ([]Fact, bool) {
	if c.Left == nil || c.Right == nil {
		return nil, true
	}
	l, okL := m.DeriveFacts(c.Left, holds)
	r, okR := m.DeriveFacts(c.Right, holds)
	switch {
	case !okL:
		return r, okR
	case !okR:
		return l, true
	}
	var both []Fact
	for _, f := range l {
		for _, g := range r {
			if f.Form.Equal(g.Form) {
				both = append(both, Fact{f.Form, f.Set.Join(g.Set)})
			}
		}
	}
	return both, true
}

// RestrictCompared restricts two sets to words that compare as said.
func RestrictCompared(a, b strided.Interval, cmp isa.Cmp, sign bool) (strided.Interval, strided.Interval, bool) {
	switch cmp {
	case isa.Eq:
		both, ok := a.Meet(b)
		if again, okB := b.Meet(both); ok && okB {
			both = again
		}
		return both, both, ok
	case isa.Ne:
		x, okA := a.RemoveEnd(b)
		y, okB := b.RemoveEnd(a)
		return x, y, okA && okB
	case isa.Gt, isa.Ge:
		y, x, ok := RestrictCompared(b, a, turned[cmp], sign)
		return x, y, ok
	}
	strict := uint64(0)
	if cmp == isa.Lt {
		strict = 1
	}
	var okA, okB bool
	half := uint64(0) // where the order begins
	_, maximum := b.Unsigned()
	first, _ := a.Unsigned()
	if sign {
		half = strided.Mask(a.Bits())/2 + 1
		_, hi := b.Signed()
		lo, _ := a.Signed()
		maximum, first = uint64(hi)&strided.Mask(a.Bits()), uint64(lo)&strided.Mask(a.Bits())
	}
	if maximum == half && strict == 1 || first == (half-1)&strided.Mask(a.Bits()) && strict == 1 {
		return a, b, false
	}
	a, okA = a.Meet(strided.Between(a.Bits(), half, maximum-strict))
	b, okB = b.Meet(strided.Between(b.Bits(), first+strict, half-1))
	return a, b, okA && okB
}

// restrictByFacts returns a value of which some facts hold; false if that is impossible.
func restrictByFacts(v *Value, facts []Fact) (*Value, bool) {
	set := v.Set
	for _, f := range facts {
		k, ok := v.Form.MultipleOf(f.Form)
		if !ok {
			continue
		}
		words := f.Set.Add(strided.Const(f.Set.Bits(), -f.Form.Constant)).Times(k)
		if set, ok = set.Meet(words.Add(strided.Const(set.Bits(), v.Form.Constant))); !ok {
			return v, false
		}
	}
	if set == v.Set {
		return v, true
	}
	return &Value{Set: set, Form: v.Form, Cond: v.Cond}, true
}

// RefineState returns the state where a condition holds or does not; false if it never does.
func (m *Machine) RefineState(st *State, c *Condition, holds bool) (*State, bool) {
	facts, ok := m.DeriveFacts(c, holds)
	if !ok || len(facts) == 0 {
		return st, ok
	}
	k, ok := m.DeriveKnowledge(facts)
	if !ok {
		return nil, false
	}
	out := st.Clone()
	for _, r := range m.FindRestricted(&k) {
		v := st.Get(r)
		if v == nil {
			continue
		}
		restricted, ok := m.RestrictValue(v, &k)
		if !ok {
			return nil, false
		}
		out.Set(r, restricted)
	}
	return out, true
}

// deriveMasked returns what it says of a word that its low bits are words of a set: the word is one of
// the set if it has no other bits, and else it leaves a known remainder if the set is a single word.
func (m *Machine) deriveMasked(f affine.Form, set strided.Interval) []Fact {
	s, single := f.AsSymbol()
	if !single {
		return nil
	}
	y := &m.Syms.Symbols[s]
	if y.Operation == nil || y.Operation.Op != isa.And || len(y.Args) != 2 {
		return nil
	}
	low := y.Args[1]
	mask := low.Constant
	if len(low.Terms) > 0 || mask == 0 || mask == strided.Mask(low.Bits) || mask&(mask+1) != 0 || !y.Args[0].IsKnown() {
		return nil
	}
	if _, greatest := m.wordsOfArgument(y, 0).Unsigned(); greatest <= mask && set.Bits() == low.Bits {
		return []Fact{{y.Args[0], set}}
	}
	word, constant := set.IsConst()
	if !constant || word > mask {
		return nil
	}
	return []Fact{{y.Args[0], strided.FromSpan(low.Bits, word, strided.Mask(low.Bits)-mask, mask+1)}}
}

// FollowEdge returns what is known along an edge; false if control never passes.
func (m *Machine) FollowEdge(g *cfg.Graph, st *State, b int, kind cfg.EdgeKind) (*State, bool) {
	last := g.Last(b)
	if !last.Guard.Set || len(g.Blocks[b].Edges) < 2 {
		return st, true
	}
	holds := (kind != cfg.FallThrough) != last.Guard.Not
	p := m.ReadRegister(st, last.Guard.Reg)
	if c, ok := p.Set.IsConst(); ok && (c != 0) != holds {
		return nil, false
	}
	return m.RefineState(st, p.Cond, holds)
}
