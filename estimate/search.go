package estimate

// SearchMethod is the name of the estimate that a search for the longest time gives. It is no bound.
const SearchMethod = "search"

// Search is what a search for inputs with which a job takes longest found: the detail of its
// estimate.
type Search struct {
	Settings    SearchSettings   `json:"settings"`
	Explored    *Exploration     `json:"explored"` // nil if the kernel was not executed symbolically
	Strategies  []SearchStrategy `json:"strategies"`
	Best        string           `json:"best"`        // the strategy with the longest time, the first of several
	File        string           `json:"file"`        // the job with these inputs; empty if they were not saved
	FaultFile   string           `json:"fault_file"`  // the job with those of the first run that failed, likewise
	Below       []SearchBelow    `json:"below"`       // the bounds; empty if there are none to compare with
	Gap         *SearchGap       `json:"gap"`         // to the least proven bound; nil if there is none to compare with
	Violated    []string         `json:"violated"`    // methods whose bounds are below the longest time
	Interrupted bool             `json:"interrupted"` // before all strategies had ended
}

// Runs returns how many runs all strategies made together.
func (s *Search) Runs() int {
	n := 0
	for _, x := range s.Strategies {
		n += x.Runs
	}
	return n
}

// SearchSettings say how a search went.
type SearchSettings struct {
	Seed            int64    `json:"seed"`
	Runs            int      `json:"runs"`              // of each strategy, at most; 0 for any number
	Seconds         float64  `json:"seconds,omitempty"` // that each strategy may take; 0 for any time
	Population      int      `json:"population"`
	Elite           float64  `json:"elite"`
	Mutation        float64  `json:"mutation"`
	Special         float64  `json:"special"`
	Novelty         int      `json:"novelty"`
	NoveltyCounters []string `json:"novelty_counters,omitempty"`
	Patience        int      `json:"patience"`
}

// SearchStrategy is what one strategy found.
type SearchStrategy struct {
	Strategy string      `json:"strategy"`
	Runs     int         `json:"runs"`
	Cycles   int64       `json:"cycles"` // the longest time
	Found    int         `json:"found"`  // number of the run that took it first, from 1
	Stop     string      `json:"stop"`   // "runs", "time", "proven", "settled", "exhausted" or "interrupted"
	Faults   int         `json:"faults"` // runs that failed
	Fault    string      `json:"fault"`  // why the first of them did
	History  []BestAfter `json:"history"`
}

// BestAfter is the longest time after a number of runs.
type BestAfter struct {
	Runs   int   `json:"runs"`
	Cycles int64 `json:"cycles"`
}

// Series is the longest time over the number of runs, for a plot.
func (s *SearchStrategy) Series() Series {
	line := Series{Name: s.Strategy}
	for _, h := range s.History {
		line.At, line.Values = append(line.At, float64(h.Runs)), append(line.Values, float64(h.Cycles))
	}
	line.At, line.Values = append(line.At, float64(s.Runs)), append(line.Values, float64(s.Cycles))
	return line
}

// SearchBelow is how far the longest time lies below a bound.
type SearchBelow struct {
	Method   string   `json:"method"`
	Cycles   int64    `json:"cycles"` // the bound
	Evidence Evidence `json:"evidence"`
	Numbers  *Numbers `json:"numbers,omitempty"` // of the machine, as in an Estimate
	Percent  float64  `json:"percent"`           // of it; negative if the time lies above
}

// SearchGap is where the worst case lies: between the longest time and the least of the bounds that are proven.
type SearchGap struct {
	Bound  int64   `json:"bound"`  // in cycles
	Method string  `json:"method"` // of the bound
	Cycles int64   `json:"cycles"` // between both
	Share  float64 `json:"share"`  // of the bound that these are; negative if the time lies above

	// Parts say what holds the gap, those first that weigh most; empty on a device, of a run of several launches, and where bound and
	// time meet.
	Parts []GapPart `json:"parts"`
}

