package promote

import (
	"fmt"
	"strings"

	"warpbound/internal/constraint"
	"warpbound/internal/isa"
)

// where tells what a register can be the address of.
type where struct {
	reached  bool  // something is computed here at all
	inside   bool  // a local variable, else of anything but these
	variable int32 // which
	exact    bool  // at a distance that is known
	distance int64
}

var elsewhere = where{reached: true}

// by returns an address at a distance.
func (w where) by(bytes int64) where {
	if w.inside {
		w.distance += bytes
	}
	return w.normal()
}

// somewhere returns an address at any distance.
func (w where) somewhere() where {
	w.exact = false
	return w.normal()
}

func (w where) normal() where {
	if !w.exact {
		w.distance = 0
	}
	return w
}

// whereabouts tells where the addresses in a kernel lead, whatever the order in which its
// instructions are executed. It is the least solution: what is not reached may be anything that
// is not computed from a local variable.
type whereabouts struct {
	kernel   *isa.Kernel
	spans    map[int]span
	regs     []where
	cells    map[cell]where // by place: what slots hold that are as wide as an address
	accesses map[int]where  // by instruction, of those to local memory
	held     []cell         // the places where addresses of local variables lie

	changed bool
	failed  bool
}

// cell is a place in a variable.
type cell struct {
	variable int32
	at       int64
}

// locate finds where addresses lead if the accesses at unknown distances touch the given spans;
// false if that is not known of one that comes of a local variable. trace may be nil.
func locate(k *isa.Kernel, spans map[int]span, trace constraint.Trace) (*whereabouts, bool) {
	w := &whereabouts{kernel: k, spans: spans, regs: make([]where, len(k.Regs)), cells: make(map[cell]where), accesses: make(map[int]where)}
	system := w.makeSystem(trace)
	for system.Solve(); w.rest() && !w.failed; {
		system.Solve()
	}
	for c, at := range w.cells {
		if at.inside {
			w.held = append(w.held, c)
		}
	}
	for pc := range k.Instrs {
		w.check(pc)
	}
	return w, !w.failed
}

// makeSystem returns what the instructions compute as a system of constraints, of which none says
// more once an address has led to what is not known. The variables are the registers, and last all
// cells as one.
func (w *whereabouts) makeSystem(trace constraint.Trace) *constraint.System {
	cells := len(w.regs)
	s := &constraint.System{
		Variables: cells + 1, Order: constraint.Ascending(len(w.kernel.Instrs)), Trace: trace, Describe: w.describePlace,
		Uses: func(pc int, visit func(int)) {
			in := &w.kernel.Instrs[pc]
			in.Reads(func(r isa.Reg) { visit(int(r)) })
			if in.Op == isa.Ld {
				visit(cells)
			}
		},
		Defines: func(pc int, visit func(int)) {
			in := &w.kernel.Instrs[pc]
			in.Writes(func(r isa.Reg) { visit(int(r)) })
			if in.Op == isa.St {
				visit(cells)
			}
		},
		Update: func(pc int) bool {
			if w.changed = false; !w.failed {
				w.step(pc)
			}
			return w.changed
		},
	}
	// A register or a cell becomes an address at a known distance and then at an unknown one, or
	// one of something else; at the first that could be both it ends. A store is to one place at a
	// known distance.
	facts := len(w.regs)
	for pc := range w.kernel.Instrs {
		if in := &w.kernel.Instrs[pc]; in.Op == isa.St {
			facts += len(in.Src) - 1
		}
	}
	s.Height = 2*facts + 1
	return s
}

// describePlace returns an instruction with its position, and where the addresses lead that it
// computes or stores.
func (w *whereabouts) describePlace(pc int) (name, fact string) {
	in := &w.kernel.Instrs[pc]
	var facts []string
	in.Writes(func(r isa.Reg) { facts = append(facts, w.kernel.Regs[r].Name+" "+w.formatPlace(w.regs[r])) })
	for _, c := range w.stored(pc) {
		facts = append(facts, fmt.Sprintf("[%s%+d] %s", w.kernel.Vars[c.variable].Name, c.at, w.formatPlace(w.cells[c])))
	}
	return fmt.Sprintf("%v: %s", in.Pos, w.kernel.Format(in)), "{" + strings.Join(facts, ", ") + "}"
}

