package check

import (
	"math/big"

	"warpbound/internal/certify/loops"
	"warpbound/internal/certify/words"
	"warpbound/internal/isa"
)

// Invariants are what registers can hold at the beginning of blocks, by block; registers that are not there, anything.
type Invariants []map[isa.Reg]words.Set

// Broken is a register of whose words at the beginning of a block not all are in its invariant.
type Broken struct {
	Block int
	Reg   isa.Reg
	Words words.Set // that come there along an edge
}

// Flow is an execution of all blocks on their invariants.
type Flow struct {
	*Program
	all    Invariants
	along  [][]passage    // by block
	rounds map[int]*state // what is known behind a way around a loop, by header, once asked for
}

// passage is what is known where control passes from one block to another.
type passage struct {
	to int
	*state
}

// Passable returns the blocks, and Exit, to which control can pass from a block.
func (f *Flow) Passable(b int) (to []int) {
	for _, e := range f.along[b] {
		to = append(to, e.to)
	}
	return to
}

// Before returns what a register can hold when control comes to an instruction of a block.
func (f *Flow) Before(b, pc int, r isa.Reg) words.Set {
	s := f.begin(f.all[b])
	f.run(s, f.Blocks[b].Start, pc)
	return f.register(s, r).Set
}

// begin is the state at the beginning of a block under its invariant.
func (p *Program) begin(invariant map[isa.Reg]words.Set) *state {
	s := &state{make(map[isa.Reg]value), make(map[isa.Reg][2][]test)}
	for r := range p.Kernel.Regs {
		v := value{Set: words.Anything(p.Width(isa.Reg(r))), sym: r + 1}
		if w, ok := invariant[isa.Reg(r)]; ok {
			v.Set = w
		}
		s.regs[isa.Reg(r)] = v
	}
	return s
}

// Execute executes all blocks on their invariants, and returns those that are broken: along an edge (consecution) or,
// as registers can hold anything when a thread begins, at the first block (initiation).
func (p *Program) Execute(all Invariants) (*Flow, []Broken) {
	f := &Flow{p, all, make([][]passage, len(p.Blocks)), make(map[int]*state)}
	var broken []Broken
	var work []int
	reached := make(map[int]bool)
	enter := func(b int, s *state) {
		for r := range p.Kernel.Regs {
			w, ok := all[b][isa.Reg(r)]
			if v := p.register(s, isa.Reg(r)); ok && !w.Holds(v.Set) {
				broken = append(broken, Broken{b, isa.Reg(r), v.Set})
			}
		}
		if !reached[b] {
			reached[b] = true
			work = append(work, b)
		}
	}
	for enter(0, &state{}); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		s := p.begin(all[b])
		p.run(s, p.Blocks[b].Start, p.Blocks[b].End)
		for _, e := range p.Blocks[b].Edges {
			if out, ok := p.along(s, b, e); ok {
				f.along[b] = append(f.along[b], passage{e.To, out})
				if e.To != Exit {
					enter(e.To, out)
				}
			}
		}
	}
	return f, broken
}

// merged is what is known where control comes from either of two places, of which the first may be missing.
func merged(s, t *state) *state {
	if s == nil {
		s = t
	}
	out := &state{make(map[isa.Reg]value), make(map[isa.Reg][2][]test)}
	for r, v := range s.regs {
		if w, ok := t.regs[r]; ok {
			out.regs[r] = either(v, w)
		}
	}
	return out
}

// Arrivals returns what a register can be when control enters a loop, and when it returns to the header; nil if it
// never does.
func (f *Flow) Arrivals(l *loops.Loop, r isa.Reg) (enter, back *words.Set) {
	if l.Header == 0 {
		w := words.Anything(f.Width(r))
		enter = &w
	}
	for b := range f.Blocks {
		for _, e := range f.along[b] {
			at := &enter
			if l.Body[b] {
				at = &back
			}
			if w := f.register(e.state, r).Set; e.to == l.Header && *at == nil {
				*at = &w
			} else if e.to == l.Header {
				w = w.Joined(**at)
				*at = &w
			}
		}
	}
	return enter, back
}

