package alu

// The operations on the low 24 bits of their sources give the low 32 bits of the
// product, or the high 32 of its 48.

func low24(x uint32) uint64       { return uint64(x & (1<<24 - 1)) }
func low24Signed(x uint32) uint64 { return uint64(int32(x<<8) >> 8) }

func mul24(d, a, b, _ *Words) {
	for i := range d {
		d[i] = uint32(low24(a[i]) * low24(b[i]))
	}
}

func mul24Signed(d, a, b, _ *Words) {
	for i := range d {
		d[i] = uint32(low24Signed(a[i]) * low24Signed(b[i]))
	}
}

func mul24Hi(d, a, b, _ *Words) {
	for i := range d {
		d[i] = uint32(low24(a[i]) * low24(b[i]) >> 16)
	}
}

func mul24HiSigned(d, a, b, _ *Words) {
	for i := range d {
		d[i] = uint32(low24Signed(a[i]) * low24Signed(b[i]) >> 16)
	}
}

func mad24(d, a, b, c *Words) {
	for i := range d {
		d[i] = uint32(low24(a[i])*low24(b[i]) + uint64(c[i]))
	}
}

func mad24Signed(d, a, b, c *Words) {
	for i := range d {
		d[i] = uint32(low24Signed(a[i])*low24Signed(b[i]) + uint64(c[i]))
	}
}

func mad24Hi(d, a, b, c *Words) {
	for i := range d {
		d[i] = uint32(low24(a[i])*low24(b[i])>>16 + uint64(c[i]))
	}
}

func mad24HiSigned(d, a, b, c *Words) {
	for i := range d {
		d[i] = uint32(low24Signed(a[i])*low24Signed(b[i])>>16 + uint64(c[i]))
	}
}
