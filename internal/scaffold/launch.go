package scaffold

import (
	"slices"

	"warpbound/internal/isa"
)

// shape is a grid and a block.
type shape struct{ grid, block [3]int }

// threads returns how many threads there are.
func (s shape) threads() int {
	n := 1
	for i := range s.grid {
		n *= s.grid[i] * s.block[i]
	}
	return n
}

// used says which coordinates a kernel asks for, of threads and of CTAs.
func used(k *isa.Kernel) (threads, ctas [3]bool) {
	for _, in := range k.Instrs {
		for _, o := range in.Src {
			if o.Kind != isa.KindSpecial {
				continue
			}
			for i := range threads {
				switch o.Special {
				case isa.TidX + isa.Special(i), isa.NtidX + isa.Special(i):
					threads[i] = true
				case isa.CtaidX + isa.Special(i), isa.NctaidX + isa.Special(i):
					ctas[i] = true
				}
			}
		}
	}
	return threads, ctas
}

// shapes returns the launches to try, the likeliest first: small ones, of several warps and CTAs if the kernel
// asks which thread of which CTA runs.
func shapes(k *isa.Kernel) []shape {
	threads, ctas := used(k)
	grid := [3]int{1, 1, 1}
	for i := range grid {
		if ctas[i] {
			grid[i] = 2
		}
	}
	if ctas == [3]bool{true, false, false} {
		grid[0] = 4
	}
	var all []shape
	for _, block := range blocks(k, threads) {
		if s := (shape{grid, block}); fits(k, block) && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// blocks returns candidates for the threads of a CTA.
func blocks(k *isa.Kernel, threads [3]bool) [][3]int {
	if want := k.Bounds.ReqNtid; want != [3]int{} {
		return [][3]int{{max(want[0], 1), max(want[1], 1), max(want[2], 1)}}
	}
	var all [][3]int
	for _, v := range k.Vars { // an array in shared memory with an element for each thread
		if v.Space != isa.Shared {
			continue
		}
		for _, n := range []int{8, 16, 32} {
			if threads[1] && (v.Bytes == 4*n*n || v.Bytes == 4*n*(n+1)) {
				all = append(all, [3]int{n, n, 1})
			}
		}
		for n := 32; n <= 1024; n *= 2 {
			if !threads[1] && v.Bytes == 4*n {
				all = append(all, [3]int{n, 1, 1})
			}
		}
	}
	if limit := k.Bounds.MaxNtid; limit != [3]int{} {
		all = append(all, [3]int{max(limit[0], 1), max(limit[1], 1), max(limit[2], 1)})
	}
	switch {
	case threads[2]:
		all = append(all, [3]int{8, 8, 2}, [3]int{8, 4, 4}, [3]int{4, 4, 4}, [3]int{8, 8, 8})
	case threads[1]:
		all = append(all, [3]int{16, 16, 1}, [3]int{8, 8, 1}, [3]int{32, 8, 1}, [3]int{32, 32, 1}, [3]int{32, 4, 1}, [3]int{4, 4, 1})
	case threads[0]:
		for _, n := range []int{128, 64, 256, 32, 512, 16, 1024, 8} {
			all = append(all, [3]int{n, 1, 1})
		}
	default:
		all = append(all, [3]int{32, 1, 1}, [3]int{8, 1, 1})
	}
	return all
}

// fits reports whether a block is within the bounds that a kernel declares, and those of all machines.
func fits(k *isa.Kernel, block [3]int) bool {
	n, limit := block[0]*block[1]*block[2], 1
	for _, m := range k.Bounds.MaxNtid {
		limit *= max(m, 1)
	}
	return n <= 1024 && (k.Bounds.MaxNtid == [3]int{} || n <= limit)
}
