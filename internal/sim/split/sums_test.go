package split

import (
	"fmt"

	"warpbound/internal/machine"
)

// sums are the two sums of Lemma 2 of docs/machine-model/split.md, from the cycle on in which the CTA was
// begun: of A(x), for all cycles, and of B(x), for those in which the memory serves nothing.
type sums struct{ all, free int64 }

// cost is what the sums need to know of an instruction.
type cost struct{ passes, m, d int64 }

// dispatched returns the sums of a wavefront that was just dispatched.
func (w *twin) dispatched() *sums {
	d := w.cfg.Machine.SM.Dispatch.Value
	return &sums{d, d}
}

// add adds an instruction to the sums of a part.
func (w *twin) add(u *twinCU, v *twinPart, x cost) {
	w.maximum = max(w.maximum, x.m)
	fronts := w.occ * w.grid.Warps()
	ids := int64((fronts + w.simds - 1) / w.simds)
	issue := ids * w.q * x.passes
	v.sums.free += issue + x.d
	v.sums.all += issue + x.m + x.d
	if x.m > 0 {
		v.sums.all += int64(fronts*(1+w.splits)-1) * w.known
	}
	u.memory += x.m
}

// ownSums returns the sums of a part that begins: in mode dws all parts share theirs.
func (w *twin) ownSums(v *twinPart) *sums {
	if w.cfg.Machine.Split.Mode.Value == machine.DWS {
		return v.sums
	}
	c := *v.sums
	return &c
}

// together gives a merged wavefront the greater sums of its two parts.
func (w *twin) together(p, child *twinPart) {
	p.sums.all = max(p.sums.all, child.sums.all)
	p.sums.free = max(p.sums.free, child.sums.free)
}

// letGo returns the sums of a wavefront that another one lets go from a barrier, whose own delay is not
// counted.
func (w *twin) letGo(by sums, d int64) *sums {
	d = w.cfg.Machine.SM.Barrier.Value - w.q - d
	return &sums{by.all + d, by.free + d}
}

// checkFront compares the sums of a wavefront that retires with its times.
func (w *twin) checkFront(u *twinCU, f *twinFront, now int64) error {
	s := *f.parts[0].sums
	u.worst = sums{max(u.worst.all, s.all), max(u.worst.free, s.free)}
	if w.known < 0 {
		return nil
	}
	if took := now - f.cta.start; took > s.all {
		return fmt.Errorf("wavefront %d of CTA %d took %d cycles, more than the sum of %d", f.index, f.cta.cta.Index, took, s.all)
	}
	if took := u.free - f.cta.free; took > s.free {
		return fmt.Errorf("wavefront %d of CTA %d took %d cycles without memory, more than the sum of %d", f.index, f.cta.cta.Index, took, s.free)
	}
	return nil
}

// checkCU checks the theorem for a CU that has executed all of its CTAs.
func (w *twin) checkCU(u *twinCU, now int64) error {
	if w.known < 0 || u.ended {
		return nil
	}
	u.ended = true
	rounds := int64((u.begun + w.occ - 1) / w.occ)
	if bound := rounds * u.worst.all; now > bound {
		return fmt.Errorf("CU %d took %d cycles, more than %d rounds of %d", u.index, now, rounds, u.worst.all)
	}
	if bound := rounds*u.worst.free + u.memory; now > bound {
		return fmt.Errorf("CU %d took %d cycles, more than %d rounds of %d and %d of memory", u.index, now, rounds, u.worst.free, u.memory)
	}
	return nil
}