// GapPart is what a part of a kernel takes in a bound, and in the chain of causes of the longest run.
type GapPart struct {
	Name  string `json:"name"`  // of the block, or of what else the bound consists of
	Pos   string `json:"pos"`   // file:line:column of a block, in the compiler's source if it is known
	Bound *int64 `json:"bound"` // cycles; nil of a block of which the bound does not tell
	Run   *int64 `json:"run"`   // cycles; nil of what is no block
}

// Difference is by how many cycles the part is longer in the bound; nil if bound or chain does not tell of it.
func (p *GapPart) Difference() *int64 {
	if p.Bound == nil || p.Run == nil {
		return nil
	}
	return new(*p.Bound - *p.Run)
}

// Weight is the difference, of either sign, or else the cycles that are known.
func (p *GapPart) Weight() int64 {
	switch d := p.Difference(); {
	case d != nil:
		return max(*d, -*d)
	case p.Bound != nil:
		return *p.Bound
	case p.Run != nil:
		return *p.Run
	}
	return 0
}

// Exploration is what symbolic execution of a few threads found.
type Exploration struct {
	Steps    []ExplorationStep `json:"steps"`
	Paths    []SearchPath      `json:"paths"`
	Pairs    []SearchPair      `json:"pairs"`             // most divergence first
	Outcomes []SearchOutcome   `json:"sides"`             // of branches, by position
	Notes    []string          `json:"notes"`             // what stood against scaling paths to all threads
	Stopped  bool              `json:"stopped,omitempty"` // because it took too long
}

// ExplorationStep is the symbolic execution of some threads together.
type ExplorationStep struct {
	Threads  int  `json:"threads"`
	AnyOne   bool `json:"any_one"`  // a single thread that may be any one of the launch; otherwise the first ones
	Paths    int  `json:"paths"`    // that were found
	Faults   int  `json:"faults"`   // of these, on which the kernel fails
	CutOff   int  `json:"cut_off"`  // paths that were too long
	Unknown  int  `json:"unknown"`  // paths of which no solver knew whether they exist
	Queries  int  `json:"queries"`  // to the solver
	Complete bool `json:"complete"` // there are no other paths
	Covered  int  `json:"covered"`  // branch outcomes, by this step and those before
}

// SearchPath is a path that some threads take together.
type SearchPath struct {
	Threads      []int     `json:"threads"`    // by number in the launch: CTA after CTA, warp after warp
	Conditions   int       `json:"conditions"` // that make up its formula
	Instructions int       `json:"instructions"`
	Divergence   float64   `json:"divergence"` // in per cent
	Intervals    []float64 `json:"intervals"`  // the same of each barrier interval
	Atom         int       `json:"atom"`       // number of the inputs that were made of it; negative if none were
	Tried        int       `json:"tried"`      // threads that were given these inputs
	Scales       int       `json:"scales"`     // those of them that take the path then
}

// SearchPair is two threads that do not communicate and take a path each.
type SearchPair struct {
	Paths        [2]int    `json:"paths"`
	Instructions int       `json:"instructions"` // of both
	Divergence   float64   `json:"divergence"`   // in per cent
	Intervals    []float64 `json:"intervals"`    // the same of each barrier interval
}

// SearchOutcome is an outcome of a branch.
type SearchOutcome struct {
	Pos     string `json:"pos"`    // of the branch
	Text    string `json:"text"`   // of the branch
	Taken   bool   `json:"taken"`  // otherwise the successor that falls through
	Target  string `json:"target"` // position at which control goes on
	Verdict string `json:"verdict"`
}

// The verdicts on branch outcomes.
const (
	OutcomeCovered    = "covered"    // by a path
	OutcomeInfeasible = "infeasible" // proved to be taken by none
	OutcomeUnknown    = "unknown"
)

// Count returns how many outcomes have a verdict.
func (e *Exploration) Count(verdict string) int {
	n := 0
	for _, s := range e.Outcomes {
		if s.Verdict == verdict {
			n++
		}
	}
	return n
}
