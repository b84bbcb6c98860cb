package absexec

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
)

// event is a step or a mark of an abstract execution. Of a step that stores, values is
// what it knows of what it stores.
type event struct {
	mark   string // "fork", "alternative", "join", "repeat", "repeated", or empty
	times  int    // of a repeat
	other  int    // of a repeat its end, and of its end where it begins
	level  int    // of these: the loops around that are summarised
	step   Step
	access Access
	values []*value
}

// recorder notes an execution.
type recorder struct {
	events []event
	forks  [][]int // for each fork: its alternatives and its join
	open   []int   // forks that are open
	loops  []int   // repeats that are open
	ends   map[int]int
}

func (r *recorder) Step(s *Step) {
	e := event{step: *s}
	if s.Access != nil {
		e.access = *s.Access
		e.step.Access = &e.access
		if s.Instr.Op == isa.St {
			for i := 1; i < len(s.Instr.Src); i++ {
				e.values = append(e.values, s.by.source(s.PC, i))
			}
		}
	}
	r.events = append(r.events, e)
	if s.Access != nil {
		last := &r.events[len(r.events)-1]
		access := e.access
		last.step.Access = &access
	}
}

func (r *recorder) mark(m string) int {
	r.events = append(r.events, event{mark: m})
	return len(r.events) - 1
}

func (r *recorder) Fork(int)     { r.open = append(r.open, r.mark("fork")) }
func (r *recorder) Alternative() { r.note(r.mark("alternative")) }

func (r *recorder) Join() {
	at := r.mark("join")
	r.note(at)
	r.open = r.open[:len(r.open)-1]
}

func (r *recorder) Repeat(times int) {
	at := r.mark("repeat")
	r.events[at].times, r.events[at].level = times, len(r.loops)
	r.loops = append(r.loops, at)
}

func (r *recorder) Repeated() {
	at := r.mark("repeated")
	begin := r.loops[len(r.loops)-1]
	r.loops = r.loops[:len(r.loops)-1]
	r.events[at].times, r.events[at].level = r.events[begin].times, len(r.loops)
	r.events[begin].other, r.events[at].other = at, begin
}

// spot is a place in an execution, and the iterations that it is in.
type spot struct {
	at    int
	loops [nesting]int
}

// note adds a place to the innermost open fork.
func (r *recorder) note(at int) {
	if r.ends == nil {
		r.ends = make(map[int]int)
	}
	fork := r.open[len(r.open)-1]
	for len(r.forks) <= fork {
		r.forks = append(r.forks, nil)
	}
	r.forks[fork] = append(r.forks[fork], at)
}

// follow returns what can come at a place without executing an instruction.
func (r *recorder) follow(from spot, visit func(spot)) {
	at := from.at
	if at == len(r.events) {
		return
	}
	to := func(at int) { visit(spot{at, from.loops}) }
	e := &r.events[at]
	switch e.mark {
	case "":
		if !e.step.Certain {
			to(at + 1)
		}
	case "repeat":
		from.loops[e.level] = 0
		to(at + 1)
	case "repeated":
		if from.loops[e.level]++; from.loops[e.level] < e.times {
			to(e.other + 1)
			return
		}
		from.loops[e.level] = 0
		to(at + 1)
	case "fork":
		places := r.forks[at]
		for _, alternative := range places[:len(places)-1] {
			to(alternative + 1)
		}
	case "alternative": // the one before has ended
		to(r.joinAfter(at))
	case "join":
		to(at + 1)
	}
}

// joinAfter returns the join of the fork that an alternative belongs to.
func (r *recorder) joinAfter(at int) int {
	if end, ok := r.ends[at]; ok {
		return end
	}
	for _, places := range r.forks {
		for _, p := range places {
			if p == at {
				r.ends[at] = places[len(places)-1]
				return r.ends[at]
			}
		}
	}
	panic("no fork")
}

// misses reports whether lanes may be missing that an instruction waits for.
func (r *recorder) misses() bool {
	return slices.ContainsFunc(r.events, func(e event) bool { return e.step.Missing != 0 })
}

var errTooLong = errors.New("too many steps")

