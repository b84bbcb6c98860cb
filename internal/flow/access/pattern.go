package access

import (
	"context"
	"fmt"
	"math"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/agreement"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// Memory is how a machine divides memory.
type Memory struct {
	Segment   int // bytes of global memory that are fetched together, a power of two
	Banks     int // of shared memory, a power of two
	BankWidth int // bytes, a power of two
}

// DefaultMemory is how most devices divide memory.
var DefaultMemory = Memory{Segment: 128, Banks: 32, BankWidth: 4}

// Pattern describes the addresses that the lanes of a warp access together at one
// instruction. Accesses that fail, and executions by no lane, are not covered.
type Pattern struct {
	Instr int
	Kind  string    // load, store, atomic
	Space isa.Space // Generic if the address tells
	Bytes int       // of one lane

	Address string // its form, empty if it has none
	// Stride is the distance in bytes from lane to lane, if HasStride says that it is the
	// same for all.
	Stride    int64
	HasStride bool
	// Segments are the segments that one execution touches: at least and at most. For shared
	// memory they are how often the busiest bank is accessed.
	Min, Max int
	Reason   string // why the numbers are not closer; empty if nothing is missing
}

// Unit says what Min and Max count.
func (a *Pattern) Unit() string {
	if a.Space == isa.Shared {
		return "bank accesses"
	}
	return "segments"
}

// FindPatterns describes the accesses to global and shared memory, and those whose addresses
// tell the space, in the order of the instructions. Those that are never executed are
// left out. The error is that of ctx.
func FindPatterns(
	ctx context.Context, r *fixpoint.Solution, agreed *agreement.Result, mem Memory,
) ([]Pattern, error) {
	partial, err := agreed.FindPartial(ctx)
	if err != nil {
		return nil, err
	}
	p := &patternFinder{solution: r, agreed: agreed, mem: mem, partial: partial}
	var all []Pattern
	for b, block := range r.Graph.Blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.In[b] == nil {
			continue
		}
		st := r.In[b].Clone()
		for pc := block.Start; pc < block.End; pc++ {
			if kind := accessKind(&r.Graph.Kernel.Instrs[pc]); kind != "" {
				if a, ok := p.describePattern(st, pc, b); ok {
					a.Kind = kind
					all = append(all, a)
				}
			}
			r.Machine.Execute(st, pc)
		}
	}
	return all, nil
}

type patternFinder struct {
	solution *fixpoint.Solution
	agreed   *agreement.Result
	mem      Memory
	partial  []bool // by block: some lanes may be missing
}

// describePattern describes one access; false if it is never executed.
func (p *patternFinder) describePattern(st *transfer.State, pc, block int) (Pattern, bool) {
	m := p.solution.Machine
	in := &p.solution.Graph.Kernel.Instrs[pc]
	whole := !p.partial[block]
	if in.Guard.Set {
		guard := m.ReadRegister(st, in.Guard.Reg)
		if c, ok := guard.Set.IsConst(); ok && (c == 0) != in.Guard.Not {
			return Pattern{}, false
		}
		whole = whole && !p.agreed.FormVaries(guard.Form, block)
	}
	if !m.AssumeGuard(st, in) {
		return Pattern{}, false
	}
	v := m.ComputeAddress(st, in)
	if in.Space == isa.Shared && !v.Form.IsKnown() { // its high bits do not count
		v = m.MakeValue(strided.Any(sharedBits), addressForm(p.solution, st, in, sharedBits))
	}
	m.DropGuard()
	lanes := p.solution.Launch.Lanes()
	a := Pattern{Instr: pc, Space: in.Space, Bytes: laneBytes(in), Min: 1, Max: lanes}
	c := &accessCount{patternFinder: p, st: st, access: &a, value: v, atomic: in.Op == isa.Atom || in.Op == isa.Red}
	if unit := min(p.mem.Segment, p.mem.Banks*p.mem.BankWidth); a.Bytes > unit {
		a.Max = lanes * (a.Bytes/unit + 1)
		a.Reason = fmt.Sprintf("a lane accesses %d bytes", a.Bytes)
		return a, true
	}
	if rows := in.MatrixRows(); rows > 0 && rows < lanes {
		a.Max = rows
		a.Reason = fmt.Sprintf("only the first %d lanes give an address", rows)
		return a, true
	}
	if !v.Form.IsKnown() {
		a.Reason = "the address is unknown"
		return a, true
	}
	a.Address = m.Syms.Format(subtractWindow(m.Syms, in.Src[0], v.Form))
	c.splitForm(block)
	switch {
	case c.differing != "":
		a.Reason = fmt.Sprintf("%s is not affine in the lane", c.differing)
		c.limitByRange()
	case !p.solution.Launch.Known() && len(c.own.Terms) == 0:
		a.HasStride = true
		c.countByLane([][]int64{make([]int64, lanes)}, whole && !c.atomic)
	case !p.solution.Launch.Known():
		a.Reason = "the thread indices of a warp depend on the launch"
		c.limitByRange()
	default:
		if offsets, ok := c.findLaneOffsets(); ok {
			a.Stride, a.HasStride = findStride(offsets)
			c.countByLane(offsets, whole)
			break
		}
		a.Reason = fmt.Sprintf("%s depends on more than the thread index", m.Syms.Format(c.own))
		c.limitByRange()
	}
	return a, true
}

