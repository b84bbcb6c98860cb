package emu

import (
	"encoding/binary"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// Define gives variables in global and constant memory buffers with their initial contents,
// as loading a module does, and returns their addresses by the places that declare them:
// see Launch.Vars. Variables in other spaces are left out. On error the memory holds some
// of the variables.
func (m *Memory) Define(vars []isa.Var) (map[diag.Pos]uint64, error) {
	at := make(map[diag.Pos]uint64, len(vars))
	addresses := make([]uint64, len(vars))
	for i := range vars {
		v := &vars[i]
		if v.Space != isa.Global && v.Space != isa.Const {
			continue
		}
		address, err := m.place(v)
		if err != nil {
			return nil, err
		}
		at[v.Pos], addresses[i] = address, address
	}
	for i := range vars {
		if addresses[i] == 0 {
			continue
		}
		if err := relocate(m.Bytes(addresses[i]), &vars[i], vars, addresses); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// place makes a buffer of a variable with its initial bytes.
func (m *Memory) place(v *isa.Var) (uint64, error) {
	if v.Extern {
		return 0, diag.Errorf(v.Pos, "variable %s is declared extern and not defined", v.Name)
	}
	b, err := m.allocBuffer(v.Name, v.Space, v.Bytes, v.Align)
	if err != nil {
		return 0, err
	}
	copy(b.data, v.Init)
	return b.base, nil
}

// relocate puts addresses into the contents of a variable: those of the variables vars
// with the names that its initial value holds.
func relocate(data []byte, v *isa.Var, vars []isa.Var, addresses []uint64) error {
	for _, r := range v.Relocs {
		if r.Offset < 0 || r.Size < 1 || r.Size > 8 || r.Offset+r.Size > len(data) {
			return diag.Errorf(v.Pos, "%s has an address of %d bytes at %d of its %d bytes", v.Name, r.Size, r.Offset, len(data))
		}
		i := 0
		for i < len(vars) && vars[i].Name != r.Var {
			i++
		}
		if i == len(vars) {
			return diag.Errorf(v.Pos, "%s is initialised with the address of %s, which is no variable of the kernel", v.Name, r.Var)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], (addresses[i]+uint64(r.Addend))>>r.Shift)
		copy(data[r.Offset:], word[:r.Size])
	}
	return nil
}
