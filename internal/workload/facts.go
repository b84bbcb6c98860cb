package workload

import (
	"encoding/binary"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/flow/value"
	"warpbound/internal/job"
)

// Launch returns what the job fixes of the launch of a kernel, whatever its inputs.
func (k *Kernel) Launch() value.Launch {
	spec := k.Bound.Job
	l := value.Launch{Grid: spec.Grid, Block: spec.Block, Width: k.width(), Aliased: spec.Launches != nil} // which may repeat arguments
	reached := make(map[int]bool)                                                                          // buffers that an argument points into
	points := func(param int) {
		l.Aliased = l.Aliased || reached[param]
		reached[param] = true
	}
	for i := range spec.Params {
		p := &spec.Params[i]
		offset, bytes, ok := k.Bound.Slot(i)
		if !ok {
			continue
		}
		known := func(at int, set value.Strided) {
			l.Params = append(l.Params, value.Word{Offset: offset + at, Strided: set})
		}
		switch width := 8 * bytes; p.Kind {
		case job.Buffer:
			points(i)
			known(0, value.Multiples(width, abi.BufferAlign))
		case job.SharedPtr:
			known(0, value.Multiples(width, abi.BufferAlign))
		case job.View:
			points(p.View.Param)
			known(0, inBuffer(width, p.View.Bytes))
		case job.Scalar:
			known(0, numbers(p, p.Content.Data, width))
		case job.Struct:
			pointers(p, known, points)
		case job.Array:
			pointers(p, known, points)
			each, data := p.Type.Bytes(), k.Bound.Vector(0).Scalars[spec.InWhole(i)]
			for at := 0; at < bytes; at += each {
				known(at, numbers(p, data[at:at+each], 8*each))
			}
		}
	}
	return l
}

// pointers tells of the addresses that a parameter holds that is passed by value, and of the buffers in which they lie.
func pointers(p *job.Param, known func(at int, set value.Strided), points func(param int)) {
	for _, to := range p.Content.Pointers {
		points(to.To.Param)
		known(to.At, inBuffer(64, to.To.Bytes))
	}
}

// inBuffer returns what an address can be that lies so many bytes behind the start of a buffer.
func inBuffer(width int, bytes uint64) value.Strided {
	return value.Multiples(width, abi.BufferAlign).Add(value.Const(width, bytes))
}

// numbers returns the words that a number can be, which in the first test vector is data.
func numbers(p *job.Param, data []byte, width int) value.Strided {
	switch c := &p.Content; {
	case c.Kind != job.Uniform:
		var word [8]byte
		copy(word[:], data)
		return value.Const(width, binary.LittleEndian.Uint64(word[:]))
	case !p.Type.IsFloat():
		return value.Between(width, c.Base, c.Base+c.Span)
	}
	return value.Any(width)
}

// Divergence returns the verdicts on the branches of a kernel. It is an error if its control flow is not
// reducible, or if it has syncs that do not fit its branches.
func (k *Kernel) Divergence() (*divergence.Result, error) {
	form, err := gated.New(k.Graph)
	if err != nil {
		return nil, err
	}
	return divergence.Analyze(form, divergence.Launch{Grid: k.Bound.Job.Grid, Block: k.Bound.Job.Block, Width: k.width()})
}

// Sampled returns where the parameters of a kernel lie that are sampled anew for every test vector.
func (k *Kernel) Sampled() []absexec.Range {
	var ranges []absexec.Range
	for i, p := range k.Bound.Job.Params {
		if offset, bytes, ok := k.Bound.Slot(i); ok && p.Kind != job.Buffer && p.Content.Kind == job.Uniform {
			ranges = append(ranges, absexec.Range{Addr: abi.ParamAddress(offset), Bytes: bytes})
		}
	}
	return ranges
}

// Fixed returns the buffers that hold the same in every test vector whenever the launch begins. addresses are
// those of buffers by parameter of the whole job.
func (k *Kernel) Fixed(addresses []uint64) []absexec.Buffer {
	var buffers []absexec.Buffer
	for i, p := range k.Bound.Job.Whole().Params {
		written := k.Kept != nil && !k.Kept[i] // perhaps, by another launch
		if written && p.Access != job.ReadOnly {
			continue
		}
		fixed := p.Content.Kind != job.Uniform && p.Content.Kind != job.Unset
		if p.Kind == job.Buffer && fixed && p.Bytes > 0 {
			buffers = append(buffers, absexec.Buffer{
				Name: p.Name, Range: absexec.Range{Addr: addresses[i], Bytes: p.Bytes}, ReadOnly: p.Access == job.ReadOnly, Assumed: written,
			})
		}
	}
	return buffers
}