// subtractWindow returns the form of an address as the program has it, which may be an offset in a
// window, unless the address of a variable is in it.
func subtractWindow(syms *affine.Table, o isa.Operand, f affine.Form) affine.Form {
	if f.Mentions(func(s affine.Symbol) bool { return syms.Symbols[s].Region != nil }) {
		return f
	}
	return f.AddMultiple(affine.Constant(f.Bits, o.Window), ^uint64(0))
}

// divisionBytes returns the bytes after which the division of memory repeats.
func (p *patternFinder) divisionBytes() int { return max(p.mem.Segment, p.mem.Banks*p.mem.BankWidth) }

// accessCount is one access being counted.
type accessCount struct {
	*patternFinder
	st     *transfer.State
	access *Pattern
	value  *transfer.Value
	atomic bool

	own       affine.Form      // the part of the address in which lanes differ as their indices do
	common    affine.Form      // the part on which they agree
	rest      strided.Interval // of counters, whose own part is in own, what they agree on
	differing string           // a symbol in which they may differ otherwise
	other     affine.Form      // the part of such symbols
	varying   affine.Form      // all terms on which they may disagree
}

// splitForm sorts the symbols of the address.
func (c *accessCount) splitForm(block int) {
	syms, f := c.solution.Machine.Syms, c.value.Form
	c.own, c.other = affine.Constant(f.Bits, 0), affine.Constant(f.Bits, 0)
	c.common, c.varying = affine.Constant(f.Bits, f.Constant), affine.Constant(f.Bits, 0)
	c.rest = strided.Const(f.Bits, 0)
	for _, t := range f.Terms {
		one := affine.Form{Bits: f.Bits, Terms: []affine.Term{t}}
		switch y := &syms.Symbols[t.Symbol]; {
		case y.Origin == affine.Fixed && y.Varies:
			c.own, c.varying = c.own.AddMultiple(one, 1), c.varying.AddMultiple(one, 1)
		case c.agreed.FormVaries(one, block):
			c.varying = c.varying.AddMultiple(one, 1)
			own, rest, ok := c.agreed.FindOwnPart(t.Symbol, block)
			if ok && (own.Bits == f.Bits || keepsDistances(c.solution, t.Symbol, own)) {
				c.own = c.own.AddMultiple(own.Lift(f.Bits), t.Coefficient)
				c.rest = c.rest.Add(rest.Words(f.Bits).Times(t.Coefficient))
				continue
			}
			c.other = c.other.AddMultiple(one, 1)
			c.differing = y.Name
		default:
			c.common = c.common.AddMultiple(one, 1)
		}
	}
}

// findLaneOffsets returns for each warp of a CTA the part of the address that is each lane's own;
// warps whose lanes have the same distances from their first lane count once. It is
// false if the part is not determined by the lane.
func (c *accessCount) findLaneOffsets() ([][]int64, bool) {
	l := &c.solution.Launch
	var all [][]int64
	seen := make(map[string]bool)
	for w := range l.Warps() {
		first, end := l.ThreadsOfWarp(w)
		var own []int64
		key := ""
		for i := first; i < end; i++ {
			syms := c.solution.Machine.Syms
			of := func(s affine.Symbol) strided.Interval { return wordsInThread(syms, s, l, i) }
			x, ok := syms.WordsWith(c.own, of).IsConst()
			if !ok {
				return nil, false
			}
			own = append(own, strided.SignExtend(x, c.own.Bits))
			key += fmt.Sprint(own[i-first], " ")
		}
		if !seen[key] {
			seen[key] = true
			all = append(all, own)
		}
	}
	return all, true
}

