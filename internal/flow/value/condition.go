package value

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// condition is what is known of a predicate: a comparison of integers or floating-point
// numbers, or a combination of conditions. It does not change.
type condition struct {
	op   isa.Op // Setp, And, Or, Not
	cmp  isa.Cmp
	sign bool

	real  isa.Type // of floating-point numbers, else Invalid
	flush bool     // subnormal numbers count as zeros

	a, b *Value     // of Setp
	l, r *condition // of And, Or; of Not only l
	deep int
}

// maxDepth limits how deep conditions are nested.
const maxDepth = 4

// combined joins conditions, nil if nothing is known of the result.
func combined(op isa.Op, l, r *condition) *condition {
	c := &condition{op: op, l: l, r: r}
	for _, part := range []*condition{l, r} {
		if part != nil {
			c.deep = max(c.deep, part.deep+1)
		}
	}
	if c.deep == 0 || c.deep > maxDepth {
		return nil
	}
	return c
}

func (c *condition) equal(d *condition) bool {
	if c == d || c == nil || d == nil {
		return c == d
	}
	same := c.op == d.op && c.cmp == d.cmp && c.sign == d.sign && c.real == d.real && c.flush == d.flush && c.l.equal(d.l) && c.r.equal(d.r)
	if !same || c.op != isa.Setp {
		return same
	}
	return c.a.Strided == d.a.Strided && c.b.Strided == d.b.Strided && c.a.form.Equal(d.a.form) && c.b.form.Equal(d.b.form)
}

// join returns what is known of a predicate that is one or the other: nothing, unless both compare the same forms, of which
// more may have been known on one way to a place or in one pass than in another.
func (c *condition) join(d *condition) *condition {
	switch {
	case c.equal(d):
		return c
	case c == nil || d == nil || c.op != isa.Setp || d.op != isa.Setp:
		return nil
	case c.cmp != d.cmp || c.sign != d.sign || c.real != d.real || c.flush != d.flush:
		return nil
	case !c.a.form.IsKnown() || !c.b.form.IsKnown() || !c.a.form.Equal(d.a.form) || !c.b.form.Equal(d.b.form):
		return nil
	}
	both := *c
	both.a = &Value{Strided: c.a.Strided.Join(d.a.Strided), form: c.a.form}
	both.b = &Value{Strided: c.b.Strided.Join(d.b.Strided), form: c.b.form}
	return &both
}

// mentions reports whether a symbol occurs for which the test holds.
func (c *condition) mentions(test func(affine.Symbol) bool) bool {
	if c == nil {
		return false
	}
	if c.op == isa.Setp {
		return c.a.form.Mentions(test) || c.b.form.Mentions(test)
	}
	return c.l.mentions(test) || c.r.mentions(test)
}

// comparisons returns comparisons of integers that all hold where the condition holds or does not.
func (c *condition) comparisons(holds bool) []*condition {
	if c == nil {
		return nil
	}
	switch {
	case c.op == isa.Not:
		return c.l.comparisons(!holds)
	case c.op == isa.And && holds, c.op == isa.Or && !holds:
		return append(c.l.comparisons(holds), c.r.comparisons(holds)...)
	case c.op != isa.Setp || c.real != isa.Invalid:
		return nil
	case holds:
		return []*condition{c}
	}
	not := *c
	not.cmp = opposites[c.cmp]
	return []*condition{&not}
}

