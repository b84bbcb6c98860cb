package contract

import "fmt"

// Op is what an expression is.
type Op uint8

// The operations. Div and Rem are those of C: quotients are rounded towards zero, and remainders have the sign
// of the dividend. Their divisor is a positive number.
const (
	Number Op = iota
	Name
	Add
	Sub
	Mul
	Div
	Rem
)

// Expr is an integer expression.
type Expr struct {
	Op    Op
	Value int64 // of a Number
	Var   int   // of a Name: which number is meant
	L, R  *Expr // of operations
}

// Cmp is a comparison.
type Cmp uint8

// The comparisons.
const (
	Lt Cmp = iota
	Le
	Eq
	Ne
	Ge
	Gt
)

// Relation is a comparison of two expressions, which holds.
type Relation struct {
	Cmp  Cmp
	L, R *Expr
}

// SyntaxError says what is wrong with the text of relations, and where.
type SyntaxError struct {
	At  int // bytes before it in the text
	Err error
}

func (e *SyntaxError) Error() string { return e.Err.Error() }
func (e *SyntaxError) Unwrap() error { return e.Err }

// Vars calls visit for every name in the relation.
func (r *Relation) Vars(visit func(v int)) {
	r.L.vars(visit)
	r.R.vars(visit)
}

func (e *Expr) vars(visit func(v int)) {
	switch e.Op {
	case Number:
	case Name:
		visit(e.Var)
	default:
		e.L.vars(visit)
		e.R.vars(visit)
	}
}

// Holds reports whether the relation holds of numbers.
func (r *Relation) Holds(numbers []int64) bool {
	a, b := r.L.of(numbers), r.R.of(numbers)
	switch r.Cmp {
	case Lt:
		return a < b
	case Le:
		return a <= b
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Ge:
		return a >= b
	}
	return a > b
}

// of returns the value of an expression.
func (e *Expr) of(numbers []int64) int64 {
	switch e.Op {
	case Number:
		return e.Value
	case Name:
		return numbers[e.Var]
	}
	a, b := e.L.of(numbers), e.R.of(numbers)
	switch e.Op {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul:
		return a * b
	case Div:
		return a / b
	}
	return a % b
}

// Linear is a sum of coefficients times numbers that is at most Max.
type Linear struct {
	Coefs map[int]int64
	Max   int64
}

// Linears returns what a relation says of sums; nothing if it is no comparison of such.
func (r *Relation) Linears() []Linear {
	coefs := make(map[int]int64)
	c, ok := r.L.sum(coefs, 1)
	d, okR := r.R.sum(coefs, -1)
	if !ok || !okR || r.Cmp == Ne {
		return nil
	}
	// The sum of the terms plus c + d compares with 0.
	upper := Linear{coefs, -c - d}
	lower := Linear{make(map[int]int64), c + d}
	for v, k := range coefs {
		lower.Coefs[v] = -k
	}
	switch r.Cmp {
	case Lt:
		upper.Max--
		return []Linear{upper}
	case Le:
		return []Linear{upper}
	case Gt:
		lower.Max--
		return []Linear{lower}
	case Ge:
		return []Linear{lower}
	}
	return []Linear{upper, lower}
}

// sum adds k times an expression to a sum, and returns what it adds besides the terms; false if the expression is
// not linear.
func (e *Expr) sum(coefs map[int]int64, k int64) (constant int64, ok bool) {
	switch e.Op {
	case Number:
		return k * e.Value, true
	case Name:
		coefs[e.Var] += k
		return 0, true
	case Add, Sub:
		sign := int64(1)
		if e.Op == Sub {
			sign = -1
		}
		c, ok := e.L.sum(coefs, k)
		d, okR := e.R.sum(coefs, sign*k)
		return c + d, ok && okR
	case Mul:
		if c, ok := e.L.constant(); ok {
			return e.R.sum(coefs, k*c)
		}
		if c, ok := e.R.constant(); ok {
			return e.L.sum(coefs, k*c)
		}
	}
	return 0, false
}

// constant returns the value of an expression without names.
func (e *Expr) constant() (int64, bool) {
	named := false
	e.vars(func(int) { named = true })
	if named {
		return 0, false
	}
	return e.of(nil), true
}

// errorAt makes a SyntaxError.
func errorAt(at int, format string, args ...any) error {
	return &SyntaxError{at, fmt.Errorf(format, args...)}
}
