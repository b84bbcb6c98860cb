package split

import "warpbound/internal/machine"

// residency is how many workgroups a CU holds, and how many wavefronts share what.
type residency struct {
	groups     int64 // that the CU executes, which has the most
	slots      int64 // workgroups that it holds at a time
	wavefronts int64 // of a workgroup
	simds      int64
	parts      int64 // into which a wavefront splits at the same time, at most
}

func newResidency(m *machine.Machine, groups, slots, wavefronts, parts int64) residency {
	cus := m.SM.Count.Value
	return residency{
		groups: (groups + cus - 1) / cus, slots: slots, wavefronts: wavefronts,
		simds: m.SM.Schedulers.Value, parts: parts,
	}
}

// rounds is DS, the number of workgroups that follow each other in a slot at most: the
// groups that a CU executes are started in their order, each as soon as a slot is free.
func (r *residency) rounds() int64 { return (r.groups + r.slots - 1) / r.slots }

// last is how many workgroups are left when all rounds but one are over, at most.
func (r *residency) last() int64 { return r.groups - (r.rounds()-1)*r.slots }

// contexts returns how many wavefronts share a SIMD while so many workgroups are left: the
// wavefronts of slot k are k*W to (k+1)*W-1, and are distributed to the SIMDs in this order. Of
// one workgroup no SIMD has more than ceil(W/SIMDs).
func (r *residency) contexts(groups int64) int64 {
	each := (r.wavefronts + r.simds - 1) / r.simds
	if r.rounds() == 1 { // they are in the first slots
		return (groups*r.wavefronts + r.simds - 1) / r.simds
	}
	all := (r.slots*r.wavefronts + r.simds - 1) / r.simds
	return min(all, groups*each)
}

// warpSplits returns how many parts of wavefronts use the memory of a CU while so many
// workgroups are left, each of them for one access at a time.
func (r *residency) warpSplits(groups int64) int64 { return groups * r.wavefronts * r.parts }