// findStride returns the distance from lane to lane if it is always the same.
func findStride(warps [][]int64) (int64, bool) {
	found, any := int64(0), false
	for _, own := range warps {
		for i := 1; i < len(own); i++ {
			d := own[i] - own[i-1]
			if any && d != found {
				return 0, false
			}
			found, any = d, true
		}
	}
	return found, true
}

// countByLane counts for every place relative to the division of memory at which the common
// part of the address can lie.
func (c *accessCount) countByLane(warps [][]int64, whole bool) {
	power2, rem := c.solution.Machine.Syms.Words(c.common).Add(c.rest).Residue()
	unit := int64(c.divisionBytes())
	step := min(int64(min(power2, 1<<32)), unit)
	minimum, maximum := math.MaxInt, 0
	for _, own := range warps {
		for base := int64(rem) & (step - 1); base < unit; base += step {
			if (base+own[0])&int64(c.access.Bytes-1) != 0 && c.access.Bytes&(c.access.Bytes-1) == 0 {
				continue // fails
			}
			n := c.countExecution(base, own)
			minimum, maximum = min(minimum, n), max(maximum, n)
		}
	}
	if maximum == 0 {
		c.access.Reason = "it is never aligned"
		return
	}
	c.access.Max = maximum
	if whole {
		c.access.Min = minimum
	}
}

// countExecution counts what one execution by all lanes costs.
func (c *accessCount) countExecution(base int64, own []int64) int {
	if c.access.Space != isa.Shared {
		segments := make(map[int64]bool)
		for _, o := range own {
			first, last := c.findUnitsOf(base+o, c.mem.Segment)
			for at := first; at <= last; at++ {
				segments[at] = true
			}
		}
		return len(segments)
	}
	type key struct{ bank, word int64 }
	seen := make(map[key]bool)
	busy := make(map[int64]int)
	for lane, o := range own {
		first, last := c.findUnitsOf(base+o, c.mem.BankWidth)
		for word := first; word <= last; word++ {
			bank := word & int64(c.mem.Banks-1)
			k := key{bank, word}
			if c.atomic {
				k.word = int64(lane)
			}
			if !seen[k] {
				seen[k] = true
				busy[bank]++
			}
		}
	}
	maximum := 0
	for _, n := range busy {
		maximum = max(maximum, n)
	}
	return maximum
}

// findUnitsOf returns the numbers of the first and the last unit of so many bytes that a lane accesses.
func (c *accessCount) findUnitsOf(address int64, bytes int) (first, last int64) {
	width := int64(bytes)
	return strided.FloorDiv(address, width), strided.FloorDiv(address+int64(c.access.Bytes)-1, width)
}

// limitByRange bounds what one execution costs by the range in which the addresses of the
// lanes lie.
func (c *accessCount) limitByRange() {
	if c.atomic && c.access.Space == isa.Shared {
		return
	}
	syms := c.solution.Machine.Syms
	span := syms.Words(c.own).Add(syms.Words(c.other)).Span()
	at := func(s affine.Symbol) strided.Interval { return c.solution.Machine.FindSymbolWords(c.st, s) }
	here := syms.WordsWith(c.varying, at)
	unit := c.mem.Segment
	if c.access.Space == isa.Shared {
		unit = c.mem.Banks * c.mem.BankWidth
	}
	// The range begins anywhere in a unit, unless it is that of here, which begins as the common part
	// does.
	c.limitToSpan(min(span, c.value.Set.Span()), unit, unit-1)
	step, rem := syms.Words(c.common).Residue()
	step = min(step, uint64(unit))
	c.limitToSpan(here.Span(), unit, unit-int(step)+int((rem+here.Base())&(step-1)))
}

// limitToSpan bounds what one execution costs if its addresses lie in a range of so many bytes
// between the first and the last, which begins at most so far behind the begin of a unit.
func (c *accessCount) limitToSpan(span uint64, unit, begin int) {
	if span > 1<<30 {
		return
	}
	c.access.Max = min(c.access.Max, (begin+int(span)+c.access.Bytes-1)/unit+1)
}

// keepsDistances reports whether lanes that differ in a symbol by their own part, modulo
// 2 to the power of its width, do so as numbers.
func keepsDistances(r *fixpoint.Solution, s affine.Symbol, own affine.Form) bool {
	lo, hi := r.Machine.Syms.Symbols[s].Set.Unsigned()
	minimum, maximum, ok := r.Machine.Syms.ExactRange(own)
	half := strided.Mask(own.Bits) / 2
	return ok && hi-lo < half && uint64(maximum-minimum) < half && minimum >= 0 && uint64(maximum) <= half
}
