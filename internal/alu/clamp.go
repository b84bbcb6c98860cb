package alu

// clamp32 limits x to the range of int32.
func clamp32(x int64) uint32 {
	return uint32(min(max(x, -1<<31), 1<<31-1))
}

func addSat(d, a, b, _ *Words) {
	for i := range d {
		d[i] = clamp32(int64(int32(a[i])) + int64(int32(b[i])))
	}
}

func subSat(d, a, b, _ *Words) {
	for i := range d {
		d[i] = clamp32(int64(int32(a[i])) - int64(int32(b[i])))
	}
}

func madHiSat(d, a, b, c *Words) {
	for i := range d {
		d[i] = clamp32(int64(int32(a[i]))*int64(int32(b[i]))>>32 + int64(int32(c[i])))
	}
}

func mad24HiSat(d, a, b, c *Words) {
	for i := range d {
		d[i] = clamp32(int64(low24Signed(a[i]))*int64(low24Signed(b[i]))>>16 + int64(int32(c[i])))
	}
}

// minRelu and maxRelu make zeros of negative results.

func minRelu(d, a, b, _ *Words) {
	for i := range d {
		d[i] = uint32(max(min(int32(a[i]), int32(b[i])), 0))
	}
}

func maxRelu(d, a, b, _ *Words) {
	for i := range d {
		d[i] = uint32(max(int32(a[i]), int32(b[i]), 0))
	}
}
