package value

import (
	"fmt"
	"math"
	"strings"

	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Symbol is a word that forms are made of: a launch constant, a thread's or a CTA's
// index, an operation on these, the result of the last execution of an instruction, or
// what a register held when control last came to a block.
type Symbol int32

// origin tells where a symbol comes from.
type origin uint8

const (
	fixed   origin = iota // a constant of the thread
	merged                // a register at the beginning of a block
	defined               // a result of an instruction
)

// symbol is what is known of a Symbol.
type symbol struct {
	origin   origin
	name     string
	set      strided.Interval // of all values it ever has
	assigned bool             // set holds one at least
	varies   bool
	block    int // where it is merged or defined, -1 if fixed
	reg      isa.Reg
	pc       int // of the instruction that defines it

	special isa.Special // the special register that it is, if any
	word    int         // the offset of the parameter that it is in the parameter block, plus one; 0 if it is none
	element *element    // of memory that nobody writes, which it is; nil if it is none
	region  *region     // the memory of which it is an address; nil if that is not known

	in   *isa.Instr // the operation whose result on args it is, nil if none is known
	args []Form
}

// symbols is the table of all symbols of one analysis.
type symbols struct {
	all  []symbol
	sums []Sum // what is known of parameters together
	// buffers are those of the launch; some of them hold words that ascend if ordered says so.
	buffers []Buffer
	ordered bool
	named   map[string]Symbol // fixed
	place   map[place]Symbol  // the others
}

type place struct {
	origin origin
	at     int // block or instruction
	reg    isa.Reg
}

func newSymbols() *symbols {
	return &symbols{named: make(map[string]Symbol), place: make(map[place]Symbol)}
}

func (t *symbols) add(s symbol) Symbol {
	t.all = append(t.all, s)
	return Symbol(len(t.all) - 1)
}

// constant returns a fixed symbol by its name.
func (t *symbols) constant(name string, set strided.Interval, varies bool) Symbol {
	return t.keyed(name, name, set, varies)
}

// keyed returns a fixed symbol by a key, which may tell it from others of the same name.
func (t *symbols) keyed(key, name string, set strided.Interval, varies bool) Symbol {
	key = fmt.Sprintf("%s:%d", key, set.Bits())
	s, ok := t.named[key]
	if !ok {
		s = t.add(symbol{name: name, set: set, varies: varies, block: -1})
		t.named[key] = s
	}
	return s
}

// register returns the symbol of a special register.
func (t *symbols) register(r isa.Special, set strided.Interval, varies bool) Symbol {
	s := t.constant(r.String(), set, varies)
	t.all[s].special = r
	return s
}

// maxName limits the length of the names of expressions, which contain those of their
// parts.
const maxName = 200

// expression returns the fixed symbol of an operation on fixed forms, false if it has too
// many parts.
func (t *symbols) expression(in *isa.Instr, args []Form, set strided.Interval) (Symbol, bool) {
	texts := make([]string, len(args))
	bare := *in // whatever tells it from others, its operands apart
	bare.Guard, bare.Dst, bare.Src = isa.Guard{}, nil, nil
	key := fmt.Sprintf("%v to %d:", &bare, len(in.Dst))
	varies := false
	for i, f := range args {
		texts[i] = f.format(t.nameOf)
		key += fmt.Sprintf(" %d %s", f.bits, f.key())
		varies = varies || f.mentions(func(s Symbol) bool { return t.all[s].varies })
	}
	name := operationName(in, texts)
	if len(name) > maxName {
		return 0, false
	}
	s := t.keyed(key, name, set, varies)
	t.all[s].in, t.all[s].args = in, args
	return s, true
}

// infix are the operations that are written between their operands.
var infix = map[isa.Op]string{
	isa.Mul: "*", isa.Div: "/", isa.Rem: "%", isa.And: "&", isa.Or: "|", isa.Xor: "^", isa.Shl: "<<", isa.Shr: ">>",
	isa.MulWide: "*",
}

func operationName(in *isa.Instr, texts []string) string {
	if sign, ok := infix[in.Op]; ok && len(texts) == 2 {
		for i, text := range texts {
			if strings.Contains(text, " ") {
				texts[i] = "(" + text + ")"
			}
		}
		return texts[0] + sign + texts[1]
	}
	name := in.Op.String()
	if in.Cmp != isa.CmpNone {
		name += "." + in.Cmp.String()
	}
	if in.Type != isa.Invalid {
		name = in.Type.String()
		if in.Op != isa.Cvt {
			name = in.Op.String() + "." + name
		}
		if in.Cmp != isa.CmpNone {
			name += "." + in.Cmp.String()
		}
	}
	return name + "(" + strings.Join(texts, ", ") + ")"
}

// at returns the symbol of a register at a place, and adds it if it is new.
func (t *symbols) at(p place, block int, name string, width int) Symbol {
	s, ok := t.place[p]
	if !ok {
		s = t.add(symbol{origin: p.origin, name: name, set: strided.Any(width), block: block, reg: p.reg, pc: p.at})
		t.place[p] = s
	}
	return s
}

func (t *symbols) nameOf(s Symbol) string { return t.all[s].name }

func (t *symbols) format(f Form) string { return f.format(t.nameOf) }

// isFixed reports whether a form has fixed symbols only.
func (t *symbols) isFixed(f Form) bool {
	return f.known() && !f.mentions(func(s Symbol) bool { return t.all[s].origin != fixed })
}

// set returns the words that a form can have.
func (t *symbols) set(f Form) strided.Interval {
	sum := strided.Const(f.bits, f.c)
	for _, e := range f.terms {
		s := t.all[e.sym].set
		if s.Bits() >= f.bits {
			s = s.Cut(f.bits)
		} else {
			s = s.Extend(f.bits, false)
		}
		sum = sum.Add(s.Times(e.coef))
	}
	if len(f.terms) < 2 || len(t.sums) == 0 && !t.ordered {
		return sum
	}
	if lo, hi, ok := t.exact(f); ok && uint64(hi)-uint64(lo) < strided.Mask(f.bits) {
		if both, ok := sum.Meet(strided.Between(f.bits, uint64(lo), uint64(hi))); ok {
			sum = both
		}
	}
	return sum
}

// exact returns the range of a form as a number: its constant and its coefficients count
// as signed numbers, its symbols as unsigned ones, and nothing is reduced modulo the
// width. It is false if the range does not fit an int64.
func (t *symbols) exact(f Form) (lo, hi int64, ok bool) {
	return t.exactWith(f, func(s Symbol) strided.Interval { return t.all[s].set })
}

// exactWith is the same for given sets of the symbols.
func (t *symbols) exactWith(f Form, of func(Symbol) strided.Interval) (lo, hi int64, ok bool) {
	if !f.known() {
		return 0, 0, false
	}
	lo = strided.SignExtend(f.c, f.bits)
	hi = lo
	for _, e := range f.terms {
		a, b := of(e.sym).Unsigned()
		if b > math.MaxInt64 {
			return 0, 0, false
		}
		k := strided.SignExtend(e.coef, f.bits)
		if k < 0 {
			a, b = b, a
		}
		var okA, okB bool
		if lo, okA = addProduct(lo, k, int64(a)); !okA {
			return 0, 0, false
		}
		if hi, okB = addProduct(hi, k, int64(b)); !okB {
			return 0, 0, false
		}
	}
	lo, hi = t.related(f, lo, hi)
	return lo, hi, true
}

// addProduct returns s + k*x unless it overflows.
func addProduct(s, k, x int64) (int64, bool) {
	p, ok := strided.SignedProduct(k, x, 64)
	sum := s + p
	return sum, ok && (sum > s) == (p > 0)
}

// fits reports whether a form, as a number, is in the range of a signed or unsigned type
// of its own width, so that reading the word as that type gives the number.
func (t *symbols) fits(f Form, sign bool) bool {
	lo, hi, ok := t.exact(f)
	if !ok {
		return false
	}
	if sign {
		half := int64(strided.Mask(f.bits) / 2)
		return lo >= -half-1 && hi <= half
	}
	return lo >= 0 && uint64(hi) <= strided.Mask(f.bits)
}
