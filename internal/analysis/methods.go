package analysis

import (
	"slices"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/cta"
	"warpbound/internal/method/greedy"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/method/llc"
	"warpbound/internal/method/oblivious"
	"warpbound/internal/method/phases"
	"warpbound/internal/method/split"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// Method is a method with the variant of a workload that it bounds.
type Method struct {
	method.Method
	// Variant returns what the method is asked about of a workload; nil for the workload itself.
	Variant func(w *workload.Workload) (*workload.Workload, error)
}

// Methods is the one list of the methods there are, in the order of their estimates.
func Methods() List {
	return List{
		{Method: phases.Method{}},
		{Method: hybrid.Method{}},
		{Method: hybrid.Placements{}},
		{Method: cta.Method{}},
		{Method: llc.Simple},
		{Method: llc.Interval},
		{Method: split.Method(machine.SplitNone), Variant: inMode(machine.SplitNone)},
		{Method: split.Method(machine.DWS), Variant: inMode(machine.DWS)},
		{Method: split.Method(machine.PWS), Variant: inMode(machine.PWS)},
		{Method: greedy.Method{}},
		{Method: oblivious.Method{}}, // which may take long
	}
}

// inMode is the variant of a workload in a mode of splitting.
func inMode(mode machine.SplitMode) func(*workload.Workload) (*workload.Workload, error) {
	return func(w *workload.Workload) (*workload.Workload, error) {
		if !w.HasSplits() {
			return w, nil
		}
		return w.In(mode)
	}
}

// of returns the variant of a workload that the method is asked about.
func (m *Method) of(w *workload.Workload) (*workload.Workload, error) {
	if m.Variant == nil {
		return w, nil
	}
	return m.Variant(w)
}

// List is a list of methods.
type List []Method

// IDs returns the names of all estimates, by which users ask for them.
func (l List) IDs() []string {
	var ids []string
	for _, m := range l {
		for _, n := range m.Names() {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// Find returns the method that makes an estimate, nil if none does.
func (l List) Find(id string) *Method {
	for i := range l {
		if l[i].names(id) {
			return &l[i]
		}
	}
	return nil
}

// names reports whether an estimate is one that the method makes.
func (m *Method) names(id string) bool {
	return slices.ContainsFunc(m.Names(), func(n method.Name) bool { return n.ID == id })
}

// unmeasured returns the methods that need no runs of test vectors.
func (l List) unmeasured() List {
	return slices.DeleteFunc(slices.Clone(l), func(m Method) bool {
		_, measured := m.Method.(method.Measured)
		return measured
	})
}

// recorders returns the measured methods that can read what a platform records. They need not be for the machine.
func (l List) recorders(p runner.Platform) List {
	return slices.DeleteFunc(slices.Clone(l), func(m Method) bool {
		measured, ok := m.Method.(method.Measured)
		return !ok || measured.Reads(p.Clocks()) != nil
	})
}

// measures reports whether a method needs runs.
func (l List) measures(id string) bool {
	m := l.Find(id)
	if m == nil {
		return false
	}
	_, runs := m.Method.(method.Measured)
	return runs
}

// Supports reports whether an estimate is one for the machine of a workload, in its mode: some kernels may have
// none all the same.
func (l List) Supports(w *workload.Workload, id string) bool {
	m := l.Find(id)
	return m != nil && m.Applies(w.Machine) == nil
}

// explain adds to estimates in one line each what their methods say that they are bounds of.
func (l List) explain(estimates []estimate.Estimate) {
	for i := range estimates {
		for _, m := range l {
			for _, n := range m.Names() {
				if n.ID == estimates[i].Method {
					estimates[i].Explain = n.Explain
				}
			}
		}
	}
}

// complete adds what all estimates of an analysis have whatever their method: what they are in words, and on which numbers of
// the machine they may depend.
func (l List) complete(w *workload.Workload, a *estimate.Analysis) {
	l.explainAll(a)
	for i := range a.Launches {
		count(a.Launches[i].Estimates, numbersOf(w.Machine, w.Kernels[i]))
	}
	count(a.Estimates, Numbers(w))
}

// Numbers counts the numbers of the machine on which bounds of a workload may depend.
func Numbers(w *workload.Workload) *estimate.Numbers { return numbersOf(w.Machine, w.Kernels...) }

// count notes in estimates on how many numbers of the machine they may depend.
func count(all []estimate.Estimate, n *estimate.Numbers) {
	for i := range all {
		all[i].Numbers = n
	}
}

// numbersOf counts the numbers of a machine that kernels exercise; nil if it does not say what any rests on.
func numbersOf(m *machine.Machine, kernels ...*workload.Kernel) *estimate.Numbers {
	accounts := workload.Accounts(m, kernels...)
	if accounts == nil {
		return nil
	}
	n := &estimate.Numbers{}
	of := map[machine.Basis]*int{machine.Measured: &n.Measured, machine.Published: &n.Published, machine.Derived: &n.Derived, machine.Assumed: &n.Assumed}
	for _, a := range accounts {
		*of[a.Basis]++
	}
	return n
}

// explainAll explains all estimates of an analysis.
func (l List) explainAll(a *estimate.Analysis) {
	l.explain(a.Estimates)
	for i := range a.Launches {
		l.explain(a.Launches[i].Estimates)
	}
}
