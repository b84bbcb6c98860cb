package warpbound

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// standIns warns of the instructions of a kernel that the machine's generation does
// not have, so that a stand-in times them: once for each feature, at the first.
func standIns(k *isa.Kernel, m *machine.Machine) []diag.Warning {
	var warnings []diag.Warning
	index := map[string]int{}
	count := map[string]int{}
	for i := range k.Instrs {
		in := &k.Instrs[i]
		f, t, ok := m.StandIn(in)
		if !ok {
			continue
		}
		count[f.Name]++
		if count[f.Name] > 1 {
			continue
		}
		index[f.Name] = len(warnings)
		warnings = append(warnings, diag.Warning{Pos: in.Pos, ID: "machine-isa", Text: fmt.Sprintf(
			"%s: %s lacks %s, which came with sm_%d: a stand-in times it with latency %d and initiation %d core cycles on %s (%s)",
			k.Format(in), m.Name, f.What, f.Since, t.Latency, t.Initiation, t.Pipeline, t.Source)})
	}
	for name, i := range index {
		if n := count[name]; n > 1 {
			warnings[i].Text += fmt.Sprintf("; the first of %d instructions", n)
		}
	}
	return warnings
}
