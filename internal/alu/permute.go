package alu

import "warpbound/internal/isa"

// permutation returns prmt in a mode.
func permutation(mode isa.Permute) WordFunc {
	table, ok := mode.Selectors()
	if !ok {
		return prmt
	}
	return func(d, a, b, c *Words) {
		for i := range d {
			d[i] = pickBytes(joined(a[i], b[i]), table[c[i]&3])
		}
	}
}

func prmt(d, a, b, c *Words) {
	for i := range d {
		d[i] = pickBytes(joined(a[i], b[i]), c[i])
	}
}

// pickBytes picks four of eight bytes, each by four bits of selector; the fourth
// of them copies the byte's sign into all of its bits.
func pickBytes(from uint64, selector uint32) uint32 {
	picked := uint32(0)
	for at := range 4 {
		pick := selector >> (4 * at)
		x := uint8(from >> (8 * (pick & 7)))
		if pick&8 != 0 {
			x = uint8(int8(x) >> 7)
		}
		picked |= uint32(x) << (8 * at)
	}
	return picked
}
