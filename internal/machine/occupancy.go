package machine

import (
	"fmt"
	"warpbound/diag"
)

// Launch is what a launch of a kernel needs of a machine.
type Launch struct {
	Grid, Block   [3]int // CTAs of the grid, threads of a CTA, by axis
	Registers     int    // per thread
	StaticShared  int    // bytes of shared memory of a CTA that the kernel declares
	DynamicShared int    // bytes of shared memory of a CTA that the launch adds
	Local         int    // bytes of local memory of each thread
}

// Occupancy says how many CTAs of a launch an SM holds at a time.
type Occupancy struct {
	CTAs  int    // resident per SM, at least 1
	Warps int    // per CTA
	Limit string // what keeps a further CTA away: threads, warps, CTAs, registers or shared memory
	Waves int    // how often all SMs together are filled to start the whole grid
	Ways  int    // of the L1 that the launch leaves, 0 for all (Machine.CarveOuts)
}

// Fit returns the occupancy of a launch. It is an error, which names the limit and the numbers, if not
// even one CTA fits, or if those that do have more local memory than a simulation may use; and if the
// machine is a device, whose driver alone knows what fits.
func (m *Machine) Fit(launch Launch) (Occupancy, error) {
	if m.SM.Warps.Value == 0 {
		return Occupancy{}, unfit("what fits on an SM of %s is for its driver to say", m.Name)
	}
	threads, ctas := 1, 1
	for i, axis := range "xyz" {
		g, b := launch.Grid[i], launch.Block[i]
		if g < 1 || b < 1 {
			return Occupancy{}, unfit("a grid of %d and a block of %d in %c: both must be at least 1", g, b, axis)
		}
		if threads *= b; b > int(m.SM.CTAThreads.Value) || threads > int(m.SM.CTAThreads.Value) {
			return Occupancy{}, unfit("a CTA of %v threads has more than the %d that %s allows", launch.Block, m.SM.CTAThreads.Value, m.Name)
		}
		if ctas > maxCTAs/g {
			return Occupancy{}, unfit("a grid of %v CTAs has more than %d", launch.Grid, maxCTAs)
		}
		ctas *= g
	}
	if launch.Registers < 0 || launch.DynamicShared < 0 {
		return Occupancy{}, unfit("%d registers per thread and %d bytes of shared memory: both must be at least 0", launch.Registers, launch.DynamicShared)
	}

	sm := &m.SM
	width := int(sm.WarpSize.Value)
	warps := (threads + width - 1) / width
	regs, allRegs, err := m.fitRegisters(launch.Registers, warps)
	if err != nil {
		return Occupancy{}, err
	}
	shared := roundUp(launch.StaticShared+launch.DynamicShared+int(sm.SharedReserved.Value), int(sm.SharedUnit.Value))

	occ := Occupancy{CTAs: int(sm.CTAs.Value), Warps: warps, Limit: "CTAs"}
	for _, need := range []struct {
		what      string
		each, all int
	}{
		{"threads", threads, int(sm.Threads.Value)},
		{"warps", warps, int(sm.Warps.Value)},
		{"registers", regs, allRegs},
		{"bytes of shared memory", shared, int(sm.Shared.Value)},
	} {
		if need.each > need.all {
			return Occupancy{}, unfit("a CTA of %v threads needs %d %s, but an SM of %s has %d", launch.Block, need.each, need.what, m.Name, need.all)
		}
		if need.each > 0 && need.all/need.each < occ.CTAs {
			occ.CTAs, occ.Limit = need.all/need.each, need.what
		}
	}
	for _, out := range m.SortedCarveOuts() {
		if occ.Ways = int(out.Ways); out.KiB<<10 >= int64(occ.CTAs*shared) {
			break
		}
	}
	room := occ.CTAs * int(sm.Count.Value)
	occ.Waves = (ctas + room - 1) / room
	resident := min(room, ctas)
	if local := launch.Local * warps * width; local > maxLocal/resident {
		return Occupancy{}, unfit("%d bytes of local memory for each thread are %d for the %d CTAs that %s holds at a time, more than %d: declare less, or launch fewer CTAs",
			launch.Local, local*resident, resident, m.Name, maxLocal)
	}
	return occ, nil
}

// fitRegisters returns how many registers the warps of a CTA need and how many an SM has for
// all CTAs. Those of a split core belong to its SIMDs, each of which holds whole warps.
func (m *Machine) fitRegisters(perThread, warps int) (need, have int, err error) {
	sm := &m.SM
	perWarp := roundUp(perThread*int(sm.WarpSize.Value), int(sm.RegisterUnit.Value))
	need, have = perWarp*roundUp(warps, int(sm.WarpUnit.Value)), int(sm.Registers.Value)
	if m.Core == Splitting && perWarp > 0 {
		simds := int(sm.Schedulers.Value)
		perSIMD := have / simds
		if perWarp > perSIMD {
			return 0, 0, unfit("a warp needs %d registers, but a SIMD of %s has %d", perWarp, m.Name, perSIMD)
		}
		have = simds * (perSIMD / perWarp * perWarp)
	}
	return need, have, nil
}

// maxLocal bounds the local memory of all threads that are resident at a time, in
// bytes: what a job may ask for otherwise.
const maxLocal = 1 << 30

// maxCTAs is the largest number of CTAs of a grid: their indices fit into trace
// records.
const maxCTAs = 1<<31 - 1

func roundUp(x, unit int) int { return (x + unit - 1) / unit * unit }

// unfit is the error of a launch that a machine does not hold.
func unfit(format string, args ...any) error {
	return &diag.LaunchError{Err: fmt.Errorf(format, args...)}
}
