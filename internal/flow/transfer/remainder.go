package transfer

import (
	"cmp"
	"math/big"
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// This file finds what a sum tells whose terms come from one word. Compilers compute a remainder as
// x - d*q, with a quotient q that they multiply and shift (Granlund and Montgomery, Division by
// invariant integers using multiplication, PLDI 1994), and the iterations of an unrolled loop as (x
// & 31) - (x & 7). The words of each term alone say nothing of the sum.
//
// It is asked when values are narrowed: what symbols are made of does not change any more then.

// restrictByParts restricts the result of an instruction by what its form has of parts of one word.
func (m *Machine) restrictByParts(v *Value, pc int) *Value {
	if !m.Narrow || len(v.Form.Terms) < 2 {
		return v
	}
	set := v.Set
	restrict := func(words strided.Interval, ok bool) {
		if both, common := set.Meet(words); ok && common {
			set = both
		}
	}
	for i, t := range v.Form.Terms {
		rest := withoutTerm(v.Form, t)
		restrict(m.maskedSum(t, rest, pc))
		restrict(m.remainderSum(t, rest, pc))
		for _, u := range v.Form.Terms[:i] {
			restrict(m.fieldsSum(t, u, withoutTerm(rest, u), pc))
		}
	}
	if set == v.Set {
		return v
	}
	return m.MakeValue(set, v.Form)
}

// withoutTerm returns a form without one of its terms.
func withoutTerm(f affine.Form, t affine.Term) affine.Form {
	return f.AddMultiple(affine.Form{Bits: f.Bits, Terms: []affine.Term{t}}, ^uint64(0))
}

// maskedSum returns the words of k*(x & mask) + rest, as k*x + rest - k*(x &^ mask), if x and rest
// have terms in common.
func (m *Machine) maskedSum(t affine.Term, rest affine.Form, pc int) (strided.Interval, bool) {
	y := m.operationBefore(t.Symbol, pc)
	if y == nil || y.Operation.Op != isa.And || len(y.Args[1].Terms) > 0 || y.Args[0].Bits != rest.Bits {
		return strided.Interval{}, false
	}
	whole := rest.AddMultiple(y.Args[0], t.Coefficient)
	if !whole.IsKnown() || len(whole.Terms) >= len(rest.Terms)+len(y.Args[0].Terms) {
		return strided.Interval{}, false
	}
	cleared := m.wordsOfArgument(y, 0).And(strided.Const(rest.Bits, ^y.Args[1].Constant&strided.Mask(rest.Bits)))
	return m.Syms.Words(whole).Sub(cleared.Times(t.Coefficient)), true
}

// fieldsSum returns the words of k*p - k*q + rest, for p and q that are bits of one word.
func (m *Machine) fieldsSum(p, q affine.Term, rest affine.Form, pc int) (strided.Interval, bool) {
	a, okA := m.findBitField(affine.OfSymbol(rest.Bits, p.Symbol), pc)
	b, okB := m.findBitField(affine.OfSymbol(rest.Bits, q.Symbol), pc)
	cancels := (p.Coefficient+q.Coefficient)&strided.Mask(rest.Bits) == 0
	if !okA || !okB || !cancels || a.shift != b.shift || !a.word.Equal(b.word) {
		return strided.Interval{}, false
	}
	shifted := m.Syms.Words(a.word).Shr(strided.Const(32, uint64(a.shift)), false)
	bits := func(mask uint64) strided.Interval { return shifted.And(strided.Const(rest.Bits, mask)) }
	difference := bits(a.mask &^ b.mask).Sub(bits(b.mask &^ a.mask))
	return m.Syms.Words(rest).Add(difference.Times(p.Coefficient)), true
}

// bitField is word >> shift & mask.
type bitField struct {
	word  affine.Form
	shift int
	mask  uint64
}

// findBitField returns the bits of a word that a form is when an instruction executes.
func (m *Machine) findBitField(f affine.Form, pc int) (bitField, bool) {
	s, single := f.AsSymbol()
	if !single {
		return bitField{}, false
	}
	y := m.operationBefore(s, pc)
	if y == nil || f.Bits != y.Args[0].Bits || f.Bits != y.Operation.Type.Bits() {
		return bitField{}, false
	}
	in, args := y.Operation, y.Args
	for _, a := range args[1:] {
		if len(a.Terms) > 0 {
			return bitField{}, false
		}
	}
	of, nested := m.findBitField(args[0], y.PC)
	if !nested {
		of = bitField{word: args[0], mask: strided.Mask(f.Bits)}
	}
	switch by := args[1].Constant; {
	case in.Op == isa.And:
		of.mask &= by
	case in.Op == isa.Shr && !in.Type.IsSigned() && by < uint64(f.Bits):
		of.shift, of.mask = of.shift+int(by), of.mask>>by
	case in.Op == isa.Bfe && !in.Type.IsSigned() && by < uint64(f.Bits) && args[2].Constant < uint64(f.Bits):
		of.shift, of.mask = of.shift+int(by), of.mask>>by&strided.Mask(int(args[2].Constant))
	default:
		return bitField{}, false
	}
	return of, of.shift < f.Bits
}

// remainderSum returns the words of rest - d*q for a quotient q of a word x, as rest - x and the
// remainder x - d*q.
func (m *Machine) remainderSum(t affine.Term, rest affine.Form, pc int) (strided.Interval, bool) {
	divisor := -strided.SignExtend(t.Coefficient, rest.Bits)
	q, ok := m.findQuotient(affine.OfSymbol(rest.Bits, t.Symbol), pc)
	if !ok || divisor < 2 {
		return strided.Interval{}, false
	}
	for _, u := range rest.Terms {
		if q.signed && u.Coefficient == t.Coefficient && m.isSignOf(u.Symbol, q.word, pc) {
			q.truncated, rest = true, withoutTerm(rest, u)
			break
		}
	}
	rest = rest.AddMultiple(q.word, ^uint64(0))
	lo, hi, ok := q.rangeOfRemainders(divisor)
	if mask := strided.Mask(rest.Bits); ok && rest.IsKnown() && uint64(hi-lo) <= mask {
		return m.Syms.Words(rest).Add(strided.Between(rest.Bits, uint64(lo)&mask, uint64(hi)&mask)), true
	}
	return strided.Interval{}, false
}

// quotient is a word times a number over another one, rounded down.
type quotient struct {
	word       affine.Form
	words      strided.Interval // that the word can be
	times, per *big.Int         // positive
	signed     bool             // how the word is read
	truncated  bool             // rounded towards zero instead, in that one is added if the word is negative
}

// findQuotient returns the quotient that a form is when an instruction executes.
func (m *Machine) findQuotient(f affine.Form, pc int) (quotient, bool) {
	s, single := f.AsSymbol()
	if !single {
		return m.correctedProduct(f, pc)
	}
	y := m.operationBefore(s, pc)
	if y == nil || len(y.Args) != 2 || len(y.Args[1].Terms) > 0 || f.Bits != y.Args[0].Bits ||
		f.Bits != y.Operation.Type.Bits() {
		return quotient{}, false
	}
	c, in := y.Args[1].Constant, y.Operation
	power := func(n uint64) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }
	q := quotient{word: y.Args[0], words: m.wordsOfArgument(y, 0), times: big.NewInt(1), signed: in.Type.IsSigned()}
	switch {
	case in.Op == isa.Div && !q.signed && c > 0:
		q.per = new(big.Int).SetUint64(c)
		return q, true
	case in.Op == isa.MulHi && c > 0 && (!q.signed || strided.SignExtend(c, f.Bits) > 0):
		q.times, q.per = new(big.Int).SetUint64(c), power(uint64(f.Bits))
		return q, true
	case in.Op == isa.Shr && c < uint64(f.Bits):
		if of, ok := m.findQuotient(y.Args[0], y.PC); ok && of.signed == q.signed {
			of.per = new(big.Int).Mul(of.per, power(c))
			return of, true
		}
		q.per = power(c)
		return q.ofFactor(), true
	}
	return quotient{}, false
}

