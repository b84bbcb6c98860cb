package inspect

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/racefree"
	"warpbound/internal/flow/value"
)

// Races returns the verdict on the data races of a kernel whose values and branches are known; d is nil if nothing is known of the
// branches. On machines in lock-step, program order orders what the lanes of a warp do.
// The error is that of ctx.
func Races(ctx context.Context, r *value.Result, d *divergence.Result, lockStep bool) (*estimate.RaceVerdict, error) {
	opts := racefree.Options{LockStep: lockStep}
	if d != nil {
		opts.Uniform = func(block int) bool { return d.Branch(block) <= divergence.CTA }
	}
	found, err := racefree.Analyze(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	out := &estimate.RaceVerdict{Verdict: found.Verdict.String(), Reason: found.Reason, Omitted: found.Omitted}
	if found.Verdict == racefree.Unknown {
		out.Pos = place(r.Graph, found.Instr)
	}
	for _, p := range found.Pairs {
		out.Pairs = append(out.Pairs, estimate.RacePair{First: place(r.Graph, p.First), Second: place(r.Graph, p.Second)})
	}
	return out, nil
}

// place returns the position of an instruction, in the source if that is known.
func place(g *cfg.Graph, instr int) string {
	in := &g.Kernel.Instrs[instr]
	if in.Loc.Known() {
		return in.Loc.String()
	}
	return in.Pos.String()
}
