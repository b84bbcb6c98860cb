package llc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"warpbound/internal/method/cost"
	"warpbound/internal/method/llc/reuse"
)

// event is an instruction that an SM issues.
type event struct {
	pc       int32
	warp     int32 // its place on the SM
	requests int32 // lines included
	sends    int32 // accesses to the shared cache
	until    int32 // the warp waits for so many answers of the SM; if it is posted, at fences and at its end
	end      bool  // the last instruction of its warp
	waits    bool  // at a barrier
	release  bool  // the warps of its CTA that wait at a barrier
}

// sent is an access to the shared cache.
type sent struct {
	reuse.Access       // made once, or perhaps
	after        int32 // cycles from the issue of the instruction until it can be sent
	extra        int32 // cycles for further operations on one address
}

// optional reports whether the access may be made or not.
func (s *sent) optional() bool { return s.Min == 0 }

// stream is what an SM sends to the shared cache, in its order.
type stream struct {
	sent     []reuse.Access
	optional int64 // of those, the ones that it may send or not
	hits     int64 // lines that its L1 has, or fetches already
}

// maxEvents limits the instructions of a launch that is looked at instruction by instruction.
const maxEvents = 1 << 25

// streams returns what each SM sends. All paths must be ordered.
func (a *analysis) streams(ctx context.Context) ([]*stream, error) {
	all := make([]*stream, a.distribution.sms)
	for sm := range all {
		p, s := a.player(sm), &stream{}
		for {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if more, err := p.play(); err != nil {
				return nil, err
			} else if !more {
				break
			}
			for i := range p.sent {
				s.sent = append(s.sent, p.sent[i].Access)
				if p.sent[i].optional() {
					s.optional++
				}
			}
		}
		s.hits = p.hits
		all[sm] = s
	}
	return all, nil
}

// player finds out in which order an SM issues, wave by wave. It holds one wave, so that
// memory does not grow with what is issued.
type player struct {
	*analysis
	sm     int
	wave   int // the next one
	events []event
	sent   []sent
	before int // accesses that were sent before those
	hits   int64
	warps  []standing
	l1     *ages
	lines  []line // scratch
}

func (a *analysis) player(sm int) *player {
	return &player{analysis: a, sm: sm, l1: newAges(a.machine)}
}

// standing is where a warp of a wave is.
type standing struct {
	place   place
	path    *path
	next    int // op
	waits   bool
	posted  int32 // answers that fences and its end wait for
	retired bool
}

// play plays the next wave: strictly in turn, warps that wait at a barrier or have exited
// passed over. It reports whether there is one.
func (p *player) play() (bool, error) {
	ctas := p.distribution.wave(p.sm, p.wave)
	p.before += len(p.sent)
	p.events, p.sent, p.warps = p.events[:0], p.sent[:0], p.warps[:0]
	p.wave++
	if len(ctas) == 0 {
		return false, nil
	}
	for slot, cta := range ctas {
		for w := range p.perCTA {
			path, at := p.pathOf(cta, w)
			p.warps = append(p.warps, standing{path: path, place: place{at: at, sm: p.sm, slot: slot*p.perCTA + w}})
		}
	}
	warps := p.warps
	type group struct{ living, waiting int }
	groups := make([]group, len(ctas))
	for i := range groups {
		groups[i].living = p.perCTA
	}
	for left, passed := len(warps), 0; left > 0; {
		for id := range warps {
			w := &warps[id]
			if w.waits || w.retired {
				if passed++; passed > len(warps) {
					return false, fmt.Errorf("kernel %s: a barrier never completes, so the kernel does not terminate", p.graph.Kernel.Readable())
				}
				continue
			}
			passed = 0
			e := p.issue(w, id)
			g := &groups[id/p.perCTA]
			switch {
			case e.end:
				w.retired = true
				g.living--
				left--
			case e.waits:
				w.waits = true
				g.waiting++
			}
			if g.waiting > 0 && g.waiting == g.living {
				e.release = true
				g.waiting = 0
				first := id / p.perCTA * p.perCTA
				for k := range p.perCTA {
					warps[first+k].waits = false
				}
			}
			p.events = append(p.events, e)
		}
	}
	return true, nil
}

