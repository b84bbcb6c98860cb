package estimate

// Greedy is the detail of static/greedy. All but the last three are cycles, and add up to the bound.
type Greedy struct {
	Chain     int64 `json:"chain"`     // of instructions and accesses, each as if nothing else were on the GPU
	Dispatch  int64 `json:"dispatch"`  // until CTAs are distributed to free places
	Issue     int64 `json:"issue"`     // in which other warps of a scheduler issue
	Pipelines int64 `json:"pipelines"` // in which all of a kind are busy
	Unit      int64 `json:"unit"`      // in which the load/store unit has other instructions
	Stalls    int64 `json:"stalls"`    // in which it waits for an entry of a pool
	Crossbar  int64 `json:"crossbar"`  // in which ports of the SM or of a partition are busy
	Caches    int64 `json:"caches"`    // in which instructions and constants are fetched
	Tags      int64 `json:"tags"`      // in which tags of the L2 are busy, with atomic operations too
	Blocked   int64 `json:"blocked"`   // in which tags wait for a line from the DRAM
	DRAM      int64 `json:"dram"`      // in which a channel of the DRAM serves others

	Waits    int64 `json:"waits"`    // of the load/store unit for an entry of a pool
	Requests int64 `json:"requests"` // to the L2, at most
	Fetches  int64 `json:"fetches"`  // of lines from the DRAM, at most
}
