package hybrid

import (
	"errors"
	"fmt"
	"iter"

	"warpbound/estimate"
	"warpbound/internal/saturating"
	"warpbound/internal/trace"
)

// TraceError says which record of a trace cannot be.
type TraceError struct {
	Run    int
	Index  int // of the record in its run, from 0
	Record trace.Record
	Err    error
}

// Error renders the place in the trace and what is wrong there.
func (e *TraceError) Error() string {
	r := e.Record
	return fmt.Sprintf("run %d, record %d (SM %d, CTA %d, warp %d, cycle %d): %v",
		e.Run, e.Index, r.SM, r.CTA, r.Warp, r.Cycle, e.Err)
}

// Unwrap returns the error without its place.
func (e *TraceError) Unwrap() error { return e.Err }

// TransitionError is a transition that the IPG does not have. Where the trace is of the
// same program, the control-flow graph is wrong.
type TransitionError struct{ From, To string }

// Error names both Ipoints.
func (e *TransitionError) Error() string {
	return fmt.Sprintf("the control-flow graph does not allow %s -> %s", e.From, e.To)
}

// runSlicer slices a run into its warp-specific traces (section V-A) and parses each
// with the IPG as it goes.
type runSlicer struct {
	p      *Profile
	number int
	index  int // of the next record
	last   int64

	warps   trace.Table[trace.Table[*warpSlice]] // by CTA; nil of those that have not started
	started int
	alive   int
	sms     trace.Table[*smRun] // nil of those without warps
	ctas    residences
	free    []*warpSlice

	iter, entries []int64 // by loop, of one warp; zero between uses
}

// warpSlice is where a warp is and what it did.
type warpSlice struct {
	sm     int32
	node   int     // the Ipoint reached last
	since  int64   // when
	counts []int64 // by slot of the edge in Profile.seen
	used   []int32 // slots with a count
}

// retired is in place of a warp that has retired.
var retired = new(warpSlice)

func newRunSlicer(p *Profile, number int) *runSlicer {
	return &runSlicer{
		p:       p,
		number:  number,
		iter:    make([]int64, len(p.loops)),
		entries: make([]int64, len(p.loops)),
	}
}

func (s *runSlicer) record(r trace.Record) error {
	if err := s.consume(r); err != nil {
		return &TraceError{s.number, s.index, r, err}
	}
	s.index++
	return nil
}

func (s *runSlicer) consume(r trace.Record) error {
	sm := s.sm(r.SM)
	if r.Cycle < sm.now {
		return fmt.Errorf("the record before it on this SM is of cycle %d", sm.now)
	}
	sm.now = r.Cycle
	at := s.warps.At(r.CTA).At(r.Warp)
	w := *at
	switch {
	case r.Ipoint == trace.Start:
		if w != nil {
			return errors.New("the warp has started before")
		}
		if err := s.ctas.start(r); err != nil {
			return err
		}
		*at = s.start(r)
		sm.start(r.Cycle)
		return nil
	case w == nil:
		return errors.New("the warp has not started")
	case w == retired:
		return errors.New("the warp has exited before")
	case w.sm != r.SM:
		return fmt.Errorf("the warp started on SM %d", w.sm)
	}
	to, err := s.node(r.Ipoint)
	if err != nil {
		return err
	}
	id := estimate.WarpID{Run: s.number, CTA: r.CTA, Warp: r.Warp}
	if err := s.advance(w, id, to, r.Cycle); err != nil {
		return err
	}
	if to == s.p.ipg.Exit() {
		if err := s.p.addFacts(w, id); err != nil {
			return err
		}
		s.retire(w, id)
		*at = retired
		s.last = max(s.last, r.Cycle)
		sm.exit(r.Cycle)
		s.ctas.exit(r)
	}
	return nil
}

// node returns the node of an Ipoint other than Start.
func (s *runSlicer) node(i trace.Ipoint) (int, error) {
	switch {
	case i == trace.Exit:
		return s.p.ipg.Exit(), nil
	case i < 0 || int(i) >= s.p.ipg.Len():
		return 0, fmt.Errorf("there is no ipoint %d", i)
	}
	return int(i), nil
}

