package workload

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/symbol"
)

// Several reports whether a run can have several launches.
func (w *Workload) Several() bool { return !w.alone && w.Spec.Several() }

// OneLaunch is an error if a run can have several launches. what says what is about one of them
// alone.
func (w *Workload) OneLaunch(what string) error {
	if !w.Several() {
		return nil
	}
	pos, key := w.Spec.SeveralAt()
	return diag.Errorf(pos, "%s one launch, and %s makes several: leave %s out for kernel %s alone; sim, analyze and search take them all",
		what, key, key, symbol.Readable(w.Kernel()))
}

// Launches returns a workload for each of the launches of a run: the workload itself if there is only one. The
// others are about what a launch does wherever in a run it is executed; what buffers hold before it is not known
// but for those that kept returns true for, by parameter of the whole job. They must not be run.
func (w *Workload) Launches(kept func(launch, param int) bool) []*Workload {
	if !w.Several() {
		return []*Workload{w}
	}
	all := make([]*Workload, len(w.Kernels))
	for i, k := range w.Kernels {
		own, kernel := *w, *k
		kernel.Kept = make([]bool, len(w.Spec.Params))
		for param := range kernel.Kept {
			kernel.Kept[param] = kept(i, param)
		}
		own.alone, own.whole, own.Spec, own.Kernels = true, nil, k.Bound.Job, []*Kernel{&kernel}
		all[i] = &own
	}
	return all
}

// Vars returns the variables of kernels, each of them once.
func Vars(kernels []*Kernel) []isa.Var {
	vars := []isa.Var{}
	for _, k := range kernels {
		for _, v := range k.Bound.Kernel.Vars {
			if !slices.ContainsFunc(vars, func(w isa.Var) bool { return w.Pos == v.Pos }) {
				vars = append(vars, v)
			}
		}
	}
	return vars
}
