package workload

import (
	"fmt"

	"warpbound/internal/machine"
)

// WithLLC returns the workload with another shared last-level cache. It is an error if its machine has none or
// cannot have that one.
func (w *Workload) WithLLC(opts machine.LLCOptions) (*Workload, error) {
	m, err := w.Machine.WithLLC(opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name(), err)
	}
	spec, out := *w.Spec, *w
	if opts.KiB != nil {
		spec.LLC.KiB = opts.KiB
	}
	if opts.Quota != nil {
		spec.LLC.Quota = opts.Quota
	}
	if opts.Regulated != nil {
		spec.LLC.Regulated = opts.Regulated
	}
	out.Spec, out.Machine = &spec, m
	out.Kernels = make([]*Kernel, len(w.Kernels))
	for i, k := range w.Kernels {
		bound, own := *k.Bound, *k
		if bound.Job = &spec; k.Bound.Job.Of != nil {
			alone := *k.Bound.Job
			alone.Of, alone.LLC, bound.Job = &spec, spec.LLC, &alone
		}
		own.Bound, own.Machine = &bound, m
		out.Kernels[i] = &own
	}
	return &out, nil
}
