package split

import (
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// lines returns the segments of global memory that a load looks for in the L1, nil if it looks for none.
func (w *twin) lines(in *isa.Instr, eff *emu.Effect) []uint64 {
	acc := &eff.Access
	if w.cfg.Machine.L1.Ways.Value == 0 || acc.Kind != emu.Load || acc.Bulk || in.Volatile || in.Class() != isa.MemGlobal {
		return nil
	}
	var lines []uint64
	for lane := range emu.MaxWidth {
		global := acc.Space == isa.Global && eff.Mask>>lane&1 != 0 || acc.Space == isa.Generic && acc.Lanes[isa.Global]>>lane&1 != 0
		for b := range uint64(acc.Bytes) {
			n := (acc.Addr[lane] + b) / uint64(w.cfg.Machine.Memory.Segment.Value)
			if global && !slices.Contains(lines, n) {
				lines = append(lines, n)
			}
		}
	}
	return lines
}

// load returns when a load of k requests, lines among them, that comes to the L1 in a cycle has all of them.
func (w *twin) load(u *twinCU, lines []uint64, k, now int64, timing machine.Timing) (ready int64) {
	m := w.cfg.Machine
	ready = now + m.L1.Hit.Value
	var missing []uint64
	for _, n := range lines {
		i := slices.IndexFunc(u.cache, func(l twinLine) bool { return l.number == n })
		if i < 0 {
			missing = append(missing, n)
			continue
		}
		l := u.cache[i]
		if ready = max(ready, l.at); l.at <= now {
			w.count.L1Hits++
		} else {
			w.count.L1Merged++
		}
		u.cache = slices.Insert(slices.Delete(u.cache, i, i+1), 0, l)
		k--
	}
	w.count.L1Misses += int64(len(missing))
	if k == 0 {
		return ready
	}
	a := twinAccess{begin: now}
	if n := len(u.queue); n > 0 {
		a.begin = max(now, u.queue[n-1].end)
	}
	a.end = a.begin + k*timing.Initiation
	u.queue = append(u.queue, a)
	served := a.begin + (k-1)*timing.Initiation + timing.Latency
	for _, n := range missing {
		var set []int // places of the lines that share a set with it
		for i, l := range u.cache {
			if (l.number^n)%uint64(m.L1.Sets.Value) == 0 {
				set = append(set, i)
			}
		}
		if len(set) == int(m.L1.Ways.Value) {
			last := set[len(set)-1]
			u.cache = slices.Delete(u.cache, last, last+1)
		}
		u.cache = slices.Insert(u.cache, 0, twinLine{n, served})
	}
	return max(ready, served)
}
