package scoreboard

import (
	"warpbound/internal/causes"
	"warpbound/internal/sim"
)

// Here is what an SM keeps for the chain of causes (sim.Config, Chain): beside each time until which something waits, the
// event that led to it. Methods do nothing on a nil *reasons: then nobody asks for the chain.

// Kinds of waits, as the log of causes has them.
const (
	byMemory  = causes.Kind(sim.StallMemory)
	byALU     = causes.Kind(sim.StallALU)
	byUnit    = causes.Kind(sim.StallUnit)
	byLSU     = causes.Kind(sim.StallLSU)
	byBranch  = causes.Kind(sim.StallBranch)
	byBarrier = causes.Kind(sim.StallBarrier)
	byFence   = causes.Kind(sim.StallFence)
	byDrain   = causes.Kind(sim.StallDrain)
)

// reasons are the reasons of an SM.
type reasons struct {
	log   *causes.Log
	sm    *sm
	warps []warpReasons      // by slot
	pipes [][]causes.Since   // by group: when its pipelines accept the next instruction, in ascending order
	slots []causes.Since     // by scheduler: when it can issue again
	now   causes.ID          // the instruction that issues
	freed causes.ID          // the retirement since which there is room for a CTA
	begun causes.ID          // the start of the last CTA
	unit  causes.Since       // when the load/store unit takes the next line
	taker causes.Since       // and the next instruction from a buffer
	line  causes.ID          // the line that it takes
	room  causes.ID          // the packet that has to leave before it does
	ops   []causes.Since     // by operation: operation.earliest
	out   causes.ID          // the last packet that leaves
	left  []causes.ID        // by place in lsu.departs
	in    causes.ID          // the last packet that arrives
	boxes [][]bufferedReason // by queue and place in it
	next  []causes.Since     // by queue: queue.next
}

// warpReasons are those of a warp.
type warpReasons struct {
	able   causes.Since   // warp.at
	busy   causes.Since   // warp.busy
	ready  []causes.Since // by register: warp.ready
	line   causes.Since   // warp.arrives
	leaves causes.Since   // when it can retire, as far as is known
}

// bufferedReason is that of an instruction in a buffer.
type bufferedReason struct {
	issue causes.ID
	at    causes.Since // buffered.at
}

// newReasons returns the reasons of an SM.
func newReasons(m *sm) *reasons {
	c := &reasons{
		log: m.sim.log, sm: m, slots: make([]causes.Since, len(m.scheds)), left: make([]causes.ID, len(m.lsu.departs)),
		next: make([]causes.Since, len(m.lsu.queues)),
	}
	for _, n := range m.sim.plan.pipes {
		c.pipes = append(c.pipes, make([]causes.Since, n))
	}
	for i := range m.lsu.queues {
		c.boxes = append(c.boxes, make([]bufferedReason, len(m.lsu.queues[i].waiting)))
	}
	for _, cache := range []*readCache{&m.icache, &m.ccache} {
		cache.by = make([]causes.ID, len(cache.arrives))
	}
	return c
}

// reset forgets all, before a run.
func (c *reasons) reset() {
	if c == nil {
		return
	}
	for i := range c.warps {
		c.warps[i] = warpReasons{ready: c.warps[i].ready}
		clear(c.warps[i].ready)
		c.sm.warps[i].copies.reset()
	}
	for len(c.warps) < len(c.sm.warps) {
		c.warps = append(c.warps, warpReasons{ready: make([]causes.Since, max(c.sm.sim.plan.regs, short))})
	}
	for _, pipes := range c.pipes {
		clear(pipes)
	}
	for _, boxes := range c.boxes {
		clear(boxes)
	}
	clear(c.slots)
	clear(c.left)
	clear(c.next)
	c.ops = c.ops[:0]
	c.now, c.freed, c.begun, c.line, c.room, c.out, c.in = 0, 0, 0, 0, 0, 0, 0
	c.unit, c.taker = causes.Since{}, causes.Since{}
	for _, cache := range []*readCache{&c.sm.icache, &c.sm.ccache} {
		clear(cache.by)
		cache.asker, cache.latest = 0, causes.Since{}
	}
}

