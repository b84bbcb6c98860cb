// Package fuzzsource makes random decisions of a fuzzer's bytes.
//
// fuzzsource is imported by tests alone. It imports kernelgen for the interface of a source and
// nothing else of this project.
package fuzzsource

import (
	"hash/fnv"
	"math/rand/v2"

	"warpbound/internal/kernelgen"
)

// byteSource draws from bytes while there are some.
type byteSource struct {
	bytes []byte
	rest  *rand.Rand
}

// New returns a source that draws its numbers from bytes, one for each
// number up to 256 and two for larger ones, and from a generator that they seed when
// there are none left: so a fuzzer that changes some bytes changes some decisions.
func New(data []byte) kernelgen.Source {
	h := fnv.New64a()
	_, _ = h.Write(data) // never fails
	return &byteSource{data, rand.New(rand.NewPCG(h.Sum64(), 0))}
}

// IntN implements kernelgen.Source.
func (s *byteSource) IntN(n int) int {
	if len(s.bytes) < 2 {
		return s.rest.IntN(n)
	}
	v := int(s.bytes[0])
	s.bytes = s.bytes[1:]
	if n > 1<<8 {
		v = v<<8 | int(s.bytes[0])
		s.bytes = s.bytes[1:]
	}
	if n > 1<<16 {
		v = v<<32 | int(s.rest.Uint32())
	}
	return v % n
}
