package ptx

import (
	"slices"
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// function is the state of lowering one function's body.
type function struct {
	*lowering
	f       *isa.Func
	scopes  []*scope
	targets []*Targets
	carry   isa.Reg // the flag of extended-precision arithmetic, or NoReg
	protos  []*Prototype
	frame   int32   // the variable that alloca takes memory from, and
	taken   isa.Reg // how many bytes of it are taken
	loc     diag.Pos
	inlined diag.Pos         // the call at which the function of loc was inlined
	parted  map[isa.Reg]bool // scalar parameters of which parts have been stored
	vectors bool             // there are vectors of registers
	before  []isa.Instr      // what the instruction being lowered needs before it
	splits  map[*Instr]bool  // the branches that pragmas mark

	// Of the instruction being lowered: the operands of its form, and the special registers that it
	// reads.
	operandsOfForm string
	specials       []string

	refusedAt map[diag.Pos]bool // the statements that were refused
}

// scope holds the names of one block. Registers of a range are made when they
// are first used.
type scope struct {
	names  map[string]symbol
	ranges map[string]regRange
}

// regRange is a declaration such as %r<10>.
type regRange struct {
	typ    isa.Type
	vector int // elements of a vector; 0 of a scalar
	count  int
}

// body lowers the body of a definition into the function of its name.
func (l *lowering) body(f *Func) {
	sym := l.names[f.Name]
	if sym.kind != symFunc || l.program.Funcs[sym.index].Pos != l.at(f.Pos) {
		return // a redefinition, which is an error already
	}
	fn := &function{lowering: l, f: l.program.Funcs[sym.index], carry: isa.NoReg, parted: make(map[isa.Reg]bool), splits: make(map[*Instr]bool), refusedAt: make(map[diag.Pos]bool)}
	fn.push()
	fn.f.Instrs = append(fn.f.Instrs, l.spoilt...)
	for i := range l.spoilt {
		fn.refusedAt[l.spoilt[i].Pos] = true
	}
	if f.Entry {
		for _, d := range l.regs {
			fn.check(d, fn.declare(d))
		}
		for i, d := range l.paramsOf(f) {
			p := &fn.f.Params[i]
			fn.check(d, fn.define(d.Names[0], symbol{kind: symEntry, bytes: p.Bytes, off: p.Offset}))
		}
	} else {
		fn.declareParameters(f, l.sigs[sym.index])
	}
	for _, d := range f.Limits {
		l.strayMark(d)
	}
	if usesStack(f.Body) {
		fn.openStack(f.Body.Pos)
	}
	fn.block(f.Body)
	fn.finish()
}

// declareParameters gives the parameters and results of a device function their
// registers.
func (fn *function) declareParameters(f *Func, sig signature) {
	var pointers []isa.Reg              // to result aggregates
	params, _ := fn.flattened(f.Params) // declaring the function found no error in them
	results, _ := fn.flattened(f.Results)
	for i, d := range params {
		fn.f.ParamRegs = append(fn.f.ParamRegs, fn.parameter(d, sig.params[i], fn.f.Params[i].Bytes))
	}
	for i, d := range results {
		reg := fn.parameter(d, sig.results[i], fn.f.Results[i].Bytes)
		if sig.results[i].aggregate {
			pointers = append(pointers, reg)
		} else {
			fn.f.ResultRegs = append(fn.f.ResultRegs, reg)
		}
	}
	fn.f.ParamRegs = append(fn.f.ParamRegs, pointers...)
	for _, d := range slices.Concat(f.Params, f.Results) {
		if d.Space == "reg" && d.Vector > 0 {
			name := d.Names[0]
			first := fn.lookup(name.Name + "." + elementNames[:1])
			fn.check(d, fn.define(name, symbol{kind: symVector, reg: first.reg, index: int32(d.Vector)}))
			fn.vectors = true
		}
	}
}

func (fn *function) parameter(d *Decl, p param, bytes int) isa.Reg {
	name := d.Names[0]
	s := symbol{kind: symScalar, bytes: bytes}
	typ := p.typ
	switch {
	case p.aggregate:
		s.kind, typ = symPointed, fn.address
	case d.Space == "reg":
		s.kind = symReg
	}
	s.reg = fn.newReg(name.Name, typ)
	fn.check(d, fn.define(name, s))
	return s.reg
}

func (fn *function) newReg(name string, t isa.Type) isa.Reg {
	fn.f.Regs = append(fn.f.Regs, isa.RegDecl{Name: name, Type: t})
	return isa.Reg(len(fn.f.Regs) - 1)
}

// newRegister makes a declared register: one, two for one of 128 bits, or those
// of a vector.
func (fn *function) newRegister(name string, r regRange) symbol {
	s := symbol{kind: symReg}
	switch {
	case r.vector > 0:
		s = symbol{kind: symVector, index: int32(r.vector)}
		for i := range r.vector {
			fn.newReg(name+"."+elementNames[i:i+1], r.typ)
		}
	case r.typ == isa.B128:
		s.kind = symWide
		fn.newReg(name+".lo", isa.B64)
		fn.newReg(name+".hi", isa.B64)
	default:
		fn.newReg(name, r.typ)
	}
	s.reg = isa.Reg(len(fn.f.Regs) - max(int(s.index), 1))
	if s.kind == symWide {
		s.reg--
	}
	return s
}

// elementNames are the selectors of the elements of a vector; r, g, b and a are
// the same.
const elementNames = "xyzw"

// elementIndex gives the element of a vector that a selector names, -1 for none.
func elementIndex(selector string) int {
	if len(selector) != 1 {
		return -1
	}
	return max(strings.Index(elementNames, selector), strings.Index("rgba", selector))
}

func (fn *function) push() {
	fn.scopes = append(fn.scopes, &scope{names: make(map[string]symbol), ranges: make(map[string]regRange)})
}

func (fn *function) pop() { fn.scopes = fn.scopes[:len(fn.scopes)-1] }

func (fn *function) inner() *scope { return fn.scopes[len(fn.scopes)-1] }

// define gives a name of the innermost block its meaning.
func (fn *function) define(name Declarator, s symbol) error {
	if _, dup := fn.inner().find(name.Name, nil); dup {
		return fn.errorf(name.Pos, "%s is declared twice in this block", name.Name)
	}
	fn.inner().names[name.Name] = s
	return nil
}

// find looks a name up in one block. A register of a range is made by create,
// unless that is nil.
func (s *scope) find(name string, create func(string, regRange) symbol) (symbol, bool) {
	if sym, ok := s.names[name]; ok {
		return sym, true
	}
	if base, part, ok := strings.Cut(name, "."); ok {
		v, ok := s.find(base, create)
		i := elementIndex(part)
		if !ok || v.kind != symVector || i < 0 || i >= int(v.index) {
			return symbol{}, false
		}
		return symbol{kind: symReg, reg: v.reg + isa.Reg(i)}, true
	}
	if len(s.ranges) == 0 {
		return symbol{}, false
	}
	const maxDigits = 8 // of an index below maxCount
	for cut := len(name) - 1; cut > 0 && len(name)-cut <= maxDigits && '0' <= name[cut] && name[cut] <= '9'; cut-- {
		r, ok := s.ranges[name[:cut]]
		if !ok || name[cut] == '0' && cut < len(name)-1 {
			continue
		}
		if i, err := strconv.Atoi(name[cut:]); err != nil || i >= r.count {
			continue
		}
		sym := symbol{kind: symReg}
		if create != nil {
			sym = create(name, r)
			s.names[name] = sym
		}
		return sym, true
	}
	return symbol{}, false
}

// lookup finds what a name stands for, innermost block first.
func (fn *function) lookup(name string) symbol {
	for i := len(fn.scopes) - 1; i >= 0; i-- {
		if sym, ok := fn.scopes[i].find(name, fn.newRegister); ok {
			return sym
		}
	}
	return fn.names[name]
}

// block lowers the statements of a block in a scope of its own.
func (fn *function) block(b *Block) {
	fn.push()
	defer fn.pop()
	fn.labels(b)
	fn.markSplits(b)
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *Block:
			fn.block(x)
		case *Decl:
			if !fn.isEntryParam(x) {
				fn.check(x, fn.declare(x))
			}
		case *Label:
			if s := fn.lookup(x.Name); s.kind == symLabel {
				fn.f.Labels[s.index].Index = len(fn.f.Instrs)
			}
		case *Loc:
			fn.loc, fn.inlined = fn.inSource(&x.At), fn.inSource(x.InlinedAt)
		case *Instr:
			fn.check(x, fn.instr(x))
		case *Refused:
			fn.check(x, fn.errorf(x.At, "%s", x.Reason))
		}
	}
}

