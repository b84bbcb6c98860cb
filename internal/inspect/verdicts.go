package inspect

import (
	"context"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
)

// unknown is the verdict of branches of kernels that have no gated form.
const unknown = "unknown"

// verdicts finds which branches of a kernel may diverge, whatever the launch. It is an
// error if the kernel has no gated form, or the error is that of ctx.
func verdicts(ctx context.Context, g *cfg.Graph, effort budget.Effort) (*divergence.Result, error) {
	f, err := gated.New(ctx, g, effort)
	if err != nil {
		return nil, err
	}
	return divergence.Analyze(ctx, f, divergence.Launch{Block: g.Kernel.Bounds.ReqNtid, Effort: effort})
}

// verdict returns the verdict of a block's branch and what makes it more than
// grid-uniform.
func verdict(g *cfg.Graph, r *divergence.Result, block int) (string, *estimate.Origin) {
	if r == nil {
		return unknown, nil
	}
	v := r.Branch(block)
	guard, index := r.Form.Selectors(block)
	for _, s := range []gated.ID{guard, index} {
		if v > divergence.Grid && s != gated.None && r.Value(s) == v {
			return v.String(), origin(g, r, s)
		}
	}
	return v.String(), nil
}

// origin says where what makes a value divergent comes from.
func origin(g *cfg.Graph, r *divergence.Result, v gated.ID) *estimate.Origin {
	value := &r.Form.Values[r.Origin(v)]
	if value.Kind == gated.Mu {
		b := &g.Blocks[value.Block]
		return &estimate.Origin{Text: "lanes in different iterations of the loop at " + b.Name, Pos: b.Source().String()}
	}
	in := &g.Kernel.Instrs[value.Instr]
	pos := in.Pos
	if in.Loc.Known() {
		pos = in.Loc
	}
	return &estimate.Origin{Text: g.Kernel.Format(in), Pos: pos.String()}
}

// unexplained returns the error of verdicts as a warning, unless there is one of its
// reason already.
func unexplained(g *cfg.Graph, err error) []diag.Warning {
	if err == nil || g.CheckReducible() != nil || g.CheckSyncs() != nil {
		return nil
	}
	return []diag.Warning{warning(g.Kernel.Pos, "no-verdicts", err)}
}
