package scoreboard

import (
	"math/bits"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/sim"
)

// lineAccess is the part of a warp's access that falls into one line.
type lineAccess struct {
	addr  uint64 // of the line
	words uint64 // those of the line that are accessed, one bit each
	local bool
	cost  int32 // most operations on one address, of an atomic access
}

// divide finds the lines of the memory access that a warp has just executed, and returns for how long it occupies the shared memory or
// the constant cache.
func (m *sm) divide(w *warp, st *step) int64 {
	eff, l, id := &m.eff, &m.lsu, w.id
	l.lines = l.lines[:0]
	passes := int64(0)
	switch {
	case eff.Access.Kind == emu.NoAccess:
	case eff.Access.Space == isa.Shared && eff.Access.Kind != emu.Atomic && l.banks.once(&eff.Access, eff.Mask):
		passes = 1
	case eff.Access.Space != isa.Generic:
		passes = m.accessSpace(eff.Access.Space, eff.Mask, id)
	default:
		for space, lanes := range eff.Access.Lanes {
			passes += m.accessSpace(isa.Space(space), lanes, id)
		}
	}
	return passes * int64(st.initiation)
}

// access starts the memory access that a warp has just executed.
func (m *sm) access(w *warp, st *step, now int64) {
	if st.buffered {
		m.buffer(w, st, now)
		return
	}
	eff, l, id := &m.eff, &m.lsu, w.id
	if len(l.queues) > 0 { // one of parameters or constants, which has no lines: the unit may be busy with those of another
		m.immediate(w, st, m.divideAside(w, st), now)
		return
	}
	l.current = 0
	busy := m.divide(w, st)
	if len(l.lines) == 0 {
		m.immediate(w, st, busy, now)
		return
	}
	w.setReady(st, pending)
	w.inflight++
	l.step, l.kind, l.bytes = st, eff.Access.Kind, eff.Access.Bytes
	o := operation{warp: id, step: st, left: int32(len(l.lines))}
	if st.async {
		o.group = w.copies.begin()
	}
	l.op = l.alloc(o)
	l.next = now + busy
	m.reasons.takes(l.op, l.next)
	m.accepts[st.pipe] = never
	if busy == 0 {
		m.stepLSU(now)
	}
}

// immediate performs an access of which it is known when it is over: it occupies the unit for so long.
func (m *sm) immediate(w *warp, st *step, busy, now int64) {
	busy = max(busy, int64(st.initiation))
	m.reasons.asks(&m.ccache, m.reasons.issued())
	over := max(now+busy-int64(st.initiation)+int64(st.latency), m.constants(st, now))
	w.setReady(st, readyAt(over, true))
	w.busy = max(w.busy, over)
	if st.async {
		w.copies.end(w.copies.begin(), over)
	}
	m.reasons.immediate(w, st, over)
	m.reserve(st.pipe, now+busy)
	m.reasons.reserve(st, now+busy)
}

// accessSpace returns for how many passes some lanes of the access occupy the
// shared memory or the constant cache, or appends the lines that they access.
func (m *sm) accessSpace(space isa.Space, lanes uint64, id int32) int64 {
	if lanes == 0 {
		return 0
	}
	acc, count := &m.eff.Access, &m.count
	switch space {
	case isa.Shared:
		if acc.Kind == emu.Atomic {
			passes := m.lsu.banks.collisions(&acc.Addr, lanes)
			count.SharedConflicts += passes - 1
			if passes > 1 {
				count.SerialisedAtomics += sim.Serialised(acc, lanes)
			}
			return passes * m.sim.cfg.Machine.Shared.AtomicPass.Value
		}
		passes := m.lsu.banks.passes(acc, lanes)
		count.SharedConflicts += passes - 1
		return passes
	case isa.Param, isa.Const:
		passes := int64(1)
		if acc.AddrDiff != 0 {
			passes = sim.Distinct(acc, lanes)
		}
		count.ConstReplays += passes - 1
		return passes
	}
	before := len(m.lsu.lines)
	if space == isa.Local {
		count.SerialisedAtomics += sim.Serialised(acc, lanes)
		m.localLines(lanes, id)
	} else {
		m.globalLines(lanes)
	}
	count.Transactions += int64(len(m.lsu.lines) - before)
	return 0
}

// sameAddress returns the address of the first of some lanes, and those among
// them that have it.
func sameAddress(addr *[emu.MaxWidth]uint64, lanes uint64) (uint64, uint64) {
	a := addr[bits.TrailingZeros64(lanes)]
	same := uint64(0)
	for set := lanes; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros64(set); addr[i] == a {
			same |= 1 << i
		}
	}
	return a, same
}

