package inspect

import (
	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/isa"
)

// reasons lists why a kernel cannot be executed, each reason once with its first place.
func reasons(k *isa.Kernel) []diag.Warning {
	seen := make(map[string]bool)
	var list []diag.Warning
	add := func(pos diag.Pos, reason string) {
		if reason != "" && !seen[reason] {
			seen[reason] = true
			list = append(list, diag.Warning{Pos: pos, Text: reason})
		}
	}
	for i := range k.Instrs {
		add(k.Instrs[i].Pos, k.Instrs[i].Obstacle())
	}
	for _, o := range isa.Obstacles(k) {
		if o.ID == "unresolved-address" {
			add(o.Pos, o.Text)
		}
	}
	return list
}

// refusals gathers the reasons why kernels cannot be executed.
type refusals struct {
	list []estimate.Refusal
	at   map[string]int // of each reason
}

// add takes in the reasons of one more kernel.
func (r *refusals) add(kernel string, reasons []diag.Warning) {
	for _, reason := range reasons {
		at, known := r.at[reason.Text]
		if !known {
			at = len(r.list)
			r.at[reason.Text] = at
			r.list = append(r.list, estimate.Refusal{Reason: reason.Text, Pos: reason.Pos.String()})
		}
		r.list[at].Kernels = append(r.list[at].Kernels, kernel)
	}
}
