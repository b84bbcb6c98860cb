package kernels

import (
	"encoding/binary"
	"math"
)

// Arguments returns the references of the kernels whose arguments are more than numbers and the
// addresses of buffers: a struct with pointers in it, which point into one buffer, and lists whose nodes point to
// each other. In the contents of buffers a pointer is the offset in the buffer that it points into.
func Arguments() []Reference {
	return []Reference{
		{"blendImages", []string{"on.result"}, blendImages},
		{"linkedList", []string{"sums"}, linkedList},
	}
}

// secondImage is where the second image of blendImages begins in the buffer, in pixels.
const secondImage = 968

func blendImages(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	image, result := floats(in["image"]), floats(in["on.result"])
	rows, columns := int(scalars["on.rows"]), int(scalars["on.columns"])
	first, second := int(scalars["on.first.stride"]), int(scalars["on.second.stride"])
	weights := scalars["on.weights"] // two of them
	v, w := math.Float32frombits(uint32(weights)), math.Float32frombits(uint32(weights>>32))
	for row := range rows {
		for column := range columns {
			x, y := image[row*first+column], image[secondImage+row*second+column]
			result[row*columns+column] = fma32(v, x, float32(w*y))
		}
	}
	return map[string][]byte{"on.result": floatBytes(result)}
}

func linkedList(in map[string][]byte, _ map[string]uint64) map[string][]byte {
	heads, nodes, sums := in["heads"], in["nodes"], words(in["sums"])
	for i := range sums {
		sums[i] = 0
		for at, end := binary.LittleEndian.Uint64(heads[8*i:]), false; !end; {
			next := binary.LittleEndian.Uint64(nodes[at+8:])
			sums[i] += binary.LittleEndian.Uint32(nodes[at:])
			at, end = next, next == at
		}
	}
	return map[string][]byte{"sums": wordBytes(sums)}
}