// names hands out all names of events (causes.Log.Compact).
func (c *reasons) names(name func(*causes.ID)) {
	since := func(list []causes.Since) {
		for i := range list {
			name(&list[i].Cause)
		}
	}
	list := func(ids []causes.ID) {
		for i := range ids {
			name(&ids[i])
		}
	}
	for i := range c.warps {
		w := &c.warps[i]
		for _, s := range []*causes.Since{&w.able, &w.busy, &w.line, &w.leaves} {
			name(&s.Cause)
		}
		since(w.ready)
	}
	for _, pipes := range c.pipes {
		since(pipes)
	}
	since(c.slots)
	since(c.ops)
	since(c.next)
	list(c.left)
	for _, id := range []*causes.ID{&c.now, &c.freed, &c.begun, &c.unit.Cause, &c.taker.Cause, &c.line, &c.room, &c.out, &c.in} {
		name(id)
	}
	for _, boxes := range c.boxes {
		for i := range boxes {
			name(&boxes[i].issue)
			name(&boxes[i].at.Cause)
		}
	}
	m := c.sm
	for _, cache := range []*readCache{&m.icache, &m.ccache} {
		list(cache.by)
		name(&cache.asker)
		name(&cache.latest.Cause)
	}
	for i := range m.warps {
		for k := range m.warps[i].copies.groups {
			name(&m.warps[i].copies.groups[k].by.Cause)
		}
	}
	m.wheel.names(name)
	for _, packets := range [][]request{m.in.packets, m.out.packets} {
		for i := range packets {
			name(&packets[i].cause)
		}
	}
}

// names hands out those of requests under way.
func (w *wheel) names(name func(*causes.ID)) {
	for i := range w.reqs {
		name(&w.reqs[i].cause)
	}
}

// site returns where a warp is at an instruction.
func (c *reasons) site(w *warp, pc int32) causes.Site {
	return causes.Site{SM: int16(c.sm.index), CTA: int32(c.sm.ctas[w.cta].emu.Index), Warp: w.index, PC: pc}
}

// begin returns the event that a CTA is handed out in a cycle. The dispatcher sees at the beginning of a round that there is room.
func (c *reasons) begin(cta int, now int64) causes.ID {
	if c == nil {
		return 0
	}
	last := c.begun
	if c.log.At(c.freed) > c.log.At(last) {
		last = c.freed
	}
	c.begun = c.log.Add(now, causes.Since{At: now, Cause: last, Kind: sim.CauseDispatch},
		causes.Site{SM: int16(c.sm.index), CTA: int32(cta), Warp: -1, PC: -1})
	return c.begun
}

// start lets a warp issue from a cycle on because its CTA was handed out.
func (c *reasons) start(w *warp, begin causes.ID, at int64) {
	if c == nil {
		return
	}
	r := &c.warps[w.id]
	*r = warpReasons{ready: r.ready, able: causes.Since{At: at, Cause: begin, Kind: sim.CauseDispatch}}
	clear(r.ready)
}

// issue notes that a warp of a scheduler issues.
func (c *reasons) issue(w *warp, st *step, now int64) {
	if c == nil {
		return
	}
	s := causes.Later(causes.Later(c.warps[w.id].able, c.pipes[st.pipe][0]), c.slots[w.sched])
	c.now = c.log.Issue(now, s, c.site(w, st.pc))
	c.slots[w.sched] = causes.Since{At: now + 1, Cause: c.now, Kind: sim.CauseIssue}
}

// reserve keeps the first free pipeline busy until a cycle for the instruction that issues.
func (c *reasons) reserve(st *step, until int64) {
	if c == nil {
		return
	}
	s := causes.Since{At: until, Cause: c.now, Kind: byUnit}
	if st.memory != 0 {
		s.Kind = byLSU
	}
	pipes := c.pipes[st.pipe]
	i := 0
	for ; i+1 < len(pipes) && pipes[i+1].At < until; i++ {
		pipes[i] = pipes[i+1]
	}
	pipes[i] = s
}

// computes says when the results of the instruction that issues can be used.
func (c *reasons) computes(w *warp, st *step, at int64) {
	if c != nil {
		c.results(w, st, causes.Since{At: at, Cause: c.now, Kind: byALU})
	}
}

// results says since when the results of an instruction can be used.
func (c *reasons) results(w *warp, st *step, s causes.Since) {
	registers := c.warps[w.id].ready
	registers[st.write] = s
	if st.more != nil {
		for _, r := range st.more.writes {
			registers[r.reg] = causes.Since{At: s.At + r.late>>1, Cause: s.Cause, Kind: s.Kind}
		}
	}
}

