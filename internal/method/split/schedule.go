package split

import (
	"fmt"
	"math"
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/machine"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// This file plays launches of which everything is known that their time depends on: which instructions each wavefront
// issues, and how many requests each access makes. Their time is that of every run, and not only a bound. On machines with an L1 time
// depends on which lines are there, too, and nothing is played.

// op is an instruction that a wavefront surely issues.
type op struct {
	pc       int32
	requests int32 // of an access; 1 of a barrier at which the wavefront waits
}

// sequence is what a wavefront surely issues, from its first instruction to its last.
type sequence []op

// maxPlayed limits the instructions that are noted, and those that are played.
const maxPlayed = 1 << 23

// script are the sequences of all wavefronts of a launch.
type script struct {
	costs     []cost.Instr
	threads   uint64 // of a workgroup
	different []sequence
	known     map[[2]int]int32 // a sequence by its length and a sum of it
	of        [][]int32        // by wavefront and workgroup: its sequence
	cus       int64
	limit     int64          // of instructions of all wavefronts
	total     saturating.Int // of them that there are,
	left      int64          // of them that may still be noted
	tooLong   bool           // there are more
	unknown   bool           // it is not known what all wavefronts issue
}

// newScript returns a script without wavefronts; nil if more is to know than their instructions: wavefronts may split, or an L1 may
// have what they load.
func (c *config) newScript() *script {
	if c.Machine.Cached() || c.Machine.Split.Mode.Value == machine.PWS && len(c.Splits) > 0 {
		return nil
	}
	limit := c.Effort.Of(maxPlayed)
	return &script{
		cus: c.Machine.SM.Count.Value, limit: limit, left: limit,
		costs: cost.Of(c.Graph.Kernel, c.Machine), threads: cost.Threads(c.Launch), known: make(map[[2]int]int32),
	}
}

// open returns the script, or nil if wavefronts need not be noted in it.
func (s *script) open() *script {
	if s == nil || s.unknown || s.tooLong {
		return nil
	}
	return s
}

// note adds a step to the sequence of a wavefront, if it is known that and how it is issued.
func (w *witness) note(s *absexec.Step) {
	requests := cost.Exactly(0)
	c := &w.script.costs[s.PC]
	switch {
	case c.Kind == cost.Arrival, c.Kind == cost.Barrier && !cost.Whole(w.config.Launch, s.Instr, s.Box, w.script.threads):
		w.script = nil
		return
	case c.Kind == cost.Barrier:
		requests = cost.Between{Min: int64(min(s.Must, 1)), Max: int64(min(s.May, 1))}
	case s.Access != nil:
		requests = w.count.Count(s, s.Box)
	}
	if w.script.left--; w.script.left < 0 {
		w.script.tooLong = true
	}
	if !s.Certain || !requests.Certain() || w.script.tooLong {
		w.script, w.ops = nil, nil
		return
	}
	w.ops = append(w.ops, op{int32(s.PC), int32(requests.Max)})
}

// add adds one more wavefront of all workgroups.
func (s *script) add(grid [3]int, results []absexec.Result) {
	if s.open() == nil {
		return
	}
	for _, r := range results {
		w := r.Visitor.(*witness)
		if w.script == nil {
			s.unknown = true
			return
		}
		s.total = s.total.AddMul(saturating.Of(len(w.ops)), saturating.Of(r.Box.CTAs()))
	}
	// One of the CUs has more instructions than are played: a table of all wavefronts is not needed.
	if s.tooLong = s.total.Div(saturating.Of(s.cus)) > saturating.Of(s.limit); s.tooLong {
		return
	}
	of := make([]int32, count(grid))
	for _, r := range results {
		n := s.number(r.Visitor.(*witness).ops)
		for group := range inside(r.Box, grid) {
			of[group] = n
		}
	}
	s.of = append(s.of, of)
}

// number returns the number of a sequence, which equal ones share.
func (s *script) number(ops sequence) int32 {
	key := [2]int{len(ops), 0}
	for _, o := range ops {
		key[1] = key[1]*31 + int(o.pc)<<8 + int(o.requests)
	}
	if n, ok := s.known[key]; ok && slices.Equal(s.different[n], ops) {
		return n
	}
	n := int32(len(s.different))
	s.different = append(s.different, ops)
	s.known[key] = n
	return n
}

// schedule is what happens on the CU that takes longest.
type schedule struct {
	cycles saturating.Int
	// instrs are the executions and the cycles of the wavefronts on the chain that ends last, by instruction: in each slot the next
	// workgroup begins when the last wavefront of the one before retires.
	instrs []share
	rounds saturating.Int // workgroups on the chain
}

// share is what a block or an instruction has of a time.
type share struct{ count, cycles saturating.Int }

// longest bounds the time of a player of a CU with these wavefronts: in every cycle up to the last, the pass, the service or the latency
// of one of their instructions is under way, or the dispatch of one.
func (s *script) longest(m *machine.Machine, wavefronts []int32) saturating.Int {
	var sum saturating.Int
	fixed := saturating.Sum(saturating.Of(m.Split.Address.Value), saturating.Of(m.Split.Pass.Value), saturating.Of(m.SM.Barrier.Value))
	for _, n := range wavefronts {
		sum = sum.Add(saturating.Of(m.SM.Dispatch.Value))
		for _, o := range s.different[n] {
			c := &s.costs[o.pc]
			sum = sum.Add(fixed).Add(saturating.Of(c.Latency)).AddMul(saturating.Of(c.Initiation), saturating.Of(int(o.requests)))
		}
	}
	return sum
}

// play plays all CUs. It returns nil if not all is known, if that would be too long, if a barrier is never complete, or if
// the context ends.
func (a *analysis) play(s *script) *schedule {
	if s.open() == nil {
		return nil
	}
	cus := int(a.Machine.SM.Count.Value)
	groups := len(s.of[0])
	var longest *schedule
	played := make(map[string]bool) // what a CU executes
	left := s.limit
	for first := range min(cus, groups) {
		var wavefronts []int32
		var key []byte
		for group := first; group < groups; group += cus {
			for _, of := range s.of {
				n := of[group]
				wavefronts = append(wavefronts, n)
				key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
				left -= int64(len(s.different[n]))
			}
		}
		if played[string(key)] {
			continue
		}
		if left < 0 {
			s.tooLong = true
			return nil
		}
		played[string(key)] = true
		limit := s.longest(a.Machine, wavefronts)
		if limit == saturating.Max {
			return nil // its times would wrap around
		}
		p := a.newPlayer(s, wavefronts)
		if !p.play() {
			return nil
		}
		if saturating.Of(p.end) > limit {
			panic(fmt.Sprintf("internal error: a schedule of %d cycles, which takes %d at most", p.end, limit))
		}
		if longest == nil || saturating.Of(p.end) > longest.cycles {
			longest = p.result()
		}
	}
	return longest
}

// never is when nothing happens.
const never = math.MaxInt64

// spent is what a player knows that an instruction has of a time.
type spent struct{ count, cycles int64 }

// player plays one CU, by the rules of docs/machine-model/split.md. Its times do not wrap around: none is greater than script.longest.
type player struct {
	*analysis
	script  *script
	pending []int32 // sequences of the wavefronts that have not begun
	each    int     // wavefronts of a workgroup

	fronts []front
	slots  []place
	ports  []issuer
	freeAt int64 // when the memory serves the next access
	end    int64 // when the last wavefront has retired, up to now
	last   int   // the slot of that
}

// place is a slot of a CU.
type place struct {
	left    int     // wavefronts that have not retired
	running int     // that have not exited
	arrived int     // at a barrier
	rounds  int64   // workgroups that have begun
	instrs  []spent // of the chain of wavefronts up to the last that has retired
}

// front is a wavefront.
type front struct {
	ops     sequence
	next    int   // instruction
	ready   int64 // when it can issue; never if it waits at a barrier or has exited
	passes  int64 // left of the instruction
	served  int64 // when the last of its posted accesses is
	retires int64 // never if it has not exited, or has retired
	waits   bool  // at a barrier
	since   int64 // when it could begin or began the instruction
	instrs  []spent
}

// issuer is the port of a SIMD.
type issuer struct {
	free int64
	last int // the wavefront that issued last, by its number on the SIMD
}

func (a *analysis) newPlayer(s *script, wavefronts []int32) *player {
	p := &player{analysis: a, script: s, pending: wavefronts, each: len(s.of)}
	slots := min(a.Resident, len(wavefronts)/p.each)
	p.slots = make([]place, slots)
	p.fronts = make([]front, slots*p.each)
	simds := int(a.resident.simds.Int64())
	ids := (len(p.fronts) + simds - 1) / simds
	p.ports = slices.Repeat([]issuer{{last: ids - 1}}, simds)
	for x := range p.fronts {
		p.fronts[x].instrs = make([]spent, len(a.Graph.Kernel.Instrs))
	}
	for k := range p.slots {
		p.slots[k].instrs = make([]spent, len(a.Graph.Kernel.Instrs))
		p.begin(k, 0)
	}
	return p
}

// begin executes the next workgroup in a slot, if there is one left.
func (p *player) begin(k int, now int64) {
	if len(p.pending) == 0 {
		return
	}
	s := &p.slots[k]
	s.left, s.running = p.each, p.each
	s.rounds++
	for i, n := range p.pending[:p.each] {
		f := &p.fronts[k*p.each+i]
		ready := now + p.Machine.SM.Dispatch.Value
		clear(f.instrs)
		*f = front{ops: p.script.different[n], ready: ready, since: ready, retires: never, instrs: f.instrs}
	}
	p.pending = p.pending[p.each:]
}

// play returns false if a barrier is never complete, or if the context ends.
func (p *player) play() bool {
	for now := int64(0); now != never; now = p.following(now) {
		if p.ctx.Err() != nil {
			return false
		}
		p.retire(now)
		for i := range p.ports {
			if p.ports[i].free <= now {
				p.issue(i, now)
			}
		}
	}
	return !slices.ContainsFunc(p.slots, func(s place) bool { return s.left > 0 })
}

// following returns when something happens next; never if nothing does.
func (p *player) following(now int64) int64 {
	next := int64(never)
	for x := range p.fronts {
		f := &p.fronts[x]
		next = min(next, f.retires)
		if f.ready != never {
			next = min(next, max(f.ready, p.ports[x%len(p.ports)].free, now+1))
		}
	}
	return next
}

// retire ends wavefronts, and begins workgroups in the slots of those that have ended with them.
func (p *player) retire(now int64) {
	for x := range p.fronts {
		f := &p.fronts[x]
		if f.retires > now {
			continue
		}
		k := x / p.each
		s := &p.slots[k]
		f.spend(f.retires)
		f.retires = never
		p.end, p.last = now, k
		if s.left--; s.left == 0 {
			for pc, t := range f.instrs {
				s.instrs[pc].count += t.count
				s.instrs[pc].cycles += t.cycles
			}
		}
	}
	for k := range p.slots {
		if s := &p.slots[k]; s.left == 0 {
			p.begin(k, now)
		}
	}
}

// spend counts the time up to a cycle for the instruction that a wavefront has issued last, or else for its first.
func (f *front) spend(until int64) {
	f.instrs[f.ops[max(f.next-1, 0)].pc].cycles += until - f.since
	f.since = until
}

// issue issues a pass of the next wavefront that can, in a circle.
func (p *player) issue(i int, now int64) {
	at := &p.ports[i]
	simds := len(p.ports)
	ids := (len(p.fronts) + simds - 1) / simds
	for k := range ids {
		id := (at.last + 1 + k) % ids
		x := id*simds + i
		if x >= len(p.fronts) || p.fronts[x].ready > now {
			continue
		}
		at.last, at.free = id, now+p.Machine.Split.Pass.Value
		p.pass(x, now, at.free)
		return
	}
}

// pass issues a pass of a wavefront, which is over at end.
func (p *player) pass(x int, now, end int64) {
	f := &p.fronts[x]
	pass := p.Machine.Split.Pass.Value
	if f.passes == 0 {
		f.spend(now)
		o := f.ops[f.next]
		f.next++
		f.instrs[o.pc].count++
		c := &p.script.costs[o.pc]
		f.passes = c.Initiation / pass
		if c.Kind == cost.Load || c.Kind == cost.Posted {
			f.passes = p.Machine.Split.Address.Value / pass
		}
	}
	if f.passes--; f.passes > 0 {
		f.ready = end
		return
	}
	o := f.ops[f.next-1]
	c := &p.script.costs[o.pc]
	s := &p.slots[x/p.each]
	f.ready = end + c.TailLatency()
	switch {
	case f.next == len(f.ops):
		f.ready, f.retires = never, max(end, f.served)
		s.running--
	case c.Kind == cost.Barrier && o.requests > 0:
		f.ready, f.waits = never, true
		s.arrived++
	case c.Kind == cost.Fence:
		f.ready = max(f.ready, f.served)
	case (c.Kind == cost.Load || c.Kind == cost.Posted) && o.requests == 0:
		f.ready = end
	case c.Kind == cost.Load:
		f.ready = p.serve(c, o, end) + c.TailLatency()
	case c.Kind == cost.Posted:
		f.ready = p.serve(c, o, end)
		f.served = max(f.served, f.ready+c.TailLatency())
	}
	if s.arrived > 0 && s.arrived == s.running {
		s.arrived = 0
		first := x - x%p.each
		for k := range p.each {
			if other := &p.fronts[first+k]; other.waits {
				other.waits, other.ready = false, now+p.Machine.SM.Barrier.Value
			}
		}
	}
}

// serve returns when the memory has served the last request of an access that comes to it in a cycle.
func (p *player) serve(c *cost.Instr, o op, at int64) int64 {
	p.freeAt = max(p.freeAt, at) + c.Initiation*int64(o.requests)
	return p.freeAt
}

// result returns what the player has shown.
func (p *player) result() *schedule {
	s := &p.slots[p.last]
	r := &schedule{cycles: saturating.Of(p.end), rounds: saturating.Of(s.rounds)}
	for _, i := range s.instrs {
		r.instrs = append(r.instrs, share{saturating.Of(i.count), saturating.Of(i.cycles)})
	}
	return r
}