// sm returns what is known of a multiprocessor.
func (s *runSlicer) sm(number int32) *smRun {
	at := s.sms.At(number)
	if *at == nil {
		*at = new(smRun)
	}
	return *at
}

func (s *runSlicer) start(r trace.Record) *warpSlice {
	s.started++
	s.alive++
	var w *warpSlice
	if n := len(s.free); n > 0 {
		w, s.free = s.free[n-1], s.free[:n-1]
	} else {
		w = new(warpSlice)
	}
	w.sm, w.node, w.since = r.SM, s.p.ipg.Start(), r.Cycle
	return w
}

// advance accounts for a transition of a warp.
func (s *runSlicer) advance(w *warpSlice, id estimate.WarpID, to int, now int64) error {
	i, ok := s.p.edgeBetween(w.node, to)
	if !ok {
		return &TransitionError{s.p.ipg.Name(w.node), s.p.ipg.Name(to)}
	}
	took := now - w.since
	slot := s.p.slotOf(i)
	e := &s.p.seen[slot]
	if e.count == 0 || took < e.best {
		e.best = took
	}
	e.count++
	e.sum = e.sum.Add(saturating.Of(took))
	e.worst.raise(took, id)
	if n := len(s.p.seen); n > len(w.counts) {
		w.counts = append(w.counts, make([]int64, n-len(w.counts))...)
	}
	if w.counts[slot] == 0 {
		w.used = append(w.used, slot)
	}
	w.counts[slot]++
	w.node, w.since = to, now
	return nil
}

// retire enters a warp's counts into the profile and frees its memory.
func (s *runSlicer) retire(w *warpSlice, id estimate.WarpID) {
	p := s.p
	for _, slot := range w.used {
		n := w.counts[slot]
		w.counts[slot] = 0
		e := &p.seen[slot]
		e.maximum = max(e.maximum, n)
		in := p.membershipOf(e.edge)
		for _, l := range in.iter {
			s.iter[l] += n
		}
		for _, l := range in.entry {
			s.entries[l] += n
		}
	}
	w.used = w.used[:0]
	for l, entries := range s.entries {
		if entries > 0 {
			p.loops[l].raise((s.iter[l]+entries-1)/entries, id)
		}
		s.iter[l], s.entries[l] = 0, 0
	}
	s.alive--
	s.free = append(s.free, w)
}

// finish checks that the run is complete and enters the multiprocessors' figures.
func (s *runSlicer) finish(end int64) error {
	switch {
	case s.started == 0:
		return errors.New("no warp ran")
	case s.alive > 0:
		return fmt.Errorf("%d of %d warps have no exit", s.alive, s.started)
	case end != s.last:
		return fmt.Errorf("the run ends in cycle %d, but its last warp exits in cycle %d", end, s.last)
	}
	for id, sm := range s.multiprocessors() {
		if s.p.options.Clocks == trace.PerSM {
			sm.rebase()
		}
		s.p.sm(id).add(sm)
	}
	s.takeSlots()
	return nil
}

// multiprocessors returns those that had warps, with their numbers.
func (s *runSlicer) multiprocessors() iter.Seq2[int32, *smRun] {
	return func(yield func(int32, *smRun) bool) {
		for id, sm := range s.sms.All() {
			if *sm != nil && !yield(id, *sm) {
				return
			}
		}
	}
}

// longest returns the last exit of any multiprocessor by its own clock, in a run that is
// finished.
func (s *runSlicer) longest() int64 {
	longest := int64(0)
	for _, sm := range s.multiprocessors() {
		longest = max(longest, sm.lastExit)
	}
	return longest
}

// takeSlots enters how CTAs took slots: those of all multiprocessors or, without a common clock, those of each.
func (s *runSlicer) takeSlots() {
	l := &s.p.options.Launch
	if s.p.options.Clocks != trace.PerSM {
		s.p.slots.add(s.ctas.list, l.sms(), l.resident())
		return
	}
	for _, ctas := range s.ctas.bySM() {
		s.p.slots.add(ctas, 1, l.resident())
	}
}