// issue makes a warp issue its next instruction.
func (p *player) issue(w *standing, id int) event {
	o := w.path.ops[w.next]
	c := &p.costs[o.pc]
	w.next++
	e := event{pc: o.pc, warp: int32(id), requests: o.requests, end: w.next == len(w.path.ops)}
	if c.Kind == cost.Barrier {
		e.waits = o.requests > 0 && !e.end
		e.requests = 0
	}
	if o.access >= 0 {
		p.access(&e, c, &w.path.accesses[o.access], &w.place)
	}
	switch {
	case c.Kind == cost.Posted:
		w.posted = max(w.posted, e.until)
		e.until = 0
	case c.Kind == cost.Fence || e.end:
		e.until = max(e.until, w.posted)
	}
	return e
}

// access looks up the lines of an instruction.
func (p *player) access(e *event, c *cost.Instr, a *access, at *place) {
	var ordered bool
	p.lines, ordered = p.layout.lines(p.lines[:0], a, at)
	if !ordered {
		p.unordered(e, c, a)
		return
	}
	for i, l := range p.lines {
		number := int32(p.before + len(p.sent))
		send := sent{Access: reuse.Line(l.number), after: int32((int64(e.requests)+int64(i))*c.Initiation + c.Latency)}
		optional := l.optional
		switch l.sort {
		case read:
			x, surely, perhaps := p.l1.there(l.number)
			p.l1.read(l.number, number, optional)
			if surely {
				p.hits++
				e.until = max(e.until, x.fetch+1)
				continue
			}
			optional = optional || perhaps
		case write:
			p.l1.write(l.number, optional)
		case atomic:
			p.l1.drop(l.number, optional)
			send.extra = p.further(l.operations)
		}
		p.send(e, send, optional)
	}
	e.requests += int32(len(p.lines))
}

// unordered looks up the lines of an instruction of which the order is not known, or which lines some are.
func (p *player) unordered(e *event, c *cost.Instr, a *access) {
	n := int64(len(p.lines)) + a.open
	send := sent{after: int32((int64(e.requests)+n-1)*c.Initiation + c.Latency)}
	send.First, send.Last, send.Max = 0, math.MaxUint64>>p.layout.shift, 1
	if a.open == 0 {
		first := func(l, m line) int { return cmp.Compare(l.number, m.number) }
		send.First, send.Last = slices.MinFunc(p.lines, first).number, slices.MaxFunc(p.lines, first).number
	}
	if a.sort == atomic {
		send.extra = p.further(a.lanes)
	}
	last := int32(p.before+len(p.sent)) + int32(n) - 1
	surely := int64(0) // so many are sent
	for _, l := range p.lines {
		if !l.optional && l.sort != read {
			surely++
		}
		switch l.sort {
		case read:
			p.l1.read(l.number, last, true)
		case write:
			p.l1.write(l.number, true)
		case atomic:
			p.l1.drop(l.number, true)
		}
	}
	for range min(a.open, p.machine.L1.Ways.Value) {
		p.l1.unknown(a.sort, last)
	}
	for i := range n {
		p.send(e, send, i >= surely)
	}
	e.requests += int32(n)
}

// send enters an access to the shared cache, which may be made or not.
func (p *player) send(e *event, s sent, optional bool) {
	s.Min = 1
	if optional {
		s.Min = 0
	}
	p.sent = append(p.sent, s)
	e.sends++
	e.until = int32(p.before + len(p.sent))
}

// further returns the cycles of so many operations on one address after the first.
func (p *player) further(operations int64) int32 {
	return int32(max(operations-1, 0) * p.machine.LLC.Atomic.Value)
}