// inSource returns a place in the source; none if it is unknown or nil.
func (fn *function) inSource(at *Place) diag.Pos {
	if at == nil || at.Line == 0 || fn.files[at.File] == "" {
		return diag.Pos{}
	}
	return diag.Pos{File: fn.files[at.File], Line: int32(at.Line), Col: int32(at.Col)}
}

// labels declares the labels of a block, which may be used before they stand.
func (fn *function) labels(b *Block) {
	for _, s := range b.Stmts {
		var name Declarator
		var sym symbol
		switch x := s.(type) {
		case *Label:
			name = Declarator{Pos: x.Pos, Name: x.Name}
			sym = symbol{kind: symLabel, index: int32(len(fn.f.Labels))}
			fn.f.Labels = append(fn.f.Labels, isa.Label{Name: x.Name, Pos: fn.at(x.Pos)})
		case *Targets:
			name = Declarator{Pos: x.Pos, Name: x.Label}
			sym = symbol{kind: symTargets, index: int32(len(fn.targets))}
			fn.targets = append(fn.targets, x)
		case *Prototype:
			name = Declarator{Pos: x.Pos, Name: x.Label}
			sym = symbol{kind: symProto, index: int32(len(fn.protos))}
			fn.protos = append(fn.protos, x)
		default:
			continue
		}
		if known, dup := fn.inner().names[name.Name]; dup {
			first := fn.f.Pos
			if known.kind == symLabel {
				first = fn.f.Labels[known.index].Pos
			}
			fn.check(s, fn.errorf(name.Pos, "label %s is declared twice in this block, first at %s", name.Name, first))
			continue
		}
		fn.inner().names[name.Name] = sym
	}
}

