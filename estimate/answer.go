package estimate

// Answer is what an analysis comes to: the estimate that decides.
type Answer struct {
	Method   string   `json:"method"`
	Cycles   int64    `json:"cycles"`
	Evidence Evidence `json:"evidence"`
}

// MethodRefusal says why a method that was asked for has no estimate.
type MethodRefusal struct {
	Method string `json:"method"`
	Pos    string `json:"pos"`    // file:line:col of what stands against it: in the module, or in the job
	Reason string `json:"reason"` // and what to do
	// Machine reports that the method is not one for the machine, whatever the kernel.
	Machine bool `json:"machine"`
	// Sink is where inputs reach what time depends on, for a method that needs that they do not.
	Sink *Sink `json:"sink,omitempty"`
}

// Sink is the first place of a run where inputs, or what else may differ, reach something that time
// depends on.
type Sink struct {
	Pos  string `json:"pos"`  // of the instruction; - if it is the host
	What string `json:"what"` // that they can change, as in "an address"
	By   Source `json:"by"`   // what comes there
	// SourceChain is by which instructions it comes there, from the last one back to the input.
	SourceChain []SourceLink `json:"source_chain"`
}

// Source is what may make one run differ from another.
type Source string

// The sources.
const (
	ByInputs Source = "input"
	ByDevice Source = "device" // has another value than the manual where that leaves it open
	ByLaunch Source = "launch" // what one before wrote, as inputs or the order of threads decided

	// ByOrder is the order of threads where no barrier and no end of a launch fixes it. Clocks, and
	// the SM that a thread runs on, tell of it.
	ByOrder Source = "order"
)

// Phrase names the source as the subject of "can change".
func (s Source) Phrase() string {
	switch s {
	case ByDevice:
		return "a device that has another value"
	case ByOrder:
		return "the order in which threads run"
	case ByLaunch:
		return "what a launch before wrote, which inputs or the order of threads decide,"
	}
	return "inputs"
}

// SourceLink is an instruction that hands on what an input can change, or the input itself.
type SourceLink struct {
	Pos  string `json:"pos"`
	Text string `json:"text"`
}

// Strong returns the estimate that counts if evidence weaker than requires does not: the least that bounds the kernel as
// its wavefronts split. It is nil if there is none.
func (a *Analysis) Strong(requires Evidence) *Estimate {
	var best *Estimate
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if a.counts(e) && Weakest(e.Evidence, requires) == requires && (best == nil || e.Cycles < best.Cycles) {
			best = e
		}
	}
	return best
}

// counts reports whether an estimate bounds the kernel, as its wavefronts split, and no run exceeds
// it.
func (a *Analysis) counts(e *Estimate) bool {
	_, other := a.OtherMode(e)
	return e.Bounds() && !other && e.Relied() && !a.isVoid(e)
}

// Relied reports whether an estimate may decide: one that is tried on its own runs only if they do not refute it, and none that
// those runs selected.
func (e *Estimate) Relied() bool { return e.Doubt() == "" }

// Doubt says why an estimate decides nothing; empty if it may.
func (e *Estimate) Doubt() string {
	p := e.Prediction
	switch {
	case e.Selected:
		return "it is the least of several that its own runs gave, and further runs exceed it sooner"
	case p == nil || p.Status == NotRefuted:
		return ""
	case p.Status == Refuted:
		return "the runs that it is made of do not predict each other"
	case len(p.Because) > 0:
		return "it is untested: " + p.Because[0]
	}
	return "it is untested"
}

// Brief returns what a result says of an estimate that decides; nil of nil.
func (e *Estimate) Brief() *Answer {
	if e == nil {
		return nil
	}
	return &Answer{Method: e.Method, Cycles: e.Cycles, Evidence: e.Evidence}
}

// Undefined returns the first warning of behaviour that the manual leaves undefined; nil if there
// is none.
func (a *Analysis) Undefined() *Warning {
	for i := range a.Warnings {
		if a.Warnings[i].ID == UndefinedBehaviour {
			return &a.Warnings[i]
		}
	}
	return nil
}
