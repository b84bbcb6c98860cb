package llc

import (
	"math"
	"math/bits"
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/method/cost"
)

// op is one instruction that a warp issues.
type op struct {
	pc       int32
	requests int32 // to shared memory, parameters and constants, at most; 1 of a barrier at which the warp waits
	access   int32 // of path.accesses; -1 if there is none
}

// path is what a warp executes in every CTA of a box.
type path struct {
	ordered  bool  // ops is what it issues
	bounded  int64 // ops of which it is not known how many requests they make
	ops      []op
	accesses []access
	sums     sums
	touched  footprint // if ops is not what it issues
	progress progress
	turns    []int64 // instructions at most, up to each barrier at which the warp surely waits for all others, and to its end
	partial  bool    // it may wait at other barriers
}

// sums are what warps need at most, whatever else is known of their paths.
type sums struct {
	busy     int64   // cycles of the instructions without what the shared cache takes
	service  int64   // cycles in which they hold the port, or the last arrival lets a barrier go
	tails    []int64 // instructions by how long their latency is behind their service, as analysis.tails
	accesses int64   // to the shared cache, if no load hits the L1
	reads    int64   // of these, those of loads that look the L1 up
	awaited  int64   // and those of others for whose answers a warp waits
	fences   int64   // instructions that wait for answers to posted accesses
	further  int64   // operations of atomic accesses on one address, after the first
	together int64   // the most of these of one access
	waiting  int64   // loads whose warp may wait for answers
}

// plus adds t.
func (s *sums) plus(t *sums) { s.times(t, 1) }

// times adds t, n times.
func (s *sums) times(t *sums, n int64) {
	s.busy = saturate(s.busy, t.busy, n)
	s.service = saturate(s.service, t.service, n)
	for i, x := range t.tails {
		s.tails[i] = saturate(s.tails[i], x, n)
	}
	s.accesses = saturate(s.accesses, t.accesses, n)
	s.reads = saturate(s.reads, t.reads, n)
	s.awaited = saturate(s.awaited, t.awaited, n)
	s.fences = saturate(s.fences, t.fences, n)
	s.further = saturate(s.further, t.further, n)
	s.together = max(s.together, t.together)
	s.waiting = saturate(s.waiting, t.waiting, n)
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
	forks []fork // that it is in, the innermost last
	loops []loop // that it is in, of those that are summarised
}

// fork is a place from which the warp executes one of several alternatives.
type fork struct {
	before         sums
	turns          int64 // since the last barrier before it
	longest        sums  // of the alternatives so far; none of them need have all of these
	began          bool  // an alternative has begun
	min, max       int64 // instructions issued before it
	fewest, issued int64 // and behind alternatives so far
	maximum        int64 // turns
}

// loop is a loop of which one iteration stands for several.
type loop struct {
	times    int64
	before   sums
	turns    []int64
	progress progress
}

