package warpbound

import (
	"warpbound/estimate"
	"warpbound/internal/analysis"
)

// Facts returns what is known of registers, loops, edges and addresses of the job's kernels, as formulas that say that it
// does not hold: files in SMT-LIB 2 by name, each with one check-sat to which a solver is expected to answer unsat, and a list of
// them. It is an error if nothing is known of a kernel.
func (j *Job) Facts() (*estimate.Facts, map[string][]byte, error) {
	list, all, err := analysis.Facts(j.on.Workload)
	if err != nil {
		return nil, nil, err
	}
	files := make(map[string][]byte)
	for _, f := range all {
		files[f.File] = []byte(f.Script)
	}
	return list, files, nil
}
