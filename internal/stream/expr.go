package stream

import "warpbound/diag"

// expr computes a number: operands and operators in postfix order.
type expr []term

// term is an operand, or an operator on the two numbers before it.
type term struct {
	op    byte  // + - * / % ; 'n' for a number, 'v' for the variable of a loop
	value int64 // the number, or which loop
	pos   diag.Pos
}

// eval computes the expression. The variables are those of the loops around it.
func (e expr) eval(vars []int64) (int64, error) {
	var stack [maxNesting]int64
	n := 0
	for i := range e {
		t := &e[i]
		switch t.op {
		case 'n':
			stack[n] = t.value
			n++
			continue
		case 'v':
			stack[n] = vars[t.value]
			n++
			continue
		}
		n--
		v, err := t.apply(stack[n-1], stack[n])
		if err != nil {
			return 0, err
		}
		stack[n-1] = v
	}
	return stack[0], nil
}

// apply performs an operation on numbers that are not beyond Most.
func (t *term) apply(a, b int64) (int64, error) {
	var v int64
	switch t.op {
	case '+':
		v = a + b
	case '-':
		v = a - b
	case '*':
		if a != 0 && abs(b) > Max/abs(a) {
			return 0, diag.Errorf(t.pos, "%d * %d is beyond %d", a, b, int64(Max))
		}
		v = a * b
	default:
		if b == 0 {
			return 0, diag.Errorf(t.pos, "%d %c 0 is no number", a, t.op)
		}
		if v = a / b; t.op == '%' {
			v = a % b
		}
	}
	if abs(v) > Max {
		return 0, diag.Errorf(t.pos, "%d %c %d is beyond %d", a, t.op, b, int64(Max))
	}
	return v, nil
}

func abs(v int64) int64 { return max(v, -v) }
