package adversary

import (
	"math"
	"slices"
	"strconv"

	"warpbound/internal/isa"
	"warpbound/internal/symexec"
	"warpbound/internal/workload"
)

// maxConstants is how many constants of kernels are tried, at most.
const maxConstants = 12

// constant is a number with which a kernel compares something, or one beside it: an input that
// equals it may take a path that random ones hardly ever take.
type constant struct {
	name string
	held []uint64 // by parameter: its bits as an element
	fits []bool   // by parameter: it is in the range of the elements
}

// findConstants returns the constants of comparisons that elements of some parameter can equal,
// first those themselves, then those beside them.
func (m *Maker) findConstants(w *workload.Workload) []constant {
	var all []constant
	add := func(c constant) {
		known := slices.ContainsFunc(all, func(d constant) bool { return d.name == c.name })
		if slices.Contains(c.fits, true) && !known && len(all) < maxConstants {
			all = append(all, c)
		}
	}
	for _, beside := range []int64{0, 1, -1} {
		for _, k := range w.Kernels {
			for i := range k.Graph.Kernel.Instrs {
				in := &k.Graph.Kernel.Instrs[i]
				if in.Op != isa.Setp && in.Op != isa.Set {
					continue
				}
				for _, o := range in.Src {
					if o.Kind == isa.KindImm {
						add(m.constantOf(in, o.Imm, beside))
					}
				}
			}
		}
	}
	return all
}

// constantOf returns a constant of a comparison, or the integer that is so far beside it.
func (m *Maker) constantOf(in *isa.Instr, bits uint64, beside int64) constant {
	typ := in.Type
	if in.Op == isa.Set {
		typ = in.SrcType
	}
	if typ.IsFloat() {
		value := math.Float64frombits(bits)
		if typ.Bits() == 32 {
			value = float64(math.Float32frombits(uint32(bits)))
		}
		if beside != 0 || typ.Bits() < 32 {
			return constant{}
		}
		return m.constant("equal:"+strconv.FormatFloat(value, 'g', -1, 64), func(e symexec.Element) (uint64, bool) {
			if !e.Float || e.Bytes < 4 {
				return 0, false
			}
			held := math.Float64bits(value)
			low, high := math.Float64frombits(e.Low), math.Float64frombits(e.High)
			if e.Bytes == 4 {
				held = uint64(math.Float32bits(float32(value)))
				low, high = float64(math.Float32frombits(uint32(e.Low))), float64(math.Float32frombits(uint32(e.High)))
			}
			return held, low <= value && value <= high
		})
	}
	shift := 64 - typ.Bits()
	number := int64(bits<<shift)>>shift + beside
	if !typ.IsSigned() {
		number = int64(bits<<shift>>shift) + beside
	}
	return m.constant("equal:"+strconv.FormatInt(number, 10), func(e symexec.Element) (uint64, bool) {
		unused := 64 - 8*e.Bytes
		mask := ^uint64(0) >> unused
		held := uint64(number) & mask
		whole := held == uint64(number) || int64(held<<unused)>>unused == number
		return held, !e.Float && whole && (held-e.Low)&mask <= (e.High-e.Low)&mask
	})
}

// constant returns the constant of a name with what it is as an element.
func (m *Maker) constant(name string, held func(symexec.Element) (uint64, bool)) constant {
	c := constant{name: name, held: make([]uint64, len(m.space.Params)), fits: make([]bool, len(m.space.Params))}
	for _, p := range m.varied {
		c.held[p], c.fits[p] = held(m.space.Params[p].Element)
	}
	return c
}

// held returns the constants that a parameter can hold; nil if there is none.
func (m *Maker) held(param int) []uint64 {
	var all []uint64
	for _, c := range m.constants {
		if c.fits[param] {
			all = append(all, c.held[param])
		}
	}
	return all
}
