package llc

import (
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
	turns    []int64 // instructions at most, up to each barrier at which the warp surely waits for all others, and to its end
	partial  bool    // it may wait at other barriers
}

// sums are what warps need at most, whatever else is known of their paths.
type sums struct {
	busy     int64   // cycles of the instructions without what the shared cache takes
	service  int64   // cycles in which they hold the port, or the last arrival lets a barrier go
	tails    []int64 // instructions by how long their latency is behind their service, as analysis.tails
	accesses int64   // to the shared cache
	further  int64   // operations of atomic accesses on one address, after the first
	waiting  int64   // instructions whose warp may wait for answers
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
	s.further = saturate(s.further, t.further, n)
	s.waiting = saturate(s.waiting, t.waiting, n)
}

// recorder makes the path of an abstract execution.
type recorder struct {
	*analysis
	path  path
	forks int    // that it is in
	loops []loop // that it is in, of those that are summarised
}

// loop is a loop of which one iteration stands for several.
type loop struct {
	times  int64
	before sums
	turns  []int64
}

func (a *analysis) record(absexec.Box) *recorder {
	return &recorder{analysis: a, path: path{ordered: true, turns: []int64{0}, sums: sums{tails: make([]int64, len(a.tails))}}}
}

// Step adds an instruction.
func (r *recorder) Step(s *absexec.Step) {
	c := &r.costs[s.PC]
	onChip := r.onChip(c, s)
	r.sum(c, s, onChip)
	r.path.ordered = r.path.ordered && s.Certain && r.ordered(c, s, onChip)
	if !r.path.ordered {
		r.path.ops, r.path.accesses = nil, nil
		return
	}
	if !onChip.Certain() {
		r.path.bounded++
	}
	o := op{pc: int32(s.PC), requests: int32(onChip.Max), access: -1}
	if s.Access != nil {
		if a := r.layout.offChip(s); !a.empty() {
			o.access = int32(len(r.path.accesses))
			r.path.accesses = append(r.path.accesses, a)
		}
	}
	r.path.ops = append(r.path.ops, o)
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
			add.further = int64(bits.OnesCount64(s.May))
		}
	}
	if add.accesses > 0 && c.Kind == cost.Load || c.Kind == cost.Fence {
		add.waiting = 1
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
}

// turn counts an instruction.
func (r *recorder) turn(c *cost.Instr, s *absexec.Step, waits cost.Between) {
	r.path.turns[len(r.path.turns)-1]++
	switch {
	case c.Kind == cost.Barrier && waits.Max == 0:
	case c.Kind == cost.Barrier && s.Certain && waits.Certain() && r.forks == 0 && cost.Whole(r.launch, s.Instr, s.Box, r.threads):
		r.path.turns = append(r.path.turns, 0)
	case c.Kind == cost.Barrier || c.Kind == cost.Arrival:
		r.path.partial = true
	}
}

// maxLines returns the most lines of global and local memory that a step touches.
func (r *recorder) maxLines(s *absexec.Step) int64 {
	return r.counter.Lines(s, s.Box) + r.layout.localLines(s) + r.layout.each(s)*int64(bits.OnesCount64(openLanes(s)))
}

// Fork begins alternatives, of which it is not known which one the warp executes. The sums are those of
// all together.
func (r *recorder) Fork(int) {
	r.path.ordered = false
	r.forks++
}

// Alternative begins the next of them.
func (r *recorder) Alternative() {}

// Join ends alternatives.
func (r *recorder) Join() { r.forks-- }

// unrolled is the greatest number of barriers that are told apart in a loop that is summarised.
const unrolled = 1 << 14

// Repeat begins an iteration that stands for several.
func (r *recorder) Repeat(times int) {
	r.path.ordered, r.path.ops, r.path.accesses = false, nil, nil
	r.loops = append(r.loops, loop{int64(times), r.path.sums, r.path.turns})
	r.path.sums, r.path.turns = sums{tails: make([]int64, len(r.tails))}, []int64{0}
}

// Repeated ends it.
func (r *recorder) Repeated() {
	l := r.loops[len(r.loops)-1]
	r.loops = r.loops[:len(r.loops)-1]
	body, turns := r.path.sums, r.path.turns
	r.path.sums, r.path.turns = l.before, l.turns
	r.path.sums.times(&body, l.times)
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