// run executes all boxes of a warp, with recorders.
func (l *launched) run(c Config, warp int) (map[Box]*recorder, error) {
	x := New(c)
	if l.summarise != noSummaries {
		x.summaries, x.few = l.summarise, 2
	}
	results, err := x.Warp(context.Background(), warp, func(Box) Visitor { return &recorder{} })
	switch {
	case err != nil && strings.Contains(err.Error(), "executes more than"), x.crowds: // whose steps are those of no execution, see TestCrowd
		return nil, errTooLong
	case err != nil:
		return nil, err
	}
	all := make(map[Box]*recorder)
	ctas := 0
	for _, res := range results {
		// Once more, with what stores know.
		e := x.execution(warp, res.Box, x.config.MaxBoxes)
		r := &recorder{}
		e.visitor = r
		if err := e.run(0); err != nil {
			return nil, err
		}
		all[res.Box] = r
		for i := range r.events {
			if r.events[i].mark == "repeat" {
				l.summaries++
			}
		}
		ctas += res.Box.CTAs()
	}
	if ctas != l.grid.CTAs() {
		return nil, fmt.Errorf("warp %d: boxes of %d CTAs in a grid of %d", warp, ctas, l.grid.CTAs())
	}
	return all, nil
}

// maxPlaces limits the places that a launch is followed to.
const maxPlaces = 2_000_000

// cover executes the launch and checks that abstract executions cover it: those of every
// warp, in every n-th CTA and the last.
func (l *launched) cover(t testing.TB, c Config, n int) error {
	t.Helper()
	byWarp := make([]map[Box]*recorder, l.grid.Warps())
	for w := range byWarp {
		var err error
		if byWarp[w], err = l.run(c, w); err != nil {
			return err
		}
	}
	var (
		cta emu.CTA
		env = emu.Env{SMs: 1}
		eff emu.Effect
	)
	places := 0
	for i := range l.grid.CTAs() {
		l.grid.StartCTA(&cta, i)
		g := l.grid.Launch().Grid
		at := [3]int{i % g[0], i / g[0] % g[1], i / g[0] / g[1]}
		followers := make([]*follower, len(byWarp))
		for w := range followers {
			for box, r := range byWarp[w] {
				if l.independent && r.misses() {
					continue
				}
				if box.Contains(at) && (i%n == 0 || i == l.grid.CTAs()-1) {
					l.followed++
					followers[w] = newFollower(r, box, at)
				}
			}
		}
		for !cta.Done() {
			for k := range cta.Warps {
				w := &cta.Warps[k]
				for !w.Done() && !w.AtBarrier() {
					active := w.Active()
					if err := w.Step(&env, &eff); err != nil {
						t.Fatal(err)
					}
					if followers[k] == nil {
						continue
					}
					if places += len(followers[k].places); places > maxPlaces {
						return errTooLong // loops that are summarised in each other may end behind any number of iterations
					}
					if err := followers[k].step(&eff, active, &l.mem); err != nil {
						return fmt.Errorf("CTA %v warp %d: %w", at, k, err)
					}
				}
			}
		}
		for k, f := range followers {
			if f != nil && !f.ended() {
				return fmt.Errorf("CTA %v warp %d: the abstract execution goes on", at, k)
			}
		}
	}
	return nil
}

// follower is the set of places of an abstract execution at which a concrete one may be.
type follower struct {
	*recorder
	box    Box
	cta    [3]int
	places []spot
	seen   map[spot]bool
}

func newFollower(r *recorder, box Box, cta [3]int) *follower {
	f := &follower{recorder: r, box: box, cta: cta}
	f.close([]spot{{}})
	return f
}

// close sets the places to some and those that follow without an instruction.
func (f *follower) close(places []spot) {
	f.places, f.seen = f.places[:0], make(map[spot]bool)
	var visit func(spot)
	visit = func(at spot) {
		if !f.seen[at] {
			f.seen[at] = true
			f.places = append(f.places, at)
			f.follow(at, visit)
		}
	}
	for _, at := range places {
		visit(at)
	}
}

func (f *follower) ended() bool { return f.seen[spot{at: len(f.events)}] }

// step goes on by one instruction.
func (f *follower) step(eff *emu.Effect, active uint64, mem *emu.Memory) error {
	var next []spot
	var why error
	for _, at := range f.places {
		if at.at == len(f.events) || f.events[at.at].mark != "" {
			continue
		}
		if err := f.fits(&f.events[at.at], at, eff, active, mem); err != nil {
			why = err
			continue
		}
		next = append(next, spot{at.at + 1, at.loops})
	}
	if len(next) == 0 {
		return fmt.Errorf("nothing fits instruction %d, mask %x, active %x: %v", eff.PC, eff.Mask, active, why)
	}
	f.close(next)
	return nil
}

