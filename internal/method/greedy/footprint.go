package greedy

import (
	"math/bits"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/saturating"
)

// footprint is what the lines that the kernel can access need of the caches: those that its accesses touch or, if that is not known, those of the
// buffers and variables of the launch, and of the local memory of the warps that are resident at a time.
type footprint struct {
	known   bool           // fetches, writes and opens hold
	fits    bool           // each line stays in the L2 from when it is there
	fetches saturating.Int // lines that are fetched from the DRAM, at most
	writes  saturating.Int // lines that are written back, at most
	crowded saturating.Int // fetches into sets of the L2 in which others may have to make room
	opens   saturating.Int // rows that have to be opened for fetches and writes
	parts   []part         // by partition
}

// part is what is known of a partition: how often accesses touch lines of it, as far as that is known of accesses, and what of fetches, writes,
// crowded and opens belongs to it.
type part struct{ requests, fetches, writes, crowded, opens saturating.Int }

// set is one of a cache, bank one of a partition's DRAM.
type (
	set struct {
		part int
		set  uint64
	}
	bank struct {
		part int
		bank uint64
	}
)

// findFootprint finds the footprint of the launch.
func (a *analysis) findFootprint() {
	f := &a.foot
	all := a.table.lines
	counted := a.table.open == 0 // how often each line is accessed
	if !counted {
		limit := a.L2.Partitions.Value * a.L2.Sets.Value * a.L2.Ways.Value
		if all, f.known = a.memory(limit); !f.known {
			return
		}
	}
	f.known, f.fits = true, true
	inSet := make(map[set]int64)
	for i := range all {
		part, within := a.locate(all[i].addr)
		inSet[set{part, a.l2set(within)}]++
		if a.L2.Far.Value > 0 { // a copy may be in the other half
			n := int(a.L2.Partitions.Value)
			inSet[set{(part + n/2) % n, a.l2set(within)}]++
		}
	}
	for _, n := range inSet {
		f.fits = f.fits && n <= a.L2.Ways.Value
	}
	if !counted && !f.fits {
		f.known = false
		return
	}
	f.parts = make([]part, a.L2.Partitions.Value)
	rows := make(map[bank]map[uint64]saturating.Int) // accesses by row
	for i := range all {
		part, within := a.locate(all[i].addr)
		fetches, writes := saturating.Int(1), saturating.Int(0)
		at := &f.parts[part]
		if inSet[set{part, a.l2set(within)}] > a.L2.Ways.Value { // it may make room for others, each time
			fetches, writes = all[i].requests(), all[i].others
			at.crowded = at.crowded.Add(fetches)
		}
		at.fetches, at.writes = at.fetches.Add(fetches), at.writes.Add(writes)
		row := within / uint64(a.DRAM.Row.Value)
		b := bank{part, row % uint64(a.DRAM.Banks.Value)}
		if rows[b] == nil {
			rows[b] = make(map[uint64]saturating.Int)
		}
		rows[b][row] = rows[b][row].Add(fetches.Add(writes))
	}
	for b, of := range rows {
		total, maximum := saturating.Int(0), saturating.Int(0)
		for _, n := range of {
			total = total.Add(n)
			maximum = max(maximum, n)
		}
		at := &f.parts[b.part]
		at.opens = at.opens.Add(min(total, total.Sub(maximum).Mul(2).Add(1)))
	}
	for i := range a.table.lines {
		part, _ := a.locate(a.table.lines[i].addr)
		at := &f.parts[part]
		at.requests = at.requests.Add(a.table.lines[i].requests())
	}
	for i := range f.parts {
		at := &f.parts[i]
		f.fetches, f.writes = f.fetches.Add(at.fetches), f.writes.Add(at.writes)
		f.crowded, f.opens = f.crowded.Add(at.crowded), f.opens.Add(at.opens)
	}
}

// l2set returns the set of the L2 of an address within a partition.
func (a *analysis) l2set(within uint64) uint64 {
	return within / uint64(a.L2.Line.Value) % uint64(a.L2.Sets.Value)
}