// declare notes the registers and variables of a declaration in a body.
func (fn *function) declare(d *Decl) error {
	for i := range d.Names {
		name := d.Names[i]
		var err error
		switch d.Space {
		case "reg":
			err = fn.registers(d, name)
		case "param":
			err = fn.callParam(d, name)
		default:
			var v isa.Var
			if v, err = fn.variable(d, &name); err == nil {
				err = fn.checkAddresses(&v)
			}
			if err == nil {
				s := fn.newVar(v)
				s.bytes = stride(d, &name, &v)
				err = fn.define(name, s)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newVar adds a variable of the function.
func (fn *function) newVar(v isa.Var) symbol {
	fn.f.Vars = append(fn.f.Vars, v)
	return symbol{kind: symVar, index: int32(len(fn.program.Vars) + len(fn.f.Vars) - 1)}
}

func (fn *function) registers(d *Decl, name Declarator) error {
	t, err := fn.registerType(d, name)
	if err != nil {
		return err
	}
	fn.vectors = fn.vectors || d.Vector > 0
	r := regRange{typ: t, vector: d.Vector, count: name.Count}
	if name.Count == 0 {
		return fn.define(name, fn.newRegister(name.Name, r))
	}
	if _, dup := fn.inner().ranges[name.Name]; dup {
		return fn.errorf(name.Pos, "registers %s<%d> are declared twice in this block", name.Name, name.Count)
	}
	fn.inner().ranges[name.Name] = r
	return nil
}

// registerType gives the type of a register, or of the elements of a vector of registers.
func (l *lowering) registerType(d *Decl, name Declarator) (isa.Type, error) {
	t, ok := isa.TypeByName(d.Type)
	switch {
	case !ok:
		return t, l.errorf(d.Pos, "unknown type .%s of a register", d.Type)
	case len(name.Dims) > 0:
		return t, l.errorf(name.Pos, "%s: arrays of registers are not supported; declare its elements one by one", name.Name)
	case d.Vector > len(elementNames) || d.Vector > 0 && (t == isa.Pred || t.Bits() > 64):
		return t, l.errorf(name.Pos, "%s: vectors of registers have two or four elements of up to 64 bits", name.Name)
	case name.Init != nil:
		return t, l.errorf(name.Pos, "register %s cannot have an initial value", name.Name)
	}
	return t, nil
}

// callParam declares a parameter of calls to come: a register, or a variable in
// local memory for an aggregate.
func (fn *function) callParam(d *Decl, name Declarator) error {
	v, err := fn.variable(d, &name)
	if err != nil {
		return err
	}
	if isAggregate(&Decl{Vector: d.Vector, Type: d.Type, Names: []Declarator{name}}) {
		v.Space = isa.Local
		s := fn.newVar(v)
		s.kind = symAggregate
		return fn.define(name, s)
	}
	return fn.define(name, symbol{kind: symScalar, reg: fn.newReg(name.Name, scalarReg(v.Type)), bytes: v.Bytes})
}

// finish turns label indices into instruction indices, and warns of what is not modelled.
func (fn *function) finish() {
	for _, w := range isa.UnmodelledInstrs(fn.f.Readable(), fn.f.Instrs) {
		if !fn.refusedAt[w.Pos] {
			fn.program.Warnings = append(fn.program.Warnings, w)
		}
	}
	for i := range fn.f.Instrs {
		switch in := &fn.f.Instrs[i]; in.Op {
		case isa.Bra:
			in.Target = fn.f.Labels[in.Target].Index
		case isa.BrxIdx:
			for j, t := range in.Targets {
				in.Targets[j] = fn.f.Labels[t].Index
			}
		}
	}
}

// notSymbol says in an error what a name that is no operand stands for.
func (l *lowering) notSymbol(name string, s symbol) string {
	switch {
	case s.kind == symRefused:
		return l.because(name, s)
	case s.kind == symNone:
		return undeclared(name)
	case s.kind == symLabel:
		return name + " is a label"
	case s.kind == symFunc:
		return name + " is a function"
	}
	return name + " is no operand"
}

// undeclared says that a name stands for nothing.
func undeclared(name string) string {
	if strings.HasPrefix(name, "%") {
		return "undeclared register " + name
	}
	return "undeclared name " + name
}
