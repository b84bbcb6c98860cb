package estimate

// Oblivious is the detail of static/oblivious: the figures of the run that stands for all.
type Oblivious struct {
	Executions int `json:"executions"` // of launches
}

// Exact reports that every run takes as many cycles as the estimate says.
func (*Oblivious) Exact() bool { return true }