// globalLines coalesces the addresses of some lanes into lines, in the order of
// the first lane that accesses each.
func (m *sm) globalLines(lanes uint64) {
	acc, l := &m.eff.Access, &m.lsu
	if acc.Bulk {
		m.bulkLines(lanes)
		return
	}
	within := uint64(1)<<l.l1.shift - 1
	last := acc.Addr[bits.TrailingZeros64(lanes)] &^ within // the line of the lane before
	at, words := l.line(last, false), uint64(0)
	if acc.Kind == emu.Load { // words do not matter
		if acc.AddrDiff&^within == 0 {
			return
		}
		for set := lanes; set != 0; set &= set - 1 {
			if line := acc.Addr[bits.TrailingZeros64(set)%emu.MaxWidth] &^ within; line != last {
				l.line(line, false)
				last = line
			}
		}
		return
	}
	each := uint64(1)<<max(acc.Bytes/sim.WordBytes, 1) - 1
	if acc.AddrDiff&^within == 0 && each == 1 && acc.Kind == emu.Store {
		l.lines[at].words |= acc.Numbers(lanes, bits.TrailingZeros64(sim.WordBytes), within/sim.WordBytes)
		return
	}
	for set := lanes; set != 0; set &= set - 1 {
		a := acc.Addr[bits.TrailingZeros64(set)%emu.MaxWidth]
		if a&^within != last {
			l.lines[at].words |= words
			last, words = a&^within, 0
			at = l.line(last, false)
		}
		words |= each << (a & within / sim.WordBytes)
	}
	l.lines[at].words |= words
	if acc.Kind != emu.Atomic {
		return
	}
	for lanes != 0 {
		a, same := sameAddress(&acc.Addr, lanes)
		lanes &^= same
		line, operations := &l.lines[l.line(a&^within, false)], bits.OnesCount64(same)
		line.cost = max(line.cost, int32(operations))
		m.count.SerialisedAtomics += int64(operations - 1)
	}
}

// bulkLines appends the lines of a bulk copy, lane by lane.
func (m *sm) bulkLines(lanes uint64) {
	acc, l := &m.eff.Access, &m.lsu
	bytes := uint64(1) << l.l1.shift
	for ; lanes != 0; lanes &= lanes - 1 {
		at := acc.Addr[bits.TrailingZeros64(lanes)]
		for end := at + uint64(acc.Bytes); at < end; {
			next := min(at&^(bytes-1)+bytes, end)
			first, n := at%bytes/sim.WordBytes, (next-at)/sim.WordBytes
			l.lines = append(l.lines, lineAccess{addr: at &^ (bytes - 1), words: (1<<n - 1) << first})
			at = next
		}
	}
}

// localLines does the same for local memory, where words of the same address of
// all threads of the machine lie side by side. Lanes mostly access the same address: then
// those of a line are entered together.
func (m *sm) localLines(lanes uint64, id int32) {
	acc, l := &m.eff.Access, &m.lsu
	bytes := uint64(1) << l.l1.shift
	group := min(uint64(m.sim.cfg.Machine.SM.WarpSize.Value), bytes/sim.WordBytes) // of lanes
	start := m.localAddress(acc.Addr[bits.TrailingZeros64(lanes)], id, 0)
	next := m.localAddress(abi.LocalBase+sim.WordBytes, id, 0) - m.localAddress(abi.LocalBase, id, 0)
	inOneLine := group&(group-1) == 0 && (start|next)%(group*sim.WordBytes) == 0
	if acc.AddrDiff != 0 || !inOneLine {
		m.localEach(lanes, id)
		return
	}
	words := uint64(max(acc.Bytes/sim.WordBytes, 1))
	for ; lanes != 0; lanes, start = lanes>>group, start+group*sim.WordBytes {
		set := lanes & (1<<group - 1)
		if set == 0 {
			continue
		}
		for k := range words {
			a := start + k*next
			l.lines[l.line(a&^(bytes-1), true)].words |= set << (a % bytes / sim.WordBytes)
		}
	}
}

// localEach is localLines lane by lane.
func (m *sm) localEach(lanes uint64, id int32) {
	acc, l := &m.eff.Access, &m.lsu
	within := uint64(1)<<l.l1.shift - 1
	for set := lanes; set != 0; set &= set - 1 {
		lane := bits.TrailingZeros64(set)
		for k := range uint64(max(acc.Bytes/sim.WordBytes, 1)) {
			a := m.localAddress(acc.Addr[lane]+k*sim.WordBytes, id, lane)
			at := l.line(a&^within, true)
			l.lines[at].words |= 1 << (a & within / sim.WordBytes)
		}
	}
}

