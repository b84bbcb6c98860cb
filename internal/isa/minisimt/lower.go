package minisimt

import (
	"math"
	"slices"
	"strconv"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// Lower checks the names and types of a module and makes a program of it. The error
// lists everything that is wrong, with positions.
func Lower(m *Module) (*isa.Program, error) {
	p := &isa.Program{File: m.File, Language: "mini-SIMT", Version: "1", Target: "mini-simt", AddressBits: 32, Reconvergence: isa.AtSyncs}
	var errs diag.List
	for i, k := range m.Kernels {
		if slices.ContainsFunc(m.Kernels[:i], func(o *Kernel) bool { return o.Name == k.Name }) {
			errs.Add(diag.Errorf(k.Pos, "there are two kernels %s", k.Name))
		}
		l := &lowerer{kernel: k, file: m.File, errs: &errs, vars: make(map[string]variable)}
		p.Funcs = append(p.Funcs, l.lower())
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// variable is what a name stands for.
type variable struct {
	typ     Type
	operand isa.Operand
}

type lowerer struct {
	kernel *Kernel
	file   string
	vars   map[string]variable
	errs   *diag.List
	in     *Instr    // being lowered
	out    isa.Instr // what it becomes
}

func (l *lowerer) errorf(pos diag.Pos, format string, args ...any) {
	l.errs.Add(diag.Errorf(pos, format, args...))
}

var specials = map[string]isa.Special{"Tid": isa.TidX, "Ntid": isa.NtidX, "Ctaid": isa.CtaidX, "Nctaid": isa.NctaidX}

// isaTypes are the types of registers and parameters.
var isaTypes = [numTypes]isa.Type{Int: isa.S32, Float: isa.F32, Bool: isa.Pred, IntPtr: isa.U32, FloatPtr: isa.U32}

func (l *lowerer) lower() *isa.Func {
	k := l.kernel
	f := &isa.Func{Name: k.Name, Entry: true, Pos: k.Pos}
	for name, s := range specials {
		l.vars[name] = variable{Int, isa.Operand{Kind: isa.KindSpecial, Special: s, Reg: isa.NoReg}}
	}
	for i, v := range k.Params {
		if v.Type == Bool {
			l.errorf(v.Pos, "parameter %s is a truth value; pass an int", v.Name)
		}
		l.declare(v, isa.ParamOperand(i))
		f.Params = append(f.Params, isa.Var{
			Name: v.Name, Space: isa.Param, Type: isaTypes[v.Type], Bytes: 4, Align: 4, Offset: 4 * i, Pos: v.Pos,
		})
	}
	for i, v := range k.Vars {
		l.declare(v, isa.RegOperand(isa.Reg(i)))
		f.Regs = append(f.Regs, isa.RegDecl{Name: v.Name, Type: isaTypes[v.Type]})
	}
	for i := range k.Code {
		l.in = &k.Code[i]
		l.out = isa.Instr{Pos: l.in.Pos, Text: l.in.String()}
		l.instr()
		f.Instrs = append(f.Instrs, l.out)
	}
	end := k.Pos
	if n := len(k.Code); n > 0 {
		end = k.Code[n-1].Pos
	}
	f.Instrs = append(f.Instrs, isa.Instr{Op: isa.Exit, Pos: diag.Pos{File: end.File, Line: end.Line}})
	f.Labels = l.labels(f.Instrs)
	return f
}

func (l *lowerer) declare(v Var, operand isa.Operand) {
	if _, taken := l.vars[v.Name]; taken {
		l.errorf(v.Pos, "%s is declared twice", v.Name)
	}
	l.vars[v.Name] = variable{v.Type, operand}
}

// labels names every instruction by its address.
func (l *lowerer) labels(instrs []isa.Instr) []isa.Label {
	labels := make([]isa.Label, len(instrs))
	for i := range labels {
		labels[i] = isa.Label{Name: strconv.Itoa(l.kernel.Start + i), Index: i, Pos: instrs[i].Pos}
	}
	return labels
}

func (l *lowerer) instr() {
	switch in := l.in; in.Op {
	case Bz, Bnz, Jump:
		l.branch()
	case Store:
		elem := l.pointer(in.A)
		l.out.Op, l.out.Space, l.out.Type = isa.St, isa.Global, isaTypes[elem]
		l.out.Src = []isa.Operand{l.address(in.A), l.value(in.B, elem)}
	case Load:
		elem := l.pointer(in.A)
		l.out.Op, l.out.Space, l.out.Type = isa.Ld, isa.Global, isaTypes[elem]
		l.out.Src = []isa.Operand{l.address(in.A)}
		if typ := l.destination(); elem != NoType && typ != NoType && typ != elem {
			l.errorf(in.Pos, "%s is %s; %s points to %s", in.Dst, typ, in.A, elem)
		}
	case Binop:
		l.binop()
	case Const:
		l.copy()
	case Sync:
		l.out.Op = isa.Reconverge
	case Barrier:
		l.out.Op, l.out.Barrier = isa.Bar, isa.BarrierSync
		l.out.Src = []isa.Operand{l.value(in.A, Int), l.value(in.B, Int)}
	}
}

func (l *lowerer) branch() {
	k, in := l.kernel, l.in
	l.out.Op, l.out.Target = isa.Bra, in.Target-k.Start
	if l.out.Target < 0 || l.out.Target > len(k.Code) {
		l.errorf(in.Pos, "there is no address %d: kernel %s has %d to %d, and %d is its end",
			in.Target, k.Name, k.Start, k.Start+len(k.Code)-1, k.Start+len(k.Code))
	}
	if in.Op == Jump {
		return
	}
	v, ok := l.find(in.A)
	switch {
	case !ok:
	case v.typ != Bool && v.typ != Int:
		l.errorf(in.A.Pos, "%s is %s; a branch tests int or bool", in.A, v.typ)
	case v.operand.Kind != isa.KindReg:
		l.errorf(in.A.Pos, "%s does not change; a branch tests a variable that the kernel declares", in.A)
	default:
		l.out.Guard = isa.Guard{Set: true, Not: in.Op == Bz, Reg: v.operand.Reg}
	}
}

// find returns what a value that must be a variable names.
func (l *lowerer) find(v Value) (variable, bool) {
	if v.Name == "" {
		l.errorf(v.Pos, "want a variable, not the number %s", v)
		return variable{}, false
	}
	found, ok := l.vars[v.Name]
	if !ok {
		l.errorf(v.Pos, "%s is not declared", v.Name)
	}
	return found, ok
}

// typeOf returns the type of a value, NoType after an error.
func (l *lowerer) typeOf(v Value) Type {
	switch {
	case v.Name != "":
		found, _ := l.find(v)
		return found.typ
	case v.IsFloat:
		return Float
	}
	return Int
}

// value is the operand for a value that must be of a type. A number may be an integer
// where the type is float, and 0 or 1 where it is a truth value.
func (l *lowerer) value(v Value, want Type) isa.Operand {
	if v.Name != "" {
		found, ok := l.find(v)
		if ok && want != NoType && found.typ != want {
			l.errorf(v.Pos, "%s is %s; want %s", v, found.typ, want)
		}
		return found.operand
	}
	switch {
	case want == Float && v.IsFloat:
		return isa.ImmOperand(uint64(math.Float32bits(v.Float)))
	case want == Float:
		return isa.ImmOperand(uint64(math.Float32bits(float32(v.Int))))
	case want == Bool && !v.IsFloat && v.Int>>1 == 0, want == Int && !v.IsFloat:
	case want != NoType:
		l.errorf(v.Pos, "the number %s is no %s", v, want)
	}
	return isa.ImmOperand(uint64(uint32(v.Int)))
}

// pointer returns the type that a variable points to.
func (l *lowerer) pointer(v Value) Type {
	found, ok := l.find(v)
	if ok && found.typ.Elem() == NoType {
		l.errorf(v.Pos, "%s is %s, no pointer", v, found.typ)
	}
	return found.typ.Elem()
}

// address is the memory that a variable points to. A parameter that is a pointer stands
// in no register, but its value is the address of a variable.
func (l *lowerer) address(v Value) isa.Operand {
	found, ok := l.vars[v.Name]
	if ok && found.operand.Kind == isa.KindParam {
		l.errorf(v.Pos, "parameter %s is in no variable; copy it into one first, as in: const a = %s", v, v)
	}
	return isa.Operand{Kind: isa.KindAddr, Reg: found.operand.Reg}
}

// destination sets the result and returns its type.
func (l *lowerer) destination() Type {
	found, ok := l.find(Value{Name: l.in.Dst, Pos: l.in.Pos})
	switch {
	case !ok:
		return NoType
	case found.operand.Kind == isa.KindParam:
		l.errorf(l.in.Pos, "parameter %s cannot be assigned to; copy it into a variable", l.in.Dst)
	}
	l.out.Dst = []isa.Operand{found.operand}
	return found.typ
}

// copy lowers Const.
func (l *lowerer) copy() {
	to, a := l.destination(), l.in.A
	l.out.Op, l.out.Type = isa.Mov, isaTypes[to]
	if a.Name == "" {
		l.out.Src = []isa.Operand{l.value(a, to)}
		return
	}
	switch from := l.vars[a.Name].typ; {
	case from == Int && to == Float:
		l.out.Op, l.out.SrcType, l.out.Round = isa.Cvt, isa.S32, isa.RoundRN
		l.out.Src = []isa.Operand{l.value(a, Int)}
	case from == Float && to == Int:
		l.out.Op, l.out.SrcType, l.out.Round = isa.Cvt, isa.F32, isa.RoundIntRZ
		l.out.Src = []isa.Operand{l.value(a, Float)}
	default:
		l.out.Src = []isa.Operand{l.value(a, to)}
	}
}

// rule is how an operator is executed on operands of certain types.
type rule struct {
	operator string
	a, b     Type
	result   Type
	op       isa.Op
	typ      isa.Type
	round    isa.Round
	cmp      isa.Cmp
}

// rules are the operators on numbers and truth values. What a number is depends on the
// other operand. Comparisons of floats are false where one is NaN, but for !=. Pointers
// and products with a truth value are lowered separately.
var rules = []rule{
	{"+", Int, Int, Int, isa.Add, isa.S32, 0, 0}, {"+", Float, Float, Float, isa.Add, isa.F32, isa.RoundRN, 0},
	{"-", Int, Int, Int, isa.Sub, isa.S32, 0, 0}, {"-", Float, Float, Float, isa.Sub, isa.F32, isa.RoundRN, 0},
	{"*", Int, Int, Int, isa.Mul, isa.S32, 0, 0}, {"*", Float, Float, Float, isa.Mul, isa.F32, isa.RoundRN, 0},
	{"/", Int, Int, Int, isa.Div, isa.S32, 0, 0}, {"/", Float, Float, Float, isa.Div, isa.F32, isa.RoundRN, 0},
	{"%", Int, Int, Int, isa.Rem, isa.S32, 0, 0},
	{"&", Int, Int, Int, isa.And, isa.B32, 0, 0}, {"&", Bool, Bool, Bool, isa.And, isa.Pred, 0, 0},
	{"|", Int, Int, Int, isa.Or, isa.B32, 0, 0}, {"|", Bool, Bool, Bool, isa.Or, isa.Pred, 0, 0},
	{"^", Int, Int, Int, isa.Xor, isa.B32, 0, 0}, {"^", Bool, Bool, Bool, isa.Xor, isa.Pred, 0, 0},
	{"<<", Int, Int, Int, isa.Shl, isa.B32, 0, 0}, {">>", Int, Int, Int, isa.Shr, isa.S32, 0, 0},
	{"<", Int, Int, Bool, isa.Setp, isa.S32, 0, isa.Lt}, {"<", Float, Float, Bool, isa.Setp, isa.F32, 0, isa.Lt},
	{"<=", Int, Int, Bool, isa.Setp, isa.S32, 0, isa.Le}, {"<=", Float, Float, Bool, isa.Setp, isa.F32, 0, isa.Le},
	{">", Int, Int, Bool, isa.Setp, isa.S32, 0, isa.Gt}, {">", Float, Float, Bool, isa.Setp, isa.F32, 0, isa.Gt},
	{">=", Int, Int, Bool, isa.Setp, isa.S32, 0, isa.Ge}, {">=", Float, Float, Bool, isa.Setp, isa.F32, 0, isa.Ge},
	{"==", Int, Int, Bool, isa.Setp, isa.S32, 0, isa.Eq}, {"==", Float, Float, Bool, isa.Setp, isa.F32, 0, isa.Eq},
	{"!=", Int, Int, Bool, isa.Setp, isa.S32, 0, isa.Ne}, {"!=", Float, Float, Bool, isa.Setp, isa.F32, 0, isa.NeU},
}

func (l *lowerer) binop() {
	in := l.in
	result, a, b := l.destination(), l.typeOf(in.A), l.typeOf(in.B)
	if a == NoType || b == NoType || result == NoType {
		return
	}
	number := func(v Value, as Type) bool { return v.Name == "" && !v.IsFloat && (as == Float || as == Bool) }
	switch {
	case in.Operator == "+" && a.Elem() != NoType && b == Int:
		l.offset(a, result)
		return
	case in.Operator == "*" && a == Bool && (b == Int || b == Float):
		l.product(b, result)
		return
	case number(in.A, b):
		a = b
	case number(in.B, a):
		b = a
	}
	i := slices.IndexFunc(rules, func(r rule) bool { return r.operator == in.Operator && r.a == a && r.b == b })
	if i < 0 {
		l.errorf(in.Pos, "%s %s %s has no meaning; const converts between int and float", a, in.Operator, b)
		return
	}
	r := &rules[i]
	l.out.Op, l.out.Type, l.out.Round, l.out.Cmp = r.op, r.typ, r.round, r.cmp
	l.out.Src = []isa.Operand{l.value(in.A, a), l.value(in.B, b)}
	l.gives(r.result, result)
}

// gives checks the type of a result.
func (l *lowerer) gives(typ, dst Type) {
	if typ != dst {
		l.errorf(l.in.Pos, "%s is %s; %s %s %s is %s", l.in.Dst, dst, l.in.A, l.in.Operator, l.in.B, typ)
	}
}

// offset lowers the sum of a pointer and a number of elements.
func (l *lowerer) offset(pointer, result Type) {
	l.out.Op, l.out.Type = isa.Mad, isa.S32
	l.out.Src = []isa.Operand{l.value(l.in.B, Int), isa.ImmOperand(4), l.value(l.in.A, pointer)}
	l.gives(pointer, result)
}

// product lowers the product of a truth value and a number: the number or zero.
func (l *lowerer) product(number, result Type) {
	l.out.Op, l.out.Type = isa.Selp, isa.B32
	l.out.Src = []isa.Operand{l.value(l.in.B, number), isa.ImmOperand(0), l.value(l.in.A, Bool)}
	l.gives(number, result)
}
