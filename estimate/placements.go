package estimate

// Placements says how far results move with the addresses of the buffers: what they are where these lie by themselves, and where there are
// gaps of random sizes before them. Other addresses may give more and less; no estimate follows from these.
type Placements struct {
	Samples   int                `json:"samples"`   // placements: the first is the job's own, the others are drawn
	Range     int64              `json:"range"`     // in bytes: each gap is less than that
	Align     int64              `json:"align"`     // in bytes: each gap is a multiple of that
	Evidence  Evidence           `json:"evidence"`  // observed, whatever that of the estimates
	Observed  *Extent            `json:"observed"`  // of the longest run with each placement; nil where nothing ran
	Estimates []SampledEstimates `json:"estimates"` // by method, in the order of those of the analysis
}
