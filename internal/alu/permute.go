package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// permutation returns prmt in a mode.
func permutation(mode isa.Permute) WordFunc {
	table, ok := mode.Selectors()
	if !ok {
		return prmt
	}
	return func(d, a, b, c *Words) {
		var selectors Words
		for i, x := range c {
			selectors[i] = table[x&3]
		}
		prmt(d, a, b, &selectors)
	}
}

func prmt(d, a, b, c *Words) {
	if !vec.Permute(d, a, b, c) {
		prmtEach(d, a, b, c)
	}
}

func prmtEach(d, a, b, c *Words) {
	for i := range d {
		d[i] = pickBytes(joined(a[i], b[i]), c[i])
	}
}

// pickBytes picks four of eight bytes, each by four bits of selector; the fourth
// of them copies the byte's sign into all of its bits.
func pickBytes(from uint64, selector uint32) uint32 {
	return pickByte(from, selector) | pickByte(from, selector>>4)<<8 | pickByte(from, selector>>8)<<16 | pickByte(from, selector>>12)<<24
}

// pickByte picks one byte, without a branch.
func pickByte(from uint64, selector uint32) uint32 {
	x := uint8(from >> (8 * (selector & 7)))
	sign := uint8(int8(x) >> 7)
	return uint32(x ^ (x^sign)&-uint8(selector>>3&1))
}