// after says that a warp can issue from a cycle on because of the instruction that issues, but for its registers and its line
// of instructions.
func (c *reasons) after(w *warp, at int64, kind causes.Kind) {
	if c != nil {
		c.resumes(w, at, c.now, kind)
	}
}

// resumes says the same because of any event.
func (c *reasons) resumes(w *warp, at int64, by causes.ID, kind causes.Kind) {
	if c != nil {
		c.warps[w.id].able = causes.Since{At: at, Cause: by, Kind: kind}
	}
}

// fence says that a warp cannot issue before those of its accesses are over of which it is known when that is.
func (c *reasons) fence(w *warp) {
	if c != nil {
		c.later(w, c.warps[w.id].busy.As(byFence))
	}
}

// later says that a warp cannot issue before a condition holds, either.
func (c *reasons) later(w *warp, s causes.Since) {
	if c != nil {
		r := &c.warps[w.id]
		r.able = causes.Later(r.able, s)
	}
}

// schedule adds to what a warp waits for the line and the registers of its next instruction.
func (c *reasons) schedule(w *warp) {
	if c == nil {
		return
	}
	r, st := &c.warps[w.id], w.next
	for _, reg := range st.reads {
		r.able = causes.Later(r.able, r.ready[reg])
	}
	if st.more == nil {
		return
	}
	if st.more.line != none {
		r.able = causes.Later(r.able, r.line)
	}
	for _, reg := range st.more.reads {
		r.able = causes.Later(r.able, r.ready[reg])
	}
}

// asks says that what a cache is asked next is asked because of an event.
func (c *reasons) asks(cache *readCache, by causes.ID) {
	if c != nil {
		cache.asker, cache.latest = by, causes.Since{}
	}
}

// fetches says that a warp asks for a line of instructions.
func (c *reasons) fetches(w *warp) {
	if c != nil {
		c.asks(&c.sm.icache, c.warps[w.id].able.Cause)
	}
}

// fetched takes over when the line is there.
func (c *reasons) fetched(w *warp) {
	if c != nil {
		c.warps[w.id].line = c.sm.icache.latest.As(sim.CauseFetch)
	}
}

// exits says that a warp has exited whose last instruction is over in a cycle.
func (c *reasons) exits(w *warp, over int64) {
	if c == nil {
		return
	}
	r := &c.warps[w.id]
	r.leaves = causes.Later(causes.Since{At: over, Cause: c.now, Kind: byDrain}, r.busy)
}

// lingers says that a warp that has exited cannot retire before an access is over.
func (c *reasons) lingers(w *warp) {
	if c != nil {
		r := &c.warps[w.id]
		r.leaves = r.busy
	}
}

// leave returns the event that a warp has left in the cycle now, as far as was known.
func (c *reasons) leave(id int32, now int64) causes.ID {
	if c == nil {
		return 0
	}
	w := &c.sm.warps[id]
	return c.log.Add(now, c.warps[id].leaves, c.site(w, w.next.pc))
}

// retire notes that a warp retires because of an event, and its CTA with it if it is the last.
func (c *reasons) retire(id int32, now int64, by causes.ID, last bool) {
	if c == nil {
		return
	}
	w := &c.sm.warps[id]
	e := c.log.Add(now, causes.Since{At: now, Cause: by, Kind: byDrain}, c.site(w, w.next.pc))
	if !last {
		return
	}
	if c.sm.free == 0 {
		c.freed = e
	}
	if end := &c.sm.sim.retired; c.log.At(e) >= c.log.At(*end) {
		*end = e
	}
}

// issued returns the instruction that issues.
func (c *reasons) issued() causes.ID {
	if c == nil {
		return 0
	}
	return c.now
}

// takes says when the load/store unit can take the first line of an operation of the instruction that issues.
func (c *reasons) takes(op int32, at int64) {
	if c != nil {
		c.line = c.now
		c.unit = causes.Since{At: at, Cause: c.now, Kind: byLSU}
		c.operation(op, 0)
	}
}

// operation says before when the result of an operation is not ready whose instruction the unit has taken.
func (c *reasons) operation(op int32, earliest int64) {
	if c == nil {
		return
	}
	for len(c.ops) <= int(op) {
		c.ops = append(c.ops, causes.Since{})
	}
	c.ops[op] = causes.Since{At: earliest, Cause: c.line, Kind: byMemory}
}

