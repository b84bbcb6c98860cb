package estimate

// LLC is the detail of static/llc-simple and static/llc-interval. Times are in cycles. Issue, Stall
// and Dispatch add up to the bound.
type LLC struct {
	// Exact is set if it is known in which order each SM issues what, so that the time is computed with
	// bounds of the latencies of single accesses. Otherwise it is a sum.
	Exact bool `json:"exact"`
	// Bounded are the instructions of warps, of those that differ, of whose requests on the SM only the most
	// is known: with other addresses in shared memory, they take less time.
	Bounded int64 `json:"bounded_requests,omitempty"`
	// Uncertain are the accesses to the shared cache, in a known order, of which it is not known whether SMs make
	// them. If there are any, or the order is not known, Exact is not set.
	Uncertain int64 `json:"uncertain,omitempty"`

	Regulated    bool  `json:"regulated"`
	Quota        int64 `json:"quota,omitempty"`     // accesses of a core in an interval
	Intervals    int64 `json:"intervals,omitempty"` // that begin, at most
	IntervalEnds int64 `json:"ends,omitempty"`      // in which all SMs wait for the next interval, at most

	SM       int   `json:"sm"`       // to which Issue, Stall and Dispatch belong: the last to end, or with uncertain accesses the one that issues for longest; if regulated sums, several
	Issue    int64 `json:"issue"`    // in which the port is held
	Stall    int64 `json:"stall"`    // in which all warps wait
	Dispatch int64 `json:"dispatch"` // of its waves

	L1Hits       int64     `json:"l1_hits"`      // of lines of loads of all SMs; those under way included
	Accesses     int64     `json:"accesses"`     // of all SMs to the shared cache, at most
	Hits         int64     `json:"hits"`         // of these, those that surely hit
	FirstUses    int64     `json:"first_uses"`   // and those that surely miss
	Unclassified int64     `json:"unclassified"` // the others
	Misses       int64     `json:"misses"`       // of all SMs, at most
	AllMisses    int64     `json:"all_misses"`   // of all SMs and the CPU, at most
	MissRate     float64   `json:"miss_rate"`    // Misses divided by Accesses
	Cores        []LLCCore `json:"cores"`        // the SMs, and the CPU last
}

// MaxMisses returns how many of how many accesses of the SMs to the shared cache miss it, both at most.
func (d *LLC) MaxMisses() (misses, accesses int64) { return d.Misses, d.Accesses }

// Ordered reports whether it is known in which order each SM issues what.
func (d *LLC) Ordered() bool { return d.Exact || d.Uncertain > 0 }

// Optional returns of how many accesses it is not known whether SMs make them.
func (d *LLC) Optional() int64 { return d.Uncertain }

// LLCCore is what is known of the accesses of a core to the shared cache.
type LLCCore struct {
	Accesses int64 `json:"accesses"` // at most
	Misses   int64 `json:"misses"`   // at most
}
