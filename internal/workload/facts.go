package workload

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/contract"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/job"
)

// Launch returns what the job fixes of the launch of a kernel, whatever its inputs.
func (k *Kernel) Launch() launchfacts.Launch { return k.launch(false) }

// Trusting returns the same if it is taken for granted that no run writes to the buffers that are read-only by what the
// job says. It is false if there is no such buffer.
func (k *Kernel) Trusting() (launchfacts.Launch, bool) {
	l := k.launch(true)
	return l, slices.ContainsFunc(l.Buffers, func(b launchfacts.Buffer) bool { return b.ReadOnly })
}

func (k *Kernel) launch(trust bool) launchfacts.Launch {
	spec := k.Bound.Job
	l := launchfacts.Launch{
		Grid: spec.Grid, Block: spec.Block, Width: k.width(), Trust: trust, Effort: spec.Effort,
		Aliased: spec.Launches != nil, // which may repeat arguments
	}
	places := k.remember(&l)
	reached := make(map[int]bool) // buffers that an argument points into
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
		known := func(at int, set strided.Interval) {
			l.Params = append(l.Params, launchfacts.Word{Offset: offset + at, Interval: set})
		}
		address := func(at, width int, of job.Address) {
			points(of.Param)
			known(at, inBuffer(width, of.Bytes))
			l.Pointers[offset+at] = launchfacts.Pointer{Buffer: places[spec.InWhole(of.Param)], Offset: int(of.Bytes)}
		}
		switch width := 8 * bytes; p.Kind {
		case job.Buffer:
			address(0, width, job.Address{Param: i})
		case job.SharedPtr:
			known(0, strided.Multiples(width, abi.BufferAlign))
		case job.View:
			address(0, width, *p.View)
		case job.Scalar:
			known(0, related(k, i, numbers(p, p.Content.Data, width)))
		case job.Struct:
			for _, to := range p.Content.Pointers {
				address(to.At, 64, to.To)
			}
			for _, w := range plain(p, p.Content.Data) {
				known(w.Offset, w.Interval)
			}
		case job.Array:
			for _, to := range p.Content.Pointers {
				address(to.At, 64, to.To)
			}
			each, data := p.Type.Bytes(), k.Bound.Vector(0).Scalars[spec.InWhole(i)]
			for at := 0; at < bytes; at += each {
				known(at, numbers(p, data[at:at+each], 8*each))
			}
		}
	}
	l.Sums = sums(k)
	return l
}

// sums returns what linear relations say of parameters that are never negative, so that they are the same number signed and
// unsigned.
func sums(k *Kernel) []launchfacts.Sum {
	whole := k.Bound.Job.Whole()
	if whole.Related == nil {
		return nil
	}
	places := make(map[int]launchfacts.SumTerm)
	for i := range k.Bound.Job.Params {
		if offset, bytes, ok := k.Bound.Slot(i); ok && k.Bound.Job.InWhole(i) >= 0 {
			places[k.Bound.Job.InWhole(i)] = launchfacts.SumTerm{Offset: offset, Bits: 8 * bytes}
		}
	}
	var all []launchfacts.Sum
	for i := range whole.Related.Problem.Relations {
		for _, linear := range whole.Related.Problem.Relations[i].Linears() {
			if s, ok := sum(whole, linear, places); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

// sum returns a linear relation over parameters at their places; false if it says nothing of several of them.
func sum(whole *job.Job, linear contract.Linear, places map[int]launchfacts.SumTerm) (launchfacts.Sum, bool) {
	s := launchfacts.Sum{Max: linear.Max}
	for _, v := range slices.Sorted(maps.Keys(linear.Coefs)) {
		term, passed := places[v]
		set, _ := whole.Narrowed(v)
		switch coef := linear.Coefs[v]; {
		case coef == 0:
		case set.Step == 0:
			s.Max -= coef * set.Low
		case set.Low < 0 || !passed:
			return s, false
		default:
			term.Coef = coef
			s.Terms = append(s.Terms, term)
		}
	}
	return s, len(s.Terms) > 1
}

// inBuffer returns what an address can be that lies so many bytes behind the start of a buffer.
func inBuffer(width int, bytes uint64) strided.Interval {
	return strided.Multiples(width, abi.BufferAlign).Add(strided.Const(width, bytes))
}

// numbers returns the words that a number can be, which in the first test vector is data.
func numbers(p *job.Param, data []byte, width int) strided.Interval {
	switch c := &p.Content; {
	case c.Kind != job.Uniform:
		var word [8]byte
		copy(word[:], data)
		return strided.Const(width, binary.LittleEndian.Uint64(word[:]))
	case !p.Type.IsFloat():
		return strided.Between(width, c.Base, c.Base+c.Span)
	}
	return floats(p, width)
}

// related returns what relations leave of the words of a number, by the index of its parameter.
func related(k *Kernel, param int, set strided.Interval) strided.Interval {
	whole := k.Bound.Job.InWhole(param)
	if whole < 0 {
		return set
	}
	left, ok := k.Bound.Job.Whole().Narrowed(whole)
	if !ok {
		return set
	}
	return strided.Steps(set.Bits(), uint64(left.Low), uint64(left.High), uint64(left.Step))
}

// floats returns the bits of the floats that are sampled for a parameter: their magnitudes ascend as integers, those of
// negative ones behind those of all others.
func floats(p *job.Param, width int) strided.Interval {
	low, high, _ := p.Extremes()
	sign := uint64(1) << (width - 1)
	switch {
	case p.Content.Low > 0:
		return strided.Between(width, low, high)
	case p.Content.High < 0:
		return strided.Between(width, high, low)
	case p.Content.Low < 0:
		return strided.Any(width)
	}
	return strided.Between(width, sign, high) // with the negative zero
}

// Values returns what registers hold and which addresses are accessed in a launch. Places of local memory that can be
// registers are such; the blocks and the places of the instructions are those of the kernel. The error is that of ctx.
func (k *Kernel) Values(ctx context.Context) (*value.Result, error) {
	return factsOf(k, false).analyzeValues(ctx)
}

// TrustedValues is Values if it is taken for granted that no run writes to the buffers that are read-only by what the job
// says.
func (k *Kernel) TrustedValues(ctx context.Context) (*value.Result, error) {
	return factsOf(k, true).analyzeValues(ctx)
}

// Divergence returns the verdicts on the branches of a kernel. It is an error if its control flow is not
// reducible, or if it has syncs that do not fit its branches, or the error is that of ctx.
func (k *Kernel) Divergence(ctx context.Context) (*divergence.Result, error) {
	return factsOf(k, false).judgeBranches(ctx)
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