// ofFactor returns a quotient of a word that is an odd multiple of another one as a quotient of that
// one. The words must be multiples, too: other words than the other one times the factor would have
// wrapped around.
func (q quotient) ofFactor() quotient {
	if q.signed || len(q.word.Terms) == 0 {
		return q
	}
	smallest := slices.MinFunc(q.word.Terms, func(t, u affine.Term) int {
		return cmp.Compare(magnitude(t.Coefficient, q.word.Bits), magnitude(u.Coefficient, q.word.Bits))
	})
	k := magnitude(smallest.Coefficient, q.word.Bits)
	factor, divides := q.word.Divide(int64(k))
	if lo, _ := q.words.Unsigned(); k < 2 || k%2 == 0 || !divides || lo%k != 0 || q.words.Step()%k != 0 {
		return q
	}
	q.word, q.words = factor, q.words.Div(strided.Const(q.words.Bits(), k), false)
	q.times = new(big.Int).SetUint64(k)
	return q
}

// magnitude returns the absolute value of a coefficient, which is read as a signed number.
func magnitude(coefficient uint64, bits int) uint64 {
	if k := strided.SignExtend(coefficient, bits); k < 0 {
		return -uint64(k)
	}
	return coefficient
}

// correctedProduct returns the quotient by a factor that has one bit more than words have. Of a
// signed word x it is the high part h of the product by the factor's low bits, a negative number,
// plus x; of an unsigned one h plus half of x - h.
func (m *Machine) correctedProduct(f affine.Form, pc int) (quotient, bool) {
	for _, t := range f.Terms {
		y := m.operationBefore(t.Symbol, pc)
		if t.Coefficient != 1 || y == nil || y.Operation.Op != isa.MulHi ||
			y.Operation.Type.Bits() != f.Bits || len(y.Args[1].Terms) > 0 {
			continue
		}
		word, c, rest := y.Args[0], y.Args[1].Constant, withoutTerm(f, t)
		one := new(big.Int).Lsh(big.NewInt(1), uint(f.Bits))
		q := quotient{word: word, words: m.wordsOfArgument(y, 0), signed: y.Operation.Type.IsSigned()}
		q.times, q.per = new(big.Int).SetUint64(c), new(big.Int).Set(one)
		switch {
		case q.signed && strided.SignExtend(c, f.Bits) < 0 && rest.Equal(word):
			return q, true
		case !q.signed && m.isHalf(rest, word.AddMultiple(affine.OfSymbol(f.Bits, t.Symbol), ^uint64(0)), pc):
			q.times.Add(q.times, one)
			q.per.Lsh(q.per, 1)
			return q, true
		}
	}
	return quotient{}, false
}

