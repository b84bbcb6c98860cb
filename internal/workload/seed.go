package workload

// Reseeded returns a workload whose inputs are sampled with another seed.
func Reseeded(w *Workload, seed int64) *Workload {
	own := *w
	spec := *w.Spec
	spec.Seed = seed
	own.Spec = &spec
	own.Kernels = make([]*Kernel, len(w.Kernels))
	for i, k := range w.Kernels {
		kernel, bound, job := *k, *k.Bound, *k.Bound.Job
		job.Seed = seed
		bound.Job = &job
		kernel.Bound = &bound
		own.Kernels[i] = &kernel
	}
	if w.whole != nil {
		own.whole = Reseeded(w.whole, seed)
	}
	return &own
}
