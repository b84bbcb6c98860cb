package llc

import (
	"cmp"
	"slices"

	"warpbound/internal/saturating"
)

// This file bounds what an SM does in an interval where it is not known exactly what its warps issue. In its n-th turn each warp
// issues its n-th instruction, unless there are barriers. So of each instruction it is known between which turns it is
// issued, and of each turn between how many accesses were made by then: these tell in which turns an interval lies
// (docs/methods/llc.md).

// extent is what instructions need at most, and the accesses that they surely make.
type extent struct {
	service saturating.Int
	excess  saturating.Int // of tail latencies, beyond the longest one of an access
	waits   saturating.Int // loads and fences that may wait for answers
	others  saturating.Int // of these, those that wait for other than lines of the L1
	reads   saturating.Int // accesses by loads that look the L1 up
	sent    saturating.Int // other accesses
	surely  saturating.Int // of these, those that are surely made
}

func (e *extent) plus(f *extent, n saturating.Int) {
	e.service, e.excess = e.service.AddMul(f.service, n), e.excess.AddMul(f.excess, n)
	e.waits, e.others = e.waits.AddMul(f.waits, n), e.others.AddMul(f.others, n)
	e.reads, e.sent = e.reads.AddMul(f.reads, n), e.sent.AddMul(f.sent, n)
	e.surely = e.surely.AddMul(f.surely, n)
}

// minus returns what e has and f has not, of which all is part of e.
func (e extent) minus(f *extent) extent {
	return extent{
		service: e.service.Sub(f.service), excess: e.excess.Sub(f.excess),
		waits: e.waits.Sub(f.waits), others: e.others.Sub(f.others),
		reads: e.reads.Sub(f.reads), sent: e.sent.Sub(f.sent), surely: e.surely.Sub(f.surely),
	}
}

// stretch is some instructions of a path. The warp issues none of them before its turn number first, and none after its
// turn number last, counted from 1.
type stretch struct {
	first, last saturating.Int
	extent
}

// progress is how far warps are, turn by turn.
type progress struct {
	stretches []stretch
	min, max  saturating.Int // instructions issued so far
	more      int            // so many are added to a stretch behind its first
	room      int            // and so many to the last one
}

// maxStretches limits the stretches of a path, and of a loop that is summarised.
const maxStretches = 1 << 12

// issue adds an instruction, which the warp may leave out unless that is certain.
func (p *progress) issue(e *extent, certain bool) {
	p.add(stretch{p.min.Add(1), p.max.Add(1), *e})
	p.max = p.max.Add(1)
	if certain {
		p.min = p.min.Add(1)
	}
}

// add adds a stretch. When there are too many of them each two become one, as do those added from then on.
func (p *progress) add(s stretch) {
	if p.room > 0 {
		p.room--
		p.stretches[len(p.stretches)-1].join(&s)
		return
	}
	if len(p.stretches) == maxStretches {
		for i := range maxStretches / 2 {
			pair := p.stretches[2*i]
			pair.join(&p.stretches[2*i+1])
			p.stretches[i] = pair
		}
		p.stretches = p.stretches[:maxStretches/2]
		p.more = 2*p.more + 1
	}
	p.stretches = append(p.stretches, s)
	p.room = p.more
}

func (s *stretch) join(t *stretch) {
	s.first, s.last = min(s.first, t.first), max(s.last, t.last)
	s.plus(&t.extent, 1)
}

// repeat adds what was issued in an iteration that stands for so many.
func (p *progress) repeat(iteration *progress, times saturating.Int) {
	s := stretch{first: p.min.Add(1), last: p.max.AddMul(iteration.max, times)}
	for i := range iteration.stretches {
		s.plus(&iteration.stretches[i].extent, times)
	}
	s.surely = 0
	p.max = s.last
	p.add(s)
}

// milestone is what warps need up to a turn.
type milestone struct {
	turn saturating.Int
	extent
}

// rounds are what the warps of a wave need by turn.
type rounds struct {
	early []milestone // at most: of all that may be issued by then
	late  []milestone // of all that is issued by then if it is
}

// newRounds adds up the paths of a wave.
func newRounds(paths []*path) *rounds {
	r := &rounds{}
	for _, p := range paths {
		for i := range p.progress.stretches {
			s := &p.progress.stretches[i]
			r.early, r.late = append(r.early, milestone{s.first, s.extent}), append(r.late, milestone{s.last, s.extent})
		}
	}
	r.early, r.late = addUp(r.early), addUp(r.late)
	return r
}

func addUp(all []milestone) []milestone {
	slices.SortFunc(all, func(a, b milestone) int { return cmp.Compare(a.turn, b.turn) })
	var sums []milestone
	total := extent{}
	for i := range all {
		total.plus(&all[i].extent, 1)
		if i+1 == len(all) || all[i+1].turn > all[i].turn {
			sums = append(sums, milestone{all[i].turn, total})
		}
	}
	return sums
}

// first returns the first of some things for which something holds that holds for all behind it; their number if it holds
// for none.
func first[T any](all []T, holds func(*T) bool) int {
	lo, hi := 0, len(all)
	for lo < hi {
		if i := (lo + hi) / 2; holds(&all[i]) {
			hi = i
		} else {
			lo = i + 1
		}
	}
	return lo
}

// by returns the last of some milestones that is not behind a turn.
func by(all []milestone, turn saturating.Int) extent {
	i := first(all, func(m *milestone) bool { return m.turn > turn })
	if i == 0 {
		return extent{}
	}
	return all[i-1].extent
}

