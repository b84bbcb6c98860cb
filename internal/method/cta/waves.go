package cta

import (
	"fmt"
	"math"
)

// class is what all CTAs of some cells have in common.
type class struct {
	warps   []*path
	certain bool  // so are all paths, and no barrier is for part of the CTA
	service int64 // of all warps, at most
	delay   int64 // on any chain of warps, at most
}

// wave is one kind of wave of an SM: the classes of its CTAs, by slot.
type wave struct {
	classes []int32
	warps   int
	exact   bool
	cycles  int64 // from when its warps are ready to the last retirement, at most
	service int64 // in which the port is held, at most
}

// tally says how many waves of each kind an SM executes.
type tally struct {
	cycles int64 // dispatches included
	waves  []int64
}

// tallies distributes the grid to the SMs in waves and returns what each executes. CTAs are
// looked at once for each period in which their classes repeat, so the time does not
// depend on their number.
func (a *analysis) tallies() ([]tally, error) {
	sms, total := a.sms, 1
	for _, n := range a.cells.size {
		total *= n
	}
	all := make([]tally, sms)
	at := sms * a.slots // CTAs of a wave of all SMs
	for first := 0; first < total; {
		waves, times := 1, 1
		for _, b := range a.cells.bands(first) {
			n := b.period / gcd(b.period, at)
			if cover := (b.end - first) / at / n; cover > 1 {
				waves, times = n, cover
				break
			}
		}
		for range waves {
			for sm := range all {
				if err := a.distribute(&all[sm], first+sm, total, int64(times)); err != nil {
					return nil, err
				}
			}
			first += at
		}
		first += at * waves * (times - 1)
	}
	return all, nil
}

// distribute adds a wave that begins with the CTA first, so many times, to what an SM
// executes.
func (a *analysis) distribute(t *tally, first, total int, times int64) error {
	classes := a.slotted[:0]
	for slot := range a.slots {
		if cta := first + slot*a.sms; cta < total {
			classes = append(classes, a.cells.class(cta))
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
	t.waves[kind] += times
	each := a.dispatch + a.waves[kind].cycles
	if each > (math.MaxInt64-t.cycles)/times {
		return ErrOverflow
	}
	t.cycles += times * each
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
	var delay int64
	for _, c := range classes {
		class := &a.classes[c]
		warps = append(warps, class.warps...)
		w.exact = w.exact && class.certain
		w.service += class.service
		delay = max(delay, class.delay)
	}
	w.warps = len(warps)
	w.cycles = w.service + delay
	if w.exact {
		var ends bool
		if w.cycles, ends = a.schedule(warps, len(a.classes[classes[0]].warps)); !ends {
			return 0, fmt.Errorf("kernel %s: a barrier never completes, so the kernel does not terminate", a.graph.Kernel.Name)
		}
	}
	kind := len(a.waves)
	a.waves = append(a.waves, w)
	a.kinds[string(key)] = kind
	return kind, nil
}

func gcd(x, y int) int {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}
