package value

import (
	"fmt"
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// loads are what instructions load from buffers that the kernel does not write; what is not in it is anything.
type loads map[int]*loaded

// loaded is what one loads, element by element.
type loaded struct {
	buffer   int
	elements []strided.Interval
}

func (l *loaded) equal(other *loaded) bool {
	return l.buffer == other.buffer && slices.Equal(l.elements, other.elements)
}

// loaded returns element i of what an instruction loads.
func (m *machine) loaded(st state, pc, i, width int) *Value {
	in := &m.kernel.Instrs[pc]
	bits := in.Type.Bits()
	address := m.address(st, in).form
	if offset, ok := m.inParameters(address); ok {
		v := m.parameter(offset+i*in.Type.Bytes(), bits)
		if bits < width {
			v = m.extended(v, width, in.Type.IsSigned())
		}
		if !v.form.IsKnown() {
			v = m.defined(pc, i, v.Strided, nil, false)
		}
		return v
	}
	set, known := m.launch.Doubt(strided.Any(bits)), m.loads[pc]
	if known != nil {
		set = known.elements[i]
	}
	if bits < width {
		set = set.Extend(width, in.Type.IsSigned())
	}
	if bits > width {
		set = strided.Any(width)
	}
	if known != nil && m.syms.IsFixed(address) && bits <= width {
		at := address.AddMultiple(affine.Constant(address.Bits, uint64(i*in.Type.Bytes())), 1)
		if v, ok := m.element(in, known.buffer, set, at); ok {
			return v
		}
	}
	// Lanes that read one address together get one word.
	varies := in.Space == isa.Generic && !m.kernel.LocalSeparate || in.Space == isa.Local
	return m.defined(pc, i, set, nil, varies, address)
}

// inParameters returns the offset in the parameter block that an address is known to be. Compilers take the
// address of a struct to load its fields.
func (m *machine) inParameters(f affine.Form) (offset int, ok bool) {
	if len(f.Terms) != 1 || f.Terms[0].Coefficient != 1 || m.syms.Symbols[f.Terms[0].Symbol].Name != parameterBlock {
		return 0, false
	}
	end := 0
	for _, p := range m.kernel.Params {
		end = max(end, p.Offset+p.Bytes)
	}
	return int(f.Constant), f.Constant < uint64(end)
}

// element returns what is loaded from a fixed address of a buffer that nobody writes: a constant of the thread, and one word wherever it is
// loaded. It is false if its name is too long.
func (m *machine) element(in *isa.Instr, buffer int, set strided.Interval, address affine.Form) (*Value, bool) {
	name := fmt.Sprintf("%s[%s]", in.Type, m.syms.Format(address))
	if len(name) > affine.MaxName {
		return nil, false
	}
	varies := address.Mentions(func(s affine.Symbol) bool { return m.syms.Symbols[s].Varies })
	s := m.syms.AddKeyed(fmt.Sprintf("%s[%s]", in.Type, address.Key()), name, set, varies)
	y := &m.syms.Symbols[s]
	y.Set = y.Set.Join(set) // conditions on the way to other loads may tell more of where they are
	if y.Element == nil {
		y.Element = &affine.Element{Buffer: buffer, Bytes: in.Type.Bytes(), Address: address}
		y.Args = []affine.Form{address}
	}
	return m.value(set, affine.OfSymbol(set.Bits(), s)), true
}