// all returns what the wave needs.
func (r *rounds) all() extent {
	if len(r.early) == 0 {
		return extent{}
	}
	return r.early[len(r.early)-1].extent
}

// within returns what may be issued in the turns from one to another.
func (r *rounds) within(first, last saturating.Int) extent {
	before := by(r.late, first.Sub(1))
	return by(r.early, last).minus(&before)
}

// stage is a wave of an SM, of the loads of which so many lines miss the L1.
type stage struct {
	*rounds
	turns, misses saturating.Int
	min, max      saturating.Int // accesses before it
}

// made returns how many accesses the SM has made when the wave has had some turns, at most.
func (s *stage) made(e *extent) saturating.Int {
	return s.max.Add(e.sent).Add(min(e.reads, s.misses))
}

// turnOf is a turn of a stage.
type turnOf struct {
	stage int
	turn  saturating.Int
}

// course is what an SM does, wave after wave.
type course struct {
	stages []stage
}

// add adds a wave.
func (c *course) add(w *wave, misses saturating.Int) {
	s := stage{rounds: w.rounds, turns: w.turns, misses: misses}
	if n := len(c.stages); n > 0 {
		last := &c.stages[n-1]
		all := last.all()
		s.min, s.max = last.min.Add(all.surely), last.made(&all)
	}
	c.stages = append(c.stages, s)
}

// accesses returns how many accesses the SM makes at most.
func (c *course) accesses() saturating.Int {
	if len(c.stages) == 0 {
		return 0
	}
	last := &c.stages[len(c.stages)-1]
	all := last.all()
	return last.made(&all)
}

// earliest returns the first turn by which so many accesses may be made. They may be.
func (c *course) earliest(n saturating.Int) turnOf {
	i := first(c.stages[1:], func(next *stage) bool { return next.max >= n })
	s := &c.stages[i]
	k := first(s.early, func(m *milestone) bool { return s.made(&m.extent) >= n })
	if k == len(s.early) {
		return turnOf{i, s.turns}
	}
	return turnOf{i, s.early[k].turn}
}

// latest returns the first turn by which so many accesses surely are made, or the last turn of all.
func (c *course) latest(n saturating.Int) turnOf {
	i := first(c.stages[1:], func(next *stage) bool { return next.min >= n })
	s := &c.stages[i]
	k := first(s.late, func(m *milestone) bool { return s.min.Add(m.surely) >= n })
	if k == len(s.late) {
		return turnOf{len(c.stages) - 1, c.stages[len(c.stages)-1].turns}
	}
	return turnOf{i, s.late[k].turn}
}

// turnTimes are what turns take besides what their instructions need.
type turnTimes struct {
	tail     saturating.Int // the longest tail latency of an access
	answer   saturating.Int // that a warp waits for
	dispatch saturating.Int // of a wave
}

// cycles returns what the turns from one to another need, at most, without what accesses add that follow one another. missing
// tells whether that includes waiting for lines that the L1 misses.
func (c *course) cycles(from, to turnOf, t *turnTimes, missing bool) saturating.Int {
	total := saturating.Int(0)
	for i := from.stage; i <= to.stage; i++ {
		s := &c.stages[i]
		begin, end := saturating.Int(1), s.turns
		if i == from.stage {
			begin = max(2, from.turn).Sub(1) // what an instruction of the turn waits for
		}
		if i == to.stage {
			end = to.turn
		}
		turns := max(end.Add(1), begin).Sub(begin)
		e := s.within(begin, end)
		answers := e.others
		if missing {
			answers = min(e.waits, answers.Add(min(e.reads, s.misses)))
		}
		answers = min(answers, turns).Add(1) // the last one of what is posted
		total = total.Add(e.service).Add(e.excess)
		total = total.AddMul(turns.Add(1), t.tail).AddMul(answers, t.answer)
		total = total.Add(t.dispatch)
	}
	return total
}

// missing returns what waiting for lines that the L1 misses takes in all.
func (c *course) missing(t *turnTimes) saturating.Int {
	total := saturating.Int(0)
	for i := range c.stages {
		all := c.stages[i].all()
		total = total.AddMul(min(all.reads, c.stages[i].misses, all.waits.Sub(all.others)), t.answer)
	}
	return total
}

// maxWindows limits the intervals of all SMs that are looked at.
const maxWindows = 1 << 18

// inTurns bounds the cycles of so many intervals, without their ends and what accesses add that follow one another: each
// takes what the SM needs that takes longest in it. It is false if that is not known.
func inTurns(courses []*course, intervals, quota saturating.Int, t *turnTimes) (saturating.Int, bool) {
	if intervals.Mul(saturating.Of(len(courses))) > maxWindows {
		return 0, false
	}
	var best saturating.Int
	for _, missing := range []bool{false, true} {
		total := saturating.Int(0)
		for k := range intervals {
			longest := saturating.Int(0)
			for _, c := range courses {
				if len(c.stages) == 0 || k > 0 && c.accesses() < k.Mul(quota) {
					continue // it has ended
				}
				from := turnOf{0, 1}
				if k > 0 {
					from = c.earliest(k.Mul(quota))
				}
				longest = max(longest, c.cycles(from, c.latest(k.Add(1).Mul(quota)), t, missing))
			}
			total = total.Add(longest)
		}
		if missing {
			return min(best, total), true
		}
		var waits []saturating.Int
		for _, c := range courses {
			waits = append(waits, c.missing(t))
		}
		slices.Sort(waits)
		for i := range int(min(intervals, saturating.Of(len(waits))).Int64()) {
			total = total.Add(waits[len(waits)-1-i])
		}
		best = total
	}
	return best, true
}
