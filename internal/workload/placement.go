package workload

import "slices"

// Placed returns the workload with its buffers at other addresses: before each of them lie so many bytes more than there are
// between buffers, by parameter of the whole job. What lies behind the buffers, variables and the heap, moves with them.
func Placed(w *Workload, gaps []uint64) *Workload {
	own := *w
	own.Kernels = make([]*Kernel, len(w.Kernels))
	for i, k := range w.Kernels {
		kernel := *k
		kernel.Gaps = slices.Clone(gaps)
		own.Kernels[i] = &kernel
	}
	if w.whole != nil {
		own.whole = Placed(w.whole, gaps)
	}
	return &own
}