// lineBegins notes that the unit takes a line, or tries to.
func (c *reasons) lineBegins(now int64) {
	if c == nil {
		return
	}
	l := &c.sm.lsu
	c.line = c.log.Add(now, c.unit, c.site(&c.sm.warps[l.ops[l.op].warp], l.step.pc))
}

// lineTaken says when the unit can take the next line.
func (c *reasons) lineTaken(at int64) {
	if c != nil {
		c.unit = causes.Since{At: at, Cause: c.line, Kind: byLSU}
	}
}

// full says when the unit tries again to take a line: when a packet will have left.
func (c *reasons) full(retry int64) {
	if c != nil && retry != never {
		c.unit = causes.Since{At: retry, Cause: c.log.Before(c.room, retry), Kind: byLSU}
	}
}

// goesOn says that the unit tries again in the cycle now, because of an event.
func (c *reasons) goesOn(now int64, by causes.ID) {
	if c != nil {
		c.unit = causes.Since{At: now, Cause: by, Kind: byLSU}
	}
}

// waitsFor says that a packet has to leave before another one can be sent.
func (c *reasons) waitsFor(depart int) {
	if c != nil {
		c.room = c.left[depart]
	}
}

// sends gives a packet the event that it leaves in the cycle start: when it has come to the port, or behind another one.
func (c *reasons) sends(q *request, start int64, behind bool) {
	if c == nil {
		return
	}
	s := causes.Since{At: start, Cause: c.line, Kind: byMemory}
	if behind {
		s = causes.Since{At: start, Cause: c.out, Kind: sim.CausePort}
	}
	c.out = c.log.Follow(start, s, c.line)
	c.left[c.sm.lsu.oldest] = c.out
	q.cause = c.out
}

// receives gives a packet the event that it has come through the port of the SM.
func (c *reasons) receives(q *request, at int64, behind bool) {
	if c == nil {
		return
	}
	s := causes.Since{At: at, Cause: q.cause, Kind: sim.CauseInterconnect}
	if behind {
		s.Cause, s.Kind = c.in, sim.CausePort
	}
	c.in = c.log.Follow(at, s, q.cause)
	q.cause = c.in
}

// lineEnds says that the data of a line of an operation are there in a cycle because of an event.
func (c *reasons) lineEnds(op int32, ready int64, by causes.ID) {
	if c != nil {
		c.ops[op] = causes.Later(c.ops[op], causes.Since{At: ready, Cause: by, Kind: byMemory})
	}
}

// lineWaits says the same of the line that the unit takes.
func (c *reasons) lineWaits(op int32, ready int64) {
	if c != nil {
		c.lineEnds(op, ready, c.line)
	}
}

// taken returns the line that the unit takes.
func (c *reasons) taken() causes.ID {
	if c == nil {
		return 0
	}
	return c.line
}

// ends hands the result of an operation to its warp.
func (c *reasons) ends(op int32, w *warp, o *operation) {
	if c == nil {
		return
	}
	c.result(w, o.step, c.ops[op])
	if o.step.async {
		w.copies.because(o.group, c.ops[op])
	}
}

// result says since when an access of a warp is over.
func (c *reasons) result(w *warp, st *step, s causes.Since) {
	if c == nil {
		return
	}
	c.results(w, st, s)
	r := &c.warps[w.id]
	r.busy = causes.Later(r.busy, s)
}

// immediate says that the access that issues is over in a cycle, with what the cache of constants has for it.
func (c *reasons) immediate(w *warp, st *step, over int64) {
	if c == nil {
		return
	}
	s := causes.Since{At: over, Cause: c.now, Kind: byMemory}
	if line := c.sm.ccache.latest.As(byMemory); line.At == over {
		s = line
	}
	c.result(w, st, s)
	if st.async {
		w.copies.because(w.copies.last(), s)
	}
}

// buffers says when an instruction can leave its buffer.
func (c *reasons) buffers(queue int, place int, at int64) {
	if c != nil {
		c.boxes[queue][place] = bufferedReason{c.now, causes.Since{At: at, Cause: c.now, Kind: byMemory}}
	}
}

// takesFrom notes that the unit takes an instruction from a place of a queue, whose next one can follow at next; the
// unit is busy until free.
func (c *reasons) takesFrom(queue, place int, now, next, free int64) {
	if c == nil {
		return
	}
	b := &c.boxes[queue][place]
	s := causes.Later(causes.Later(b.at, c.next[queue]), c.taker)
	c.line = c.log.Follow(now, s, b.issue)
	c.next[queue] = causes.Since{At: next, Cause: c.line, Kind: byLSU}
	c.taker = causes.Since{At: free, Cause: c.line, Kind: byLSU}
	c.unit = causes.Since{At: now, Cause: c.line, Kind: byLSU}
	if q := &c.sm.lsu.queues[queue]; q.used == len(q.waiting)-1 {
		c.accepts(q.waiting[place].step) // it was full
	}
}

