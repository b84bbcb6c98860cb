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
	l := value.Launch{Grid: spec.Grid, Block: spec.Block, Width: k.width()}
	for i := range spec.Params {
		p := &spec.Params[i]
		width := 8 * k.Graph.Kernel.Params[i].Bytes
		set := value.Strided{}
		switch p.Kind {
		case job.Buffer, job.SharedPtr:
			set = value.Multiples(width, abi.BufferAlign)
		case job.Scalar:
			set = numbers(p, width)
		}
		l.Params = append(l.Params, value.Word{Offset: k.Graph.Kernel.Params[i].Offset, Strided: set})
	}
	return l
}

// numbers returns the words that a number can be.
func numbers(p *job.Param, width int) value.Strided {
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
		if p.Kind != job.Buffer && p.Content.Kind == job.Uniform {
			at := k.Graph.Kernel.Params[i]
			ranges = append(ranges, absexec.Range{Addr: abi.ParamAddress(at.Offset), Bytes: at.Bytes})
		}
	}
	return ranges
}

// Fixed returns the buffers that hold the same in every test vector whenever the launch begins. addresses are
// those of buffers by parameter of the whole job.
func (k *Kernel) Fixed(addresses []uint64) []absexec.Buffer {
	var buffers []absexec.Buffer
	for i, p := range k.Bound.Job.Whole().Params {
		if k.Kept != nil && !k.Kept[i] {
			continue
		}
		if p.Kind == job.Buffer && p.Content.Kind != job.Uniform && p.Bytes > 0 {
			buffers = append(buffers, absexec.Buffer{Name: p.Name, Range: absexec.Range{Addr: addresses[i], Bytes: p.Bytes}})
		}
	}
	return buffers
}
