package analysis

import (
	"context"
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/campaign"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// checkedCycles is how long the run may take that holds annotations against what happens, in cycles.
const checkedCycles = 1 << 24

// holdAnnotations makes one run if static methods alone are asked and the job states loop bounds or flow facts, so that
// what a run refutes is an error here too. The result has no trace of it: a run that takes too long
// is a warning.
func (l List) holdAnnotations(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, static *bounds) ([]diag.Warning, error) {
	if len(w.Spec.Loops)+len(w.Spec.Facts) == 0 || req.measured(l) || ctx.Err() != nil {
		return nil, nil
	}
	one := Request{Campaign: campaign.Spec{Vectors: 1}, MaxCycles: w.Spec.Effort.Of(checkedCycles), Ipoints: req.Ipoints}
	if req.MaxCycles > 0 {
		one.MaxCycles = min(one.MaxCycles, req.MaxCycles)
	}
	a := &Answer{Analysis: Empty(w)}
	_, err := l.measure(ctx, p, w, one, a)
	var long *diag.LimitError
	var wrong *diag.ContradictionError
	switch {
	case errors.As(err, &long):
		pos := w.Spec.Pos.Kernel
		return []diag.Warning{{Pos: pos, ID: "annotations-unchecked", Text: fmt.Sprintf(
			"no run was held against the loop bounds and flow facts of the job: one takes more than %d cycles; analyze with a method that measures checks them", one.MaxCycles)}}, nil
	case errors.As(err, &wrong), err != nil && ctx.Err() == nil:
		return nil, err
	}
	static.enter(a.Analysis)
	return nil, contradicted(a.Analysis)
}
