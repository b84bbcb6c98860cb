package transfer

import (
	"fmt"
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Loads are what instructions load from buffers that the kernel does not write; what is not in it
// is anything.
type Loads map[int]*Loaded

// Loaded is what one loads, element by element.
type Loaded struct {
	Buffer   int // of the launch
	Elements []strided.Interval
}

// Equal reports whether the same is loaded from the same buffer.
func (l *Loaded) Equal(other *Loaded) bool {
	return l.Buffer == other.Buffer && slices.Equal(l.Elements, other.Elements)
}

// loadElement returns element i of what an instruction loads.
func (m *Machine) loadElement(st *State, pc, i, width int) *Value {
	in := &m.kernel.Instrs[pc]
	bits := in.Type.Bits()
	address := m.ComputeAddress(st, in).Form
	if offset, ok := m.findParameterOffset(address); ok {
		v := m.readParameter(offset+i*in.Type.Bytes(), bits)
		if bits < width {
			v = m.extendValue(v, width, in.Type.IsSigned())
		}
		if !v.Form.IsKnown() {
			v = m.defineResult(pc, i, v.Set, nil, false)
		}
		return v
	}
	set, known := m.launch.Doubt(strided.Any(bits)), m.Loads[pc]
	if known != nil {
		set = known.Elements[i]
	}
	if bits < width {
		set = set.Extend(width, in.Type.IsSigned())
	}
	if bits > width {
		set = strided.Any(width)
	}
	if known != nil && m.Syms.IsFixed(address) && bits <= width {
		at := address.AddMultiple(affine.Constant(address.Bits, uint64(i*in.Type.Bytes())), 1)
		if v, ok := m.loadFixedElement(in, known.Buffer, set, at); ok {
			return v
		}
	}
	// Lanes that read one address together get one word.
	varies := in.Space == isa.Generic && !m.kernel.LocalSeparate || in.Space == isa.Local
	return m.defineResult(pc, i, set, nil, varies, address)
}

// findParameterOffset returns the offset in the parameter block that an address is known to be.
// Compilers take the address of a struct to load its fields.
func (m *Machine) findParameterOffset(f affine.Form) (offset int, ok bool) {
	if len(f.Terms) != 1 || f.Terms[0].Coefficient != 1 || m.Syms.Symbols[f.Terms[0].Symbol].Name != parameterBlock {
		return 0, false
	}
	end := 0
	for _, p := range m.kernel.Params {
		end = max(end, p.Offset+p.Bytes)
	}
	return int(f.Constant), f.Constant < uint64(end)
}

// loadFixedElement returns what is loaded from a fixed address of a buffer that nobody writes: a
// constant of the thread, and one word wherever it is loaded. It is false if its name is too long.
func (m *Machine) loadFixedElement(
	in *isa.Instr, buffer int, set strided.Interval, address affine.Form,
) (*Value, bool) {
	name := fmt.Sprintf("%s[%s]", in.Type, m.Syms.Format(address))
	if len(name) > affine.MaxName {
		return nil, false
	}
	varies := address.Mentions(func(s affine.Symbol) bool { return m.Syms.Symbols[s].Varies })
	s := m.Syms.AddKeyed(fmt.Sprintf("%s[%s]", in.Type, address.Key()), name, set, varies)
	y := &m.Syms.Symbols[s]
	y.Set = y.Set.Join(set) // conditions on the way to other loads may tell more of where they are
	if y.Element == nil {
		y.Element = &affine.Element{Buffer: buffer, Bytes: in.Type.Bytes(), Address: address}
		y.Args = []affine.Form{address}
	}
	return m.MakeValue(set, affine.OfSymbol(set.Bits(), s)), true
}
