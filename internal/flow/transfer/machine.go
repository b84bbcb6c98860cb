package transfer

import (
	"fmt"
	"slices"

	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// Value is what is known of a register at a place. It does not change.
type Value struct {
	Set  strided.Interval
	Form affine.Form
	Cond *Condition // of a predicate
}

// Equal reports whether the same is known of two registers.
func (v *Value) Equal(w *Value) bool {
	return v == w || v.Set == w.Set && v.Form.Equal(w.Form) && v.Cond.Equal(w.Cond)
}

// Machine executes instructions on states.
type Machine struct {
	Syms *affine.Table
	Work *budget.Work // that may be done for all values

	Widen  bool // the sets of symbols are widened to what they are assigned, not joined with it
	Narrow bool // they are narrowed

	Loads   Loads  // what is known of memory
	Assumed []Fact // what holds everywhere

	// LastDefined has the symbols that were assigned last, by a machine that leaves their sets as they
	// are. It is nil if that is not wanted.
	LastDefined map[affine.Symbol]Definition

	kernel      *isa.Kernel
	graph       *cfg.Graph
	dom         *graph.DomTree // of its blocks
	launch      *launchfacts.Launch
	divergedOps map[isa.Op]bool // operations of a warp in which lanes may take part that are at other instructions
	alike       *alike
	last        [][]*Value // the results of each instruction when it was executed last; nil if they are not kept
	under       Knowledge  // what holds besides, under the guard of the instruction being executed
	settled     bool       // what is known of symbols stays as it is
}

// NewMachine returns a machine that executes the instructions of a kernel, whose flow graph has
// these dominators. Of memory it knows what some of them load; in divergedOps are the operations of
// a warp in which lanes may take part that are at other instructions.
func NewMachine(
	g *cfg.Graph, dom *graph.DomTree, launch *launchfacts.Launch, known Loads, divergedOps map[isa.Op]bool,
) *Machine {
	syms := affine.NewTable()
	syms.Relations, syms.Buffers = launch.Sums, launch.Buffers
	ascends := func(b launchfacts.Buffer) bool { return b.Contents.Ascends != nil }
	syms.HasAscending = slices.ContainsFunc(launch.Buffers, ascends)
	return &Machine{
		Syms: syms, Work: budget.NewWork(launch.Effort), Loads: known, kernel: g.Kernel, graph: g, dom: dom,
		launch: launch, divergedOps: divergedOps,
		alike: newAlike(syms), last: make([][]*Value, len(g.Kernel.Instrs)),
	}
}

// registerWidth returns the bits of a register, at most 64.
func (m *Machine) registerWidth(r isa.Reg) int { return min(m.kernel.Regs[r].Type.Bits(), 64) }

// unknownValue is a value of which nothing is known.
func unknownValue(width int) *Value { return &Value{Set: strided.Any(width)} }

// UnknownOf returns a value of a register of which nothing is known.
func (m *Machine) UnknownOf(r isa.Reg) *Value { return unknownValue(m.registerWidth(r)) }

// MakeValue makes a value of a form and a set: each restricts the other.
func (m *Machine) MakeValue(set strided.Interval, form affine.Form) *Value {
	if !form.IsKnown() {
		return &Value{Set: set}
	}
	if both, ok := set.Meet(m.Syms.Words(form)); ok {
		set = both
	}
	if c, ok := set.IsConst(); ok {
		form = affine.Constant(set.Bits(), c)
	}
	return &Value{Set: set, Form: form}
}

// ReadRegister returns what a register holds.
func (m *Machine) ReadRegister(st *State, r isa.Reg) *Value {
	v := st.Get(r)
	if v == nil {
		return m.UnknownOf(r)
	}
	if under, ok := m.RestrictValue(v, &m.under); ok {
		v = under
	}
	if everywhere, ok := restrictByFacts(v, m.Assumed); ok {
		v = everywhere
	}
	return v
}

// readSource returns source i of an instruction, read in the given width.
func (m *Machine) readSource(st *State, in *isa.Instr, i, width int) *Value {
	switch o := in.Src[i]; o.Kind {
	case isa.KindReg:
		return m.ResizeValue(m.ReadRegister(st, o.Reg), width)
	case isa.KindImm:
		return m.MakeValue(strided.Const(width, o.Imm), affine.Constant(width, o.Imm))
	case isa.KindVar:
		return m.ComputeVariableAddress(o, width)
	case isa.KindParam:
		p := &m.kernel.Params[o.Var]
		return m.ResizeValue(m.readParameter(p.Offset, p.Type.Bits()), width)
	case isa.KindSpecial:
		set, varies, ok := m.launch.SpecialRegister(o.Special, m.kernel.Bounds)
		if !ok {
			return unknownValue(width)
		}
		s := m.Syms.AddSpecialRegister(o.Special, set, varies)
		return m.ResizeValue(m.MakeValue(set, affine.OfSymbol(set.Bits(), s)), width)
	}
	return unknownValue(width)
}

// readParameter returns a parameter, or its first bits, by its offset in the parameter block.
func (m *Machine) readParameter(offset, bits int) *Value {
	name, set, to := m.launch.Parameter(m.kernel, offset, bits)
	s := m.Syms.AddConstant(name, set, false)
	m.Syms.Symbols[s].Region, m.Syms.Symbols[s].Word = to, offset+1
	return m.MakeValue(set, affine.OfSymbol(bits, s))
}

// parameterBlock names the address of the parameters, which are together one variable.
const parameterBlock = "&parameters"

// ComputeVariableAddress returns the address of a variable plus an offset.
func (m *Machine) ComputeVariableAddress(o isa.Operand, width int) *Value {
	name, align := parameterBlock, uint64(1)
	if o.Var != isa.ParamVar {
		v := &m.kernel.Vars[o.Var]
		name, align = "&"+v.Name, uint64(max(v.Align, 1))
	}
	// Variables may have one name: those of functions, and of their copies.
	s := m.Syms.AddKeyed(fmt.Sprintf("&%d", o.Var), name, strided.Multiples(m.kernel.AddressBits, align&-align), false)
	if o.Var != isa.ParamVar {
		m.Syms.Symbols[s].Region = m.launch.Variable(&m.kernel.Vars[o.Var])
	}
	f := affine.OfSymbol(m.kernel.AddressBits, s).Cut(width)
	f.Constant = (f.Constant + o.Imm) & strided.Mask(f.Bits)
	return m.MakeValue(m.Syms.Words(f), f)
}

// ResizeValue returns the low bits of a value, or extends it by zeros.
func (m *Machine) ResizeValue(v *Value, width int) *Value {
	switch have := v.Set.Bits(); {
	case have == width:
		return v
	case have > width:
		return m.MakeValue(v.Set.Cut(width), v.Form.Cut(width))
	}
	return m.extendValue(v, width, false)
}

// extendValue returns a value in a greater width.
func (m *Machine) extendValue(v *Value, width int, sign bool) *Value {
	set, form := v.Set.Extend(width, sign), affine.Form{}
	if lo, hi, ok := m.Syms.ExactRange(v.Form); ok && !v.Set.Aliases(lo, hi, sign) {
		form = v.Form.Lift(width)
	}
	return m.MakeValue(set, form)
}

// Execute executes an instruction: it returns the state behind it.
func (m *Machine) Execute(st *State, pc int) {
	in := &m.kernel.Instrs[pc]
	if len(in.Dst) == 0 {
		return
	}
	if !m.AssumeGuard(st, in) {
		return // it never executes
	}
	results := make([]*Value, len(in.Dst))
	for i, o := range in.Dst {
		if o.Kind == isa.KindReg {
			results[i] = m.computeResult(st, pc, i)
		}
	}
	m.DropGuard()
	for i, o := range in.Dst {
		if o.Kind != isa.KindReg {
			continue
		}
		v := results[i]
		if in.Guard.Set {
			v = m.joinOldValue(st, pc, i, v)
		}
		st.Set(o.Reg, m.shareResult(pc, i, v))
	}
}

// AssumeGuard lets what the guard of an instruction says hold of all registers, until DropGuard;
// false if that is impossible.
func (m *Machine) AssumeGuard(st *State, in *isa.Instr) bool {
	if !in.Guard.Set {
		return true
	}
	facts, ok := m.DeriveFacts(m.ReadRegister(st, in.Guard.Reg).Cond, !in.Guard.Not)
	if !ok {
		return false
	}
	m.under, ok = m.DeriveKnowledge(facts)
	return ok
}

// DropGuard ends what AssumeGuard began.
func (m *Machine) DropGuard() { m.under = Knowledge{} }

// CopySettled returns a machine that leaves what is known of symbols as it is.
func (m *Machine) CopySettled() *Machine {
	c := *m
	c.settled, c.last = true, nil
	return &c
}

// DropResults ends that results which are equal to those of the last execution of their instruction
// are shared with them.
func (m *Machine) DropResults() { m.last = nil }

// shareResult returns a result, as the same value as before if it is equal to that: states then
// share it.
func (m *Machine) shareResult(pc, i int, v *Value) *Value {
	m.NoteForm(v.Form, m.kernel.Instrs[pc].Dst[i].Reg)
	if m.last == nil {
		return v
	}
	if m.last[pc] == nil {
		m.last[pc] = make([]*Value, len(m.kernel.Instrs[pc].Dst))
	}
	if old := m.last[pc][i]; old != nil && old.Equal(v) {
		return old
	}
	m.last[pc][i] = v
	return v
}

// joinOldValue returns a register that an instruction under a guard may have written.
func (m *Machine) joinOldValue(st *State, pc, i int, v *Value) *Value {
	in := &m.kernel.Instrs[pc]
	old := m.ReadRegister(st, in.Dst[i].Reg)
	if old.Form.IsKnown() && old.Form.Equal(v.Form) {
		return &Value{Set: old.Set.Join(v.Set), Form: v.Form}
	}
	set := old.Set.Join(v.Set)
	guard := m.ReadRegister(st, in.Guard.Reg).Form
	return m.defineAt(pc+len(m.kernel.Instrs), in.Dst[i].Reg, set, nil, false, old.Form, v.Form, guard)
}

// defineResult returns a result that has no form but its own symbol. varies says that the lanes
// may get different results even from the same arguments; args are what it is computed
// from.
func (m *Machine) defineResult(
	pc, i int, set strided.Interval, in *isa.Instr, varies bool, args ...affine.Form,
) *Value {
	return m.defineAt(pc, m.kernel.Instrs[pc].Dst[i].Reg, set, in, varies, args...)
}

// defineAt is the same for a place that is named by a number.
func (m *Machine) defineAt(
	at int, r isa.Reg, set strided.Interval, in *isa.Instr, varies bool, args ...affine.Form,
) *Value {
	if m.settled {
		return m.redefineAt(at, r, set, in, args)
	}
	set = m.launch.Doubt(set)
	s := m.Syms.AddAt(affine.Place{Origin: affine.Defined, At: at, Reg: r}, -1, m.kernel.Regs[r].Name, set.Bits())
	sym := &m.Syms.Symbols[s]
	m.noteAssigned(sym, set)
	sym.Operation, sym.Args, sym.Varies = in, args, varies
	return m.MakeValue(set, affine.OfSymbol(set.Bits(), s))
}

// Definition is the operation on args that gave a symbol its value, in is nil if none is known.
type Definition struct {
	Instr *isa.Instr
	Args  []affine.Form
	Set   strided.Interval
}

// redefineAt returns the value of a symbol that is assigned once more, when all is known of
// symbols.
func (m *Machine) redefineAt(at int, r isa.Reg, set strided.Interval, in *isa.Instr, args []affine.Form) *Value {
	s, ok := m.Syms.Places[affine.Place{Origin: affine.Defined, At: at, Reg: r}]
	switch {
	case ok:
	case m.LastDefined == nil:
		return &Value{Set: set}
	default: // what has had a form so far
		s = m.Syms.AddAt(affine.Place{Origin: affine.Defined, At: at, Reg: r}, -1, m.kernel.Regs[r].Name, set.Bits())
	}
	v := m.MakeValue(set, affine.OfSymbol(set.Bits(), s))
	if m.LastDefined != nil {
		m.LastDefined[s] = Definition{in, args, v.Set}
	}
	return v
}

// noteAssigned makes a symbol's set hold what it is assigned.
func (m *Machine) noteAssigned(s *affine.SymbolFacts, set strided.Interval) {
	switch {
	case !s.Assigned:
		s.Set, s.Assigned = set, true
	case m.Narrow:
		if both, ok := s.Set.Meet(set); ok {
			s.Set = both
		}
	case m.Widen:
		s.Set = s.Set.Widen(set, nil)
	default:
		s.Set = s.Set.Join(set)
	}
}

// computeResult computes result i of an instruction.
func (m *Machine) computeResult(st *State, pc, i int) *Value {
	in := &m.kernel.Instrs[pc]
	r := in.Dst[i].Reg
	width := m.registerWidth(r)
	if m.kernel.Regs[r].Type.Bits() > 64 {
		return unknownValue(width)
	}
	switch {
	case in.Op == isa.Ld:
		return m.loadElement(st, pc, i, width)
	case in.Type == isa.Pred || in.Op == isa.Setp:
		return m.computePredicate(st, pc, i)
	case isInteger(in.Type):
		if v := m.computeOperation(st, pc, i); v != nil {
			return m.extendToRegister(m.restrictByParts(v, pc), pc, i, width)
		}
	case isReal(in.Type) && i == 0 && in.Type.Bits() == width:
		if v := m.computeReal(st, pc); v != nil {
			return v
		}
	}
	return m.defineOpaque(st, pc, i, strided.Any(width))
}

// extendToRegister extends a result to its register, as far as an operation may have one that is
// wider.
func (m *Machine) extendToRegister(v *Value, pc, i, width int) *Value {
	in := &m.kernel.Instrs[pc]
	args := []affine.Form{v.Form}
	switch have := v.Set.Bits(); {
	case have == width:
		return v
	case have < width && in.Op == isa.Cvt:
		if v = m.extendValue(v, width, in.Type.IsSigned()); v.Form.IsKnown() {
			return v
		}
		return m.defineResult(pc, 0, v.Set, nil, false, args...)
	}
	return m.defineResult(pc, 0, strided.Any(width), nil, true)
}

// defineOpaque is a result that is only known to be in a set.
func (m *Machine) defineOpaque(st *State, pc, i int, set strided.Interval) *Value {
	in := &m.kernel.Instrs[pc]
	varies := in.Op.Info().Effect != 0 || in.Op == isa.RunSystem
	args := make([]affine.Form, len(in.Src))
	for k := range in.Src {
		f := affine.Form{}
		switch o := in.Src[k]; o.Kind {
		case isa.KindReg:
			f = m.ReadRegister(st, o.Reg).Form
		case isa.KindImm, isa.KindVar, isa.KindParam:
			f = affine.Constant(64, 0)
		case isa.KindSpecial:
			_, v, ok := m.launch.SpecialRegister(o.Special, m.kernel.Bounds)
			varies = varies || v || !ok
			f = affine.Constant(64, 0)
		}
		args[k] = f
	}
	return m.defineResult(pc, i, set, nil, varies, args...)
}

// isInteger reports whether values of a type are integers of at most 64 bits.
func isInteger(t isa.Type) bool {
	c := t.Class()
	return (c == isa.Bits || c == isa.Unsigned || c == isa.Signed) && t.Bits() <= 64
}

// ComputeAddress returns the address of an access.
func (m *Machine) ComputeAddress(st *State, in *isa.Instr) *Value {
	o := in.Src[0]
	bits, width := m.kernel.AddressBits, m.kernel.AddressWidth(o)
	offset := m.MakeValue(strided.Const(width, o.Imm), affine.Constant(width, o.Imm))
	switch {
	case o.Kind == isa.KindAddr && o.Reg == isa.NoReg:
		return offset
	case o.Kind == isa.KindAddr:
		return m.ResizeValue(m.addMultiple(m.ResizeValue(m.ReadRegister(st, o.Reg), width), offset, 1), bits)
	case o.Kind == isa.KindVarAddr:
		base := m.ComputeVariableAddress(isa.Operand{Var: o.Var}, bits)
		if o.Reg != isa.NoReg {
			base = m.addMultiple(base, m.ResizeValue(m.ReadRegister(st, o.Reg), bits), 1)
		}
		return m.addMultiple(base, offset, 1)
	}
	return unknownValue(bits)
}

// addMultiple returns a + k*b.
func (m *Machine) addMultiple(a, b *Value, k uint64) *Value {
	return m.MakeValue(a.Set.Add(b.Set.Times(k)), a.Form.AddMultiple(b.Form, k))
}