// takenWhole says when an instruction is over that the unit has taken and that has no lines.
func (c *reasons) takenWhole(w *warp, b *buffered, over int64) {
	if c == nil {
		return
	}
	s := causes.Since{At: over, Cause: c.line, Kind: byMemory}
	c.result(w, b.step, s)
	if b.step.async {
		w.copies.because(b.group, s)
	}
}

// takesNext says that the unit takes the next instruction after the cycle in which it has taken the last line of another.
func (c *reasons) takesNext(now int64) {
	if c != nil {
		c.taker = causes.Later(c.taker, causes.Since{At: now + 1, Cause: c.line, Kind: byLSU})
	}
}

// accepts says when the load/store unit accepts the next instruction.
func (c *reasons) accepts(st *step) {
	if c != nil {
		c.pipes[st.pipe][0] = c.unit
	}
}

// partReasons are the reasons of a partition.
type partReasons struct {
	in, out causes.ID    // the last packets through its ports
	serves  causes.ID    // the last request that the tags have served
	tags    causes.Since // partition.tagsFree
}

// arrives gives a packet the event that it has come through the port of the partition.
func (p *partition) arrives(q *request, behind bool) {
	log := p.sim.log
	if log == nil {
		return
	}
	s := causes.Since{At: p.inFree, Cause: q.cause, Kind: sim.CauseInterconnect}
	if behind {
		s.Cause, s.Kind = p.reasons.in, sim.CausePort
	}
	p.reasons.in = log.Follow(p.inFree, s, q.cause)
	q.cause = p.reasons.in
}

// served gives a request the event that the tags serve it.
func (p *partition) served(q *request, now int64) {
	log := p.sim.log
	if log == nil {
		return
	}
	s := causes.Later(causes.Since{At: q.at, Cause: q.cause, Kind: sim.CauseL2}, p.reasons.tags)
	p.reasons.serves = log.Follow(now, s, q.cause)
	q.cause = p.reasons.serves
}

// tagsBusy says until when the tags are busy because of an event.
func (p *partition) tagsBusy(until int64, by causes.ID) {
	if p.sim.log != nil {
		p.reasons.tags = causes.Later(p.reasons.tags, causes.Since{At: until, Cause: by, Kind: sim.CauseL2Busy})
	}
}

// filling returns the event that a line comes from DRAM for a request.
func (p *partition) filling(of causes.ID, now int64) causes.ID {
	if p.sim.log == nil {
		return 0
	}
	return p.sim.log.Follow(now, causes.Since{At: now, Cause: of, Kind: sim.CauseDRAM}, of)
}

// awaited gives a request the event that the line has come that it has waited for.
func (p *partition) awaited(q *request, filled causes.ID, now int64) {
	if p.sim.log != nil {
		q.cause = p.sim.log.Follow(now, causes.Since{At: now, Cause: filled, Kind: sim.CauseL2}, q.cause)
	}
}

// replies gives an answer the event that it leaves the partition in the cycle start.
func (p *partition) replies(q *request, start int64, behind bool) {
	log := p.sim.log
	if log == nil {
		return
	}
	s := causes.Since{At: start, Cause: q.cause, Kind: sim.CauseL2}
	if behind {
		s = causes.Since{At: start, Cause: p.reasons.out, Kind: sim.CausePort}
	}
	p.reasons.out = log.Follow(start, s, q.cause)
	q.cause = p.reasons.out
}

// compact keeps the log of causes small.
func (s *Sim) compact() {
	if s.log == nil || !s.log.Full() {
		return
	}
	s.log.Compact(func(name func(*causes.ID)) {
		name(&s.retired)
		for i := range s.sms {
			s.sms[i].reasons.names(name)
		}
		s.mem.wheel.names(name)
		for i := range s.mem.parts {
			p := &s.mem.parts[i]
			name(&p.reasons.in)
			name(&p.reasons.out)
			name(&p.reasons.serves)
			name(&p.reasons.tags.Cause)
			for k := range p.dram.queue {
				name(&p.dram.queue[k].cause)
			}
		}
	})
}
