package ptx

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// value is the value of a constant expression: an integer, a float, or the
// address of a name plus an integer.
type value struct {
	name     string // of an address
	at       Pos    // of the name
	generic  bool   // generic(name)
	mask     uint64 // of a masked address; 0 otherwise
	float    bool
	single   bool // a 0f literal: bits are those of a 32-bit float
	unsigned bool
	bits     uint64 // of the integer or float64; the offset of an address
}

func (v value) double() float64 {
	if v.single {
		return float64(math.Float32frombits(uint32(v.bits)))
	}
	return math.Float64frombits(v.bits)
}

// warpSize is the value of WARP_SZ inside constant expressions.
const warpSize = 32

// eval computes a constant expression after the rules of the PTX manual:
// 64-bit integers, unsigned if one operand is, and 64-bit floats.
func (m *Module) eval(e *Expr) (value, error) {
	switch e.Kind {
	case ExprInt:
		unsigned := e.Bits > math.MaxInt64 || strings.HasSuffix(e.Text, "U")
		return value{bits: e.Bits, unsigned: unsigned}, nil
	case ExprFloat:
		single := len(e.Text) > 1 && e.Text[0] == '0' && e.Text[1]|0x20 == 'f'
		return value{float: true, single: single, bits: e.Bits}, nil
	case ExprName:
		if e.Text == "WARP_SZ" {
			return value{bits: warpSize}, nil
		}
		return value{name: e.Text, at: e.Pos}, nil
	case ExprCall:
		return m.evalCall(e)
	case ExprIndex:
		return value{}, m.errorf(e.Pos, "an element of %s is an operand of its own, not a part of a constant", e.Text)
	}
	args := make([]value, len(e.Args))
	for i, a := range e.Args {
		var err error
		if args[i], err = m.eval(a); err != nil {
			return value{}, err
		}
		if args[i].mask != 0 || args[i].generic && e.Kind != ExprBinary {
			return value{}, m.errorf(a.Pos, "an address takes no operator but + and -")
		}
	}
	v, err := combine(e, args)
	if err != nil {
		return value{}, m.errorf(e.Pos, "%w", err)
	}
	return v, nil
}

func (m *Module) errorf(p Pos, format string, args ...any) error {
	return diag.Errorf(m.at(p), format, args...)
}

// evalCall computes generic(address), masked addresses such as 0xff00(address) and
// parts of integers such as 0xff00(1000).
func (m *Module) evalCall(e *Expr) (value, error) {
	v, err := m.eval(e.Args[0])
	if err != nil {
		return value{}, err
	}
	switch {
	case v.name == "" && !v.float && e.Bits != 0:
		return value{bits: v.bits & e.Bits >> bits.TrailingZeros64(e.Bits), unsigned: true}, nil
	case v.name == "" || v.mask != 0:
		return value{}, m.errorf(e.Pos, "%s( ) takes an address", e.Text)
	case e.Text == "generic" && !v.generic:
		v.generic = true
		return v, nil
	case e.Bits != 0:
		v.mask = e.Bits
		return v, nil
	}
	return value{}, m.errorf(e.Pos, "unknown function %s in a constant expression, want generic or a byte mask", e.Text)
}

func combine(e *Expr, args []value) (value, error) {
	switch {
	case e.Kind == ExprCond:
		if args[0].truth() {
			return args[1], nil
		}
		return args[2], nil
	case e.Kind == ExprBinary && (args[0].name != "" || args[1].name != ""):
		return offset(e.Text, args[0], args[1])
	case args[0].name != "":
		return value{}, fmt.Errorf("an address takes no operator but + and -")
	case e.Kind == ExprCast:
		return cast(e.Text, args[0])
	case e.Kind == ExprUnary:
		return unary(e.Text, args[0])
	case args[0].float || args[1].float:
		return binaryFloat(e.Text, args[0].double(), args[1].double(), args[0].float && args[1].float)
	}
	return binaryInt(e.Text, args[0], args[1])
}

func (v value) truth() bool { return v.name != "" || v.bits != 0 }

// offset adds an integer to an address or takes it away.
func offset(op string, a, b value) (value, error) {
	switch {
	case a.float || b.float || a.name != "" && b.name != "":
	case op == "+" && b.name != "":
		b.bits += a.bits
		return b, nil
	case op == "+":
		a.bits += b.bits
		return a, nil
	case op == "-" && b.name == "":
		a.bits -= b.bits
		return a, nil
	}
	return value{}, fmt.Errorf("an address takes no operator but + and - with an integer")
}

func cast(typ string, v value) (value, error) {
	switch t, _ := isa.TypeByName(typ); {
	case t == isa.F64 && v.float:
		return v, nil
	case t == isa.F64 && v.unsigned:
		return floatValue(float64(v.bits)), nil
	case t == isa.F64:
		return floatValue(float64(int64(v.bits))), nil
	case (t == isa.S64 || t == isa.U64) && v.float:
		f := math.Trunc(v.double())
		if !(math.Abs(f) < 1<<63) {
			return value{}, fmt.Errorf("%g does not fit into .%s", f, typ)
		}
		return value{bits: uint64(int64(f)), unsigned: t == isa.U64}, nil
	case t == isa.S64 || t == isa.U64:
		return value{bits: v.bits, unsigned: t == isa.U64}, nil
	}
	return value{}, fmt.Errorf("cannot cast to .%s, only to .s64, .u64 and .f64", typ)
}