// isHalf reports whether a form is half of another one, rounded down, when an instruction executes.
func (m *Machine) isHalf(f, of affine.Form, pc int) bool {
	s, single := f.AsSymbol()
	if !single {
		return false
	}
	y := m.operationBefore(s, pc)
	return y != nil && y.Operation.Op == isa.Shr && !y.Operation.Type.IsSigned() &&
		y.Args[0].Equal(of) && y.Args[1].Equal(affine.Constant(32, 1))
}

// isSignOf reports whether a symbol is 1 if a word is negative, and else 0, when an instruction
// executes: the sign of a quotient of the word.
func (m *Machine) isSignOf(s affine.Symbol, word affine.Form, pc int) bool {
	y := m.operationBefore(s, pc)
	if y == nil || y.Operation.Op != isa.Shr || y.Operation.Type.IsSigned() || y.Args[0].Bits != word.Bits ||
		!y.Args[1].Equal(affine.Constant(32, uint64(word.Bits-1))) {
		return false
	}
	q, ok := m.findQuotient(y.Args[0], y.PC)
	return y.Args[0].Equal(word) || ok && q.signed && q.word.Equal(word)
}

// rangeOfRemainders returns the range of x - d*q for the quotient q of all words x; false if it does
// not fit.
func (q quotient) rangeOfRemainders(divisor int64) (lo, hi int64, ok bool) {
	first, last, d := new(big.Int), new(big.Int), big.NewInt(divisor)
	if q.signed {
		from, to := q.words.Signed()
		first.SetInt64(from)
		last.SetInt64(to)
	} else {
		from, to := q.words.Unsigned()
		first.SetUint64(from)
		last.SetUint64(to)
	}
	if !q.truncated {
		lower, upper := q.rangeOfRemaindersDown(first, last, d)
		return fitRange(lower, upper)
	}
	e := q.excessOf(d)
	if e.Sign() <= 0 {
		return 0, 0, false
	}
	// A negative word has one more, and so its remainder d less: it is above -d, and below -x*e/per.
	above, below := new(big.Int).Sub(big.NewInt(1), d), floorQuotient(e.Mul(e, first.Neg(first)), q.per)
	lower, upper := q.rangeOfRemaindersDown(new(big.Int), last, d)
	return fitRange(smaller(lower, above), greater(upper, below))
}

