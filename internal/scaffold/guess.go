package scaffold

import (
	"fmt"
	"slices"

	"warpbound/internal/isa"
)

// guess is a launch with its arguments.
type guess struct {
	grid, block [3]int
	params      []param
}

// param is a parameter of the kernel with what is passed for it: one word, or several in a struct.
type param struct {
	name   string
	bytes  int
	fields bool // the parameter is a struct
	words  []word
}

// word is a number or an address among the arguments.
type word struct {
	name   string
	offset int // from the start of its parameter, in bytes
	typ    isa.Type
	value  int64
	buffer *buffer // that the word is the address of; nil for a number
}

// buffer is memory that an address among the arguments names.
type buffer struct {
	typ   isa.Type
	count int
}

// first returns the guess that rests on declarations alone.
func first(k *isa.Kernel) *guess {
	g := &guess{grid: [3]int{4, 1, 1}, block: [3]int{128, 1, 1}}
	threads := int64(g.grid[0] * g.block[0])
	for i, v := range k.Params {
		p := param{name: fmt.Sprintf("p%d", i), bytes: v.Bytes, fields: v.Type.Bytes() != v.Bytes}
		for _, w := range words(k, &v) {
			w.name = fmt.Sprintf("%s_%d", p.name, w.offset)
			switch {
			case w.typ.Bits() == k.AddressBits && !w.typ.IsFloat():
				w.buffer = &buffer{typ: isa.U8, count: 1 << 20}
			case !w.typ.IsFloat():
				w.value = threads
			}
			p.words = append(p.words, w)
		}
		g.params = append(g.params, p)
	}
	return g
}

// words returns the parts of a parameter that the kernel reads, a parameter that is a number whole.
func words(k *isa.Kernel, v *isa.Var) []word {
	if v.Type.Bytes() == v.Bytes {
		return []word{{typ: v.Type}}
	}
	addresses := paramAddresses(k)
	var all []word
	for _, in := range k.Instrs {
		if in.Op != isa.Ld {
			continue
		}
		at, ok := paramAddress(in.Src[0], addresses)
		for range in.Dst {
			same := func(w word) bool {
				return v.Offset+w.offset < at+in.Type.Bytes() && at < v.Offset+w.offset+w.typ.Bytes()
			}
			if ok && at >= v.Offset && at < v.Offset+v.Bytes && !slices.ContainsFunc(all, same) {
				all = append(all, word{offset: at - v.Offset, typ: in.Type})
			}
			at += in.Type.Bytes()
		}
	}
	slices.SortFunc(all, func(a, b word) int { return a.offset - b.offset })
	return all
}

// paramAddresses returns the registers that hold addresses of parameters, with the offsets of these.
func paramAddresses(k *isa.Kernel) map[isa.Reg]int {
	at := make(map[isa.Reg]int)
	for changed := true; changed; {
		changed = false
		for _, in := range k.Instrs {
			if in.Op != isa.Mov && in.Op != isa.Cvta && in.Op != isa.CvtaTo || len(in.Dst) != 1 || in.Dst[0].Kind != isa.KindReg {
				continue
			}
			if offset, ok := paramAddress(in.Src[0], at); ok {
				if _, known := at[in.Dst[0].Reg]; !known {
					at[in.Dst[0].Reg], changed = offset, true
				}
			}
		}
	}
	return at
}

// paramAddress returns the offset of the parameter whose address an operand is.
func paramAddress(o isa.Operand, addresses map[isa.Reg]int) (int, bool) {
	switch o.Kind {
	case isa.KindVar, isa.KindVarAddr:
		return int(o.Imm), o.Var == isa.ParamVar && o.Reg == isa.NoReg
	case isa.KindReg, isa.KindAddr:
		at, ok := addresses[o.Reg]
		return at + int(o.Imm), ok
	}
	return 0, false
}
