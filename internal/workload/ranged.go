package workload

import (
	"encoding/binary"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/job"
)

// Ranged is an integer argument that test vectors sample from a range.
type Ranged struct {
	index int // in the job's Params
	param *job.Param
}

// RangedArguments returns the integer arguments that are sampled alone: no relation is about them. There are none of a
// launch that is one of several.
func RangedArguments(w *Workload) []Ranged {
	spec := w.First().Bound.Job
	if spec.Of != nil || w.Several() {
		return nil
	}
	var all []Ranged
	for i := range spec.Params {
		p := &spec.Params[i]
		_, related := spec.Narrowed(i)
		if p.Kind == job.Scalar && p.Content.Kind == job.Uniform && !p.Type.IsFloat() && !related && p.Content.Span > 0 {
			all = append(all, Ranged{i, p})
		}
	}
	return all
}

// Name returns the name of the parameter.
func (r Ranged) Name() string { return r.param.Name }

// Pos returns where the job describes the parameter.
func (r Ranged) Pos() diag.Pos { return r.param.Pos }

// Last returns the number of the last integer of the range, of which the first is number 0.
func (r Ranged) Last() uint64 { return r.param.Content.Span }

// Text says that the argument is one of the integers with the numbers first to last.
func (r Ranged) Text(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("%s = %s", r.Name(), r.param.Nth(first))
	}
	return fmt.Sprintf("%s in [%s, %s]", r.Name(), r.param.Nth(first), r.param.Nth(last))
}

// Restrict returns a workload for inputs in which the argument is one of the integers with the numbers first to last. It
// must not be run.
func (r Ranged) Restrict(w *Workload, first, last uint64) *Workload {
	kernel := *w.First()
	if kernel.whole == nil {
		kernel.whole = w.First()
	}
	whole := kernel.Bound
	kernel.Bound, kernel.found = kernel.found.restricted(part{whole, r.index, first, last}, len(kernel.Graph.Kernel.Instrs), func() *job.Bound {
		bound, spec := *whole, *whole.Job
		spec.Params = slices.Clone(spec.Params)
		spec.Params[r.index].Content = r.content(first, last)
		bound.Job = &spec
		return &bound
	})
	own := *w
	own.Spec, own.Kernels = kernel.Bound.Job, []*Kernel{&kernel}
	return &own
}

func (r Ranged) content(first, last uint64) job.Content {
	c := r.param.Content
	c.Base, c.Span = c.Base+first, last-first
	if c.Span > 0 {
		return c
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], c.Base)
	return job.Content{Kind: job.Fixed, Data: word[:r.param.Type.Bytes()]}
}
