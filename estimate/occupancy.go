package estimate

// Occupancy says how many CTAs of a launch an SM holds at a time, and what keeps further ones away.
type Occupancy struct {
	CTAsPerSM int    `json:"ctas_per_sm"`  // resident at a time, at most
	Limit     string `json:"ctas_limited"` // threads, warps, CTAs, registers or shared memory
	Warps     int    `json:"warps"`        // of these CTAs
	MaxWarps  int    `json:"max_warps"`    // that an SM holds
	Waves     int    `json:"waves"`        // how often all SMs together are filled to start the whole grid
	Registers int    `json:"registers"`    // of a thread
	Estimated bool   `json:"estimated"`    // the registers: neither the job nor the module states them
}
