package workload

import (
	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/job"
)

// maxRegisters is the most registers of a thread that ptxas assigns for devices from sm_35 on.
const maxRegisters = 255

// compilersChoose is the first architecture, as .target has it, on which nothing is proven of a guessed number of registers.
const compilersChoose = 70

// WithRegisters returns the source with so many registers of a thread, as if the job stated them.
func (s *Source) WithRegisters(n int) *Source {
	spec, out := *s.Spec, *s
	spec.Registers, out.Spec = n, &spec
	return &out
}

// WithChange returns the source with something changed in a copy of what the job states.
func (s *Source) WithChange(change func(*job.Job)) *Source {
	spec, out := *s.Spec, *s
	change(&spec)
	out.Spec = &spec
	return &out
}

// InMode returns the source with the clocks of a mode of the machine (machine.InMode).
func (s *Source) InMode(name string) *Source {
	spec, out := *s.Spec, *s
	spec.Mode, out.Spec = name, &spec
	return &out
}

// RegisterCounts returns one number of registers of a thread for each number of CTAs that an SM may hold at a time, of all that
// a compiler may choose for the kernel: the least of each, in rising order. Nothing else on a machine depends on them. It is empty if the job states
// the number, if the machine describes no GPU from sm_70 on, or if the launch does not fit with any.
//
// It is an error if a run has several launches and does not state the number of each.
func RegisterCounts(w *Workload) ([]int, error) {
	t, isGPU := isa.ParseTarget(w.Machine.Architecture)
	if !isGPU || t.SM < compilersChoose {
		return nil, nil
	}
	for _, k := range w.Kernels {
		switch {
		case k.Bound.Job.Registers > 0:
		case w.Several():
			return nil, diag.Errorf(k.Graph.Kernel.Pos, "kernel %s: the job does not state its registers, which ptxas chooses for GPUs of sm_%d: give registers, as ptxas -v prints them, of each launch",
				k.Graph.Kernel.Readable(), t.SM)
		default:
			return registerCounts(k), nil
		}
	}
	return nil, nil
}

// registerCounts returns one number of registers for each number of resident CTAs.
func registerCounts(k *Kernel) []int {
	limit := maxRegisters
	if own := k.Graph.Kernel.Bounds.MaxRegs; own > 0 {
		limit = min(limit, own)
	}
	var counts []int
	own, resident := *k, 0
	for own.Registers = 1; own.Registers <= limit; own.Registers++ {
		occ, err := own.Occupancy()
		if err != nil {
			break // more do not fit either
		}
		if occ.CTAs != resident {
			resident, counts = occ.CTAs, append(counts, own.Registers)
		}
	}
	return counts
}
