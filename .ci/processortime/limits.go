package main

// usual is the limit of packages without one of their own, in units of a hundred reference loops,
// about a second.
const usual = 5

// limits are those of packages that need more: two to three times what they take.
var limits = map[string]float64{
	".":                            60,
	"internal/absexec":             10,
	"internal/alu":                 15,
	"internal/analysis":            60,
	"internal/calibrate":           45,
	"internal/cases":               14,
	"internal/certify/obligations": 10,
	"internal/cfg":                 8,
	"internal/cli":                 200,
	"internal/emu":                 8,
	"internal/fleet":               8,
	"internal/fleet/runs":          10,
	"internal/flow/access":         10,
	"internal/flow/loopbound":      45,
	"internal/flow/value":          25,
	"internal/flow/racefree":       12,
	"internal/inspect":             35,
	"internal/instrument":          10,
	"internal/ipet":                8,
	"internal/isa/ptx":             14,
	"internal/kernelgen":           8,
	"internal/machine":             9,
	"internal/method/cta":          14,
	"internal/method/greedy":       18,
	"internal/method/llc":          20,
	"internal/method/search":       14,
	"internal/method/split":        30,
	"internal/reproduce":           70,
	"internal/runner/gpu":          8,
	"internal/runner/simulated":    28,
	"internal/scaffold":            16,
	"internal/selfcheck":           90,
	"internal/sim/integrated":      10,
	"internal/sim/scoreboard":      16,
	"internal/sim/split":           10,
	"internal/smt":                 8,
	"internal/study/calibrate":     12,
	"internal/study/convert":       16,
	"internal/study/search":        45,
	"internal/study/sensitivity":   24,
	"internal/study/splits":        12,
	"internal/symexec":             40,
	"internal/workload":            9,
}

func limitOf(folder string) float64 {
	if limit, ok := limits[folder]; ok {
		return limit
	}
	return usual
}
