package kernels

import (
	"encoding/binary"
	"math"
	"math/big"
)

// Tensor returns the references of the kernels that compute with the tensor cores of devices from
// sm_70 on.
func Tensor() []Reference {
	return []Reference{{"halfMul", []string{"c"}, halfMul}}
}

// halfMul adds the products of 16 halves at a time, exactly, and rounds each such sum once.
func halfMul(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	const (
		step   = 16
		digits = 300 // enough for all sums: halves are multiples of 2^-24, single precision of 2^-149
	)
	a, b := halves(in["a"]), halves(in["b"])
	depth, width := int(scalars["depth"]), int(scalars["width"])
	c := make([]float32, len(in["c"])/4)
	for i := range c {
		row, column := i/width, i%width
		for k := 0; k < depth; k += step {
			sum := new(big.Float).SetPrec(digits).SetFloat64(float64(c[i]))
			for j := k; j < k+step; j++ {
				sum.Add(sum, big.NewFloat(a[row*depth+j]*b[j*width+column]))
			}
			c[i], _ = sum.Float32()
		}
	}
	return map[string][]byte{"c": floatBytes(c)}
}

// halves returns the numbers of a buffer of f16. Double precision holds any product of two.
func halves(data []byte) []float64 {
	list := make([]float64, len(data)/2)
	for i := range list {
		x := binary.LittleEndian.Uint16(data[2*i:])
		exponent, fraction := int(x>>10&0x1f), float64(x&0x3ff)
		switch {
		case exponent == 0x1f && fraction != 0:
			list[i] = math.NaN()
		case exponent == 0x1f:
			list[i] = math.Inf(1)
		case exponent == 0:
			list[i] = math.Ldexp(fraction, -24)
		default:
			list[i] = math.Ldexp(1024+fraction, exponent-25)
		}
		if x>>15 != 0 {
			list[i] = -list[i]
		}
	}
	return list
}