// format returns a word for where an address leads.
func (w *whereabouts) formatPlace(at where) string {
	switch {
	case !at.reached:
		return "unreached"
	case !at.inside:
		return "elsewhere"
	case !at.exact:
		return w.kernel.Vars[at.variable].Name + "+?"
	}
	return fmt.Sprintf("%s%+d", w.kernel.Vars[at.variable].Name, at.distance)
}

// rest takes registers that nothing computes, or that are only computed from such, for addresses
// of something else. It reports whether there are some.
func (w *whereabouts) rest() bool {
	some := false
	for r := range w.regs {
		if !w.regs[r].reached {
			w.regs[r], some = elsewhere, true
		}
	}
	return some
}

// join returns what is either of two.
func (w *whereabouts) join(a, b where) where {
	switch {
	case !a.reached || a == b:
		return b
	case !b.reached:
		return a
	case a.inside && b.inside && a.variable == b.variable:
		return a.somewhere()
	}
	w.failed = true
	return elsewhere
}

func (w *whereabouts) set(o isa.Operand, to where) {
	if o.Kind != isa.KindReg {
		return
	}
	if joined := w.join(w.regs[o.Reg], to); joined != w.regs[o.Reg] {
		w.regs[o.Reg], w.changed = joined, true
	}
}

// operand returns what an operand is the address of.
func (w *whereabouts) operand(o isa.Operand) where {
	switch {
	case o.Kind == isa.KindReg:
		return w.regs[o.Reg]
	case o.Kind == isa.KindVar:
		return w.variable(o)
	}
	return elsewhere
}

// variable returns the place in a variable that an operand names.
func (w *whereabouts) variable(o isa.Operand) where {
	if o.Var == isa.ParamVar || w.kernel.Vars[o.Var].Space != isa.Local {
		return elsewhere
	}
	return where{reached: true, inside: true, variable: o.Var, exact: true, distance: int64(o.Imm)}
}

// address returns where an access goes.
func (w *whereabouts) address(o isa.Operand) where {
	at := elsewhere
	if o.Kind == isa.KindVarAddr {
		at = w.variable(o)
	}
	if o.Reg == isa.NoReg {
		return at
	}
	from := w.regs[o.Reg]
	if o.Kind == isa.KindAddr {
		return from.by(int64(o.Imm))
	}
	return sum(at, from)
}

// sum returns an address plus something. If that is an address too, the distance is not known to be small.
func sum(a, b where) where {
	switch {
	case !a.reached || !b.reached:
		return where{}
	case a.inside:
		return a.somewhere()
	}
	return b.somewhere()
}

// step computes the results of an instruction.
func (w *whereabouts) step(pc int) {
	in := &w.kernel.Instrs[pc]
	switch in.Op {
	case isa.Ld:
		for i, o := range in.Dst {
			w.set(o, w.loaded(pc, i))
		}
		return
	case isa.St:
		w.store(pc)
		return
	}
	if len(in.Dst) == 0 {
		return
	}
	result := elsewhere
	if w.passes(in) {
		result = w.result(in)
	}
	for _, o := range in.Dst {
		w.set(o, result)
	}
}

// passes reports whether an instruction computes one address from another.
func (w *whereabouts) passes(in *isa.Instr) bool {
	bits := in.Type.Bits()
	switch in.Op {
	case isa.Cvta, isa.CvtaTo:
		return in.Space == isa.Local
	case isa.MadWide:
		bits *= 2
	case isa.Mov, isa.Add, isa.Sub, isa.Or, isa.Mad, isa.Selp:
	default:
		return false
	}
	c := in.Type.Class()
	return bits == w.kernel.AddressBits && (c == isa.Bits || c == isa.Unsigned || c == isa.Signed) && !in.Sat && len(in.Dst) == 1
}

