package isa

import "warpbound/diag"

// warpThreads is the number of threads of a warp for which PTX is written: WARP_SZ of every
// target so far (PTX ISA, "Special Registers").
const warpThreads = 32

// CheckWarps returns errors for whatever lets a kernel in PTX tell which threads are in one
// warp, unless a warp has lanes as many as PTX means, 32. On other warps its results would be
// others:
//
//   - operations across the lanes of a warp: shfl, vote, match, redux, elect, activemask and
//     bar.warp.sync, with or without member masks, which have 32 bits;
//   - %laneid, %lanemask_*, %warpid and %nwarpid, which number lanes from 0 to 31 and warps of
//     them;
//   - WARP_SZ, in an operand or in a constant expression, also of a variable.
//
// All other instructions concern a thread, the CTA or the grid. A kernel that divides %tid by
// 32 itself gives the same results on every warp, as long as it does not take the threads of
// a quotient to run together.
//
// All that is found is in the one error, once for each position.
func (k *Kernel) CheckWarps(lanes int) error {
	if lanes == warpThreads {
		return nil
	}
	var errs diag.List
	seen := make(map[diag.Pos]bool)
	add := func(pos diag.Pos, what string) {
		if !seen[pos] {
			errs.Add(diag.Errorf(pos, "%s depends on warps of %d threads, and those of the machine have %d: choose a machine with warp_size = %[2]d",
				what, warpThreads, lanes))
		}
		seen[pos] = pos.Known()
	}
	for i := range k.Instrs {
		if in := &k.Instrs[i]; in.knowsWarps() {
			add(in.Pos, k.Format(in))
		}
	}
	for i := range k.Vars {
		if v := &k.Vars[i]; v.WarpSize {
			add(v.Pos, "variable "+v.Name)
		}
	}
	return errs.Err()
}

// knowsWarps reports whether results of an instruction depend on which threads are in one
// warp.
func (in *Instr) knowsWarps() bool {
	if in.WarpSize || in.Op.Info().Effect&Crosslane != 0 {
		return true
	}
	for _, o := range in.Src {
		if o.Kind == KindSpecial && o.Special.ofWarp() {
			return true
		}
	}
	return false
}

// ofWarp reports whether a special register tells of lanes and warps.
func (s Special) ofWarp() bool {
	switch s {
	case LaneID, WarpID, NwarpID, LanemaskEq, LanemaskLe, LanemaskLt, LanemaskGe, LanemaskGt, WarpSize:
		return true
	}
	return false
}
