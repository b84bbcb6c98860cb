package llc

import (
	"math/bits"
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// op is one instruction that a warp issues.
type op struct {
	pc       int32
	requests int32 // to shared memory, parameters and constants, at most; 1 of a barrier at which the warp waits
	access   int32 // of path.accesses; -1 if there is none
}

// path is what a warp executes in every CTA of a box.
type path struct {
	ordered  bool           // ops is what it issues
	bounded  saturating.Int // ops of which it is not known how many requests they make
	ops      []op
	accesses []access
	sums     sums
	route    *charge.Route
	account  *account  // in proportion, of alternatives that which holds the port for longest
	touched  footprint // if ops is not what it issues
	progress progress
	// turns are instructions at most, up to each barrier at which the warp surely waits for all others,
	// and to its end.
	turns   []saturating.Int
	partial bool // it may wait at other barriers
}

// sums are what warps need at most, whatever else is known of their paths.
type sums struct {
	busy     saturating.Int   // cycles of the instructions without what the shared cache takes
	service  saturating.Int   // cycles in which they hold the port, or the last arrival lets a barrier go
	tails    []saturating.Int // instructions by how long their latency is behind their service, as analysis.tails
	accesses saturating.Int   // to the shared cache, if no load hits the L1
	reads    saturating.Int   // of these, those of loads that look the L1 up
	awaited  saturating.Int   // and those of others for whose answers a warp waits
	fences   saturating.Int   // instructions that wait for answers to posted accesses
	further  saturating.Int   // operations of atomic accesses on one address, after the first
	together saturating.Int   // the most of these of one access
	waiting  saturating.Int   // loads whose warp may wait for answers
}

// plus adds t.
func (s *sums) plus(t *sums) { s.times(t, 1) }

// times adds t, n times.
func (s *sums) times(t *sums, n saturating.Int) {
	s.busy = s.busy.AddMul(t.busy, n)
	s.service = s.service.AddMul(t.service, n)
	for i, x := range t.tails {
		s.tails[i] = s.tails[i].AddMul(x, n)
	}
	s.accesses = s.accesses.AddMul(t.accesses, n)
	s.reads = s.reads.AddMul(t.reads, n)
	s.awaited = s.awaited.AddMul(t.awaited, n)
	s.fences = s.fences.AddMul(t.fences, n)
	s.further = s.further.AddMul(t.further, n)
	s.together = max(s.together, t.together)
	s.waiting = s.waiting.AddMul(t.waiting, n)
}

// atLeast makes each of the sums at least that of t.
func (s *sums) atLeast(t *sums) {
	s.busy, s.service = max(s.busy, t.busy), max(s.service, t.service)
	for i, x := range t.tails {
		s.tails[i] = max(s.tails[i], x)
	}
	s.accesses, s.reads, s.awaited = max(s.accesses, t.accesses), max(s.reads, t.reads), max(s.awaited, t.awaited)
	s.fences, s.waiting = max(s.fences, t.fences), max(s.waiting, t.waiting)
	s.further, s.together = max(s.further, t.further), max(s.together, t.together)
}

// recorder makes the path of an abstract execution.
type recorder struct {
	*analysis
	path  path
	trace *charge.Tracer
	forks []fork // that it is in, the innermost last
	loops []loop // that it is in, of those that are summarised
}

// fork is a place from which the warp executes one of several alternatives.
type fork struct {
	before         sums
	turns          saturating.Int // since the last barrier before it
	longest        sums           // of the alternatives so far; none of them need have all of these
	account        *account       // before it,
	dearest        *account       // and of the alternative that holds the port for longest
	began          bool           // an alternative has begun
	min, max       saturating.Int // instructions issued before it
	fewest, issued saturating.Int // and behind alternatives so far
	maximum        saturating.Int // turns
}

// loop is a loop of which one iteration stands for several.
type loop struct {
	times    saturating.Int
	before   sums
	account  *account
	turns    []saturating.Int
	progress progress
}

func (a *analysis) record(absexec.Box) *recorder {
	trace := charge.NewTracer(a.graph)
	return &recorder{analysis: a, trace: trace, path: path{
		ordered: true, turns: []saturating.Int{0}, sums: a.noSums(), account: newAccount(), route: &trace.Route,
	}}
}

// Step adds an instruction.
func (r *recorder) Step(s *absexec.Step) {
	c := &r.costs[s.PC]
	onChip := r.onChip(c, s)
	r.sum(c, s, onChip)
	if !s.Certain || !r.ordered(c, s, onChip) {
		r.unordered()
	}
	var a access
	if s.Access != nil {
		a = r.layout.offChip(s, r.pools)
	}
	if !r.path.ordered {
		r.path.touched.addStep(&r.layout, &a, s, r.times(), len(r.forks) == 0 && len(r.loops) == 0)
		return
	}
	if !onChip.Certain() {
		r.path.bounded = r.path.bounded.Add(1)
	}
	o := op{pc: int32(s.PC), requests: int32(onChip.Max), access: -1}
	if !a.empty() {
		o.access = int32(len(r.path.accesses))
		r.path.accesses = append(r.path.accesses, a)
	}
	r.path.ops = append(r.path.ops, o)
}

// unordered gives up what the warp issues one after the other.
func (r *recorder) unordered() {
	if r.path.ordered {
		r.path.touched = r.path.footprint()
		r.path.ordered, r.path.ops, r.path.accesses = false, nil, nil
	}
}

// footprint returns what a path touches.
func (p *path) footprint() footprint {
	if !p.ordered {
		return p.touched
	}
	var f footprint
	for i := range p.accesses {
		f.add(&p.accesses[i], 1, true)
	}
	return f
}

// times returns how many iterations a step stands for.
func (r *recorder) times() saturating.Int {
	n := saturating.Int(1)
	for i := range r.loops {
		n = n.Mul(r.loops[i].times)
	}
	return n
}

// ordered reports whether it is known which warps an instruction lets go on.
func (r *recorder) ordered(c *cost.Instr, s *absexec.Step, waits cost.Between) bool {
	switch c.Kind {
	case cost.Arrival:
		return false
	case cost.Barrier:
		return waits.Max == 0 || waits.Certain() && cost.Whole(r.launch, s.Instr, s.Box, r.threads)
	}
	return true
}

// onChip returns the requests of a step that stay on the SM, for a barrier 1 if the warp waits
// at it.
func (r *recorder) onChip(c *cost.Instr, s *absexec.Step) cost.Between {
	switch {
	case c.Kind == cost.Barrier && s.Must != 0:
		return cost.Exactly(1)
	case c.Kind == cost.Barrier && s.May != 0:
		return cost.Between{Min: 0, Max: 1}
	case s.Access != nil:
		return r.counter.OnChip(s, s.Box)
	}
	return cost.Exactly(0)
}

// sum adds what an instruction needs at most.
func (r *recorder) sum(c *cost.Instr, s *absexec.Step, onChip cost.Between) {
	var add sums
	if s.Access != nil {
		add.accesses = r.maxLines(s)
		if sortOf(s.Instr) == atomic {
			add.further = saturating.Of(max(bits.OnesCount64(s.May)-1, 0))
			add.together = add.further
		}
	}
	switch {
	case c.Kind == cost.Fence:
		add.fences = 1
	case add.accesses > 0 && c.Kind == cost.Load:
		add.waiting = 1
		if sortOf(s.Instr) == read {
			add.reads = add.accesses
		} else {
			add.awaited = add.accesses
		}
	}
	requests := add.accesses
	if s.Access != nil {
		requests = requests.Add(saturating.Of(onChip.Max))
	}
	add.service = saturating.Of(c.Initiation).Mul(max(requests, 1))
	if s.Instr.Op.Info().Effect&(isa.Barriers|isa.Exits) != 0 {
		add.service = add.service.Add(saturating.Of(r.machine.SM.Barrier.Value)) // it may let others go
	}
	add.busy = add.service.Add(saturating.Of(c.Latency))
	r.trace.Step(s.PC, add.busy)
	r.noteNeeds(c, s, &add)
	r.path.sums.plus(&add)
	tail := saturating.Of(c.TailLatency())
	at, _ := slices.BinarySearch(r.tails, tail)
	r.path.sums.tails[at] = r.path.sums.tails[at].Add(1)
	r.turn(c, s, onChip)
	e := extent{
		service: add.service, excess: max(tail, r.accessTail).Sub(r.accessTail),
		waits: add.waiting.Add(add.fences), others: add.waiting.Add(add.fences),
		reads: add.reads, sent: add.accesses.Sub(add.reads), surely: r.surely(s),
	}
	if add.reads > 0 {
		e.others = e.others.Sub(add.waiting)
	}
	r.path.progress.issue(&e, s.Certain)
}

// surely returns how many accesses to the shared cache a step surely makes, at least.
func (r *recorder) surely(s *absexec.Step) saturating.Int {
	if s.Access == nil || !s.Certain || len(r.forks) > 0 || len(r.loops) > 0 || sortOf(s.Instr) == read || s.Instr.Op == isa.CpAsync {
		return 0
	}
	global, local := s.Must&s.Access.Lanes[isa.Global], s.Must&s.Access.Lanes[isa.Local]
	switch {
	case global == 0 && (local == 0 || sortOf(s.Instr) == passing):
		return 0
	case global == 0 || s.Must != s.May || openLanes(s) != 0:
		return 1
	}
	return saturating.Of(r.counter.LinesBetween(s, s.Box).Min)
}

// turn counts an instruction.
func (r *recorder) turn(c *cost.Instr, s *absexec.Step, waits cost.Between) {
	now := len(r.path.turns) - 1
	r.path.turns[now] = r.path.turns[now].Add(1)
	switch {
	case c.Kind == cost.Barrier && waits.Max == 0:
	case c.Kind == cost.Barrier && s.Certain && waits.Certain() && len(r.forks) == 0 && cost.Whole(r.launch, s.Instr, s.Box, r.threads):
		r.path.turns = append(r.path.turns, 0)
	case c.Kind == cost.Barrier || c.Kind == cost.Arrival:
		r.path.partial = true
	}
}

// maxLines returns the most lines of global and local memory that a step touches.
func (r *recorder) maxLines(s *absexec.Step) saturating.Int {
	return saturating.Sum(
		saturating.Of(r.counter.Lines(s, s.Box)), saturating.Of(r.layout.localLines(s)), saturating.Of(r.layout.open(s)))
}

// Fork begins alternatives, of which it is not known which one the warp executes. The sums are the largest ones of
// each of them.
func (r *recorder) Fork(int) {
	r.trace.Fork()
	r.unordered()
	turns := r.path.turns
	p := &r.path.progress
	r.forks = append(r.forks, fork{
		before: r.path.sums, turns: turns[len(turns)-1], longest: r.noSums(), account: r.path.account, dearest: newAccount(),
		min: p.min, max: p.max, fewest: saturating.Max, issued: p.max,
	})
	r.path.sums, r.path.account = r.noSums(), newAccount()
}

// Alternative begins the next of them.
func (r *recorder) Alternative() {
	r.trace.Alternative()
	r.alternative()
}

func (r *recorder) alternative() {
	f, turns := &r.forks[len(r.forks)-1], r.path.turns
	if r.path.sums.service > f.longest.service {
		f.dearest = r.path.account
	}
	r.path.account = newAccount()
	f.longest.atLeast(&r.path.sums)
	f.maximum = max(f.maximum, turns[len(turns)-1].Sub(f.turns))
	r.path.sums, turns[len(turns)-1] = r.noSums(), f.turns
	p := &r.path.progress
	if f.began {
		f.fewest, f.issued = min(f.fewest, p.min), max(f.issued, p.max)
	}
	p.min, p.max, f.began = f.min, f.max, true
}

// Join ends alternatives.
func (r *recorder) Join() {
	r.trace.Join()
	r.alternative()
	f, turns := r.forks[len(r.forks)-1], r.path.turns
	r.forks = r.forks[:len(r.forks)-1]
	r.path.sums = f.before
	r.path.sums.plus(&f.longest)
	r.path.account = f.account
	r.path.account.addTimes(f.dearest, 1)
	turns[len(turns)-1] = f.turns.Add(f.maximum)
	r.path.progress.min, r.path.progress.max = f.fewest, f.issued
}

func (a *analysis) noSums() sums { return sums{tails: make([]saturating.Int, len(a.tails))} }

// unrolled is the greatest number of barriers that are told apart in a loop that is summarised.
const unrolled = 1 << 14

// Repeat begins an iteration that stands for several.
func (r *recorder) Repeat(times int) {
	r.trace.Repeat(saturating.Of(times))
	r.unordered()
	r.loops = append(r.loops, loop{saturating.Of(times), r.path.sums, r.path.account, r.path.turns, r.path.progress})
	r.path.account = newAccount()
	r.path.sums, r.path.turns, r.path.progress = r.noSums(), []saturating.Int{0}, progress{}
}

// Repeated ends it.
func (r *recorder) Repeated() {
	r.trace.Repeated()
	l := r.loops[len(r.loops)-1]
	r.loops = r.loops[:len(r.loops)-1]
	body, turns := r.path.sums, r.path.turns
	r.path.sums, r.path.turns = l.before, l.turns
	r.path.sums.times(&body, l.times)
	l.account.addTimes(r.path.account, l.times)
	r.path.account = l.account
	iteration := r.path.progress
	r.path.progress = l.progress
	r.path.progress.repeat(&iteration, l.times)
	if barriers := saturating.Of(len(turns) - 1); barriers > 0 && barriers.Mul(l.times) <= unrolled {
		for range l.times {
			now := len(r.path.turns) - 1
			r.path.turns[now] = r.path.turns[now].Add(turns[0])
			r.path.turns = append(r.path.turns, turns[1:]...)
		}
		return
	}
	last := &r.path.turns[len(r.path.turns)-1]
	for _, n := range turns {
		*last = (*last).AddMul(n, l.times)
	}
	r.path.partial = r.path.partial || len(turns) > 1
}
