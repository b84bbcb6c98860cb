package estimate

// Contract is something that a job declares of its inputs. A bound is one for all inputs within.
type Contract struct {
	Input string `json:"input"` // the parameter, buffer or symbol; of relations the names in them
	Text  string `json:"text"`  // what holds, such as "range [1, 64]", "uniform(0, 9)" or "n <= count"
	Pos   string `json:"pos"`   // file:line:col
	// Used says whether the analysis of values counts on it. Where it cannot, Reason says why.
	Used   bool   `json:"used"`
	Reason string `json:"reason,omitempty"`
	// Fixed says that the job has no other inputs there.
	Fixed bool `json:"fixed,omitempty"`
}
