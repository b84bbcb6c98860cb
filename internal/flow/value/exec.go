package value

import (
	"fmt"
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Value is what is known of a register at a place. It does not change.
type Value struct {
	Strided strided.Interval
	form    affine.Form
	cond    *condition // of a predicate
}

func (v *Value) equal(w *Value) bool {
	return v == w || v.Strided == w.Strided && v.form.Equal(w.form) && v.cond.equal(w.cond)
}

// machine executes instructions on states.
type machine struct {
	kernel      *isa.Kernel
	launch      *launchfacts.Launch
	syms        *affine.Table
	widen       bool // the sets of symbols
	narrow      bool
	loads       loads           // what is known of memory
	divergedOps map[isa.Op]bool // operations of a warp in which lanes may take part that are at other instructions
	alike       *alike
	last        [][]*Value // the results of each instruction when it was executed last; nil if they are not kept
	under       knowledge  // what holds besides, under the guard of the instruction being executed

	settled bool                         // what is known of symbols stays as it is
	assumed []fact                       // what holds everywhere
	local   map[affine.Symbol]definition // of the symbols that were assigned last, if wanted
}

// newMachine returns a machine that executes the instructions of a kernel. Of memory it knows what some of them load; in
// divergedOps are the operations of a warp in which lanes may take part that are at other instructions.
func newMachine(k *isa.Kernel, launch *launchfacts.Launch, known loads, divergedOps map[isa.Op]bool) *machine {
	syms := affine.NewTable()
	syms.Relations, syms.Buffers = launch.Sums, launch.Buffers
	ascends := func(b launchfacts.Buffer) bool { return b.Contents.Ascends != nil }
	syms.HasAscending = slices.ContainsFunc(launch.Buffers, ascends)
	return &machine{
		kernel: k, launch: launch, syms: syms, alike: newAlike(syms), last: make([][]*Value, len(k.Instrs)),
		loads: known, divergedOps: divergedOps,
	}
}

// width returns the bits of a register, at most 64.
func (m *machine) width(r isa.Reg) int { return min(m.kernel.Regs[r].Type.Bits(), 64) }

// unknown is a value of which nothing is known.
func unknown(width int) *Value { return &Value{Strided: strided.Any(width)} }

// value makes a value of a form and a set: each restricts the other.
func (m *machine) value(set strided.Interval, form affine.Form) *Value {
	if !form.IsKnown() {
		return &Value{Strided: set}
	}
	if both, ok := set.Meet(m.syms.Words(form)); ok {
		set = both
	}
	if c, ok := set.IsConst(); ok {
		form = affine.Constant(set.Bits(), c)
	}
	return &Value{Strided: set, form: form}
}

// register returns what a register holds.
func (m *machine) register(st state, r isa.Reg) *Value {
	v := st.get(r)
	if v == nil {
		return unknown(m.width(r))
	}
	if under, ok := m.restricted(v, &m.under); ok {
		v = under
	}
	if everywhere, ok := restrict(v, m.assumed); ok {
		v = everywhere
	}
	return v
}

// source returns source i of an instruction, read in the given width.
func (m *machine) source(st state, in *isa.Instr, i, width int) *Value {
	switch o := in.Src[i]; o.Kind {
	case isa.KindReg:
		return m.read(m.register(st, o.Reg), width)
	case isa.KindImm:
		return m.value(strided.Const(width, o.Imm), affine.Constant(width, o.Imm))
	case isa.KindVar:
		return m.variable(o, width)
	case isa.KindParam:
		p := &m.kernel.Params[o.Var]
		return m.read(m.parameter(p.Offset, p.Type.Bits()), width)
	case isa.KindSpecial:
		set, varies, ok := m.launch.SpecialRegister(o.Special, m.kernel.Bounds)
		if !ok {
			return unknown(width)
		}
		s := m.syms.AddSpecialRegister(o.Special, set, varies)
		return m.read(m.value(set, affine.OfSymbol(set.Bits(), s)), width)
	}
	return unknown(width)
}

// parameter returns a parameter, or its first bits, by its offset in the parameter block.
func (m *machine) parameter(offset, bits int) *Value {
	name, set, to := m.launch.Parameter(m.kernel, offset, bits)
	s := m.syms.AddConstant(name, set, false)
	m.syms.Symbols[s].Region, m.syms.Symbols[s].Word = to, offset+1
	return m.value(set, affine.OfSymbol(bits, s))
}

// parameterBlock names the address of the parameters, which are together one variable.
const parameterBlock = "&parameters"

// variable returns the address of a variable plus an offset.
func (m *machine) variable(o isa.Operand, width int) *Value {
	name, align := parameterBlock, uint64(1)
	if o.Var != isa.ParamVar {
		v := &m.kernel.Vars[o.Var]
		name, align = "&"+v.Name, uint64(max(v.Align, 1))
	}
	// Variables may have one name: those of functions, and of their copies.
	s := m.syms.AddKeyed(fmt.Sprintf("&%d", o.Var), name, strided.Multiples(m.kernel.AddressBits, align&-align), false)
	if o.Var != isa.ParamVar {
		m.syms.Symbols[s].Region = m.launch.Variable(&m.kernel.Vars[o.Var])
	}
	f := affine.OfSymbol(m.kernel.AddressBits, s).Cut(width)
	f.Constant = (f.Constant + o.Imm) & strided.Mask(f.Bits)
	return m.value(m.syms.Words(f), f)
}

// read returns the low bits of a value, or extends it by zeros.
func (m *machine) read(v *Value, width int) *Value {
	switch have := v.Strided.Bits(); {
	case have == width:
		return v
	case have > width:
		return m.value(v.Strided.Cut(width), v.form.Cut(width))
	}
	return m.extended(v, width, false)
}

// extended returns a value in a greater width.
func (m *machine) extended(v *Value, width int, sign bool) *Value {
	set, form := v.Strided.Extend(width, sign), affine.Form{}
	if lo, hi, ok := m.syms.ExactRange(v.form); ok && !v.Strided.Aliases(lo, hi, sign) {
		form = v.form.Lift(width)
	}
	return m.value(set, form)
}

// step executes an instruction: it returns the state behind it.
func (m *machine) step(st state, pc int) {
	in := &m.kernel.Instrs[pc]
	if len(in.Dst) == 0 {
		return
	}
	if !m.assumeGuard(st, in) {
		return // it never executes
	}
	results := make([]*Value, len(in.Dst))
	for i, o := range in.Dst {
		if o.Kind == isa.KindReg {
			results[i] = m.result(st, pc, i)
		}
	}
	m.dropGuard()
	for i, o := range in.Dst {
		if o.Kind != isa.KindReg {
			continue
		}
		v := results[i]
		if in.Guard.Set {
			v = m.either(st, pc, i, v)
		}
		st.set(o.Reg, m.latest(pc, i, v))
	}
}

// assumeGuard lets what the guard of an instruction says hold of all registers, until dropGuard; false if that is
// impossible.
func (m *machine) assumeGuard(st state, in *isa.Instr) bool {
	if !in.Guard.Set {
		return true
	}
	facts, ok := m.facts(m.register(st, in.Guard.Reg).cond, !in.Guard.Not)
	if !ok {
		return false
	}
	m.under, ok = m.knowing(facts)
	return ok
}

// dropGuard ends what assumeGuard began.
func (m *machine) dropGuard() { m.under = knowledge{} }

// settledCopy returns a machine that leaves what is known of symbols as it is.
func (m *machine) settledCopy() *machine {
	c := *m
	c.settled, c.last = true, nil
	return &c
}

// dropResults ends that results which are equal to those of the last execution of their instruction are shared with them.
func (m *machine) dropResults() { m.last = nil }

// latest returns a result, as the same value as before if it is equal to that: states then
// share it.
func (m *machine) latest(pc, i int, v *Value) *Value {
	m.noteForm(v.form, m.kernel.Instrs[pc].Dst[i].Reg)
	if m.last == nil {
		return v
	}
	if m.last[pc] == nil {
		m.last[pc] = make([]*Value, len(m.kernel.Instrs[pc].Dst))
	}
	if old := m.last[pc][i]; old != nil && old.equal(v) {
		return old
	}
	m.last[pc][i] = v
	return v
}

// either returns a register that an instruction under a guard may have written.
func (m *machine) either(st state, pc, i int, v *Value) *Value {
	in := &m.kernel.Instrs[pc]
	old := m.register(st, in.Dst[i].Reg)
	if old.form.IsKnown() && old.form.Equal(v.form) {
		return &Value{Strided: old.Strided.Join(v.Strided), form: v.form}
	}
	set := old.Strided.Join(v.Strided)
	return m.assign(pc+len(m.kernel.Instrs), in.Dst[i].Reg, set, nil, false, old.form, v.form, m.register(st, in.Guard.Reg).form)
}

// defined returns a result that has no form but its own symbol. varies says that the lanes
// may get different results even from the same arguments; args are what it is computed
// from.
func (m *machine) defined(pc, i int, set strided.Interval, in *isa.Instr, varies bool, args ...affine.Form) *Value {
	return m.assign(pc, m.kernel.Instrs[pc].Dst[i].Reg, set, in, varies, args...)
}

// assign is the same for a place that is named by a number.
func (m *machine) assign(
	at int, r isa.Reg, set strided.Interval, in *isa.Instr, varies bool, args ...affine.Form,
) *Value {
	if m.settled {
		return m.again(at, r, set, in, args)
	}
	set = m.launch.Doubt(set)
	s := m.syms.AddAt(affine.Place{Origin: affine.Defined, At: at, Reg: r}, -1, m.kernel.Regs[r].Name, set.Bits())
	sym := &m.syms.Symbols[s]
	m.note(sym, set)
	sym.Operation, sym.Args, sym.Varies = in, args, varies
	return m.value(set, affine.OfSymbol(set.Bits(), s))
}

// definition is the operation on args that gave a symbol its value, in is nil if none is known.
type definition struct {
	in   *isa.Instr
	args []affine.Form
	set  strided.Interval
}

// again returns the value of a symbol that is assigned once more, when all is known of symbols.
func (m *machine) again(at int, r isa.Reg, set strided.Interval, in *isa.Instr, args []affine.Form) *Value {
	s, ok := m.syms.Places[affine.Place{Origin: affine.Defined, At: at, Reg: r}]
	switch {
	case ok:
	case m.local == nil:
		return &Value{Strided: set}
	default: // what has had a form so far
		s = m.syms.AddAt(affine.Place{Origin: affine.Defined, At: at, Reg: r}, -1, m.kernel.Regs[r].Name, set.Bits())
	}
	v := m.value(set, affine.OfSymbol(set.Bits(), s))
	if m.local != nil {
		m.local[s] = definition{in, args, v.Strided}
	}
	return v
}

// note makes a symbol's set hold what it is assigned.
func (m *machine) note(s *affine.SymbolFacts, set strided.Interval) {
	switch {
	case !s.Assigned:
		s.Set, s.Assigned = set, true
	case m.narrow:
		if both, ok := s.Set.Meet(set); ok {
			s.Set = both
		}
	case m.widen:
		s.Set = s.Set.Widen(set, nil)
	default:
		s.Set = s.Set.Join(set)
	}
}

// result computes result i of an instruction.
func (m *machine) result(st state, pc, i int) *Value {
	in := &m.kernel.Instrs[pc]
	r := in.Dst[i].Reg
	width := m.width(r)
	if m.kernel.Regs[r].Type.Bits() > 64 {
		return unknown(width)
	}
	switch {
	case in.Op == isa.Ld:
		return m.loaded(st, pc, i, width)
	case in.Type == isa.Pred || in.Op == isa.Setp:
		return m.predicate(st, pc, i)
	case isInteger(in.Type):
		if v := m.operation(st, pc, i); v != nil {
			return m.widened(v, pc, i, width)
		}
	case isReal(in.Type) && i == 0 && in.Type.Bits() == width:
		if v := m.real(st, pc); v != nil {
			return v
		}
	}
	return m.opaque(st, pc, i, strided.Any(width))
}

// widened extends a result to its register, as far as an operation may have one that is
// wider.
func (m *machine) widened(v *Value, pc, i, width int) *Value {
	in := &m.kernel.Instrs[pc]
	args := []affine.Form{v.form}
	switch have := v.Strided.Bits(); {
	case have == width:
		return v
	case have < width && in.Op == isa.Cvt:
		if v = m.extended(v, width, in.Type.IsSigned()); v.form.IsKnown() {
			return v
		}
		return m.defined(pc, 0, v.Strided, nil, false, args...)
	}
	return m.defined(pc, 0, strided.Any(width), nil, true)
}

// opaque is a result that is only known to be in a set.
func (m *machine) opaque(st state, pc, i int, set strided.Interval) *Value {
	in := &m.kernel.Instrs[pc]
	varies := in.Op.Info().Effect != 0 || in.Op == isa.RunSystem
	args := make([]affine.Form, len(in.Src))
	for k := range in.Src {
		f := affine.Form{}
		switch o := in.Src[k]; o.Kind {
		case isa.KindReg:
			f = m.register(st, o.Reg).form
		case isa.KindImm, isa.KindVar, isa.KindParam:
			f = affine.Constant(64, 0)
		case isa.KindSpecial:
			_, v, ok := m.launch.SpecialRegister(o.Special, m.kernel.Bounds)
			varies = varies || v || !ok
			f = affine.Constant(64, 0)
		}
		args[k] = f
	}
	return m.defined(pc, i, set, nil, varies, args...)
}

// isInteger reports whether values of a type are integers of at most 64 bits.
func isInteger(t isa.Type) bool {
	c := t.Class()
	return (c == isa.Bits || c == isa.Unsigned || c == isa.Signed) && t.Bits() <= 64
}

// address returns the address of an access.
func (m *machine) address(st state, in *isa.Instr) *Value {
	o := in.Src[0]
	bits, width := m.kernel.AddressBits, m.kernel.AddressWidth(o)
	offset := m.value(strided.Const(width, o.Imm), affine.Constant(width, o.Imm))
	switch {
	case o.Kind == isa.KindAddr && o.Reg == isa.NoReg:
		return offset
	case o.Kind == isa.KindAddr:
		return m.read(m.plus(m.read(m.register(st, o.Reg), width), offset, 1), bits)
	case o.Kind == isa.KindVarAddr:
		base := m.variable(isa.Operand{Var: o.Var}, bits)
		if o.Reg != isa.NoReg {
			base = m.plus(base, m.read(m.register(st, o.Reg), bits), 1)
		}
		return m.plus(base, offset, 1)
	}
	return unknown(bits)
}

// plus returns a + k*b.
func (m *machine) plus(a, b *Value, k uint64) *Value {
	return m.value(a.Strided.Add(b.Strided.Times(k)), a.form.AddMultiple(b.form, k))
}
