package split

import (
	"warpbound/internal/machine"
	"warpbound/internal/saturating"
)

// residency is how many workgroups a CU holds, and how many wavefronts share what.
type residency struct {
	groups     saturating.Int // that the CU executes, which has the most
	slots      saturating.Int // workgroups that it holds at a time
	wavefronts saturating.Int // of a workgroup
	simds      saturating.Int
	parts      saturating.Int // into which a wavefront splits at the same time, at most
}

func newResidency(m *machine.Machine, groups, slots, wavefronts, parts saturating.Int) residency {
	return residency{
		groups: groups.DivUp(saturating.Of(m.SM.Count.Value)), slots: slots, wavefronts: wavefronts,
		simds: saturating.Of(m.SM.Schedulers.Value), parts: parts,
	}
}

// rounds is DS, the number of workgroups that follow each other in a slot at most: the
// groups that a CU executes are started in their order, each as soon as a slot is free.
func (r *residency) rounds() saturating.Int { return r.groups.DivUp(r.slots) }

// last is how many workgroups are left when all rounds but one are over, at most.
func (r *residency) last() saturating.Int { return r.groups.Sub(r.rounds().Sub(1).Mul(r.slots)) }

// contexts returns how many wavefronts share a SIMD while so many workgroups are left: the
// wavefronts of slot k are k*W to (k+1)*W-1, and are distributed to the SIMDs in this order. Of
// one workgroup no SIMD has more than ceil(W/SIMDs).
func (r *residency) contexts(groups saturating.Int) saturating.Int {
	if r.rounds() == 1 { // they are in the first slots
		return groups.Mul(r.wavefronts).DivUp(r.simds)
	}
	all := r.slots.Mul(r.wavefronts).DivUp(r.simds)
	return min(all, groups.Mul(r.wavefronts.DivUp(r.simds)))
}

// warpSplits returns how many parts of wavefronts use the memory of a CU while so many
// workgroups are left, each of them for one access at a time.
func (r *residency) warpSplits(groups saturating.Int) saturating.Int {
	return groups.Mul(r.wavefronts).Mul(r.parts)
}
