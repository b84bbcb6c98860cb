package job

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Admit returns an error if the inputs are none that the job can have: if a parameter holds
// something else than the job fixes, or something that it would never draw.
func (b *Bound) Admit(in *Inputs) error {
	own := b.Inputs(0)
	params := b.Job.Whole().Params
	for i := range params {
		p := &params[i]
		data, fixed := in.Scalars[i], own.Scalars[i]
		if p.Kind == Buffer {
			data, fixed = in.Buffers[i], own.Buffers[i]
		}
		if len(data) != len(fixed) {
			return fmt.Errorf("%s has %d bytes, not %d", p.Name, len(data), len(fixed))
		}
		if p.Content.Kind != Uniform {
			if !bytes.Equal(data, fixed) {
				return fmt.Errorf("%s holds something else than %s says (%v)", p.Name, b.Job.File, p.Pos)
			}
			continue
		}
		if at := p.outside(data); at >= 0 {
			return fmt.Errorf("element %d of %s is none that %s draws (%v)", at, p.Name, b.Job.File, p.Pos)
		}
	}
	return b.Job.Whole().assumed(in)
}

// outside returns the first element that is not sampled, or -1.
func (p *Param) outside(data []byte) int {
	each, c := p.Type.Bytes(), &p.Content
	width := 64 - p.Type.Bits()
	for at := 0; at < len(data)/each; at++ {
		var word [8]byte
		copy(word[:], data[at*each:(at+1)*each])
		bits := binary.LittleEndian.Uint64(word[:])
		if !p.Type.IsFloat() {
			if (bits-c.Base)<<width>>width > c.Span {
				return at
			}
			continue
		}
		if x := floatValue(p.Type, bits); !(x >= c.Low && (x < c.High || x == c.Low)) {
			return at
		}
	}
	return -1
}

// Extremes returns the bits of the least and the greatest number that are sampled for a
// parameter, of which integers may wrap around on the way from one to the other, and whether
// all bits are.
func (p *Param) Extremes() (low, high uint64, all bool) {
	c := &p.Content
	if p.Type.IsFloat() {
		low, high = floatBits(p.Type, c.Low), floatBits(p.Type, c.High)
		if c.Low < c.High {
			high = below(p.Type, c.High)
		}
		return low, high, false
	}
	width := 64 - p.Type.Bits()
	return c.Base, (c.Base + c.Span) << width >> width, c.Span == ^uint64(0)>>width
}
