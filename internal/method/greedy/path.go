package greedy

import (
	"math/bits"
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// The sums of what warps need. Behind them come two for each pipe: see sums.held.
const (
	issued       = iota // instructions
	unit                // cycles of the load/store unit
	buffered            // instructions that go through the buffers to it
	fills               // lines of loads that look the L1 up
	requests            // lines of other accesses, which are sent on
	dirtying            // of these, those that are written
	sent                // flits of these
	received            // flits of their answers
	firmRequests        // the same four without stores to local memory of which it is sure that the L1 takes them, if its lines stay
	firmDirtying
	firmSent
	firmReceived
	dropping   // lines of accesses that drop them from the L1
	operations // atomic, one after the other on one address
	branches
	fetches   // of lines of instructions that may be asked for
	constants // loads from the cache of constants
	common
)

// sums are what warps need at most.
type sums []saturating.Int

// held returns the index of the cycles for which instructions hold a pipe, and behind it of those without the first cycle of each.
func held(pipe int) int { return common + 2*pipe }

func (m *model) noSums() sums { return make(sums, common+2*len(m.pipes)) }

func (s sums) plus(t sums) { s.times(t, 1) }

// times adds t, n times.
func (s sums) times(t sums, n saturating.Int) {
	for i, x := range t {
		s[i] = s[i].Add(x.Mul(n))
	}
}

// atLeast makes each of the sums at least that of t.
func (s sums) atLeast(t sums) {
	for i, x := range t {
		s[i] = max(s[i], x)
	}
}

// What is measured along a chain of instructions.
const (
	far    = iota // cycles that it takes alone if every access goes to the DRAM
	near          // cycles if every access finds its line in the L2
	inner         // cycles if every load finds its line in the L1, and stores to local memory those that are surely there
	loads         // accesses that find it there then
	stores        // stores that do
	others        // accesses that do not
	visits        // all accesses
	misses        // loads that wait for lines to come to the L1, at most; 0 where that is not known yet
	measures
)

// point is how far a chain of instructions has come. Each measure is that of the chain on which it is greatest.
type point [measures]saturating.Int

func (p point) plus(q point) point {
	for i, x := range q {
		p[i] = p[i].Add(x)
	}
	return p
}

func (p point) max(q point) point {
	for i, x := range q {
		p[i] = max(p[i], x)
	}
	return p
}

func (p point) times(n saturating.Int) point {
	for i, x := range p {
		p[i] = x.Mul(n)
	}
	return p
}

// share returns a part in n of p.
func (p point) share(n saturating.Int) point {
	for i, x := range p {
		p[i] = x.DivUp(n)
	}
	return p
}

// minus is what is left of p behind q, if p comes later.
func (p point) minus(q point) point {
	for i, x := range q {
		p[i] = max(p[i], x).Sub(x)
	}
	return p
}

// alone is a chain of so many cycles without accesses.
func alone(cycles saturating.Int) point { return point{far: cycles, near: cycles, inner: cycles} }

// after returns a point so many cycles later.
func (p point) after(cycles saturating.Int) point { return p.plus(alone(cycles)) }

// path is what a warp needs in every CTA of a box.
type path struct {
	sums     sums
	needs    account // of instructions
	route    *charge.Route
	arrivals []stop         // from the start, or the barrier before, to the arrival at each barrier of the CTA
	leaves   stop           // from the last of them to the issue of the last instruction,
	ends     stop           // and until all is over
	all      point          // all instructions, one after the other in any order
	barriers saturating.Int // at which it may wait
	partial  bool           // it may wait at barriers that arrivals does not tell
	diverged bool           // its lanes may go different ways
	waits    *isa.Instr     // at which lanes may have to wait for others that have gone another way; nil if they nowhere have
	touched
}

// clock is when a warp may issue its next instruction, and when its results are there.
type clock struct {
	next   moment
	ready  []moment // by register
	drain  moment   // when all accesses are over
	copies moment   // and all asynchronous copies
}

func (c *clock) clone() clock {
	d := *c
	d.ready = slices.Clone(c.ready)
	return d
}

// max makes each time at least that of d.
func (c *clock) max(d *clock) {
	c.next, c.drain, c.copies = c.next.max(d.next), c.drain.max(d.drain), c.copies.max(d.copies)
	for i := range c.ready {
		c.ready[i] = c.ready[i].max(d.ready[i])
	}
}

// latest is when everything is there.
func (c *clock) latest() moment {
	p := c.next.max(c.drain).max(c.copies)
	for _, r := range c.ready {
		p = p.max(r)
	}
	return p
}

// rebase makes p the beginning of time.
func (c *clock) rebase(p moment) {
	c.next, c.drain, c.copies = moment{}, c.drain.minus(p), c.copies.minus(p)
	for i := range c.ready {
		c.ready[i] = c.ready[i].minus(p)
	}
}

// recorder makes the path of an abstract execution.
type recorder struct {
	*analysis
	path  path
	needs needs
	clock clock
	hops  hops
	trace *charge.Tracer
	line  int64 // of the instruction cache
	bases int   // of all patterns
	stack stack
	forks []fork
	loops []loop
}

// fork is a place from which the warp executes one of several alternatives.
type fork struct {
	before  clock
	sums    sums
	needs   needs
	all     point
	clock   *clock // the greatest of the alternatives so far,
	longest sums
	dearest needs // of longest and maximum
	maximum point
	present int // lines of local memory that were surely there
}

// loop is a loop of which one iteration stands for several.
type loop struct {
	times    saturating.Int
	sums     sums
	needs    needs
	all      point
	barriers saturating.Int
	began    moment
	present  int
}

func (a *analysis) record() *recorder {
	return &recorder{
		analysis: a, path: path{sums: a.noSums()}, needs: make(needs), trace: charge.NewTracer(a.graph), clock: clock{ready: make([]moment, len(a.graph.Kernel.Regs))}, line: -1,
	}
}

// Step adds an instruction.
func (r *recorder) Step(s *absexec.Step) {
	i := &r.instrs[s.PC]
	add := r.scratch
	clear(add)
	add[issued] = 1
	add[held(i.pipe)], add[held(i.pipe)+1] = i.initiation, i.initiation.Sub(1)
	begin := r.clock.next
	if i.line >= 0 && i.line != r.line {
		r.line = i.line
		add[fetches] = 1
		if !r.icached {
			begin = r.hops.appendHop(begin, s.PC, alone(saturating.Of(r.ICache.Miss.Value)))
		}
	}
	s.Instr.Reads(func(reg isa.Reg) { begin = begin.max(r.clock.ready[reg]) })
	s.Instr.Writes(func(reg isa.Reg) { begin = begin.max(r.clock.ready[reg]) })
	took, next := alone(i.latency), r.hops.appendHop(begin, s.PC, alone(1))
	longest := alone(max(i.latency, 1))
	if i.kind == memory {
		took = r.access(s, i, add)
		longest = took
	}
	over := r.hops.appendHop(begin, s.PC, took)
	switch i.kind {
	case control:
		next = over
		add[branches] = 1
		if s.Active != r.lanes[r.warp] || s.Must != s.May && s.Must|s.May != 0 {
			r.path.diverged = true
		}
	case memory:
		r.clock.drain = r.clock.drain.max(over)
		if i.copies {
			r.clock.copies = r.clock.copies.max(over)
		}
	case fence:
		next = next.max(r.clock.drain)
	case await:
		next = next.max(r.clock.copies)
	}
	if !r.icached && add[fetches] > 0 {
		longest = longest.after(saturating.Of(r.ICache.Miss.Value))
	}
	if s.Instr.Op.Info().Effect&isa.Exits != 0 {
		r.clock.drain = r.clock.drain.max(over)
	}
	s.Instr.Writes(func(reg isa.Reg) { r.clock.ready[reg] = r.clock.ready[reg].max(over) })
	r.follow(s)
	r.clock.next = next
	r.path.sums.plus(add)
	r.path.all = r.path.all.plus(longest)
	r.trace.Step(s.PC, longest[near])
	row := r.needs.row(s.PC, r.columns())
	row.plus(add)
	for measure := range lengths {
		row[r.lengthAt(measure)] = row[r.lengthAt(measure)].Add(longest[measure])
	}
	if i.kind == barrier {
		r.barrier(s)
	}
	if s.Missing != 0 {
		r.path.waits = s.Instr
	}
}

// barrier adds a barrier, at which the warp has arrived with the instruction.
func (r *recorder) barrier(s *absexec.Step) {
	if s.May == 0 {
		return
	}
	r.path.barriers = r.path.barriers.Add(1)
	row := r.needs.row(s.PC, r.columns())
	row[r.lengthAt(lengths)] = row[r.lengthAt(lengths)].Add(1)
	whole := s.Certain && s.Must != 0 && s.Must == s.Active && len(r.forks) == 0 && len(r.loops) == 0 &&
		s.Instr.Barrier != isa.BarrierArrive && s.Instr.Barrier != isa.BarrierClusterArrive && s.Instr.Barrier != isa.BarrierClusterWait &&
		cost.Whole(r.launch, s.Instr, s.Box, r.threads)
	if !whole {
		r.path.partial = true
		r.clock.next = r.hops.appendHop(r.clock.next, s.PC, alone(saturating.Of(r.SM.Barrier.Value)))
		return
	}
	r.path.arrivals = append(r.path.arrivals, r.makeStop(r.clock.next, s.PC))
	r.clock.rebase(r.clock.next)
}

// finish ends the path.
func (r *recorder) finish() {
	r.path.leaves = r.makeStop(r.clock.next, none)
	r.path.ends = r.makeStop(r.clock.latest(), none)
	r.path.needs = r.shorten(r.needs)
	r.path.route = &r.trace.Route
	r.needs, r.clock, r.hops = nil, clock{}, hops{} // they are large
}

// Fork begins alternatives, of which it is not known which one the warp executes.
func (r *recorder) Fork(int) {
	r.trace.Fork()
	r.forks = append(r.forks, fork{
		before: r.clock.clone(), sums: r.path.sums, needs: r.needs, all: r.path.all, longest: r.noSums(), dearest: make(needs), present: r.stack.mark(),
	})
	r.path.sums, r.needs, r.path.all = r.noSums(), make(needs), point{}
}

// Alternative begins the next of them.
func (r *recorder) Alternative() {
	r.trace.Alternative()
	f := &r.forks[len(r.forks)-1]
	r.alternative(f)
	r.stack.back(f.present)
	r.clock = f.before.clone()
	r.path.sums, r.needs, r.path.all, r.line = r.noSums(), make(needs), point{}, -1
}

// alternative ends one, or what is before the first.
func (r *recorder) alternative(f *fork) {
	greater := make([]bool, r.columns())
	for i, x := range r.path.sums {
		greater[i] = x > f.longest[i]
	}
	for measure := range lengths {
		greater[r.lengthAt(measure)] = r.path.all[measure] > f.maximum[measure]
	}
	f.dearest.takeColumns(r.needs, greater)
	for pc, row := range r.needs { // barriers of all alternatives count
		to := f.dearest.row(pc, len(row))
		to[r.lengthAt(lengths)] = to[r.lengthAt(lengths)].Add(row[r.lengthAt(lengths)])
	}
	f.longest.atLeast(r.path.sums)
	f.maximum = f.maximum.max(r.path.all)
	if f.clock == nil {
		c := r.clock.clone()
		f.clock = &c
	} else {
		f.clock.max(&r.clock)
	}
}

// Join ends alternatives.
func (r *recorder) Join() {
	r.trace.Join()
	f := &r.forks[len(r.forks)-1]
	r.alternative(f)
	r.stack.back(f.present)
	r.clock, r.line = *f.clock, -1
	r.path.sums, r.needs, r.path.all = f.sums, f.needs, f.all.plus(f.maximum)
	r.path.sums.plus(f.longest)
	r.needs.addTimes(f.dearest, 1)
	r.forks = r.forks[:len(r.forks)-1]
}

// Repeat begins an iteration that stands for several.
func (r *recorder) Repeat(n int) {
	r.trace.Repeat(saturating.Of(n))
	p := &r.path
	began := r.clock.latest()
	r.settleAt(began)
	r.loops = append(r.loops, loop{saturating.Of(n), p.sums, r.needs, p.all, p.barriers, began, r.stack.mark()})
	p.sums, r.needs, p.all, p.barriers, r.line = r.noSums(), make(needs), point{}, 0, -1
}

// settleAt makes everything there at p.
func (r *recorder) settleAt(p moment) {
	r.clock.next, r.clock.drain, r.clock.copies = p, p, p
	for i := range r.clock.ready {
		r.clock.ready[i] = p
	}
}

// Repeated ends it. Nothing is under way between iterations, which takes no less time.
func (r *recorder) Repeated() {
	r.trace.Repeated()
	l := r.loops[len(r.loops)-1]
	r.loops = r.loops[:len(r.loops)-1]
	r.stack.back(l.present)
	p := &r.path
	body, all, barriers := p.sums, p.all, p.barriers
	r.settleAt(r.hops.appendIterations(l.began, r.clock.latest(), l.times))
	l.needs.addTimes(r.needs, l.times)
	r.needs = l.needs
	p.sums, p.all, p.barriers, r.line = l.sums, l.all.plus(all.times(l.times)), l.barriers.Add(barriers.Mul(l.times)), -1
	p.sums.times(body, l.times)
}

// access adds what an access needs, and returns how long it takes alone.
func (r *recorder) access(s *absexec.Step, i *instr, add sums) point {
	passes, lines := r.divide(s)
	all, sentOn := saturating.Of(lines.all), saturating.Of(lines.all-lines.local)
	same := saturating.Int(0)
	atomic := s.Instr.Op == isa.Atom || s.Instr.Op == isa.Red
	if atomic && all > 0 {
		same = saturating.Of(r.conflicts(s))
	}
	add[held(i.pipe)], add[held(i.pipe)+1] = 0, 0
	busy := i.initiation.Mul(saturating.Of(passes))
	local := i.latency
	switch {
	case i.buffered:
		service := max(busy, i.initiation, saturating.Of(r.LSU.Interval.Value), saturating.Of(lines.service))
		add[unit], add[buffered] = service, 1
		local = local.Add(max(service, 1))
	case all == 0:
		busy = max(busy, i.initiation)
		add[unit] = busy
		if r.queued {
			add[unit] = 0
			add[held(i.pipe)], add[held(i.pipe)+1] = busy, max(busy, 1).Sub(1)
		}
		local = local.Add(busy.Sub(i.initiation))
		if r.CCache.Miss.Value > 0 && i.constant {
			add[constants] = 1
			if !r.ccached {
				local = local.Add(saturating.Of(r.CCache.Miss.Value))
			}
		}
	default:
		add[unit] = busy.AddMul(all, i.initiation.Add(r.uneven))
		local = local.Add(busy).AddMul(all.Sub(1), i.initiation)
	}
	if all == 0 {
		return alone(local)
	}
	absorbed := r.absorbs(s)
	r.pattern(s, lines, absorbed)
	hit := r.hit(local, same)
	took := point{far: hit.Add(r.fetch), near: hit, inner: hit, others: 1, visits: 1}
	reads := s.Instr.Op != isa.St && s.Instr.Op != isa.StMatrix && !atomic
	switch {
	case reads:
		add[fills] = all
		if s.Instr.Volatile {
			add[fills] = saturating.Of(lines.local)
			add[requests] = sentOn
			add[sent], add[received] = sentOn.Mul(r.header), sentOn.Mul(r.full)
		}
		if add[requests] == 0 {
			took[loads], took[others], took[inner] = 1, 0, hit.Sub(r.trip())
		}
	case atomic:
		add[requests], add[dirtying], add[dropping] = all, all, all
		add[sent], add[received] = all.Mul(r.full), all.Mul(r.full)
		add[operations] = min(all.Mul(same), saturating.Of(bits.OnesCount64(s.May)))
	default:
		add[requests], add[dirtying], add[dropping] = all, all, sentOn
		add[sent], add[received] = all.Mul(r.full), all.Mul(r.header)
		if absorbed {
			took[stores], took[others], took[inner] = 1, 0, hit.Sub(r.trip())
			return took
		}
	}
	copy(add[firmRequests:], add[requests:requests+4])
	return took
}