// swapOperands returns a comparison of the same words in the other order.
func (c *condition) swapOperands() *condition {
	swapped := *c
	swapped.cmp, swapped.a, swapped.b = turned[c.cmp], c.b, c.a
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

// comparison returns the condition of a comparison, nil if its type is not followed.
func (m *machine) comparison(st state, in *isa.Instr) *condition {
	t := in.Type
	if in.Op == isa.Set {
		t = in.SrcType
	}
	if isReal(t) {
		return &condition{op: isa.Setp, cmp: in.Cmp, real: t, flush: in.FTZ, a: m.source(st, in, 0, t.Bits()), b: m.source(st, in, 1, t.Bits())}
	}
	if !isInteger(t) {
		return nil
	}
	c := &condition{op: isa.Setp, cmp: in.Cmp, sign: t.IsSigned()}
	if plain, ok := unsignedNames[in.Cmp]; ok {
		c.cmp, c.sign = plain, false
	}
	if _, ok := opposites[c.cmp]; !ok {
		return nil
	}
	c.a, c.b = m.source(st, in, 0, t.Bits()), m.source(st, in, 1, t.Bits())
	return c
}

// truth returns a predicate source.
func (m *machine) truth(st state, o isa.Operand) *Value {
	v := unknown(1)
	switch o.Kind {
	case isa.KindImm:
		bit := o.Imm
		if bit != 0 {
			bit = 1
		}
		v = &Value{Strided: strided.Const(1, bit), form: affine.Constant(1, bit)}
	case isa.KindReg:
		v = m.register(st, o.Reg)
	}
	if o.Not {
		v = negated(v)
	}
	return v
}

// negated returns the opposite of a truth value.
func negated(v *Value) *Value {
	form := v.form.AddMultiple(affine.Constant(1, 1), 1)
	return &Value{Strided: v.Strided.Not(), form: form, cond: combined(isa.Not, v.cond, nil)}
}

// predicate computes a result that is a predicate.
func (m *machine) predicate(st state, pc, i int) *Value {
	in := &m.kernel.Instrs[pc]
	var c *condition
	switch in.Op {
	case isa.Mov:
		return m.truth(st, in.Src[0])
	case isa.Not:
		o := in.Src[0]
		o.Not = !o.Not
		return m.truth(st, o)
	case isa.Setp:
		c = m.comparison(st, in)
		if i == 1 {
			c = combined(isa.Not, c, nil)
		}
		if in.Combine != isa.CombineNone {
			c = combined(combinations[in.Combine], c, m.truth(st, in.Src[2]).cond)
		}
	case isa.Xor:
		a, b := m.truth(st, in.Src[0]), m.truth(st, in.Src[1])
		if _, constant := a.Strided.IsConst(); constant {
			a, b = b, a
		}
		switch bit, constant := b.Strided.IsConst(); {
		case !constant:
		case bit == 0:
			return a
		default:
			return negated(a)
		}
	case isa.And, isa.Or:
		c = combined(in.Op, m.truth(st, in.Src[0]).cond, m.truth(st, in.Src[1]).cond)
	}
	set := strided.Any(1)
	if _, ok := m.facts(c, true); !ok {
		set = strided.Const(1, 0)
	} else if _, ok := m.facts(c, false); !ok {
		set = strided.Const(1, 1)
	}
	v := *m.opaque(st, pc, i, set)
	v.cond = c
	return &v
}

// combinations are the operations by which Setp joins its comparison.
var combinations = map[isa.Combine]isa.Op{isa.CombineAnd: isa.And, isa.CombineOr: isa.Or, isa.CombineXor: isa.Xor}

// fact says that a form has words of a set only.
type fact struct {
	form affine.Form
	set  strided.Interval
}

// facts returns what holds where a condition holds or does not; false if that is
// impossible.
func (m *machine) facts(c *condition, holds bool) ([]fact, bool) {
	if c == nil {
		return nil, true
	}
	switch {
	case c.op == isa.Not:
		return m.facts(c.l, !holds)
	case c.op == isa.And && holds, c.op == isa.Or && !holds:
		l, okL := m.facts(c.l, holds)
		r, okR := m.facts(c.r, holds)
		return slices.Concat(l, r), okL && okR
	case c.op == isa.And, c.op == isa.Or:
		return m.oneOf(c, holds)
	case c.op != isa.Setp:
		return nil, true
	case c.real != isa.Invalid:
		return nil, c.possible(holds)
	}
	cmp := c.cmp
	if !holds {
		cmp = opposites[cmp]
	}
	a, b, ok := compared(c.a.Strided, c.b.Strided, cmp, c.sign)
	return slices.Concat(m.inAnyWidth(c.a.form, a), m.inAnyWidth(c.b.form, b), m.separated(c, cmp), m.residues(c.a.form, a), m.residues(c.b.form, b)), ok
}

// separated returns what a comparison says of the difference of its operands, if that counts as a number, and from which
// constant one of them differs: sets, which are intervals, do not tell that of one amid others.
func (m *machine) separated(c *condition, cmp isa.Cmp) []fact {
	for _, pair := range [2][2]*Value{{c.a, c.b}, {c.b, c.a}} {
		if _, constant := pair[1].Strided.IsConst(); cmp == isa.Ne && constant && len(pair[0].form.Terms) > 0 {
			words, _ := strided.Any(pair[0].Strided.Bits()).RemoveEnd(pair[1].Strided)
			return []fact{{pair[0].form, words}}
		}
	}
	if len(c.a.form.Terms) == 0 || len(c.b.form.Terms) == 0 {
		return nil
	}
	if d := c.a.form.AddMultiple(c.b.form, ^uint64(0)); cmp == isa.Ne && d.IsKnown() && len(d.Terms) > 0 {
		words, _ := strided.Any(d.Bits).RemoveEnd(strided.Const(d.Bits, 0))
		return []fact{{d, words}}
	}
	if !m.syms.Fits(c.a.form, c.sign) || !m.syms.Fits(c.b.form, c.sign) {
		return nil
	}
	difference := c.a.form.AddMultiple(c.b.form, ^uint64(0))
	lo, hi, ok := m.syms.ExactRange(difference)
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
	return []fact{{difference, strided.Between(difference.Bits, uint64(lo), uint64(hi))}}
}

// inAnyWidth says that a form has words of a set, in its width and, if it is the same number there, in greater ones: code
// compares words and goes on with what it has converted them to.
func (m *machine) inAnyWidth(f affine.Form, set strided.Interval) []fact {
	all := []fact{{f, set}}
	if len(f.Terms) == 0 {
		return all
	}
	for _, width := range []int{32, 64} {
		for _, sign := range []bool{false, true} {
			if width > f.Bits && m.syms.Fits(f, sign) {
				all = append(all, fact{f.Lift(width), set.Extend(int(width), sign)})
				break
			}
		}
	}
	return all
}

// oneOf returns what holds where one of the two parts of a condition does or does not.
func (m *machine) oneOf(c *condition, holds bool) ([]fact, bool) {
	if c.l == nil || c.r == nil {
		return nil, true
	}
	l, okL := m.facts(c.l, holds)
	r, okR := m.facts(c.r, holds)
	switch {
	case !okL:
		return r, okR
	case !okR:
		return l, true
	}
	var both []fact
	for _, f := range l {
		for _, g := range r {
			if f.form.Equal(g.form) {
				both = append(both, fact{f.form, f.set.Join(g.set)})
			}
		}
	}
	return both, true
}

// compared restricts two sets to words that compare as said.
func compared(a, b strided.Interval, cmp isa.Cmp, sign bool) (strided.Interval, strided.Interval, bool) {
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
		y, x, ok := compared(b, a, turned[cmp], sign)
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

// restrict returns a value of which some facts hold; false if that is impossible.
func restrict(v *Value, facts []fact) (*Value, bool) {
	set := v.Strided
	for _, f := range facts {
		k, ok := v.form.MultipleOf(f.form)
		if !ok {
			continue
		}
		words := f.set.Add(strided.Const(f.set.Bits(), -f.form.Constant)).Times(k)
		if set, ok = set.Meet(words.Add(strided.Const(set.Bits(), v.form.Constant))); !ok {
			return v, false
		}
	}
	if set == v.Strided {
		return v, true
	}
	return &Value{Strided: set, form: v.form, cond: v.cond}, true
}

// refined returns the state where a condition holds or does not; false if it never does.
func (m *machine) refined(st state, c *condition, holds bool) (state, bool) {
	facts, ok := m.facts(c, holds)
	if !ok || len(facts) == 0 {
		return st, ok
	}
	k, ok := m.knowing(facts)
	if !ok {
		return nil, false
	}
	out := st.clone()
	for _, r := range m.alike.under(&k) {
		v := st.get(r)
		if v == nil {
			continue
		}
		restricted, ok := m.restricted(v, &k)
		if !ok {
			return nil, false
		}
		out.set(r, restricted)
	}
	return out, true
}

// residues returns what it says of an operand that the low bits of it are a word: what remainder it leaves.
func (m *machine) residues(f affine.Form, set strided.Interval) []fact {
	s, single := f.AsSymbol()
	word, constant := set.IsConst()
	if !single || !constant {
		return nil
	}
	y := &m.syms.Symbols[s]
	if y.Operation == nil || y.Operation.Op != isa.And || len(y.Args) != 2 {
		return nil
	}
	low := y.Args[1]
	mask := low.Constant
	if len(low.Terms) > 0 || mask == 0 || mask == strided.Mask(low.Bits) || mask&(mask+1) != 0 {
		return nil
	}
	if word > mask || !y.Args[0].IsKnown() {
		return nil
	}
	return []fact{{y.Args[0], strided.FromSpan(low.Bits, word, strided.Mask(low.Bits)-mask, mask+1)}}
}

// follow returns what is known along an edge; false if control never passes.
func (m *machine) follow(g *cfg.Graph, st state, b int, kind cfg.EdgeKind) (state, bool) {
	last := g.Last(b)
	if !last.Guard.Set || len(g.Blocks[b].Edges) < 2 {
		return st, true
	}
	holds := (kind != cfg.FallThrough) != last.Guard.Not
	p := m.register(st, last.Guard.Reg)
	if c, ok := p.Strided.IsConst(); ok && (c != 0) != holds {
		return nil, false
	}
	return m.refined(st, p.cond, holds)
}
