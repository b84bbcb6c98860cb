package warpbound

import (
	"warpbound/estimate"
	"warpbound/internal/study/suit"
)

// MachinesFor says which of the built-in machines suit a module, the best first: whether the GPUs
// that they describe run code for its target, whether its kernels run there, and which methods
// bound them. file is the module's name, which tells its language; kernel limits the answer to one
// kernel unless empty. It is an error if src is not of that language or if there is no such kernel.
func MachinesFor(file string, src []byte, kernel string) (*estimate.Machines, error) {
	return suit.Module(file, src, kernel)
}