// Rank returns how often a thread returns to the header of a loop for one entry, at most, as the ranking function shows:
// +r or -r of a register r, as a signed number or not, which each way around the loop decreases. false if it does not.
func (f *Flow) Rank(l *loops.Loop, r isa.Reg, positive, sign bool) (bound, decrease int64, ok bool) {
	enter, back := f.Arrivals(l, r)
	if enter == nil || back == nil {
		return 0, 1, true // it is never entered, or never goes on
	}
	if f.rounds[l.Header] == nil {
		f.rounds[l.Header] = f.around(l)
	}
	v := f.register(f.rounds[l.Header], r)
	if v.sym != int(r)+1 {
		return 0, 0, false
	}
	// Along the way back the register is what it was at the header plus lo to hi, modulo 2 to the power of its bits, and as
	// a number too if none of what it is then, less that, is out of range.
	bits := back.Bits
	minimum, maximum := back.Flip(sign).Straight().Range(false)
	from, to := enter.Flip(sign).Straight().Range(false)
	if positive {
		// The first value at most to, the last at least minimum, and each -hi or more less than the one before.
		if decrease = -v.hi; decrease < 1 || uint64(-v.lo) > words.Mask(bits)-maximum || v.lo < -far {
			return 0, 0, false
		}
		return words.Steps(to, minimum, decrease), decrease, true
	}
	if decrease = v.lo; decrease < 1 || uint64(v.hi) > minimum || v.hi > far {
		return 0, 0, false
	}
	return words.Steps(maximum, from, decrease), decrease, true
}

// around returns what is known behind each way around a loop, with the values at the header as symbols; an empty state
// if nothing is.
func (f *Flow) around(l *loops.Loop) *state {
	states := map[int]*state{l.Header: f.begin(f.all[l.Header])}
	var back *state
	for _, b := range f.Order {
		s := states[b]
		if s == nil {
			continue // it is not in the loop, or control does not come there
		}
		if in := f.Loops[b]; in != nil && b != l.Header {
			f.forget(s, in)
		}
		for r, w := range f.all[b] {
			v := f.register(s, r)
			v.Set = w
			s.regs[r] = v
		}
		s.tests = make(map[isa.Reg][2][]test)
		f.run(s, f.Blocks[b].Start, f.Blocks[b].End)
		for _, e := range f.Blocks[b].Edges {
			after, ok := f.Program.along(s, b, e)
			switch {
			case !ok || e.To == Exit || !l.Body[e.To]:
			case e.To == l.Header:
				back = merged(back, after)
			case f.Loops[e.To] != nil && f.Loops[e.To].Body[b]:
			case f.rank[e.To] <= f.rank[b]:
				return &state{} // there is a way around that is in no loop
			default:
				states[e.To] = merged(states[e.To], after)
			}
		}
	}
	if back == nil {
		return &state{}
	}
	return back
}

// forget drops what is known of registers that a loop writes.
func (f *Flow) forget(s *state, l *loops.Loop) {
	for b := range l.Body {
		for pc := f.Blocks[b].Start; pc < f.Blocks[b].End; pc++ {
			f.Kernel.Instrs[pc].Writes(func(r isa.Reg) { delete(s.regs, r) })
		}
	}
}

// Dual checks a dual solution of the longest path of a thread: the difference of the potentials along each edge is at
// least what the block before it takes, with the prices of loops paid in advance by who enters them, and paid back by who
// returns to the header. Slices are by block, the last potential is that of the exit. It returns what no path exceeds;
// false if an edge is not covered.
func (f *Flow) Dual(potentials, bounds, prices []int64) (*big.Int, bool) {
	at := func(b int) *big.Int {
		if b == Exit {
			b = len(f.Blocks)
		}
		return big.NewInt(potentials[b])
	}
	entry := func(b int) *big.Int {
		if b == Exit || f.Loops[b] == nil {
			return new(big.Int)
		}
		return new(big.Int).Mul(big.NewInt(bounds[b]), big.NewInt(prices[b]))
	}
	ok := at(0).Cmp(entry(0)) >= 0
	for b := range f.Blocks {
		ok = ok && prices[b] >= 0 && bounds[b] >= 0
		for _, e := range f.along[b] {
			need := new(big.Int).Add(at(b), big.NewInt(f.Time(b)))
			if e.to != Exit && f.Loops[e.to] != nil && f.Loops[e.to].Body[b] {
				need.Sub(need, big.NewInt(prices[e.to]))
			} else {
				need.Add(need, entry(e.to))
			}
			ok = ok && at(e.to).Cmp(need) >= 0
		}
	}
	return at(Exit), ok
}

// Time is the sum of the latencies of a block's instructions, in cycles.
func (p *Program) Time(b int) int64 {
	sum := int64(0)
	for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
		sum += p.Machine.InstrTiming(&p.Kernel.Instrs[pc]).Latency
	}
	return sum
}
