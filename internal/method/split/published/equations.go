package published

// GPU holds the hardware constructs of Table 1.
type GPU struct {
	CUs      int64 // N_CU
	SIMDs    int64 // N_SIMD, of a CU
	Contexts int64 // N_WFC, wavefront contexts of a SIMD
	Lanes    int64 // N_WIWF, work-items of a wavefront
	Splits   int64 // S, split SIMDs of each SIMD
}

// Launch holds the software constructs of Table 1, and the delays of Section 5 in cycles.
type Launch struct {
	Groups int64 // G, workgroups
	Size   int64 // N_WIWG, work-items of a workgroup
	Delay  int64 // d, from the dispatch of a workgroup to its first instruction
	Split  int64 // e_s + e_m
}

// Wavefront is Eq. 3 (Lemma 5.1): the time of a wavefront in cycles, from that of the longest
// path of the pruned form and the number of selected branches.
//
// It charges each selected branch once, wherever it stands. Here forms have no loops; one that is
// not unrolled would pay in every iteration.
func (l Launch) Wavefront(ipet int64, selected int) int64 {
	return ipet + int64(selected)*l.Split
}

// Total is Eq. 2: the SIMDs of a CU when split SIMDs that no selected branch uses serve as
// SIMDs. There are none to give if as many or more branches are selected than there are split
// SIMDs.
//
// It counts selected branches, of which several may share a context.
func (g GPU) Total(selected int64) int64 {
	return g.SIMDs + max(0, g.Splits-selected)*g.SIMDs/(selected+1)
}

// Parallel is Eq. 4 (Definition 5.2): how many workgroups execute at the same time, on the given number
// of SIMDs of a CU.
//
// It divides the work-items of the whole GPU by those of a workgroup. But a workgroup executes on
// one CU, takes whole wavefronts, and needs registers and local memory; so the number is
// too great, and the time of the kernel too small.
func (g GPU) Parallel(l Launch, simds int64) int64 {
	return g.CUs * simds * g.Contexts * g.Lanes / l.Size
}

// Dispatches is Eq. 5 (Definition 5.3): DS. At least one workgroup must execute at a time.
func (l Launch) Dispatches(parallel int64) int64 {
	return (l.Groups + parallel - 1) / parallel
}

// PWS is Eq. 6 (Lemma 5.5): the time of the kernel in cycles with predictable wavefront
// splitting. With the time of a wavefront that never splits it is that without splitting.
//
// It has no term for wavefronts that share a SIMD or a memory interface: the times of blocks
// would have to hold what these take at most.
func (l Launch) PWS(dispatches, wavefront int64) int64 {
	return dispatches * (l.Delay + wavefront)
}

// DWS is Eq. 8 (Lemma 5.7): the time of the kernel in cycles with dynamic wavefront splitting.
//
// It charges S executions for the S split wavefronts that exist at a time. A
// wavefront may split more often than that, one time after the other.
func (l Launch) DWS(dispatches, splits, wavefront int64) int64 {
	return dispatches * (l.Delay + (splits+1)*wavefront)
}
