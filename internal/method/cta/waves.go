package cta

import (
	"fmt"

	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// class is what all CTAs of some cells have in common.
type class struct {
	warps   []*path
	certain bool           // so are all paths, and no barrier is for part of the CTA
	service saturating.Int // of all warps, at most
	delay   saturating.Int // on any chain of warps, at most
}

// wave is one kind of wave of an SM: the classes of its CTAs, by slot.
type wave struct {
	classes []int32
	warps   int
	exact   bool
	cycles  saturating.Int // from when its warps are ready to the last retirement, at most
	service saturating.Int // in which the port is held, at most
	waits   charge.Weights // for how much of the rest the port waits for each instruction: in the schedule, or in proportion
}

// tally says how many waves of each kind an SM executes.
type tally struct {
	cycles saturating.Int // dispatches included
	waves  []saturating.Int
}

// tallies distributes the grid to the SMs in waves and returns what each executes.
func (a *analysis) tallies() ([]tally, error) {
	all := make([]tally, a.sms)
	err := a.cells.Waves(a.sms, a.slots, func(sm, first int, times int64) error {
		return a.distribute(&all[sm], first, saturating.Of(times))
	})
	return all, err
}

// distribute adds a wave that begins with the CTA first, so many times, to what an SM
// executes.
func (a *analysis) distribute(t *tally, first int, times saturating.Int) error {
	classes, total := a.slotted[:0], a.cells.CTAs()
	for slot := range a.slots {
		if cta := first + slot*a.sms; cta < total {
			at := a.cells.At(cta)
			classes = append(classes, a.classOf[a.cells.Cell(at)*a.cells.Residues()+cost.Residue(at, a.cells.Period)])
		}
	}
	a.slotted = classes
	if len(classes) == 0 {
		return nil
	}
	kind, err := a.kindOf(classes)
	if err != nil {
		return err
	}
	for len(t.waves) <= kind {
		t.waves = append(t.waves, 0)
	}
	t.waves[kind] = t.waves[kind].Add(times)
	t.cycles = t.cycles.AddMul(a.dispatch.Add(a.waves[kind].cycles), times)
	return nil
}

// kindOf returns the number of the kind of a wave.
func (a *analysis) kindOf(classes []int32) (int, error) {
	key := make([]byte, 0, 4*len(classes))
	for _, c := range classes {
		key = append(key, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
	}
	if kind, ok := a.kinds[string(key)]; ok {
		return kind, nil
	}
	w := wave{classes: append([]int32(nil), classes...), exact: true}
	var warps []*path
	var delay saturating.Int
	for _, c := range classes {
		class := &a.classes[c]
		warps = append(warps, class.warps...)
		w.exact = w.exact && class.certain
		w.service = w.service.Add(class.service)
		delay = max(delay, class.delay)
	}
	w.warps, w.waits = len(warps), make(charge.Weights)
	for _, p := range warps {
		for pc, s := range p.instrs {
			w.waits.Add(pc, s.delay)
		}
	}
	w.cycles = w.service.Add(delay)
	if cycles, ok := a.overlapped(warps); ok {
		w.cycles = min(w.cycles, cycles)
	}
	if w.exact {
		cycles, waits, ends := a.schedule(warps, len(a.classes[classes[0]].warps))
		w.waits = waits
		if w.cycles = saturating.Of(cycles); !ends {
			return 0, fmt.Errorf("kernel %s: a barrier never completes, so the kernel does not terminate", a.graph.Kernel.Readable())
		}
	}
	kind := len(a.waves)
	a.waves = append(a.waves, w)
	a.kinds[string(key)] = kind
	return kind, nil
}
