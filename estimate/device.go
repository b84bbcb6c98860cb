package estimate

// Device is what a GPU is on which a job ran, what its compiler made of the kernel, and what
// was measured there beside cycles.
type Device struct {
	Name       string `json:"name"`
	Capability string `json:"capability"` // compute capability, for example "8.6"; empty if it stands in for a GPU
	CUDA       string `json:"cuda"`       // version that the driver supports; empty likewise
	SMs        int    `json:"sms"`
	ClockKHz   int    `json:"clock_khz"` // of the SMs, the highest
	WarmUps    int    `json:"warm_ups"`  // runs before those that count
	Repeats    int    `json:"repeats"`   // runs of each input

	Plain    DeviceCode  `json:"plain"`              // the kernel as it is
	Recorded *DeviceCode `json:"recorded,omitempty"` // the kernel with code that records Ipoints
	Overhead *Overhead   `json:"overhead,omitempty"` // of that code

	Before Conditions `json:"before"` // the runs that count
	After  Conditions `json:"after"`
}

// DeviceCode is a kernel as a device's compiler made it, and its times.
type DeviceCode struct {
	Registers   int `json:"registers"`    // per thread
	SharedBytes int `json:"shared_bytes"` // per CTA, static
	LocalBytes  int `json:"local_bytes"`  // per thread
	CTAsPerSM   int `json:"ctas_per_sm"`  // resident at a time, at most

	Events Times  `json:"events"`          // from before the launch to after the end
	Timer  *Times `json:"timer,omitempty"` // from the first start of a warp to the last exit, by the device's timer
}

// Times sums up the times of all runs, in nanoseconds. None is left out.
type Times struct {
	Runs   int     `json:"runs"`
	Min    int64   `json:"min_ns"`
	Mean   float64 `json:"mean_ns"`
	Median int64   `json:"median_ns"`
	Max    int64   `json:"max_ns"`
}

// Overhead is what recording costs.
type Overhead struct {
	Percent   float64 `json:"percent"`     // by which the mean time by events is longer
	Records   int     `json:"records"`     // of the warp with most, in any run
	PerRecord float64 `json:"ns_a_record"` // by which the mean time is longer, divided by Records

	Unknown   int `json:"unknown_transitions"` // between records, that the graph of Ipoints does not have
	Ambiguous int `json:"ambiguous_warps"`     // whose records fit several paths through copies of functions
	Differing int `json:"differing_results"`   // runs that left other buffers than without recording
}

// Conditions is what held on a device at one moment. What is zero or empty was not to be known.
type Conditions struct {
	Driver     string   `json:"driver,omitempty"`
	ClockKHz   int      `json:"clock_khz,omitempty"`  // of the SMs
	MemoryKHz  int      `json:"memory_khz,omitempty"` // of the memory
	Celsius    int      `json:"celsius,omitempty"`
	Milliwatts int      `json:"milliwatts,omitempty"`
	Slowed     []string `json:"slowed,omitempty"` // what keeps the clocks low
	Others     *int     `json:"others,omitempty"` // other processes on the device
	Unknown    []string `json:"unknown,omitempty"`
}

// SlowestHz returns the lowest clock of the SMs that was seen, in cycles per second: what
// makes of cycles the longest time.
func (d *Device) SlowestHz() float64 {
	khz := d.ClockKHz
	for _, c := range []Conditions{d.Before, d.After} {
		if c.ClockKHz > 0 {
			khz = min(khz, c.ClockKHz)
		}
	}
	return float64(khz) * 1000
}
