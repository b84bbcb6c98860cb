package ptx

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// unknownError is the error of an instruction that PTX allows but isa cannot
// express. It becomes one that is not modelled, with a warning that gives the reason.
type unknownError struct{ reason string }

func (e unknownError) Error() string { return e.reason }

// instr lowers one instruction and appends it, unless that is an error.
func (fn *function) instr(x *Instr) error {
	fn.before = fn.before[:0]
	in, err := fn.lower(x)
	var unknown unknownError
	if errors.As(err, &unknown) {
		fn.before = fn.before[:0]
		in, err = fn.unmodelled(x, unknown.reason), nil
	} else if err == nil {
		if reason := fn.gateInstr(x); reason != "" {
			fn.before = fn.before[:0]
			in = fn.withholdInstr(x, reason)
		}
	}
	if err != nil {
		return err
	}
	guard, err := fn.guard(x.Guard)
	if err != nil {
		return err
	}
	ofWarps := slices.ContainsFunc(x.Operands, Operand.hasWarpSize)
	for _, in := range append(fn.before, in) {
		in.Pos, in.Loc, in.Inlined, in.Guard = fn.at(x.Pos), fn.loc, fn.inlined, guard
		in.Split, in.WarpSize = fn.splits[x], ofWarps
		fn.makeGeneric(&in)
		fn.f.Instrs = append(fn.f.Instrs, in)
	}
	return nil
}

func (fn *function) guard(g Guard) (isa.Guard, error) {
	if g.Name == "" {
		return isa.Guard{}, nil
	}
	s := fn.lookup(g.Name)
	switch {
	case s.kind != symReg:
		return isa.Guard{}, fn.errorf(g.Pos, "%s, want a predicate register", fn.notSymbol(g.Name, s))
	case fn.f.Regs[s.reg].Type != isa.Pred:
		return isa.Guard{}, fn.errorf(g.Pos, "guard %s is .%s, want a .pred register", g.Name, fn.f.Regs[s.reg].Type)
	}
	return isa.Guard{Set: true, Not: g.Not, Reg: s.reg}, nil
}

// lower makes the instruction without its guard and position.
func (fn *function) lower(x *Instr) (isa.Instr, error) {
	fn.operandsOfForm, fn.specials = "", fn.specials[:0]
	if x.Mnemonic == "call" || x.Mnemonic == "call.uni" {
		return fn.call(x)
	}
	if isStackInstr(x) {
		return fn.stackInstr(x)
	}
	matched, ok := fn.matched[x.Mnemonic]
	if !ok {
		matched = candidates(fn.dialect.mnemonic(x.Mnemonic))
		fn.matched[x.Mnemonic] = matched
	}
	if len(matched) == 0 {
		return isa.Instr{}, unknownError{refusal(x.Mnemonic)}
	}
	if fn.vectors || matched[0].op == isa.Mov && matched[0].vector > 0 {
		x = fn.expanded(x)
	}
	var first error
	for i := range matched {
		if c := &matched[i]; c.accepts(x.Operands) {
			fn.before = fn.before[:0]
			in, err := fn.operands(c, x)
			if err == nil {
				_, fn.operandsOfForm, _ = strings.Cut(c.text, " ")
				return fn.dialect.adjust(c, in)
			}
			if first == nil {
				first = err
			}
		}
	}
	if first != nil {
		return isa.Instr{}, first
	}
	return isa.Instr{}, errors.New(operandMisfit(matched, x.Operands))
}

// shorten cuts the text of an instruction or operand for a message.
func shorten(text string) string {
	const longest = 200
	if len(text) > longest {
		return text[:longest] + "..."
	}
	return text
}

// accepts reports whether operands have the number and shapes of the form's.
func (c *candidate) accepts(operands []Operand) bool {
	for i := range c.slots {
		if c.slots[i].flag || c.slots[i].hint && len(operands) == 0 {
			continue
		}
		if len(operands) == 0 || !c.slots[i].accepts(&operands[0], c.vector) {
			return false
		}
		operands = operands[1:]
	}
	return len(operands) == 0
}

