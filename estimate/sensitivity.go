package estimate

// Sensitivity says how far results move with the numbers of the machine: what they are on machines whose numbers are
// sampled from their ranges, all together. Other values in the ranges may give more and less.
type Sensitivity struct {
	Samples   int                `json:"samples"`   // machines
	Numbers   []string           `json:"numbers"`   // that have a range, by their paths in the machine's file
	Evidence  Evidence           `json:"evidence"`  // observed, whatever that of the estimates
	Observed  *Extent            `json:"observed"`  // of the longest run on each machine; nil where nothing ran
	Estimates []SampledEstimates `json:"estimates"` // by method, in the order of those of the analysis
}

// Extent is the smallest and the largest of some times, in cycles and in nanoseconds, rounded up: clocks have
// ranges, too, so that the longest time in nanoseconds need not be that with the most cycles.
type Extent struct {
	Min   int64 `json:"min"`
	Max   int64 `json:"max"`
	MinNS int64 `json:"min_ns"`
	MaxNS int64 `json:"max_ns"`
}

// SampledEstimates are the estimates of a method on the sampled machines, or with buffers at sampled addresses.
type SampledEstimates struct {
	Method string `json:"method"`
	Extent
	Samples int `json:"samples"` // machines or placements with which it has an estimate
}
