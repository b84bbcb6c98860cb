package warpbound

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/analysis"
)

// Facts returns what is known of registers, loops, edges and addresses of the job's kernels, as formulas that say that it
// does not hold: files in SMT-LIB 2 by name, each with one check-sat to which a solver is expected to answer unsat, and a list of
// them. It is an error if nothing is known of a kernel. If ctx
// ends, the error is that of ctx.
func (j *Job) Facts(ctx context.Context) (*estimate.Facts, map[string][]byte, error) {
	return analysis.Facts(ctx, j.on.Workload)
}
