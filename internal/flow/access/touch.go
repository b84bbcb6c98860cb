package access

import (
	"context"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// ContentsMemo holds what lies in memory at some offsets.
type ContentsMemo map[extent]strided.Interval

// extent is some bytes at some offsets in a buffer.
type extent struct {
	buffer  int
	offsets strided.Interval
	bytes   int
}

// findWords returns the words that may lie somewhere.
func (m ContentsMemo) findWords(l *launchfacts.Launch, x extent) strided.Interval {
	set, ok := m[x]
	if !ok {
		if set, ok = l.Buffers[x.buffer].Contents.WordsAt(x.offsets, x.bytes); !ok {
			set = strided.Any(8 * x.bytes)
		}
		m[x] = set
	}
	return set
}

// FindLoads returns what instructions load from buffers that hold what they did at first. The error is
// that of ctx.
func FindLoads(
	ctx context.Context, r *fixpoint.Solution, bounds []loopbound.Bound, kept []bool, known ContentsMemo,
) (transfer.Loads, error) {
	touches, err := findTouches(ctx, r, bounds)
	if err != nil {
		return nil, err
	}
	found := make(transfer.Loads)
	for _, a := range touches {
		if a.writes || !a.known || a.buffer < 0 || !kept[a.buffer] {
			continue
		}
		in := &r.Graph.Kernel.Instrs[a.instr]
		if in.Type.Bits() > 64 {
			continue
		}
		elements := make([]strided.Interval, len(in.Dst))
		some := false
		for i := range elements {
			offsets := a.offsets.Add(strided.Const(a.offsets.Bits(), uint64(i*in.Type.Bytes())))
			elements[i] = known.findWords(&r.Launch, extent{a.buffer, offsets, in.Type.Bytes()})
			some = some || !elements[i].IsAny()
		}
		if some {
			found[a.instr] = &transfer.Loaded{Buffer: a.buffer, Elements: elements}
		}
	}
	return found, nil
}

// FindWriters returns those of the buffers to which the kernel may write, each with the first
// instruction that may. The error is that of ctx.
func FindWriters(
	ctx context.Context, r *fixpoint.Solution, bounds []loopbound.Bound, kept []bool,
) (map[int]int, error) {
	touches, err := findTouches(ctx, r, bounds)
	if err != nil {
		return nil, err
	}
	hit := make(map[int]int)
	for _, a := range touches {
		for i := range kept {
			_, again := hit[i]
			trusted := r.Launch.Trust && r.Launch.Buffers[i].ReadOnly
			if a.writes && kept[i] && !trusted && !again && (!a.known || a.buffer == i) {
				hit[i] = a.instr
			}
		}
	}
	return hit, nil
}

// touch is an access and the memory in which it lies.
type touch struct {
	instr   int
	writes  bool
	known   bool // whether it surely lies in one region
	buffer  int  // negative if that is no buffer of the launch
	offsets strided.Interval
}

// findTouches returns the loads and stores of the kernel that are executed and may be of memory
// that all threads share, but for shared memory. The error is that of ctx.
func findTouches(ctx context.Context, r *fixpoint.Solution, bounds []loopbound.Bound) ([]touch, error) {
	d := newDescriber(r, bounds)
	var all []touch
	for b, block := range r.Graph.Blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.In[b] == nil {
			continue
		}
		st := r.In[b].Clone()
		for pc := block.Start; pc < block.End; pc++ {
			if loads, writes := classifyTouch(&r.Graph.Kernel.Instrs[pc]); loads || writes {
				if t, ok := d.describeTouch(st, b, pc); ok {
					t.writes = writes
					all = append(all, t)
				}
			}
			r.Machine.Execute(st, pc)
		}
	}
	return all, nil
}

// classifyTouch reports whether an instruction is a load that may find something known, and whether
// it may write to a buffer.
func classifyTouch(in *isa.Instr) (loads, writes bool) {
	effect := in.Op.Info().Effect
	if effect&isa.Unmodelled != 0 {
		return false, true
	}
	switch in.Space {
	case isa.Shared, isa.Local, isa.Param:
		return false, false
	}
	switch in.Op {
	case isa.Ld:
		return true, false
	case isa.CpAsync, isa.Mbarrier, isa.StMatrix, isa.LdMatrix: // they write to shared memory
		return false, false
	}
	return false, effect&isa.WritesMem != 0
}

