package promote

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
)

// maxRounds limits how often assumptions on accesses are revised before nothing is promoted.
const maxRounds = 8

// Slots returns the graph of a kernel whose slots of local memory are registers, as far as they
// can be under a launch. It is the graph itself if that is not known. With it come the values of its registers
// under the launch, nil if it did not take them to tell which slots can be registers.
func Slots(g *cfg.Graph, launch launchfacts.Launch) (*cfg.Graph, *value.Result) {
	return TraceSlots(g, launch, nil)
}

// TraceSlots is Slots with a trace of where addresses lead, by instruction. trace may be nil.
func TraceSlots(g *cfg.Graph, launch launchfacts.Launch, trace constraint.Trace) (*cfg.Graph, *value.Result) {
	if !understood(g.Kernel) {
		return g, nil
	}
	if !slices.ContainsFunc(g.Kernel.Vars, func(v isa.Var) bool { return v.Space == isa.Local }) {
		return separated(g), nil
	}
	a := assumptions{spans: make(map[int]span)}
	for range maxRounds {
		w, ok := locate(g.Kernel, a.spans, trace)
		if !ok {
			return g, nil
		}
		promoted, slots := rewrite(g, w, &a)
		if a.initialised(promoted, slots) {
			continue
		}
		values, again, ok := a.confirm(promoted, w, launch)
		switch {
		case !ok:
			return g, nil
		case !again:
			return promoted, values
		}
	}
	return g, nil
}

// understood reports whether it is known of all instructions of a kernel what they do.
func understood(k *isa.Kernel) bool {
	return !slices.ContainsFunc(k.Instrs, func(in isa.Instr) bool {
		return in.Op.Info().Effect&isa.Unmodelled != 0 || in.Op == isa.Call
	})
}

// separated returns the graph of a kernel whose generic addresses lead to no local memory.
func separated(g *cfg.Graph) *cfg.Graph {
	k := *g.Kernel
	k.LocalSeparate = true
	to := *g
	to.Kernel = &k
	return &to
}

// span is a range of the bytes of a variable.
type span struct {
	variable   int32
	start, end int64
}

func (s span) overlaps(t span) bool {
	return s.variable == t.variable && s.start < t.end && t.start < s.end
}

// assumptions are on what stays in memory.
type assumptions struct {
	spans map[int]span // by instruction: what an access at an unknown distance touches
	read  []span       // slots that may be read before they are written
}

// inMemory reports whether a slot cannot be a register.
func (a *assumptions) inMemory(slot span) bool {
	for _, s := range a.spans {
		if s.overlaps(slot) {
			return true
		}
	}
	return slices.ContainsFunc(a.read, slot.overlaps)
}

// initialised notes the slots that threads may read before they write them. It reports whether
// there are some.
func (a *assumptions) initialised(g *cfg.Graph, slots []slot) bool {
	before := len(a.read)
	atEntry := cfg.Liveness(g).In(g.Entry())
	for i := range slots {
		s := &slots[i]
		if slices.ContainsFunc(s.regs, func(r isa.Reg) bool { return slices.Contains(atEntry, r) }) {
			a.read = append(a.read, s.span)
		}
	}
	return len(a.read) > before
}

// confirm compares what accesses at unknown distances touch with what was assumed, and assumes
// what is found. It reports whether that is something else, and false at last if an access may
// leave its variable. The values of registers are those that it took to tell, nil if there are no such accesses.
func (a *assumptions) confirm(
	g *cfg.Graph, w *whereabouts, launch launchfacts.Launch,
) (values *value.Result, again, ok bool) {
	unknown := make(map[int]int32)
	for pc, at := range w.accesses {
		if at.inside && !at.exact {
			unknown[pc] = at.variable
		}
	}
	if len(unknown) == 0 {
		return nil, false, true
	}
	values = value.Analyze(g, launch)
	for _, found := range values.Offsets(unknown) {
		v := unknown[found.Instr]
		lo, hi := found.Set.Signed()
		bytes := int64(size(&g.Kernel.Instrs[found.Instr]))
		if lo < 0 || hi > int64(g.Kernel.Vars[v].Bytes)-bytes {
			return nil, false, false
		}
		now := span{v, lo, hi + bytes}
		old, assumed := a.spans[found.Instr]
		if assumed {
			now.start, now.end = min(now.start, old.start), max(now.end, old.end)
		}
		if !assumed || now != old {
			a.spans[found.Instr] = now
			again = true
		}
	}
	return values, again, true
}

// size returns how many bytes a load or a store accesses.
func size(in *isa.Instr) int { return elements(in) * in.Type.Bytes() }

func elements(in *isa.Instr) int {
	if in.Op == isa.Ld {
		return len(in.Dst)
	}
	return len(in.Src) - 1
}
