package job

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/suggest"
)

// noPlace reports a place that the kernel does not have, with what may be meant, or else what there is.
func (m *binder) noPlace(p Place, pos diag.Pos, there string) {
	k := m.Kernel
	switch {
	case p.Line > 0 && fromSource(k, p):
		m.errorf(pos, "%s is a line of the source, whose instructions a compiler copies and moves; give a label or a line of %s: %s", p, k.File, there)
	case p.Line > 0:
		m.errorf(pos, "no instruction of kernel %s stands at %q; give a line of %s that holds one, or a label: %s", k.Readable(), p, k.File, there)
	default:
		var names []string
		for _, l := range k.Labels {
			names = append(names, l.Name)
		}
		hint := "; " + there
		if near := suggest.Mean(p.Label, names); near != "" {
			hint = fmt.Sprintf("%s (%s)", near, there)
		}
		m.errorf(pos, "kernel %s has no label %q%s", k.Readable(), p, hint)
	}
}

// fromSource reports whether a place is in a file that the module was compiled from.
func fromSource(k *isa.Kernel, p Place) bool {
	return slices.ContainsFunc(k.Instrs, func(in isa.Instr) bool {
		return p.Line > 0 && p.File != "" && in.Loc.Known() && (in.Loc.File == p.File || strings.HasSuffix(filepath.ToSlash(in.Loc.File), "/"+filepath.ToSlash(p.File)))
	})
}

// maxPlaces is how many places a message lists.
const maxPlaces = 8

// list joins what there is, as far as a message does.
func list(places []string) string {
	if len(places) > maxPlaces {
		places = append(places[:maxPlaces:maxPlaces], "...")
	}
	return strings.Join(places, ", ")
}

// targets returns the instructions to which branches go; if back is set, only those to which some go back.
func targets(k *isa.Kernel, back bool) []int {
	var at []int
	for i := range k.Instrs {
		in := &k.Instrs[i]
		var to []int
		switch in.Op {
		case isa.Bra:
			to = []int{in.Target}
		case isa.BrxIdx:
			to = in.Targets
		}
		for _, t := range to {
			if t <= i || !back {
				at = append(at, t)
			}
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// loops says where the loops of a kernel begin: the label, its line, and that of the source.
func loops(k *isa.Kernel) string {
	var places []string
	for _, at := range targets(k, true) {
		where := []string{fmt.Sprintf("%s:%d", filepath.Base(k.File), k.Instrs[at].Pos.Line)}
		if loc := k.Instrs[at].Loc; loc.Known() {
			where = append(where, fmt.Sprintf("%s:%d", filepath.Base(loc.File), loc.Line))
		}
		name := "one"
		for _, l := range k.Labels {
			if l.Index == at {
				name = l.Name
			}
		}
		places = append(places, fmt.Sprintf("%s (%s)", name, strings.Join(where, ", ")))
	}
	if places == nil {
		return "it has no loop"
	}
	return "its loops begin at " + list(places)
}

// labels says which labels a kernel has: those to which branches go, or else all.
func labels(k *isa.Kernel) string {
	var all, reached []string
	at := targets(k, false)
	for _, l := range k.Labels {
		all = append(all, l.Name)
		if slices.Contains(at, l.Index) {
			reached = append(reached, l.Name)
		}
	}
	switch {
	case all == nil:
		return "it has none"
	case reached == nil:
		reached = all
	}
	return "it has " + list(reached)
}