func floatValue(f float64) value { return value{float: true, bits: math.Float64bits(f)} }

func boolValue(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

func unary(op string, v value) (value, error) {
	switch {
	case op == "+":
		return v, nil
	case op == "-" && v.float && v.single:
		v.bits ^= 1 << 31
		return v, nil
	case op == "-" && v.float:
		v.bits ^= 1 << 63
		return v, nil
	case v.float:
		return value{}, fmt.Errorf("operator %s takes no float", op)
	case op == "-":
		v.bits = -v.bits
		return v, nil
	case op == "!":
		return boolValue(v.bits == 0), nil
	}
	return value{bits: ^v.bits, unsigned: true}, nil // the result of ~ is unsigned
}

func binaryFloat(op string, a, b float64, both bool) (value, error) {
	switch {
	case !both:
		return value{}, fmt.Errorf("operator %s has a float and an integer; cast one of them", op)
	case op == "+":
		return floatValue(a + b), nil
	case op == "-":
		return floatValue(a - b), nil
	case op == "*":
		return floatValue(a * b), nil
	case op == "/":
		return floatValue(a / b), nil
	}
	if r, ok := compare(op, a, b); ok {
		return boolValue(r), nil
	}
	return value{}, fmt.Errorf("operator %s takes no floats", op)
}

func compare[T int64 | uint64 | float64](op string, a, b T) (result, ok bool) {
	switch op {
	case "==":
		return a == b, true
	case "!=":
		return a != b, true
	case "<":
		return a < b, true
	case "<=":
		return a <= b, true
	case ">":
		return a > b, true
	case ">=":
		return a >= b, true
	}
	return false, false
}

func binaryInt(op string, a, b value) (value, error) {
	unsigned := a.unsigned || b.unsigned
	x, y := a.bits, b.bits
	result, isComparison := compare(op, int64(x), int64(y))
	if unsigned {
		result, _ = compare(op, x, y)
	}
	out := value{unsigned: unsigned}
	switch op {
	case "+":
		out.bits = x + y
	case "-":
		out.bits = x - y
	case "*":
		out.bits = x * y
	case "&":
		out.bits = x & y
	case "|":
		out.bits = x | y
	case "^":
		out.bits = x ^ y
	case "&&":
		return boolValue(x != 0 && y != 0), nil
	case "||":
		return boolValue(x != 0 || y != 0), nil
	case "<<":
		return value{unsigned: a.unsigned, bits: x << y}, nil
	case ">>":
		if a.unsigned {
			return value{unsigned: true, bits: x >> y}, nil
		}
		return value{bits: uint64(int64(x) >> y)}, nil
	case "/", "%":
		return divide(op, x, y, unsigned)
	default:
		if isComparison {
			return boolValue(result), nil
		}
	}
	return out, nil
}

func divide(op string, x, y uint64, unsigned bool) (value, error) {
	switch {
	case y == 0:
		return value{}, fmt.Errorf("division by zero")
	case unsigned && op == "/":
		return value{unsigned: true, bits: x / y}, nil
	case unsigned:
		return value{unsigned: true, bits: x % y}, nil
	case op == "/":
		return value{bits: uint64(int64(x) / int64(y))}, nil
	}
	return value{bits: uint64(int64(x) % int64(y))}, nil
}

// literal gives the bits of a constant as an operand of type t. A constant that does not fit
// is an error: there are no bits that it could lose without a change of what it says.
func literal(v value, t isa.Type) (uint64, error) {
	if n := t.Bits(); !v.float && t != isa.Pred && n < 64 && v.bits>>n != 0 && int64(v.bits)>>(n-1) != -1 {
		return 0, fmt.Errorf("the constant has more than the %d bits of .%s", n, t)
	}
	return immediate(v, t)
}

// immediate gives the bits of a constant as an operand or element of type t, those that are
// too many cut off.
func immediate(v value, t isa.Type) (uint64, error) {
	switch bits := t.Bits(); {
	case t == isa.Pred:
		if v.float {
			return 0, fmt.Errorf("a float where a predicate is wanted")
		}
		return boolValue(v.bits != 0).bits, nil
	case v.float && (t == isa.F32 || t.Class() == isa.Bits && bits == 32):
		if v.single {
			return v.bits, nil // keeps the payload of a NaN
		}
		return uint64(math.Float32bits(float32(v.double()))), nil
	case v.float && (t == isa.F64 || t.Class() == isa.Bits && bits == 64):
		return math.Float64bits(v.double()), nil
	case v.float:
		return 0, fmt.Errorf("a float where .%s is wanted", t)
	case t.IsFloat() && v.bits == 0: // zero whether it is taken for a number or for bits
		return 0, nil
	case t.IsFloat() && bits < 32:
		return 0, fmt.Errorf("an integer where .%s is wanted, which has no constants but 0; move its bits to a register with mov.b%d", t, bits)
	case t.IsFloat():
		return 0, fmt.Errorf("an integer where .%s is wanted; write a float such as 1.0 or 0f3F800000", t)
	case bits < 64:
		return v.bits & (1<<bits - 1), nil
	}
	return v.bits, nil
}
