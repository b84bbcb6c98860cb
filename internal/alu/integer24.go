package alu

// The operations on the low 24 bits of their sources give the low 32 bits of the
// product, or the high 32 of its 48.

func low24(x uint64) uint64       { return x & (1<<24 - 1) }
func low24Signed(x uint64) uint64 { return uint64(int64(x<<40) >> 40) }

func mul24(d, a, b, _ *Vector) {
	for i := range d {
		d[i] = uint64(uint32(low24(a[i]) * low24(b[i])))
	}
}

func mul24Signed(d, a, b, _ *Vector) {
	for i := range d {
		d[i] = uint64(uint32(low24Signed(a[i]) * low24Signed(b[i])))
	}
}

func mul24Hi(d, a, b, _ *Vector) {
	for i := range d {
		d[i] = low24(a[i]) * low24(b[i]) >> 16
	}
}

func mul24HiSigned(d, a, b, _ *Vector) {
	for i := range d {
		d[i] = uint64(uint32(low24Signed(a[i]) * low24Signed(b[i]) >> 16))
	}
}

func mad24(d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(uint32(low24(a[i])*low24(b[i]) + c[i]))
	}
}

func mad24Signed(d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(uint32(low24Signed(a[i])*low24Signed(b[i]) + c[i]))
	}
}

func mad24Hi(d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(uint32(low24(a[i])*low24(b[i])>>16 + c[i]))
	}
}

func mad24HiSigned(d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(uint32(low24Signed(a[i])*low24Signed(b[i])>>16 + c[i]))
	}
}