func (s *slot) accepts(o *Operand, vector int) bool {
	switch o.Kind {
	case OperandAddr:
		return s.address && len(o.List) == 1
	case OperandVector:
		if s.fragment || s.vector && len(o.List) == vector {
			return true
		}
		if plain, ok := unbraced(o); ok {
			return s.letter != 'L' && s.letter != 'T' && s.accepts(plain, vector)
		}
		return s.parts && len(o.List) > 1
	case OperandPair:
		return s.second != nil
	case OperandTuple:
		return false
	case OperandExpr:
		if s.address {
			return o.Expr.Kind == ExprIndex
		}
	}
	if (s.letter == 'L' || s.letter == 'T') && (o.Kind != OperandName || o.Not) {
		return false
	}
	return !s.address && !s.parts && !(s.vector && vector > 0)
}

// unbraced gives the operand in braces that hold only one, which is the same without them:
// Triton and XLA write every operand of loads and stores so.
func unbraced(o *Operand) (*Operand, bool) {
	if o.Kind != OperandVector || len(o.List) != 1 || o.List[0].Kind != OperandName && o.List[0].Kind != OperandExpr {
		return o, false
	}
	return &o.List[0], true
}

// operands completes the instruction of a candidate.
func (fn *function) operands(c *candidate, x *Instr) (isa.Instr, error) {
	in := c.instr
	if in.Video != nil {
		own := *in.Video
		in.Video = &own
		selectAll(in.Video)
	}
	given := x.Operands
	for i := range c.slots {
		s := &c.slots[i]
		switch {
		case s.flag:
			fn.flag(&in, s)
			continue
		case len(given) == 0: // a hint is missing
			continue
		}
		o := &given[0]
		given = given[1:]
		to := &in
		if s.hint {
			to = &isa.Instr{}
		}
		err := fn.place(to, c, s, o)
		var d *diag.Error
		if err != nil && !errors.As(err, &d) && !errors.As(err, new(unknownError)) {
			operand := shorten(string(appendOperand(nil, o)))
			err = fn.errorf(o.Pos, "operand %s: %w", operand, err)
		}
		if err != nil {
			return in, err
		}
	}
	if in.Op == isa.Mov && c.slots[0].explicit != isa.Invalid {
		in.Type = c.slots[0].explicit
	}
	if in.Op == isa.Cvt && c.slots[0].explicit != isa.Invalid {
		in.Type, in.SrcType = c.slots[0].explicit, c.slots[1].explicit
	}
	if in.Op == isa.Selp && in.Src[2].Not {
		// What a selection by a complement gives is that of the other operand without it.
		in.Src[0], in.Src[1], in.Src[2].Not = in.Src[1], in.Src[0], false
	}
	switch {
	case in.Op == isa.BulkCopy, in.Op == isa.Mbarrier:
		return fn.asynchronous(in), nil
	case in.Type == isa.B128:
		in = fn.halved(in)
		return in, fn.checkParameter(&in)
	case in.Op == isa.Mov && c.vector > 0:
		return fn.elementwise(in), nil
	}
	if err := fn.checkParameter(&in); err != nil {
		return in, err
	}
	return fn.parameterAccess(in)
}

// place lowers one operand into the results, sources or targets of in.
func (fn *function) place(in *isa.Instr, c *candidate, s *slot, o *Operand) (err error) {
	o, _ = unbraced(o)
	switch {
	case s.letter == 'L':
		in.Target, err = fn.label(Name{o.Pos, o.Name})
	case s.letter == 'T':
		in.Targets, err = fn.targetList(o)
	case s.address:
		own := in.Space
		if s.space != isa.Generic {
			in.Space = s.space
		}
		if o.Kind == OperandAddr {
			o = &o.List[0]
		}
		var a isa.Operand
		if a, err = fn.addressOf(in, o); err == nil {
			in.Src = append(in.Src, a)
		}
		if s.space != isa.Generic {
			in.Space = own
		}
	case s.selects, s.minus:
		err = fn.part(in, c, s, o)
	case s.fragment:
		err = fn.fragment(in, c, s, o)
	case o.Kind == OperandVector:
		err = fn.vector(in, c, s, o)
	case o.Kind == OperandPair:
		if err = fn.operand(in, c, s, &o.List[0]); err == nil {
			err = fn.operand(in, c, s.second, &o.List[1])
		}
	default:
		err = fn.operand(in, c, s, o)
	}
	return err
}

