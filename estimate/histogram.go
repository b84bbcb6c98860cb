package estimate

import "slices"

// maxBins is the largest number of bins of a histogram.
const maxBins = 64

// Histogram counts runs by how long they took. Its bins are as narrow as 64 of them allow, and as wide as a power of two; their bounds are
// multiples of their width. So it does not depend on the order of the runs.
type Histogram struct {
	From   int64   `json:"from"`   // where the first bin begins, in cycles
	Width  int64   `json:"width"`  // of a bin, in cycles
	Counts []int64 `json:"counts"` // runs in each bin
}

// Add adds a run, with its time in cycles, at least 0.
func (h *Histogram) Add(cycles int64) {
	if len(h.Counts) == 0 {
		*h = Histogram{From: cycles, Width: 1, Counts: []int64{1}}
		return
	}
	first, last := min(h.From, cycles), max(h.From+h.Width*int64(len(h.Counts))-1, cycles)
	for last/h.Width-first/h.Width >= maxBins {
		h.widen()
	}
	if before := h.From/h.Width - first/h.Width; before > 0 {
		h.Counts = slices.Insert(h.Counts, 0, make([]int64, before)...)
		h.From -= before * h.Width
	}
	at := int((cycles - h.From) / h.Width)
	if more := at + 1 - len(h.Counts); more > 0 {
		h.Counts = append(h.Counts, make([]int64, more)...)
	}
	h.Counts[at]++
}

// widen makes one bin of two.
func (h *Histogram) widen() {
	width := 2 * h.Width
	from := h.From / width * width
	counts := make([]int64, (h.From+h.Width*int64(len(h.Counts))-1)/width-from/width+1)
	for i, n := range h.Counts {
		counts[(h.From+h.Width*int64(i)-from)/width] += n
	}
	*h = Histogram{From: from, Width: width, Counts: counts}
}

// LongestRun is the first of the runs with the longest time.
type LongestRun struct {
	Vector *int   `json:"vector,omitempty"` // the test vector, for sim --vector; nil of other inputs
	Inputs string `json:"inputs,omitempty"` // the job file of saved inputs
	// Adversarial is the name of adversarial inputs, for sim --adversarial.
	Adversarial string `json:"adversarial,omitempty"`
	Cycles      int64  `json:"cycles"`
}

// Test returns the test vector of the run; 0 where none is known to be that.
func (r *LongestRun) Test() int {
	if r == nil || r.Vector == nil {
		return 0
	}
	return *r.Vector
}

// RunSet says what the run of a vector is for.
type RunSet string

// The sets of runs.
const (
	Training    RunSet = "training"    // observed estimates are made of them
	Adversarial RunSet = "adversarial" // the same, of inputs that were made to take long
	HeldOut     RunSet = "holdout"     // they try estimates, and none rests on them
)

// RunTime is how long the run of a vector took.
type RunTime struct {
	Vector int    // the test vector, from 0, of those of its set; -1 for saved inputs
	Inputs string // the job file of saved inputs, or the name of adversarial ones; "" for a test vector
	Set    RunSet
	Cycles int64 // on a device, which runs each vector several times, the longest of these
	// Launches are the cycles of all executions of each launch of the job, the mean of several runs. In a run with one launch they are
	// those of that alone.
	Launches []int64
}