func (w *whereabouts) result(in *isa.Instr) where {
	switch in.Op {
	case isa.Add, isa.Sub, isa.Cvta, isa.CvtaTo:
		a, b := w.operand(in.Src[0]), w.operand(in.Src[1])
		if c := in.Src[1]; c.Kind == isa.KindImm {
			distance := int64(c.Imm)
			if in.Op == isa.Sub || in.Op == isa.CvtaTo {
				distance = -distance
			}
			return a.by(distance)
		}
		return sum(a, b)
	case isa.Or:
		return sum(w.operand(in.Src[0]), w.operand(in.Src[1]))
	case isa.Mad, isa.MadWide:
		return w.operand(in.Src[2]).somewhere()
	case isa.Selp:
		return w.join(w.operand(in.Src[0]), w.operand(in.Src[1]))
	}
	return w.operand(in.Src[0])
}

// loaded returns what element i of a load is the address of.
func (w *whereabouts) loaded(pc, i int) where {
	in := &w.kernel.Instrs[pc]
	at := w.address(in.Src[0])
	switch {
	case !at.reached:
		return where{}
	case !at.inside || !at.exact || in.Type.Bits() != w.kernel.AddressBits:
		return elsewhere
	}
	return w.cells[cell{at.variable, at.distance + int64(i*in.Type.Bytes())}]
}

// store notes what a store puts into slots.
func (w *whereabouts) store(pc int) {
	for i, c := range w.stored(pc) {
		if joined := w.join(w.cells[c], w.operand(w.kernel.Instrs[pc].Src[1+i])); joined != w.cells[c] {
			w.cells[c], w.changed = joined, true
		}
	}
}

// stored returns the cells of slots into which a store puts its sources; none for other
// instructions.
func (w *whereabouts) stored(pc int) []cell {
	in := &w.kernel.Instrs[pc]
	if in.Op != isa.St || in.Type.Bits() != w.kernel.AddressBits {
		return nil
	}
	at := w.address(in.Src[0])
	if !at.inside || !at.exact {
		return nil
	}
	cells := make([]cell, len(in.Src)-1)
	for i := range cells {
		cells[i] = cell{at.variable, at.distance + int64(i*in.Type.Bytes())}
	}
	return cells
}

// check looks whether addresses of local variables are used in no other way than step knows, and
// notes accesses.
func (w *whereabouts) check(pc int) {
	in := &w.kernel.Instrs[pc]
	for i, o := range in.Src {
		switch {
		case o.Kind == isa.KindAddr || o.Kind == isa.KindVarAddr:
			w.checkAccess(pc, w.address(o))
		case !w.operand(o).inside || w.passes(in) && !multiplied(in, i):
		case in.Op == isa.St && in.Type.Bits() == w.kernel.AddressBits && w.accesses[pc].exact:
		default:
			w.failed = true
		}
	}
}

// multiplied reports whether a source does not become a summand of the result, or not as it is.
func multiplied(in *isa.Instr, i int) bool {
	return i < 2 && (in.Op == isa.Mad || in.Op == isa.MadWide) || i > 0 && in.Op == isa.Sub
}

// checkAccess looks at an access: it stays in its variable, and takes the addresses that lie
// there as a whole.
func (w *whereabouts) checkAccess(pc int, at where) {
	in := &w.kernel.Instrs[pc]
	if !at.inside {
		w.failed = w.failed || in.Space == isa.Local
		return
	}
	if in.Op != isa.Ld && in.Op != isa.St || in.Space != isa.Generic && in.Space != isa.Local || w.kernel.Vars[at.variable].Init != nil {
		w.failed = true
		return
	}
	w.accesses[pc] = at
	touched, ok := w.touched(pc)
	if at.exact && (touched.start < 0 || touched.end > int64(w.kernel.Vars[at.variable].Bytes)) {
		w.failed = true
	}
	if !ok {
		return
	}
	address := int64(w.kernel.AddressBits / 8)
	for _, c := range w.held {
		whole := at.exact && int64(in.Type.Bytes()) == address && (c.at-at.distance)%address == 0
		if !whole && touched.overlaps(span{c.variable, c.at, c.at + address}) {
			w.failed = true
		}
	}
}

// touched returns the bytes that an access to local memory touches, false if it is assumed to
// touch none.
func (w *whereabouts) touched(pc int) (span, bool) {
	at := w.accesses[pc]
	if !at.exact {
		s, ok := w.spans[pc]
		return s, ok
	}
	return span{at.variable, at.distance, at.distance + int64(size(&w.kernel.Instrs[pc]))}, true
}
