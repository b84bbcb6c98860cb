package analysis

import (
	"context"
	"encoding/gob"
	"fmt"

	"warpbound/internal/campaign"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// joint is what several measured methods want to know of the same runs, as a recording of its own.
type joint struct {
	methods List
	parts   []method.Recording // by method
	points  []trace.Ipoint     // by instruction
	infos   []trace.IpointInfo
	own     [][]trace.Ipoint // by part, the Ipoint that it has for each
}

// join makes one recording of those that methods want of the same kernel.
func join(methods List, parts []method.Recording) *joint {
	j := &joint{methods: methods, parts: parts, points: make([]trace.Ipoint, len(parts[0].Points())), own: make([][]trace.Ipoint, len(parts))}
	infos := make([][]trace.IpointInfo, len(parts))
	for k, part := range parts {
		infos[k] = part.Ipoints()
	}
	for i := range j.points {
		j.points[i] = trace.None
		for k, part := range parts {
			at := part.Points()[i]
			if at == trace.None {
				continue
			}
			if j.points[i] == trace.None {
				j.points[i] = trace.Ipoint(len(j.infos))
				j.infos = append(j.infos, infos[k][at])
				for p := range j.own {
					j.own[p] = append(j.own[p], trace.None)
				}
			}
			j.own[k][j.points[i]] = at
		}
	}
	return j
}

// add adds a method with its recording, and with the Ipoint that it has for each of the joint one.
func (j *joint) add(m Method, part method.Recording, own []trace.Ipoint) {
	j.methods, j.parts, j.own = append(j.methods, m), append(j.parts, part), append(j.own, own)
}

func (j *joint) Ipoints() []trace.IpointInfo { return j.infos }
func (j *joint) Points() []trace.Ipoint      { return j.points }

// Follows implements method.Recording: of what a part does not know it says nothing.
func (j *joint) Follows(from, to trace.Ipoint) bool {
	for k, part := range j.parts {
		a, b := j.of(k, from), j.of(k, to)
		if a != trace.None && b != trace.None && !part.Follows(a, b) {
			return false
		}
	}
	return true
}

// of returns the Ipoint of a part.
func (j *joint) of(part int, at trace.Ipoint) trace.Ipoint {
	if at < 0 {
		return at
	}
	return j.own[part][at]
}

// Interleaved implements method.Recording.
func (j *joint) Interleaved() {
	for _, part := range j.parts {
		part.Interleaved()
	}
}

// Invariant implements method.Recording.
func (j *joint) Invariant() {
	for _, part := range j.parts {
		part.Invariant()
	}
}

// Reserve implements method.Reserving: it tells the parts that are such.
func (j *joint) Reserve(thousandths int64, alike bool) {
	for _, part := range j.parts {
		if r, ok := part.(method.Reserving); ok {
			r.Reserve(thousandths, alike)
		}
	}
}

// Sink returns a *tee with a sink of each part.
func (j *joint) Sink(clocks trace.Clocks) trace.Sink {
	t := &tee{joint: j}
	for _, part := range j.parts {
		t.sinks = append(t.sinks, part.Sink(clocks))
	}
	return t
}

// Bound asks the parts one after the other. What is known of the runs alone is of the first that tells it.
func (j *joint) Bound(ctx context.Context, sinks []trace.Sink) (*method.Answer, error) {
	all := &method.Answer{}
	for k, part := range j.parts {
		own := make([]trace.Sink, len(sinks))
		for i := range sinks {
			own[i] = sinks[i].(*tee).sinks[k]
		}
		answer, err := part.Bound(ctx, own)
		if err != nil {
			return nil, err
		}
		all.Estimates = append(all.Estimates, answer.Estimates...)
		all.Warnings = append(all.Warnings, answer.Warnings...)
		if all.Observed == nil {
			all.Runs, all.Observed = answer.Runs, answer.Observed
		}
		if all.Coverage == nil {
			all.Coverage = answer.Coverage
		}
		if all.Model == nil {
			all.Model, all.Certificate = answer.Model, answer.Certificate
		}
	}
	return all, nil
}

// tee gives runs to the sinks of all parts.
type tee struct {
	joint *joint
	sinks []trace.Sink // by part
}

func (t *tee) each(do func(part int, s trace.Sink) error) error {
	for k, s := range t.sinks {
		if err := do(k, s); err != nil {
			return err
		}
	}
	return nil
}

// Chosen implements trace.Selective.
func (t *tee) Chosen(from trace.Origin) {
	for _, s := range t.sinks {
		if selective, ok := s.(trace.Selective); ok {
			selective.Chosen(from)
		}
	}
}

func (t *tee) BeginRun(number int) error {
	return t.each(func(_ int, s trace.Sink) error { return s.BeginRun(number) })
}

func (t *tee) Record(r trace.Record) error {
	if r.Ipoint >= 0 && int(r.Ipoint) >= len(t.joint.infos) {
		return fmt.Errorf("there is no ipoint %d", r.Ipoint)
	}
	at := r.Ipoint
	for k, s := range t.sinks {
		if r.Ipoint = t.joint.of(k, at); r.Ipoint == trace.None {
			continue
		}
		if err := s.Record(r); err != nil {
			return err
		}
	}
	return nil
}

func (t *tee) EndRun(end int64) error {
	return t.each(func(_ int, s trace.Sink) error { return s.EndRun(end) })
}

// Absorb implements trace.Mergeable.
func (t *tee) Absorb(other trace.Sink) error {
	return t.each(func(k int, s trace.Sink) error {
		mergeable, ok := s.(trace.Mergeable)
		if !ok {
			return fmt.Errorf("%T cannot be merged", s)
		}
		return mergeable.Absorb(other.(*tee).sinks[k])
	})
}

// portable reports whether the sinks of all parts are trace.Portable.
func (j *joint) portable(clocks trace.Clocks) bool {
	for _, part := range j.parts {
		if _, ok := part.Sink(clocks).(trace.Portable); !ok {
			return false
		}
	}
	return true
}

// Save implements trace.Portable.
func (t *tee) Save(to *gob.Encoder) error {
	return t.each(func(_ int, s trace.Sink) error { return s.(trace.Portable).Save(to) })
}

// Restore implements trace.Portable.
func (t *tee) Restore(from *gob.Decoder) error {
	return t.each(func(_ int, s trace.Sink) error { return s.(trace.Portable).Restore(from) })
}

// Learn implements campaign.Learner.
func (t *tee) Learn(from trace.Sink) (news bool, err error) {
	err = t.each(func(k int, s trace.Sink) error {
		learner, ok := s.(campaign.Learner)
		if !ok {
			return fmt.Errorf("%T cannot tell what is new in a run", s)
		}
		more, err := learner.Learn(from.(*tee).sinks[k])
		news = news || more
		return err
	})
	return news, err
}