// flag appends what an instruction does not write: a zero or the carry flag, a
// register that no name stands for.
func (fn *function) flag(in *isa.Instr, s *slot) {
	if s.letter == '0' {
		in.Src = append(in.Src, isa.ImmOperand(0))
		return
	}
	if fn.carry == isa.NoReg {
		fn.carry = fn.newReg("%cc", isa.Pred)
	}
	if o := isa.RegOperand(fn.carry); s.result() {
		in.Dst = append(in.Dst, o)
	} else {
		in.Src = append(in.Src, o)
	}
}

// vector lowers the elements of {a, b, ...}: each of the slot's type under .v4
// and the like, else equal parts of it.
func (fn *function) vector(in *isa.Instr, c *candidate, s *slot, o *Operand) error {
	t := c.typeOf(s, fn.address)
	elem := *s
	if s.parts {
		part, ok := partTypes[t.Bits()/len(o.List)]
		if !ok || t.Bits()%len(o.List) != 0 || t == isa.B128 && part != isa.B64 {
			return fmt.Errorf("%d elements do not fill .%s", len(o.List), t)
		}
		elem.typ, elem.explicit = part.String(), part
	}
	for i := range o.List {
		if o.List[i].Kind == OperandVector || o.List[i].Kind == OperandAddr || o.List[i].Kind == OperandPair {
			return errors.New("want a register or a constant in each element")
		}
		if err := fn.operand(in, c, &elem, &o.List[i]); err != nil {
			return err
		}
	}
	return nil
}

// partTypes are the types of the parts of a packed value by their bits.
var partTypes = map[int]isa.Type{8: isa.B8, 16: isa.B16, 32: isa.B32, 64: isa.B64}

// operand lowers a name or a constant into the results or sources of in.
func (fn *function) operand(in *isa.Instr, c *candidate, s *slot, o *Operand) error {
	t := c.typeOf(s, fn.address)
	if t == isa.B128 {
		return fn.wide(in, s, o)
	}
	out, err := fn.resolve(o, t, s)
	if err != nil {
		return err
	}
	if s.result() {
		if out.Kind != isa.KindReg && out.Kind != isa.KindSink {
			return errors.New("want a register for the result")
		}
		in.Dst = append(in.Dst, out)
		return nil
	}
	switch {
	case out.Kind == isa.KindSink && !(in.Op == isa.St && c.vector > 0):
		return errors.New("_ is no source")
	case s.letter == 'i' && out.Kind != isa.KindImm:
		return errors.New("want a constant")
	case out.Kind == isa.KindImm && out.Imm > 255 && ofByte(in.Op, s.letter):
		return errors.New("want a constant from 0 to 255")
	}
	in.Src = append(in.Src, out)
	return nil
}

// ofByte reports whether a constant operand must fit a byte: a truth table, and the place and the
// length of a field of bits, of which the manual says that they are restricted to that and
// assemblers refuse others.
func ofByte(op isa.Op, letter byte) bool {
	switch op {
	case isa.Lop3:
		return letter == 'i'
	case isa.Bfe:
		return letter == 'b' || letter == 'c'
	case isa.Bfi:
		return letter == 'c' || letter == 'x'
	}
	return false
}

// label gives the index of a label among the function's.
func (fn *function) label(n Name) (int, error) {
	if s := fn.lookup(n.Text); s.kind == symLabel {
		return int(s.index), nil
	}
	return 0, fn.errorf(n.Pos, "unknown label %s", n.Text)
}

func (fn *function) targetList(o *Operand) ([]int, error) {
	s := fn.lookup(o.Name)
	if s.kind != symTargets || fn.targets[s.index].Kind != "branchtargets" {
		return nil, errors.New("want the name of a .branchtargets list")
	}
	var list []int
	for _, n := range fn.targets[s.index].Names {
		i, err := fn.label(n)
		if err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, nil
}
