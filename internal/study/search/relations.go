package search

import (
	"warpbound/internal/contract"
	"warpbound/internal/job"
	"warpbound/internal/symexec"
	"warpbound/internal/workload"
)

// listRelations returns the listRelations that hold of the numbers of a kernel's launch, and where these are. Of numbers that it is not
// passed nothing is said.
func listRelations(k *workload.Kernel) ([]contract.Relation, []symexec.Integer) {
	whole := k.Bound.Job.Whole()
	if whole.Related == nil {
		return nil, nil
	}
	integers := make([]symexec.Integer, len(whole.Params))
	passed := make([]bool, len(whole.Params))
	for v, x := range whole.Related.Some {
		p := &whole.Params[v]
		integers[v].Value = x
		if p.Content.Kind != job.Uniform {
			passed[v] = true
			continue
		}
		for i := range k.Bound.Job.Params {
			if offset, bytes, ok := k.Bound.Slot(i); ok && k.Bound.Job.InWhole(i) == v {
				integers[v] = symexec.Integer{Offset: offset, Bytes: bytes, Signed: p.Type.IsSigned(), Value: x}
				passed[v] = true
			}
		}
	}
	var known []contract.Relation
	for _, r := range whole.Related.Problem.Relations {
		all := true
		r.Vars(func(v int) { all = all && passed[v] })
		if all {
			known = append(known, r)
		}
	}
	return known, integers
}
