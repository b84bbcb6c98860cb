package cta

import (
	"math/bits"
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// path is what is known of the execution of one warp in every CTA of a box.
type path struct {
	// ops are the instructions that the warp issues, if it is known which they are and
	// how many requests each of them makes; else those up to the first of which
	// it is not.
	ops     []op
	certain bool

	service saturating.Int // how long the warp holds the port, at most
	delays  []segment      // of the warp from one barrier to the next, at most
	partial bool           // it comes to barriers for part of its CTA
	waits   saturating.Int // how often it waits at barriers, at most
	// visible is service of which it is not known that it is hidden by delays of others, but for what
	// overlapped adds.
	visible saturating.Int
	minor   saturating.Int // sum of the delays that are not the longest

	instrs []share // by instruction; the service of all is that of the path
	route  *charge.Route

	// The requests of some accesses, those of ops that are negative, repeat along the axes of
	// the box. The path of each CTA is one of variants then.
	varied   []cost.Varied
	period   [3]int // CTAs after which they do
	variants []*path
}

// op is an instruction that a warp surely issues.
type op struct {
	pc       int32
	requests int32 // of an access, or -1 - i if they are path.varied[i]; 1 of a barrier at which the warp waits
}

// segment is a part of a path that begins at a barrier, or at the beginning, and ends
// before the next barrier that the warp surely comes to.
type segment struct {
	certain bool           // it surely comes to the barrier with which the segment begins
	delay   saturating.Int // of the warp up to the next segment, at most
}

// share is what an instruction or a block has of the service of a warp, and of its delays, each as often as it counts for the path.
type share struct{ count, service, delay saturating.Int }

func (s *segment) lengthen(delay saturating.Int) { s.delay = s.delay.Add(delay) }

// addTimes adds what another share has, so many times.
func (s *share) addTimes(t *share, times saturating.Int) {
	s.count, s.service, s.delay = s.count.AddMul(t.count, times), s.service.AddMul(t.service, times), s.delay.AddMul(t.delay, times)
}

// frame is the part of a path in one alternative.
type frame struct {
	service saturating.Int
	delays  []segment
	instrs  []share
	// drain is how long after the end of the last instruction posted requests of the
	// warp can still be served.
	drain int64
	// visible and minor are those of the path.
	visible, minor saturating.Int
}

// sumDelays is for how long the warp is sumDelays.
func (f *frame) sumDelays() saturating.Int {
	sum := saturating.Int(0)
	for i := range f.delays {
		sum = sum.Add(f.delays[i].delay)
	}
	return sum
}

// last is the segment that the warp is in.
func (f *frame) last() *segment { return &f.delays[len(f.delays)-1] }

// recorder makes the path of an abstract execution.
type recorder struct {
	*analysis
	path  *path
	frame frame
	forks []fork // that it is in
	loops []loop // that it is in, of those that are summarised

	width  int            // threads of the warp
	issued map[int]issues // by instruction, of those that a thread executes once
	forked map[int]issues // by branch, of those: its alternatives
	tracer *charge.Tracer
	surely bool // it issues the last step
}

// loop is a loop of which one iteration stands for several.
type loop struct {
	times  saturating.Int
	before frame
	waits  saturating.Int
}

// fork is a fork with the frame before it and those of its alternatives that have ended.
type fork struct {
	before     frame
	begun      bool // its first alternative
	successors []frame
	branch     int  // instruction
	once       bool // which each thread executes once, at most
}

func (a *analysis) record(warp int) *recorder {
	return &recorder{
		analysis: a, path: &path{certain: true}, tracer: charge.NewTracer(a.graph),
		width: bits.OnesCount64(a.launch.Threads(warp)), issued: make(map[int]issues), forked: make(map[int]issues),
		frame: frame{delays: []segment{{certain: true}}, instrs: make([]share, len(a.graph.Kernel.Instrs))},
	}
}

// Step adds an instruction.
func (r *recorder) Step(s *absexec.Step) {
	c := &r.costs[s.PC]
	r.surely = s.Certain
	made := r.requests(c, s)
	if r.path.certain {
		r.path.certain = s.Certain && r.certain(c, s, made)
	}
	f := &r.frame
	service := c.Initiation * max(made.Max, 1)
	delay := r.delay(c, s, made, service)
	furtherService, furtherDelay, more := r.limited(c, s, saturating.Of(service), saturating.Of(delay.Max))
	f.service = f.service.Add(furtherService)
	r.tracer.Step(s.PC, furtherService.Add(furtherDelay))
	r.account(c, s.Instr, delay, furtherService, more, r.perThread(s.PC, s.Certain))
	in := &f.instrs[s.PC]
	in.service, in.delay = in.service.Add(furtherService), in.delay.Add(furtherDelay)
	if more {
		in.count = in.count.Add(1)
	}
	if c.Kind == cost.Arrival || c.Kind == cost.Barrier && made.Max > 0 {
		r.path.waits = r.path.waits.Add(1)
	}
	if c.Kind == cost.Barrier && made.Max > 0 {
		f.delays = append(f.delays, segment{certain: s.Certain && made.Min > 0})
		r.path.partial = r.path.partial || !cost.Whole(r.launch, s.Instr, s.Box, r.threads)
	}
	r.path.partial = r.path.partial || c.Kind == cost.Arrival
	f.last().lengthen(furtherDelay)
	if s.Certain {
		f.drain = max(0, f.drain-c.Initiation*max(made.Min, 1)-delay.Min)
	}
	if c.Kind == cost.Posted && made.Max > 0 {
		f.drain = max(f.drain, c.TailLatency())
	}
}

// certain adds an instruction that the warp surely issues, if its requests are known.
func (r *recorder) certain(c *cost.Instr, s *absexec.Step, made cost.Between) bool {
	o := op{int32(s.PC), int32(made.Max)}
	if !made.Certain() {
		if c.Kind == cost.Barrier {
			return false
		}
		v, ok := r.counter.Varying(s, s.Box)
		if !ok {
			return false
		}
		r.path.varied = append(r.path.varied, v)
		o.requests = -int32(len(r.path.varied))
	}
	r.path.ops = append(r.path.ops, o)
	return true
}

// requests returns the requests of a step, for a barrier 1 if the warp waits at it.
func (r *recorder) requests(c *cost.Instr, s *absexec.Step) cost.Between {
	switch {
	case c.Kind == cost.Barrier && s.Must != 0:
		return cost.Exactly(1)
	case c.Kind == cost.Barrier && s.May != 0:
		return cost.Between{Min: 0, Max: 1}
	case s.Access != nil:
		return r.ranges.narrow(r.counter.Count(s, s.Box), s)
	}
	return cost.Exactly(0)
}

// delay returns for how long a warp cannot issue after it has held the port.
func (r *recorder) delay(c *cost.Instr, s *absexec.Step, made cost.Between, service int64) cost.Between {
	switch c.Kind {
	case cost.Posted:
		return cost.Exactly(0)
	case cost.Load:
		return cost.Between{Min: c.TailLatency() * min(made.Min, 1), Max: c.TailLatency() * min(made.Max, 1)}
	case cost.Barrier, cost.Arrival:
		return cost.Between{Min: 0, Max: c.TailLatency() * (1 - made.Min)}
	case cost.Fence:
		return cost.Between{Min: c.TailLatency(), Max: max(c.TailLatency(), r.frame.drain-service)}
	}
	if s.Instr.Op == isa.Ret || s.Instr.Op == isa.Exit {
		return cost.Between{Min: 0, Max: max(c.TailLatency(), r.frame.drain-service)} // perhaps the end of the warp
	}
	return cost.Exactly(c.TailLatency())
}

// Fork begins alternatives.
func (r *recorder) Fork(pc int) {
	r.path.certain = false
	r.tracer.Fork()
	r.forks = append(r.forks, fork{before: r.frame, branch: pc, once: r.perThread(pc, r.surely)})
}

// Alternative begins the next of them.
func (r *recorder) Alternative() {
	at := &r.forks[len(r.forks)-1]
	r.tracer.Alternative()
	if at.begun {
		at.successors = append(at.successors, r.frame)
	}
	at.begun = true
	r.frame = frame{
		delays: []segment{{certain: true}}, instrs: make([]share, len(at.before.instrs)), drain: at.before.drain,
	}
}

// Join ends alternatives, of which the warp takes one.
func (r *recorder) Join() {
	at := r.forks[len(r.forks)-1]
	r.tracer.Join()
	r.forks = r.forks[:len(r.forks)-1]
	successors := append(at.successors, r.frame)
	r.frame = at.before
	f := &r.frame
	longest, slowest := &successors[0], &successors[0]
	f.drain = 0
	for i := range successors {
		if successors[i].service > longest.service {
			longest = &successors[i]
		}
		if successors[i].sumDelays() > slowest.sumDelays() {
			slowest = &successors[i]
		}
		f.drain = max(f.drain, successors[i].drain)
	}
	visible, minor := saturating.Int(0), saturating.Int(0)
	for i := range successors {
		visible, minor = max(visible, successors[i].visible), max(minor, successors[i].minor)
	}
	f.visible, f.minor = f.visible.Add(visible), f.minor.Add(minor)
	delays := maximum(successors)
	if at.once && len(delays) == 1 {
		delays[0].delay = r.limit(at.branch, longest, delays[0].delay)
	}
	f.service = f.service.Add(longest.service)
	for pc, s := range longest.instrs {
		s.delay = slowest.instrs[pc].delay
		f.instrs[pc].addTimes(&s, 1)
	}
	f.last().lengthen(delays[0].delay)
	f.delays = append(f.delays, delays[1:]...)
}

// unrolled is the greatest number of segments that are told apart in a loop that is summarised.
const unrolled = 1 << 14

// Repeat begins an iteration that stands for several. Posted requests may be under way from the one before.
func (r *recorder) Repeat(times int) {
	r.path.certain = false
	r.tracer.Repeat(saturating.Of(times))
	r.loops = append(r.loops, loop{times: saturating.Of(times), before: r.frame, waits: r.path.waits})
	drain := r.frame.drain
	for i := range r.costs {
		if c := &r.costs[i]; c.Kind == cost.Posted {
			drain = max(drain, c.TailLatency())
		}
	}
	r.frame = frame{delays: []segment{{certain: true}}, instrs: make([]share, len(r.frame.instrs)), drain: drain}
}

// Repeated ends it.
func (r *recorder) Repeated() {
	l := r.loops[len(r.loops)-1]
	r.tracer.Repeated()
	r.loops = r.loops[:len(r.loops)-1]
	body := r.frame
	r.frame = l.before
	f := &r.frame
	f.service = f.service.AddMul(body.service, l.times)
	f.visible = f.visible.AddMul(body.visible, l.times)
	f.minor = f.minor.AddMul(body.minor, l.times)
	f.drain = body.drain
	for pc, s := range body.instrs {
		f.instrs[pc].addTimes(&s, l.times)
	}
	r.path.waits = l.waits.AddMul(r.path.waits.Sub(l.waits), l.times)
	if further := saturating.Of(len(body.delays) - 1); further > 0 && further.Mul(l.times) <= unrolled {
		for range l.times {
			f.last().lengthen(body.delays[0].delay)
			f.delays = append(f.delays, body.delays[1:]...)
		}
		return
	}
	for _, s := range body.delays {
		f.last().lengthen(s.delay.Mul(l.times))
	}
	r.path.partial = r.path.partial || len(body.delays) > 1
}

// maximum returns delays that are at least those of each of some alternatives. If all
// come to the same barriers, these are the greatest from one to the next. Otherwise
// it takes the alternatives for parts of one path that the warp perhaps executes.
func maximum(successors []frame) []segment {
	all := successors[0].delays
	for _, successor := range successors {
		if len(successor.delays) != len(all) || slices.ContainsFunc(successor.delays, func(s segment) bool { return !s.certain }) {
			return oneByOne(successors)
		}
	}
	for _, successor := range successors[1:] {
		for i, s := range successor.delays {
			all[i].delay = max(all[i].delay, s.delay)
		}
	}
	return all
}

func oneByOne(successors []frame) []segment {
	all := []segment{{certain: true}}
	for _, successor := range successors {
		all[len(all)-1].lengthen(successor.delays[0].delay)
		for _, s := range successor.delays[1:] {
			all = append(all, segment{delay: s.delay})
		}
	}
	return all
}

// finish returns the path of an execution that has ended.
func (r *recorder) finish() *path {
	p := r.path
	p.route = &r.tracer.Route
	p.service, p.delays, p.instrs = r.frame.service, r.frame.delays, r.frame.instrs
	p.visible, p.minor = r.frame.visible, r.frame.minor
	p.period = [3]int{1, 1, 1}
	if p.certain && len(p.varied) > 0 {
		r.vary(p)
	}
	return p
}

// equal reports whether two paths are the same to the port.
func (p *path) equal(q *path) bool {
	return p.certain == q.certain && p.partial == q.partial && p.waits == q.waits &&
		p.service == q.service && p.visible == q.visible && p.minor == q.minor &&
		slices.Equal(p.ops, q.ops) && slices.Equal(p.delays, q.delays) && slices.Equal(p.instrs, q.instrs)
}

// key is equal for equal paths, and rarely for others.
func (p *path) key() [3]int64 {
	sum := int64(0)
	for _, o := range p.ops {
		sum = sum*31 + int64(o.pc)<<8 + int64(o.requests)
	}
	return [3]int64{p.service.Int64(), int64(len(p.ops)), sum}
}
