package warpbound

import (
	"encoding/binary"

	"warpbound/internal/abi"
	"warpbound/internal/flow/value"
	"warpbound/internal/job"
)

// launch returns what the job fixes of its launch, whatever its inputs.
func (j *Job) launch() value.Launch {
	spec := j.bound.Job
	l := value.Launch{Grid: spec.Grid, Block: spec.Block, Width: int(j.machine.SM.WarpSize.Value)}
	for i := range spec.Params {
		p := &spec.Params[i]
		width := 8 * j.graph.Kernel.Params[i].Bytes
		set := value.Set{}
		switch {
		case p.Kind == job.Buffer || p.Kind == job.SharedPtr:
			set = value.Multiples(width, abi.BufferAlign)
		case p.Kind == job.Scalar:
			set = numbers(p, width)
		}
		l.Params = append(l.Params, set)
	}
	return l
}

// numbers returns the words that a number can be.
func numbers(p *job.Param, width int) value.Set {
	switch c := &p.Content; {
	case c.Kind == job.Fixed:
		var word [8]byte
		copy(word[:], c.Data)
		return value.Const(width, binary.LittleEndian.Uint64(word[:]))
	case c.Kind == job.Uniform && !p.Type.IsFloat():
		return value.Between(width, c.Base, c.Base+c.Span)
	}
	return value.Any(width)
}
