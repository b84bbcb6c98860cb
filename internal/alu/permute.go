package alu

import "warpbound/internal/isa"

// selectors are those of prmt that make up the modes which take a number from
// the two low bits of c.
var selectors = [...][4]uint64{
	isa.PermuteF4E:  {0x3210, 0x4321, 0x5432, 0x6543},
	isa.PermuteB4E:  {0x5670, 0x6701, 0x7012, 0x0123},
	isa.PermuteRC8:  {0x0000, 0x1111, 0x2222, 0x3333},
	isa.PermuteECL:  {0x3210, 0x3211, 0x3222, 0x3333},
	isa.PermuteECR:  {0x0000, 0x1110, 0x2210, 0x3210},
	isa.PermuteRC16: {0x1010, 0x3232, 0x1010, 0x3232},
}

// permutation returns prmt in a mode.
func permutation(mode isa.Permute) Func {
	if mode == isa.PermuteBytes {
		return prmt
	}
	table := selectors[mode]
	return func(d, a, b, c *Vector) {
		for i := range d {
			d[i] = pickBytes(joined(a[i], b[i]), table[c[i]&3])
		}
	}
}

func prmt(d, a, b, c *Vector) {
	for i := range d {
		d[i] = pickBytes(joined(a[i], b[i]), c[i])
	}
}

// pickBytes picks four of eight bytes, each by four bits of selector; the fourth
// of them copies the byte's sign into all of its bits.
func pickBytes(from, selector uint64) uint64 {
	picked := uint32(0)
	for at := range 4 {
		pick := selector >> (4 * at)
		x := uint8(from >> (8 * (pick & 7)))
		if pick&8 != 0 {
			x = uint8(int8(x) >> 7)
		}
		picked |= uint32(x) << (8 * at)
	}
	return uint64(picked)
}
