package ptx

func appendInstr(b []byte, in *Instr) []byte {
	if in.Guard.Name != "" {
		b = append(b, '@')
		if in.Guard.Not {
			b = append(b, '!')
		}
		b = append(b, in.Guard.Name...)
		b = append(b, ' ')
	}
	b = append(b, in.Mnemonic...)
	if len(in.Operands) > 0 {
		b = append(b, ' ')
	}
	return appendOperands(b, in.Operands, ", ")
}

func appendOperands(b []byte, list []Operand, sep string) []byte {
	for i := range list {
		if i > 0 {
			b = append(b, sep...)
		}
		b = appendOperand(b, &list[i])
	}
	return b
}

func appendOperand(b []byte, o *Operand) []byte {
	switch o.Kind {
	case OperandName:
		if o.Not {
			b = append(b, '!')
		}
		return append(b, o.Name...)
	case OperandExpr:
		return appendExpr(b, o.Expr)
	case OperandPair:
		return appendOperands(b, o.List, "|")
	}
	b = append(b, brackets[o.Kind][0])
	b = appendOperands(b, o.List, ", ")
	return append(b, brackets[o.Kind][1])
}

var brackets = [...]string{OperandAddr: "[]", OperandVector: "{}", OperandTuple: "()"}

// precedence of the operator at the top of an expression.
func precedence(e *Expr) int {
	switch e.Kind {
	case ExprCond:
		return precCond
	case ExprBinary:
		return binaryPrec[e.Text]
	}
	return precUnary
}

// appendExpr renders an expression with only the parentheses that it needs, so
// that its text nests no deeper than what was parsed.
func appendExpr(b []byte, e *Expr) []byte {
	switch e.Kind {
	case ExprUnary:
		b = append(b, e.Text...)
		return appendArg(b, e.Args[0], precUnary)
	case ExprCast:
		b = append(b, "(."...)
		b = append(b, e.Text...)
		b = append(b, ')')
		return appendArg(b, e.Args[0], precUnary)
	case ExprBinary:
		prec := binaryPrec[e.Text]
		b = appendArg(b, e.Args[0], prec)
		blank := e.Text != "+" && e.Text != "-" // "%" and a digit would be a name
		if blank {
			b = append(b, ' ')
		}
		b = append(b, e.Text...)
		if blank {
			b = append(b, ' ')
		}
		return appendArg(b, e.Args[1], prec+1)
	case ExprCond:
		b = appendArg(b, e.Args[0], precCond+1)
		b = append(b, " ? "...)
		b = appendExpr(b, e.Args[1])
		b = append(b, " : "...)
		return appendExpr(b, e.Args[2])
	case ExprCall, ExprIndex:
		around := brackets[OperandTuple]
		if e.Kind == ExprIndex {
			around = brackets[OperandAddr]
		}
		b = append(append(b, e.Text...), around[0])
		b = appendExpr(b, e.Args[0])
		return append(b, around[1])
	}
	return append(b, e.Text...)
}

// appendArg renders an argument, in parentheses if it binds looser than least.
func appendArg(b []byte, e *Expr, minimum int) []byte {
	if precedence(e) >= minimum {
		return appendExpr(b, e)
	}
	b = append(b, '(')
	b = appendExpr(b, e)
	return append(b, ')')
}