// memory returns the lines that the kernel can access, unless they are more than a limit.
func (a *analysis) memory(limit int64) ([]use, bool) {
	line := uint64(a.L2.Line.Value)
	seen := make(map[uint64]bool)
	var all []use
	add := func(first, last uint64) bool {
		for at := first &^ (line - 1); at <= last; at += line {
			if !seen[at] {
				seen[at] = true
				all = append(all, use{addr: at})
			}
			if int64(len(all)) > limit {
				return false
			}
		}
		return true
	}
	for i := range a.graph.Kernel.Instrs {
		if a.graph.Kernel.Instrs[i].System == isa.SysAlloc {
			return nil, false // memory of which nothing is known
		}
	}
	regions := a.launch.Regions()
	lines := uint64(0)
	for _, r := range regions {
		lines += (r.Addr+r.Bytes-1)/line - r.Addr/line
	}
	if lines > uint64(limit) { // a region has one line more, which the one before may have as well
		return nil, false
	}
	for _, r := range regions {
		if !add(r.Addr, r.Addr+r.Bytes-1) {
			return nil, false
		}
	}
	width := uint64(a.SM.WarpSize.Value)
	perSM := uint64(a.SM.Warps.Value)
	warps := min(uint64(min(a.slots, (a.ctas+a.sms-1)/a.sms)*len(a.lanes)), perSM)
	for word := range (uint64(a.launch.LocalBytes()) + localWord - 1) / localWord {
		for sm := range min(a.sms, a.ctas) {
			first := abi.CachedLocalBase + (word*uint64(a.sms)*perSM+uint64(sm)*perSM)*width*localWord
			if !add(first, first+warps*width*localWord-1) {
				return nil, false
			}
		}
	}
	return all, true
}

// l1set returns the set of the L1 that an address maps to.
func (a *analysis) l1set(addr uint64) uint64 {
	sets := uint64(a.L1.Sets.Value)
	n := addr / uint64(a.L1.Line.Value)
	switch a.L1.Index.Value {
	case machine.Fermi:
		n ^= addr>>13&7 | addr>>17&1<<3 | addr>>19&1<<4
	case machine.Hashed:
		if width := bits.TrailingZeros64(sets); width > 0 {
			for rest := n >> width; rest != 0; rest >>= width {
				n ^= rest
			}
		}
	}
	return n % sets
}

// locate returns the partition of an address, and the address within it (docs/machine-model/memory.md, L2).
func (a *analysis) locate(addr uint64) (part int, within uint64) {
	chunk, parts := uint64(a.L2.Interleave.Value), uint64(a.L2.Partitions.Value)
	number := addr / chunk
	row, place := number/parts, number%parts
	if a.L2.Hash.Value == machine.On && parts > 1 {
		sum := place
		for rest := row; rest != 0; rest /= parts {
			sum += rest % parts
		}
		place = sum % parts
	}
	return int(place), row*chunk + addr%chunk
}

// findConstants finds whether parameters and constants stay in their cache.
func (a *analysis) findConstants() {
	line, sets := uint64(a.CCache.Line.Value), uint64(a.CCache.Sets.Value)
	if line == 0 {
		return
	}
	inSet := make(map[uint64]int64)
	seen := make(map[uint64]bool)
	a.ccached = true
	add := func(first, bytes uint64) {
		for n := first / line; n <= (first+bytes-1)/line && a.ccached; n++ {
			if !seen[n] {
				seen[n] = true
				inSet[n%sets]++
				a.ccached = inSet[n%sets] <= a.CCache.Ways.Value
			}
		}
	}
	for _, p := range a.graph.Kernel.Params {
		add(abi.ParamAddress(p.Offset), uint64(max(p.Bytes, 1)))
	}
	for _, r := range a.launch.Regions() {
		if some, _ := a.launch.InConstants(r.Addr, r.Addr+r.Bytes-1); some {
			add(r.Addr, r.Bytes)
		}
	}
	a.clines = saturating.Of(len(seen))
}
