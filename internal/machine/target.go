package machine

import (
	"cmp"
	"slices"

	"warpbound/internal/isa"
)

// MadeUp is the architecture of a machine that is like no GPU.
const MadeUp = "none"

// Match says how the architecture of a machine stands to code that was compiled for a target. The first is the best.
type Match int

// How machines stand to code.
const (
	Runs    Match = iota // GPUs of the architecture run the code
	Differs              // they do not: they are older, or lack what only the target has
	Unsaid               // the description does not say what architecture it is of
	Unlike               // the machine is like no GPU, or the code is no GPU's
)

// Match says how the machine stands to code for a target, as the module's directive .target has it.
func (m *Machine) Match(target string) Match {
	if m.Architecture == "" {
		return Unsaid
	}
	if m.Architecture == target {
		return Runs
	}
	code, isCode := isa.ParseTarget(target)
	own, isGPU := isa.ParseTarget(m.Architecture)
	switch {
	case !isCode || !isGPU:
		return Unlike
	case code.RunsOn(own.SM):
		return Runs
	}
	return Differs
}

// distance is how far apart the architectures of the machine and of a target are; 0 where that means nothing.
func (m *Machine) distance(target string) int {
	code, isCode := isa.ParseTarget(target)
	own, isGPU := isa.ParseTarget(m.Architecture)
	if !isCode || !isGPU {
		return 0
	}
	return max(code.SM-own.SM, own.SM-code.SM)
}

// byCapability are the machines for code whose job names none, by the compute capability that it is compiled for, ascending.
var byCapability = []struct {
	sm   int
	name string
}{{70, "v100"}, {72, "xavier-agx"}, {75, "t4"}, {80, "a100"}, {86, "rtx-3070"}, {87, "orin-agx"}, {90, "h100"}}

// ForTarget returns the name of the built-in machine for code for a target where none is named: that of its compute
// capability, or else of the nearest lower one. It is false for older targets, and if that machine is not built in.
func ForTarget(target string) (string, bool) { return forTarget(target, Names()) }

func forTarget(target string, builtin []string) (string, bool) {
	name := ""
	if code, ok := isa.ParseTarget(target); ok {
		for _, row := range byCapability {
			if row.sm <= code.SM {
				name = row.name
			}
		}
	}
	return name, slices.Contains(builtin, name)
}

// ByTarget returns the built-in machines, those first that suit code for a target best: those that run it, then
// those of other architectures, the nearest ones first, and last what is like no GPU.
func ByTarget(target string) ([]*Machine, error) {
	var all []*Machine
	for _, name := range Names() {
		m, err := Builtin(name)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b *Machine) int {
		return cmp.Or(cmp.Compare(a.Match(target), b.Match(target)), cmp.Compare(a.distance(target), b.distance(target)))
	})
	return all, nil
}
