package affine

import (
	"fmt"
	"math"
	"strings"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Symbol is a word that forms are made of: a launch constant, a thread's or a CTA's
// index, an operation on these, the result of the last execution of an instruction, or
// what a register held when control last came to a block.
type Symbol int32

// Origin tells where a symbol comes from.
type Origin uint8

// The origins of symbols.
const (
	Fixed   Origin = iota // a constant of the thread
	Merged                // a register at the beginning of a block
	Defined               // a result of an instruction
)

// SymbolFacts is what is known of a Symbol.
type SymbolFacts struct {
	Origin   Origin
	Name     string
	Set      strided.Interval // of all values it ever has
	Assigned bool             // Set holds one at least
	Varies   bool             // between the lanes of a warp
	Block    int              // where it is merged or defined, -1 if fixed
	Reg      isa.Reg
	PC       int // of the instruction that defines it

	Special isa.Special         // the special register that it is, if any
	Word    int                 // the offset in the parameter block of the parameter that it is, plus one; 0 if none
	Element *Element            // of memory that nobody writes, which it is; nil if it is none
	Region  *launchfacts.Region // the memory of which it is an address; nil if that is not known

	Operation *isa.Instr // the operation whose result on args it is, nil if none is known
	Args      []Form
	Sets      []strided.Interval // of the words that Args have when it is assigned; nil if only their forms tell
}

// Table is the table of all symbols of one analysis.
type Table struct {
	Symbols   []SymbolFacts
	Relations []launchfacts.Sum // what is known of parameters together
	// Buffers are those of the launch; some of them hold words that ascend if HasAscending says so.
	Buffers      []launchfacts.Buffer
	HasAscending bool
	Places       map[Place]Symbol  // the symbols that are merged or defined
	fixed        map[string]Symbol // the others, by their keys
}

// Place is where a register is merged or defined.
type Place struct {
	Origin Origin
	At     int // block or instruction
	Reg    isa.Reg
}

// NewTable returns a table without symbols.
func NewTable() *Table {
	return &Table{fixed: make(map[string]Symbol), Places: make(map[Place]Symbol)}
}

func (t *Table) addSymbol(s SymbolFacts) Symbol {
	t.Symbols = append(t.Symbols, s)
	return Symbol(len(t.Symbols) - 1)
}

// AddConstant returns a fixed symbol by its name.
func (t *Table) AddConstant(name string, set strided.Interval, varies bool) Symbol {
	return t.AddKeyed(name, name, set, varies)
}

// AddKeyed returns a fixed symbol by a key, which may tell it from others of the same name.
func (t *Table) AddKeyed(key, name string, set strided.Interval, varies bool) Symbol {
	key = fmt.Sprintf("%s:%d", key, set.Bits())
	s, ok := t.fixed[key]
	if !ok {
		s = t.addSymbol(SymbolFacts{Name: name, Set: set, Varies: varies, Block: -1})
		t.fixed[key] = s
	}
	return s
}

// AddSpecialRegister returns the symbol of a special register.
func (t *Table) AddSpecialRegister(r isa.Special, set strided.Interval, varies bool) Symbol {
	s := t.AddConstant(r.String(), set, varies)
	t.Symbols[s].Special = r
	return s
}

// MaxName limits the length of the names of expressions, which contain those of their
// parts.
const MaxName = 200

// AddExpression returns the fixed symbol of an operation on fixed forms, false if it has too
// many parts.
func (t *Table) AddExpression(in *isa.Instr, args []Form, set strided.Interval) (Symbol, bool) {
	texts := make([]string, len(args))
	bare := *in // whatever tells it from others, its operands apart
	bare.Guard, bare.Dst, bare.Src = isa.Guard{}, nil, nil
	key := fmt.Sprintf("%v to %d:", &bare, len(in.Dst))
	varies := false
	for i, f := range args {
		texts[i] = f.Format(t.NameOf)
		key += fmt.Sprintf(" %d %s", f.Bits, f.Key())
		varies = varies || f.Mentions(func(s Symbol) bool { return t.Symbols[s].Varies })
	}
	name := operationName(in, texts)
	if len(name) > MaxName {
		return 0, false
	}
	s := t.AddKeyed(key, name, set, varies)
	t.Symbols[s].Operation, t.Symbols[s].Args = in, args
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

// AddAt returns the symbol of a register at a place, and adds it if it is new.
func (t *Table) AddAt(p Place, block int, name string, width int) Symbol {
	s, ok := t.Places[p]
	if !ok {
		s = t.addSymbol(SymbolFacts{
			Origin: p.Origin, Name: name, Set: strided.Any(width), Block: block, Reg: p.Reg, PC: p.At,
		})
		t.Places[p] = s
	}
	return s
}

// NameOf returns the name of a symbol.
func (t *Table) NameOf(s Symbol) string { return t.Symbols[s].Name }

// Format renders a form with the names of its symbols.
func (t *Table) Format(f Form) string { return f.Format(t.NameOf) }

// IsFixed reports whether a form has fixed symbols only.
func (t *Table) IsFixed(f Form) bool {
	return f.IsKnown() && !f.Mentions(func(s Symbol) bool { return t.Symbols[s].Origin != Fixed })
}

// Words returns the words that a form can have.
func (t *Table) Words(f Form) strided.Interval {
	sum := strided.Const(f.Bits, f.Constant)
	for _, e := range f.Terms {
		s := t.Symbols[e.Symbol].Set
		if s.Bits() >= f.Bits {
			s = s.Cut(f.Bits)
		} else {
			s = s.Extend(f.Bits, false)
		}
		sum = sum.Add(s.Times(e.Coefficient))
	}
	if len(f.Terms) < 2 || len(t.Relations) == 0 && !t.HasAscending {
		return sum
	}
	if lo, hi, ok := t.ExactRange(f); ok && uint64(hi)-uint64(lo) < strided.Mask(f.Bits) {
		if both, ok := sum.Meet(strided.Between(f.Bits, uint64(lo), uint64(hi))); ok {
			sum = both
		}
	}
	return sum
}

// ExactRange returns the range of a form as a number: its constant and its coefficients count
// as signed numbers, its symbols as unsigned ones, and nothing is reduced modulo the
// width. It is false if the range does not fit an int64.
func (t *Table) ExactRange(f Form) (lo, hi int64, ok bool) {
	return t.ExactRangeWith(f, func(s Symbol) strided.Interval { return t.Symbols[s].Set })
}

// ExactRangeWith is the same for given sets of the symbols.
func (t *Table) ExactRangeWith(f Form, of func(Symbol) strided.Interval) (lo, hi int64, ok bool) {
	if !f.IsKnown() {
		return 0, 0, false
	}
	lo = strided.SignExtend(f.Constant, f.Bits)
	hi = lo
	for _, e := range f.Terms {
		if lo, hi, ok = addToRange(lo, hi, strided.SignExtend(e.Coefficient, f.Bits), of(e.Symbol)); !ok {
			return 0, 0, false
		}
	}
	lo, hi = t.rangeByRelations(f, lo, hi)
	return lo, hi, true
}

// addToRange adds k times the words of a set, as unsigned numbers, to a range; false if the ends do not fit an int64.
func addToRange(lo, hi, k int64, words strided.Interval) (int64, int64, bool) {
	a, b := words.Unsigned()
	if b > math.MaxInt64 {
		return 0, 0, false
	}
	if k < 0 {
		a, b = b, a
	}
	lo, okLo := addProduct(lo, k, int64(a))
	hi, okHi := addProduct(hi, k, int64(b))
	return lo, hi, okLo && okHi
}

// addProduct returns s + k*x unless it overflows.
func addProduct(s, k, x int64) (int64, bool) {
	p, ok := strided.SignedProduct(k, x, 64)
	sum := s + p
	return sum, ok && (sum > s) == (p > 0)
}

// Fits reports whether a form, as a number, is in the range of a signed or unsigned type
// of its own width, so that reading the word as that type gives the number.
func (t *Table) Fits(f Form, sign bool) bool {
	lo, hi, ok := t.ExactRange(f)
	if !ok {
		return false
	}
	if sign {
		half := int64(strided.Mask(f.Bits) / 2)
		return lo >= -half-1 && hi <= half
	}
	return lo >= 0 && uint64(hi) <= strided.Mask(f.Bits)
}

// WordsWith returns the words that a form can have whose symbols have those of the given sets.
func (t *Table) WordsWith(f Form, of func(Symbol) strided.Interval) strided.Interval {
	sum := strided.Const(f.Bits, f.Constant)
	for _, e := range f.Terms {
		s := of(e.Symbol)
		if s.Bits() >= f.Bits {
			s = s.Cut(f.Bits)
		} else {
			s = s.Extend(f.Bits, false)
		}
		sum = sum.Add(s.Times(e.Coefficient))
	}
	return sum
}

// Element is a word of a buffer at an address that is fixed for a thread.
type Element struct {
	Buffer  int
	Bytes   int
	Address Form
}
