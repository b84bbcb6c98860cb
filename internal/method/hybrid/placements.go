package hybrid

import (
	"context"
	"encoding/gob"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// Placements is hybrid/dynamic with the placement of Ipoints, of some that one trace gives, with which it is least. With
// fewer Ipoints edges span more blocks: times that no warp had together are not added, and fewer paths are composed that
// no run took. Since the runs themselves tell which it is, further runs exceed it sooner, and it is Selected.
type Placements struct{}

// Placed is the name of its estimate.
const Placed = "hybrid/placements"

// recorded is what the placement is called that is recorded.
const recorded = "recorded"

// Names implements method.Method.
func (Placements) Names() []method.Name {
	return []method.Name{{ID: Placed, Explain: "the least hybrid/dynamic of several placements of Ipoints that one trace gives; it decides nothing"}}
}

// Applies implements method.Method as Method does.
func (Placements) Applies(m *machine.Machine) error { return Method{}.Applies(m) }

// Reads implements method.Measured as Method does.
func (Placements) Reads(clocks trace.Clocks) error { return Method{}.Reads(clocks) }

// coarser are the words of the placements that are tried beside the one that is recorded, as ParsePlacement reads them.
func coarser() []string { return []string{"every:2", "every:3", "every:4", "headers"} }

// Record implements method.Measured: errors are those of Method. A coarser placement is left out if it has an Ipoint where
// none is recorded, no Ipoint at all, or does not show all stated loop bounds and facts.
func (Placements) Record(p *method.Problem, at method.Placement) (method.Recording, error) {
	finest, err := record(p, at)
	if err != nil {
		return nil, err
	}
	r := &placements{recording: finest, all: []placed{{recorded, finest, identity(finest.ipg.Len())}}}
	for _, word := range coarser() {
		coarse, err := method.ParsePlacement(word)
		if err != nil {
			return nil, err
		}
		part, err := record(p, coarse)
		if err != nil || part.ipg.Len() == 0 || len(part.warnings) > len(finest.warnings) {
			continue
		}
		if to, ok := part.ipg.within(finest.ipg); ok && part.ipg.Len() < finest.ipg.Len() {
			r.all = append(r.all, placed{word, part, to})
		}
	}
	return r, nil
}

// within returns the Ipoint that g has for each of another placement; false if some of g's are not among those.
func (g *IPG) within(fine *IPG) (to []trace.Ipoint, ok bool) {
	to = make([]trace.Ipoint, fine.Len())
	for i := range to {
		to[i] = trace.None
	}
	for b, at := range g.OfBlock {
		switch {
		case at == trace.None:
		case fine.OfBlock[b] == trace.None:
			return nil, false
		default:
			to[fine.OfBlock[b]] = at
		}
	}
	return to, true
}

// identity is the translation of n Ipoints to themselves.
func identity(n int) []trace.Ipoint {
	to := make([]trace.Ipoint, n)
	for i := range to {
		to[i] = trace.Ipoint(i)
	}
	return to
}

// placed is a placement.
type placed struct {
	word string // as ParsePlacement reads it, or recorded
	*recording
	to []trace.Ipoint // by Ipoint that is recorded
}

// placements are some placements, of which the first is recorded and the others are contained in it.
type placements struct {
	*recording
	all []placed
}

// Interleaved implements method.Recording.
func (r *placements) Interleaved() {
	for _, p := range r.all {
		p.recording.Interleaved()
	}
}

// Sink returns *profiles.
func (r *placements) Sink(clocks trace.Clocks) trace.Sink {
	all := &profiles{}
	for _, p := range r.all {
		own := p.recording.Sink(clocks).(*Profile)
		all.of, all.sinks = append(all.of, own), append(all.sinks, trace.Remap(own, p.to))
	}
	return all
}

// Bound implements method.Recording. Of placements with the same bound it is the one with the most Ipoints.
func (r *placements) Bound(ctx context.Context, sinks []trace.Sink) (*method.Answer, error) {
	answer := &method.Answer{}
	detail := &estimate.HybridPlacements{}
	for i, p := range r.all {
		own := make([]trace.Sink, len(sinks))
		for k, s := range sinks {
			own[k] = s.(*profiles).of[i]
		}
		runs, result, err := p.analyze(ctx, own)
		if err != nil {
			return nil, err
		}
		e := result.Dynamic
		dynamic := e.Detail.(*estimate.HybridDynamic)
		detail.Placements = append(detail.Placements, estimate.HybridPlacement{Placement: p.word, Ipoints: p.ipg.Len(), Warp: dynamic.Warp})
		if i > 0 && e.Cycles >= answer.Estimates[0].Cycles {
			continue
		}
		detail.Placement, detail.Warp, detail.Jitter = p.word, dynamic.Warp, dynamic.Jitter
		e.Method, e.Detail, e.Selected = Placed, detail, true
		if p.word != recorded {
			e.Assumptions = append([]string{"Ipoints are where --ipoints " + p.word + " puts them"}, e.Assumptions...)
		}
		answer = &method.Answer{Estimates: []estimate.Estimate{e}, Runs: runs.Runs(), Observed: runs.Observed()}
	}
	return answer, nil
}

// profiles are the profiles of placements, the first of which has all Ipoints that are recorded.
type profiles struct {
	of    []*Profile
	sinks []trace.Sink // the same, of all Ipoints
}

func (p *profiles) each(do func(i int) error) error {
	for i := range p.of {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}

// BeginRun implements trace.Sink.
func (p *profiles) BeginRun(number int) error {
	return p.each(func(i int) error { return p.sinks[i].BeginRun(number) })
}

// Record implements trace.Sink.
func (p *profiles) Record(r trace.Record) error {
	for _, s := range p.sinks {
		if err := s.Record(r); err != nil {
			return err
		}
	}
	return nil
}

// EndRun implements trace.Sink.
func (p *profiles) EndRun(end int64) error {
	return p.each(func(i int) error { return p.sinks[i].EndRun(end) })
}

// Absorb implements trace.Mergeable.
func (p *profiles) Absorb(other trace.Sink) error {
	q, ok := other.(*profiles)
	if !ok || len(q.of) != len(p.of) {
		return fmt.Errorf("profiles of placements take over others of the same, not a %T", other)
	}
	return p.each(func(i int) error { return p.of[i].Merge(q.of[i]) })
}

// Save implements trace.Portable.
func (p *profiles) Save(to *gob.Encoder) error {
	return p.each(func(i int) error { return p.of[i].Save(to) })
}

// Restore implements trace.Portable.
func (p *profiles) Restore(from *gob.Decoder) error {
	return p.each(func(i int) error { return p.of[i].Restore(from) })
}

// Learn merges other profiles into p, and reports whether any shows something that p does not, as Profile.Learn.
func (p *profiles) Learn(from trace.Sink) (news bool, err error) {
	q, ok := from.(*profiles)
	if !ok || len(q.of) != len(p.of) {
		return false, fmt.Errorf("profiles of placements learn from others of the same, not from a %T", from)
	}
	err = p.each(func(i int) error {
		more, err := p.of[i].Learn(q.of[i])
		news = news || more
		return err
	})
	return news, err
}