// describeTouch finds where an access lies; false if it is never executed.
func (d *describer) describeTouch(st *transfer.State, block, pc int) (touch, bool) {
	r := d.solution
	t := touch{instr: pc}
	m, in := r.Machine, &r.Graph.Kernel.Instrs[pc]
	if _, writes := classifyTouch(in); writes && in.Op != isa.St && in.Op != isa.Atom && in.Op != isa.Red {
		return t, true
	}
	a, executed := d.describeAddress(st, block, pc)
	if !executed {
		return t, false
	}
	if !m.AssumeGuard(st, in) {
		return t, false
	}
	defer m.DropGuard()
	whole := addressForm(r, st, in, a.Bits)
	form, counts := d.counters.expandCounters(whole)
	base, rest, ok := splitRegion(m.Syms, form)
	if !ok {
		return t, true
	}
	offsets := wordsAtAccess(r, &a, rest, counts)
	if b, direct, ok := splitRegion(m.Syms, whole); ok && b == base { // its counters have not been replaced
		for _, f := range factsBeside(r, st, &a) {
			if k, ok := direct.MultipleOf(f.Form); ok {
				without := f.Set.Add(strided.Const(f.Set.Bits(), -f.Form.Constant))
				words := without.Times(k).Add(strided.Const(a.Bits, direct.Constant))
				if both, ok := offsets.Meet(words); ok {
					offsets = both
				}
			}
		}
	}
	offsets = offsets.Add(strided.Const(a.Bits, uint64(base.Offset))).UnwrapUnsigned()
	_, last := offsets.Unsigned()
	if t.known = last <= uint64(base.Bytes) && last+uint64(a.Width) <= uint64(base.Bytes); t.known {
		t.buffer, t.offsets = base.Buffer, offsets
	}
	return t, true
}

// splitRegion takes the address from a form that is the only one in it.
func splitRegion(syms *affine.Table, f affine.Form) (base *launchfacts.Region, rest affine.Form, ok bool) {
	if !f.IsKnown() {
		return nil, f, false
	}
	rest = affine.Constant(f.Bits, f.Constant)
	for _, t := range f.Terms {
		y := &syms.Symbols[t.Symbol]
		if base == nil && t.Coefficient == 1 && y.Region != nil && y.Set.Bits() == f.Bits {
			base = y.Region
			continue
		}
		rest = rest.AddMultiple(affine.Form{Bits: f.Bits, Terms: []affine.Term{t}}, 1)
	}
	return base, rest, base != nil
}

// wordsAtAccess returns the words that a form can have at an access, plus multiples of some numbers.
func wordsAtAccess(r *fixpoint.Solution, a *Address, f affine.Form, counts []Term) strided.Interval {
	sum := strided.Const(f.Bits, f.Constant)
	for _, t := range f.Terms {
		y := &r.Machine.Syms.Symbols[t.Symbol]
		set := y.Set
		switch role, axis := roleOf(r, t.Symbol); role {
		case ThreadIndex:
			set = wordsInRange(a.Thread[axis], set)
		case CTAIndex:
			set = wordsInRange(a.CTA[axis], set)
		}
		if set.Bits() >= f.Bits {
			set = set.Cut(f.Bits)
		} else {
			set = set.Extend(f.Bits, false)
		}
		sum = sum.Add(set.Times(t.Coefficient))
	}
	for _, c := range counts {
		sum = sum.Add(strided.Between(f.Bits, 0, c.Max).Times(uint64(c.Coef)))
	}
	return sum
}

// factsBeside returns what is known at an access of other words, in the width of addresses: by the
// conditions that lead to it, and of what registers hold.
func factsBeside(r *fixpoint.Solution, st *transfer.State, a *Address) []transfer.Fact {
	var all []transfer.Fact
	add := func(f affine.Form, set strided.Interval) {
		if len(f.Terms) == 0 || set.IsAny() {
			return
		}
		width := a.Bits
		switch {
		case f.Bits == width:
			all = append(all, transfer.Fact{Form: f, Set: set})
		case f.Bits < width && r.Machine.Syms.Fits(f, false):
			all = append(all, transfer.Fact{Form: f.Lift(width), Set: set.Extend(a.Bits, false)})
		case f.Bits < width && r.Machine.Syms.Fits(f, true):
			all = append(all, transfer.Fact{Form: f.Lift(width), Set: set.Extend(a.Bits, true)})
		}
	}
	for f := range a.eachFact() {
		add(f.Form, f.Set)
	}
	for reg := range st.All() {
		v := r.Machine.ReadRegister(st, reg)
		add(v.Form, v.Set)
	}
	return all
}

// wordsInRange returns the words of a set that are in a range.
func wordsInRange(r affine.Range, set strided.Interval) strided.Interval {
	if r.Min < 0 || r.Max < r.Min {
		return set
	}
	if both, ok := set.Meet(strided.Between(set.Bits(), uint64(r.Min), uint64(r.Max))); ok {
		return both
	}
	return set
}