// fits checks that an instruction is covered by an abstract step.
func (f *follower) fits(e *event, at spot, eff *emu.Effect, active uint64, mem *emu.Memory) error {
	s := &e.step
	switch {
	case s.PC != eff.PC:
		return fmt.Errorf("pc %d", s.PC)
	case eff.Mask&^s.May != 0 || s.Must&^eff.Mask != 0 || active&^s.Active != 0:
		return fmt.Errorf("pc %d: mask %x is not between %x and %x, or %x not within %x", eff.PC, eff.Mask, s.Must, s.May, active, s.Active)
	}
	acc := &eff.Access
	if acc.Kind == emu.NoAccess {
		return nil
	}
	if s.Access == nil || s.Access.Bytes != acc.Bytes && s.Instr.Op != isa.CpAsync {
		return fmt.Errorf("pc %d: access", eff.PC)
	}
	if n := different(acc, eff.Mask); n > s.Access.Different(eff.Mask) {
		return fmt.Errorf("pc %d: %d different addresses, not %d at most", eff.PC, n, s.Access.Different(eff.Mask))
	}
	for m := eff.Mask & s.Access.Known; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		addr, step := s.Access.Address(lane)
		addr += f.moved(step, at)
		if addr != acc.Addr[lane] {
			return fmt.Errorf("pc %d, lane %d: address %x is not %x", eff.PC, lane, addr, acc.Addr[lane])
		}
		in := s.Access.Space
		if in == isa.Generic {
			for space, lanes := range s.Access.Lanes {
				if lanes>>lane&1 != 0 {
					in = isa.Space(space)
				}
			}
		}
		if acc.Lanes[in]>>lane&1 == 0 {
			return fmt.Errorf("pc %d, lane %d: not in %s space", eff.PC, lane, in)
		}
	}
	return f.stored(e, at, eff, mem)
}

// different counts the addresses that lanes access.
func different(acc *emu.Access, mask uint64) int {
	seen := make(map[uint64]bool)
	for m := mask; m != 0; m &= m - 1 {
		seen[acc.Addr[bits.TrailingZeros64(m)]] = true
	}
	return len(seen)
}

// stored checks what is known of values that are stored to global memory.
func (f *follower) stored(e *event, at spot, eff *emu.Effect, mem *emu.Memory) error {
	acc := &eff.Access
	n := e.step.Instr.Type.Bytes()
	for i, v := range e.values {
		for m := eff.Mask & v.known & acc.Lanes[isa.Global]; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			last := true // the highest lane's value stays
			for other := lane + 1; other < 64; other++ {
				last = last && (eff.Mask>>other&1 == 0 || acc.Addr[other] != acc.Addr[lane])
			}
			data := bytesAt(mem, acc.Addr[lane]+uint64(i*n), n)
			if !last || data == nil {
				continue
			}
			l := v.lane(lane)
			l.base += f.moved(l.step, at)
			for k, b := range data {
				if byte(l.base>>(8*k)) != b {
					return fmt.Errorf("pc %d, lane %d: stores %x, not %x", eff.PC, lane, data, l.base)
				}
			}
		}
	}
	return nil
}

// moved returns by how much a number differs from that in the first CTA of the box and the first iterations.
func (f *follower) moved(step [Axes]uint64, at spot) uint64 {
	sum := uint64(0)
	for axis, d := range step {
		n := 0
		if axis < ctaAxes {
			n = f.cta[axis] - f.box.Lo[axis]
		} else {
			n = at.loops[axis-ctaAxes]
		}
		sum += d * uint64(n)
	}
	return sum
}

// bytesAt returns n bytes of a buffer.
func bytesAt(mem *emu.Memory, addr uint64, n int) []byte {
	for base := addr &^ (abi.BufferAlign - 1); base >= abi.GlobalBase; base -= abi.BufferAlign {
		if b := mem.Bytes(base); b != nil {
			if addr-base+uint64(n) > uint64(len(b)) {
				return nil
			}
			return b[addr-base:][:n]
		}
	}
	return nil
}