func (a *analysis) record(absexec.Box) *recorder {
	return &recorder{analysis: a, path: path{ordered: true, turns: []int64{0}, sums: a.noSums()}}
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
		r.path.bounded++
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
func (r *recorder) times() int64 {
	n := int64(1)
	for i := range r.loops {
		n = saturate(0, n, r.loops[i].times)
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
			add.further = max(int64(bits.OnesCount64(s.May))-1, 0)
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
		requests += onChip.Max
	}
	add.service = c.Initiation * max(requests, 1)
	if s.Instr.Op.Info().Effect&(isa.Barriers|isa.Exits) != 0 {
		add.service += r.machine.SM.Barrier.Value // it may let others go
	}
	add.busy = add.service + c.Latency
	r.path.sums.plus(&add)
	at, _ := slices.BinarySearch(r.tails, c.TailLatency())
	r.path.sums.tails[at]++
	r.turn(c, s, onChip)
	e := extent{
		service: add.service, excess: max(0, c.TailLatency()-r.accessTail),
		waits: add.waiting + add.fences, others: add.waiting + add.fences,
		reads: add.reads, sent: add.accesses - add.reads, surely: r.surely(s),
	}
	if add.reads > 0 {
		e.others -= add.waiting
	}
	r.path.progress.issue(&e, s.Certain)
}

// surely returns how many accesses to the shared cache a step surely makes, at least.
func (r *recorder) surely(s *absexec.Step) int64 {
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
	return r.counter.LinesBetween(s, s.Box).Min
}

// turn counts an instruction.
func (r *recorder) turn(c *cost.Instr, s *absexec.Step, waits cost.Between) {
	r.path.turns[len(r.path.turns)-1]++
	switch {
	case c.Kind == cost.Barrier && waits.Max == 0:
	case c.Kind == cost.Barrier && s.Certain && waits.Certain() && len(r.forks) == 0 && cost.Whole(r.launch, s.Instr, s.Box, r.threads):
		r.path.turns = append(r.path.turns, 0)
	case c.Kind == cost.Barrier || c.Kind == cost.Arrival:
		r.path.partial = true
	}
}

// maxLines returns the most lines of global and local memory that a step touches.
func (r *recorder) maxLines(s *absexec.Step) int64 {
	return r.counter.Lines(s, s.Box) + r.layout.localLines(s) + r.layout.open(s)
}

// Fork begins alternatives, of which it is not known which one the warp executes. The sums are the largest ones of
// each of them.
func (r *recorder) Fork(int) {
	r.unordered()
	turns := r.path.turns
	p := &r.path.progress
	r.forks = append(r.forks, fork{
		before: r.path.sums, turns: turns[len(turns)-1], longest: r.noSums(),
		min: p.min, max: p.max, fewest: math.MaxInt64, issued: p.max,
	})
	r.path.sums = r.noSums()
}

// Alternative begins the next of them.
func (r *recorder) Alternative() {
	f, turns := &r.forks[len(r.forks)-1], r.path.turns
	f.longest.atLeast(&r.path.sums)
	f.maximum = max(f.maximum, turns[len(turns)-1]-f.turns)
	r.path.sums, turns[len(turns)-1] = r.noSums(), f.turns
	p := &r.path.progress
	if f.began {
		f.fewest, f.issued = min(f.fewest, p.min), max(f.issued, p.max)
	}
	p.min, p.max, f.began = f.min, f.max, true
}

// Join ends alternatives.
func (r *recorder) Join() {
	r.Alternative()
	f, turns := r.forks[len(r.forks)-1], r.path.turns
	r.forks = r.forks[:len(r.forks)-1]
	r.path.sums = f.before
	r.path.sums.plus(&f.longest)
	turns[len(turns)-1] = saturate(f.turns, f.maximum, 1)
	r.path.progress.min, r.path.progress.max = f.fewest, f.issued
}

func (a *analysis) noSums() sums { return sums{tails: make([]int64, len(a.tails))} }

// unrolled is the greatest number of barriers that are told apart in a loop that is summarised.
const unrolled = 1 << 14

// Repeat begins an iteration that stands for several.
func (r *recorder) Repeat(times int) {
	r.unordered()
	r.loops = append(r.loops, loop{int64(times), r.path.sums, r.path.turns, r.path.progress})
	r.path.sums, r.path.turns, r.path.progress = r.noSums(), []int64{0}, progress{}
}

// Repeated ends it.
func (r *recorder) Repeated() {
	l := r.loops[len(r.loops)-1]
	r.loops = r.loops[:len(r.loops)-1]
	body, turns := r.path.sums, r.path.turns
	r.path.sums, r.path.turns = l.before, l.turns
	r.path.sums.times(&body, l.times)
	iteration := r.path.progress
	r.path.progress = l.progress
	r.path.progress.repeat(&iteration, l.times)
	if barriers := int64(len(turns) - 1); barriers > 0 && barriers <= unrolled/l.times {
		for range l.times {
			r.path.turns[len(r.path.turns)-1] += turns[0]
			r.path.turns = append(r.path.turns, turns[1:]...)
		}
		return
	}
	last := &r.path.turns[len(r.path.turns)-1]
	for _, n := range turns {
		*last = saturate(*last, n, l.times)
	}
	r.path.partial = r.path.partial || len(turns) > 1
}