// fitRange returns a range as numbers of 64 bits, false if it has others.
func fitRange(lower, upper *big.Int) (lo, hi int64, ok bool) {
	return lower.Int64(), upper.Int64(), lower.IsInt64() && upper.IsInt64()
}

// rangeOfRemaindersDown returns the range of x - d*q for words x from first to last if q is rounded
// down.
//
// The real quotient is x/d + x*e/(d*per), and q is less by less than one:
// -x*e/per <= x - d*q < d - x*e/per.
func (q quotient) rangeOfRemaindersDown(first, last, d *big.Int) (lower, upper *big.Int) {
	e := q.excessOf(d)
	a, b := new(big.Int).Mul(first, e), new(big.Int).Mul(last, e)
	if a.Cmp(b) > 0 {
		a, b = b, a
	}
	lower = new(big.Int).Neg(floorQuotient(b, q.per))
	upper = new(big.Int).Mul(d, q.per)
	upper.Sub(upper, a).Sub(upper, big.NewInt(1))
	return lower, floorQuotient(upper, q.per)
}

// excessOf returns e = d*times - per: by how much the factor is too great, times d.
func (q quotient) excessOf(d *big.Int) *big.Int {
	e := new(big.Int).Mul(d, q.times)
	return e.Sub(e, q.per)
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func greater(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// floorQuotient returns a over b, positive, rounded down.
func floorQuotient(a, b *big.Int) *big.Int { return new(big.Int).Div(a, b) }

// operationBefore returns what is known of a symbol that is the result of an operation on two
// arguments or more, if their symbols have not been assigned since when an instruction executes; nil
// if that is not known.
//
// If each path to c passes b before, and each path to b passes a before, then whenever c executes, b
// has been executed since a was last: else a path would lead to a, and from there to c without b.
func (m *Machine) operationBefore(s affine.Symbol, pc int) *affine.SymbolFacts {
	y := &m.Syms.Symbols[s]
	if y.Operation == nil || len(y.Args) < 2 {
		return nil
	}
	for _, f := range y.Args {
		if !f.IsKnown() {
			return nil
		}
	}
	if y.Origin == affine.Fixed {
		return y
	}
	if y.PC >= len(m.kernel.Instrs) || m.kernel.Instrs[y.PC].Guard.Set || !m.isAssignedBefore(s, pc) {
		return nil
	}
	for _, f := range y.Args {
		if f.Mentions(func(of affine.Symbol) bool { return !m.isAssignedBefore(of, y.PC) }) {
			return nil
		}
	}
	return y
}

// wordsOfArgument returns the words of an argument of an operation that gave a symbol its value.
func (m *Machine) wordsOfArgument(y *affine.SymbolFacts, i int) strided.Interval {
	words := m.Syms.Words(y.Args[i])
	if y.Sets == nil {
		return words
	}
	return words.Narrow(y.Sets[i])
}

// isAssignedBefore reports whether all paths to an instruction pass the place where a symbol is
// assigned, before it.
func (m *Machine) isAssignedBefore(s affine.Symbol, pc int) bool {
	y := &m.Syms.Symbols[s]
	block := m.graph.BlockOf(pc)
	switch at := y.PC % len(m.kernel.Instrs); {
	case y.Origin == affine.Fixed:
		return true
	case y.Origin == affine.Merged:
		return m.dom.Dominates(y.Block, block)
	case m.graph.BlockOf(at) == block:
		return at < pc
	default:
		return m.dom.Dominates(m.graph.BlockOf(at), block)
	}
}
