package promote

import (
	"context"
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
// under the launch, nil if it did not take them to tell which slots can be registers. The error is
// that of ctx.
func Slots(ctx context.Context, g *cfg.Graph, launch launchfacts.Launch) (*cfg.Graph, *value.Result, error) {
	return TraceSlots(ctx, g, launch, nil)
}

// TraceSlots is Slots with a trace of where addresses lead, by instruction. trace may be nil.
func TraceSlots(
	ctx context.Context, g *cfg.Graph, launch launchfacts.Launch, trace constraint.Trace,
) (*cfg.Graph, *value.Result, error) {
	if !understood(g.Kernel) {
		return g, nil, nil
	}
	if !slices.ContainsFunc(g.Kernel.Vars, func(v isa.Var) bool { return v.Space == isa.Local }) {
		return separated(g), nil, nil
	}
	a := assumptions{spans: make(map[int]span)}
	for range maxRounds {
		w, ok := locate(g.Kernel, a.spans, trace)
		if !ok {
			return g, nil, nil
		}
		promoted, slots := rewrite(g, w, &a)
		if a.initialised(promoted, slots) {
			continue
		}
		values, confirmed, err := a.confirm(ctx, promoted, w, launch)
		switch {
		case err != nil:
			return nil, nil, err
		case confirmed == refuted:
			return g, nil, nil
		case confirmed == holds:
			return promoted, values, nil
		}
	}
	return g, nil, nil
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

// outcome is what comes of a comparison with assumptions.
type outcome uint8

const (
	holds   outcome = iota
	revised         // they were others
	refuted         // an access may leave its variable
)

// confirm compares what accesses at unknown distances touch with what was assumed, and assumes
// what is found. The values of registers are those that it took to tell, nil if there are no such
// accesses. The error is that of ctx.
func (a *assumptions) confirm(
	ctx context.Context, g *cfg.Graph, w *whereabouts, launch launchfacts.Launch,
) (values *value.Result, found outcome, err error) {
	unknown := make(map[int]int32)
	for pc, at := range w.accesses {
		if at.inside && !at.exact {
			unknown[pc] = at.variable
		}
	}
	if len(unknown) == 0 {
		return nil, holds, nil
	}
	if values, err = value.Analyze(ctx, g, launch); err != nil {
		return nil, holds, err
	}
	offsets, err := values.Offsets(ctx, unknown)
	if err != nil {
		return nil, holds, err
	}
	for _, at := range offsets {
		v := unknown[at.Instr]
		lo, hi := at.Set.Signed()
		bytes := int64(size(&g.Kernel.Instrs[at.Instr]))
		if lo < 0 || hi > int64(g.Kernel.Vars[v].Bytes)-bytes {
			return nil, refuted, nil
		}
		now := span{v, lo, hi + bytes}
		old, assumed := a.spans[at.Instr]
		if assumed {
			now.start, now.end = min(now.start, old.start), max(now.end, old.end)
		}
		if !assumed || now != old {
			a.spans[at.Instr] = now
			found = revised
		}
	}
	return values, found, nil
}

// size returns how many bytes a load or a store accesses.
func size(in *isa.Instr) int { return elements(in) * in.Type.Bytes() }

func elements(in *isa.Instr) int {
	if in.Op == isa.Ld {
		return len(in.Dst)
	}
	return len(in.Src) - 1
}
