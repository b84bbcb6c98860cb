package core

import (
	"warpbound/internal/emu"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// Resident is what an SM holds that executes its CTAs in waves. Its warps are numbered:
// those of slot k begin at k*Grid.Warps.
type Resident struct {
	Left int // warps of the wave that have not retired

	run   *Run
	sm    int
	waves waves
	wave  int
	ctas  []emu.CTA // by slot
	left  []int     // by slot: warps that have not retired
}

// NewResident returns what an SM of a run holds.
func NewResident(r *Run, sm int) Resident { return Resident{run: r, sm: sm} }

// Reset makes room for a launch, and returns for how many warps.
func (r *Resident) Reset() (warps int) {
	g := r.run.Grid
	r.waves = waves{ctas: g.CTAs(), sms: r.run.env.SMs, slots: r.run.Result.Occupancy.CTAs}
	slots := r.waves.used(r.sm)
	if slots > cap(r.ctas) {
		r.ctas = make([]emu.CTA, slots) // none is moved: warps know their CTA
		r.left = make([]int, slots)
	}
	r.ctas, r.left = r.ctas[:slots], r.left[:slots]
	r.wave, r.Left = -1, 0
	return slots * g.Warps()
}

// Dispatch dispatches the CTAs of the next wave, if there are any: all at once. It returns how
// many warps they have, which are those with the lowest numbers.
func (r *Resident) Dispatch(now int64) (warps int) {
	g := r.run.Grid
	r.wave++
	for slot := range r.ctas {
		index := r.waves.cta(r.wave, r.sm, slot)
		if index >= r.waves.ctas {
			break
		}
		g.Change()
		g.StartCTA(&r.ctas[slot], index)
		r.run.Started++
		r.left[slot] = g.Warps()
		for i := range g.Warps() {
			r.run.Record(now, r.sm, index, i, trace.Start)
		}
		r.Left += g.Warps()
	}
	return r.Left
}

// More reports whether a wave follows.
func (r *Resident) More() bool { return r.waves.cta(r.wave+1, r.sm, 0) < r.waves.ctas }

// Unstarted appends the CTAs of later waves.
func (r *Resident) Unstarted(list []int) []int {
	for wave := r.wave + 1; ; wave++ {
		for slot := range r.ctas {
			index := r.waves.cta(wave, r.sm, slot)
			if index >= r.waves.ctas {
				return list
			}
			list = append(list, index)
		}
		if len(r.ctas) == 0 {
			return list
		}
	}
}

// Begin returns a warp that has been dispatched, as it begins.
func (r *Resident) Begin(id int) Warp {
	n := r.run.Grid.Warps()
	return Warp{Emu: &r.ctas[id/n].Warps[id%n], State: Running, Why: sim.StallIdle}
}

// Retire ends a warp.
func (r *Resident) Retire(id int, w *Warp, now int64) {
	n := r.run.Grid.Warps()
	slot := id / n
	w.State = Absent
	r.run.Retire(now, r.sm, r.ctas[slot].Index, id%n)
	r.Left--
	if r.left[slot]--; r.left[slot] == 0 {
		r.run.Done++
	}
}

// Execute performs the next instruction of a warp (Run.Execute). It returns the number of the
// first warp of the CTA.
func (r *Resident) Execute(id int, w *Warp, now int64) (first int, err error) {
	n := r.run.Grid.Warps()
	slot, index := id/n, id%n
	w.PC = w.Emu.PC()
	return slot * n, r.run.Execute(w.Emu, now, r.sm, r.ctas[slot].Index, index, 0)
}

// Waiting appends the state of a warp, unless it has retired. ready says what one does that is
// ready.
func (r *Resident) Waiting(list []sim.Waiting, id int, w *Warp, isReady bool, ready string) []sim.Waiting {
	if w.State == Absent {
		return list
	}
	n := r.run.Grid.Warps()
	return append(list, sim.Waiting{
		SM: r.sm, CTA: r.ctas[id/n].Index, Warp: id % n, Emu: w.Emu, Site: w.site(r.run.Config.Code, isReady, ready),
	})
}

// waves says which CTAs of a grid an SM executes, and when in its order: as many
// at a time as all SMs together hold, distributed to the SMs one by one.
type waves struct {
	ctas  int // of the grid
	sms   int
	slots int // for CTAs on each SM
}

// cta returns the CTA in a slot of an SM in a wave, all counted from 0. It is
// none of the grid if it is not below ctas.
func (w waves) cta(wave, sm, slot int) int {
	return (wave*w.slots+slot)*w.sms + sm
}

// used returns how many of the slots of an SM hold a CTA in its first wave, and so
// in any.
func (w waves) used(sm int) int {
	n := 0
	for n < w.slots && w.cta(0, sm, n) < w.ctas {
		n++
	}
	return n
}