// localAddress returns where the word at an address in the local memory of a lane of a warp lies
// among those of all threads of the machine.
func (m *sm) localAddress(addr uint64, id int32, lane int) uint64 {
	sm := &m.sim.cfg.Machine.SM
	width := uint64(sm.WarpSize.Value)
	threads := uint64(sm.Count.Value*sm.Warps.Value) * width
	first := (uint64(m.index)*uint64(sm.Warps.Value) + uint64(id)) * width
	return abi.CachedLocalBase + ((addr-abi.LocalBase)/sim.WordBytes*threads+first+uint64(lane))*sim.WordBytes
}

// line returns the index of a line in the list, which it enters if it is not
// there yet.
func (l *lsu) line(addr uint64, local bool) int {
	for i := range l.lines {
		if l.lines[i].addr == addr {
			return i
		}
	}
	l.lines = append(l.lines, lineAccess{addr: addr, local: local})
	return len(l.lines) - 1
}

// banks finds conflicts between the banks of shared memory.
type banks struct {
	count int // a power of two
	shift int // log2 of their width in bytes
}

// once reports whether all that some lanes of an access want lies in one row of the banks.
func (b banks) once(acc *emu.Access, lanes uint64) bool {
	return acc.AddrDiff>>b.shift < uint64(b.count) && acc.Bytes>>b.shift <= 1 && lanes>>b.count == 0
}

// passes returns how often the banks are accessed for some lanes of an access. Each time
// gives one row of every bank. Lanes that together want more words than there are banks
// are served in groups that do not.
func (b banks) passes(acc *emu.Access, lanes uint64) int64 {
	each := max(acc.Bytes>>b.shift, 1) // banks that a lane accesses
	if b.once(acc, lanes) {
		return 1
	}
	if rows := acc.AddrDiff >> b.shift / uint64(b.count); rows == 1 && each == 1 && b.count <= 32 && lanes>>b.count == 0 {
		return b.twoRows(acc, lanes)
	}
	group := max(b.count/each, 1)
	total := int64(0)
	for first := 0; lanes>>first != 0; first += group {
		set := lanes >> first
		if group < emu.MaxWidth {
			set &= 1<<group - 1
		}
		if set != 0 {
			total += b.group(acc, set<<first, each)
		}
	}
	return total
}

// twoRows returns the passes of lanes that want words of two rows, which differ in one bit. Both
// have up to 64 words together.
func (b banks) twoRows(acc *emu.Access, lanes uint64) int64 {
	words := acc.Numbers(lanes, b.shift, uint64(2*b.count-1)) // those of both rows that are wanted
	if words>>b.count&words&(1<<b.count-1) != 0 {
		return 2
	}
	return 1
}

// group returns the passes of one group of lanes: the most words of one bank that they
// want. Two lanes want the same words or have none in common, because elements are
// aligned, so that the first word of each stands for all.
func (b banks) group(acc *emu.Access, lanes uint64, each int) int64 {
	if each > b.count {
		return int64(each / b.count)
	}
	if acc.AddrDiff>>b.shift < uint64(b.count) {
		return 1 // all in one row
	}
	addr := &acc.Addr
	var served [emu.MaxWidth]uint64 // the word that a pass takes from each bank
	mask := uint64(b.count - 1)
	for passes := int64(1); ; passes++ {
		for set := lanes; set != 0; set &= set - 1 {
			word := addr[bits.TrailingZeros64(set)] >> b.shift
			served[word&mask%emu.MaxWidth] = word
		}
		left := uint64(0)
		for set := lanes; set != 0; set &= set - 1 {
			i := bits.TrailingZeros64(set)
			word := addr[i] >> b.shift
			waits := uint64(0)
			if served[word&mask%emu.MaxWidth] != word {
				waits = 1
			}
			left |= waits << i
		}
		if left == 0 {
			return passes
		}
		lanes = left
	}
}

// collisions returns the passes of an atomic access: as many as lanes access the
// bank that most of them do, because no two lanes share a pass.
func (b banks) collisions(addr *[emu.MaxWidth]uint64, lanes uint64) int64 {
	var users [emu.MaxWidth]uint8
	maximum, last := uint8(0), uint64(b.count-1)%emu.MaxWidth
	for set := lanes; set != 0; set &= set - 1 {
		bank := addr[bits.TrailingZeros64(set)%emu.MaxWidth] >> b.shift & last
		n := users[bank] + 1
		users[bank] = n
		maximum = max(maximum, n)
	}
	return int64(maximum)
}
