package kernels

import (
	"encoding/binary"
	"math"
	"slices"
)

// What the sources fix: the keys per tile of bitonicSort, and the local size
// that the job of reduction launches it with.
const (
	bitonicTile    = 512
	reductionGroup = 256
)

func vectorAdd(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	a, b, c := floats(in["a"]), floats(in["b"]), floats(in["c"])
	for i := range scalars["n"] {
		c[i] = a[i] + b[i]
	}
	return map[string][]byte{"c": floatBytes(c)}
}

func matrixMul(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	a, b, c := floats(in["a"]), floats(in["b"]), floats(in["c"])
	depth, width := int(scalars["depth"]), int(scalars["width"])
	for i := range c {
		row, col := i/width, i%width
		var sum float32
		for k := range depth {
			sum = fma32(a[row*depth+k], b[k*width+col], sum)
		}
		c[i] = sum
	}
	return map[string][]byte{"c": floatBytes(c)}
}

func reduction(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	data, out := floats(in["in"]), floats(in["out"])
	n, stride := int(scalars["n"]), len(out)*reductionGroup
	for group := range out {
		partial := make([]float32, reductionGroup)
		for lid := range partial {
			for i := group*reductionGroup + lid; i < n; i += stride {
				partial[lid] += data[i]
			}
		}
		for active := reductionGroup / 2; active > 0; active /= 2 {
			for lid := range active {
				partial[lid] += partial[lid+active]
			}
		}
		out[group] = partial[0]
	}
	return map[string][]byte{"out": floatBytes(out)}
}

func bitonicSort(in map[string][]byte, _ map[string]uint64) map[string][]byte {
	keys := words(in["keys"])
	descending := false
	for tile := range slices.Chunk(keys, bitonicTile) {
		slices.Sort(tile)
		if descending {
			slices.Reverse(tile)
		}
		descending = !descending
	}
	return map[string][]byte{"keys": wordBytes(keys)}
}

func histogram64(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	histogram := words(in["histogram"])
	for _, v := range in["data"][:4*scalars["n"]] {
		histogram[v>>2]++
	}
	return map[string][]byte{"histogram": wordBytes(histogram)}
}

func bfs(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	row, col := words(in["row"]), words(in["col"])
	level, changed := words(in["level"]), words(in["changed"])
	depth := uint32(scalars["depth"])
	for v := range scalars["vertices"] {
		if level[v] != depth {
			continue
		}
		for _, neighbour := range col[row[v]:row[v+1]] {
			if level[neighbour] == 0 {
				level[neighbour] = depth + 1
				changed[0] = 1
			}
		}
	}
	return map[string][]byte{"level": wordBytes(level), "changed": wordBytes(changed)}
}

// fma32 returns a*b + c rounded once, for finite arguments.
//
// The product of two float32 is exact in float64, but the sum is not, and a
// rounded sum could round a second time on its way to float32. So the sum is
// rounded to odd: where it is inexact, to whichever neighbour has an odd
// significand, which no float32 boundary can be mistaken for. (Boldo and
// Melquiond, "Emulation of a FMA and correctly rounded sums", 2008.)
func fma32(a, b, c float32) float32 {
	x, y := float64(a)*float64(b), float64(c)
	sum := x + y
	// Knuth's two-sum: sum + rest == x + y exactly.
	z := sum - x
	rest := (x - (sum - z)) + (y - z)
	if bits := math.Float64bits(sum); rest != 0 && bits&1 == 0 {
		if (rest > 0) == (sum > 0) {
			bits++ // away from zero
		} else {
			bits--
		}
		sum = math.Float64frombits(bits)
	}
	return float32(sum)
}

func words(b []byte) []uint32 {
	v := make([]uint32, len(b)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return v
}

func wordBytes(v []uint32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func floats(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i, w := range words(b) {
		v[i] = math.Float32frombits(w)
	}
	return v
}

func floatBytes(v []float32) []byte {
	w := make([]uint32, len(v))
	for i, f := range v {
		w[i] = math.Float32bits(f)
	}
	return wordBytes(w)
}

// triangleSum adds every second element of the upper part of a column, and one wherever
// the number of the row is a multiple of that of the column.
func triangleSum(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	m, v, c := floats(in["m"]), floats(in["v"]), int(scalars["c"])
	for tid := range v {
		var s float32
		for d := 0; d <= tid; d++ {
			if d%(tid+1) == 0 {
				s++
			}
			if d%2 != 0 {
				s += m[tid+d*c]
			}
		}
		v[tid] = s
	}
	return map[string][]byte{"v": floatBytes(v)}
}
