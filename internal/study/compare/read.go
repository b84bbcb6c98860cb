package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"warpbound/estimate"
)

// result is what is read of a saved result: that of analyze, demo or search, or what sim or split say in other words.
// What results of other builds have besides is left alone.
type result struct {
	estimate.Provenance
	Job         string                 `json:"job"`
	Kernel      string                 `json:"kernel"`
	Machine     string                 `json:"machine"`
	MachineHash string                 `json:"machine_hash"`
	ModuleHash  string                 `json:"module_hash"`
	JobHash     string                 `json:"job_hash"`
	Launch      estimate.Launch        `json:"launch"`
	SplitMode   string                 `json:"split_mode"`
	Seed        int64                  `json:"seed"`
	Runs        int                    `json:"runs"`
	Observed    *estimate.Observation  `json:"observed"`
	Estimates   []bound                `json:"estimates"`
	Warnings    []estimate.Warning     `json:"warnings"`
	Launches    []launch               `json:"launches"`
	Interrupted *estimate.Interruption `json:"interrupted"`
	Convergence *estimate.Convergence  `json:"convergence"`

	// Of sim alone.
	Cycles   *int64           `json:"cycles"`
	Counters map[string]int64 `json:"counters"`

	// Of split alone.
	Mode  string `json:"mode"`
	Modes []mode `json:"modes"`
}

// bound is an estimate whose detail is read as far as methods say the same in it.
type bound struct {
	estimate.Figured
	Assumptions []string         `json:"assumptions"`
	Breakdown   []estimate.Share `json:"breakdown"`
	Detail      struct {
		Loops []loop `json:"loops"`
	} `json:"detail"`
}

// loop is a loop in the words of all methods.
type loop struct {
	Header     string            `json:"header"` // or
	Name       string            `json:"name"`
	Pos        string            `json:"pos"`
	Bound      int64             `json:"bound"`      // or
	Iterations int64             `json:"iterations"` // of which one is 0
	Evidence   estimate.Evidence `json:"evidence"`
}

type launch struct {
	Kernel string `json:"kernel"`
	estimate.LaunchFigures
	Estimates []bound `json:"estimates"`
}

// mode is what split says of one mode.
type mode struct {
	Mode     string                `json:"mode"`
	Estimate bound                 `json:"estimate"`
	Observed *estimate.Observation `json:"observed"`
}

// read decodes a result. The error says what it is instead.
func read(text []byte) (*result, error) {
	var names map[string]json.RawMessage
	if err := json.Unmarshal(text, &names); err != nil {
		return nil, fmt.Errorf("no result in JSON (%w): save it with --format json", err)
	}
	var version struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(text, &version); err != nil || version.Schema < 0 || version.Schema > estimate.Schema {
		return nil, fmt.Errorf("the result has schema %s; this build reads 1 to %d", names["schema"], estimate.Schema)
	}
	if !known(names) {
		return nil, errors.New("no result of analyze, search, sim or split")
	}
	r := new(result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("the result is damaged: %w", err)
	}
	r.unify()
	return r, r.valid()
}

// known reports whether an object of these names is a result that can be compared.
func known(names map[string]json.RawMessage) bool {
	has := func(all ...string) bool {
		return !slices.ContainsFunc(all, func(name string) bool { return names[name] == nil })
	}
	return has("kernel", "machine") && (has("estimates") || has("modes", "mode") || has("cycles", "counters"))
}

// unify says what sim and split say as analyze says it.
func (r *result) unify() {
	if r.Cycles != nil {
		r.Runs, r.Observed = 1, &estimate.Observation{Min: *r.Cycles, Mean: float64(*r.Cycles), Max: *r.Cycles}
		r.Launches = nil // how long each took, of which there are no bounds
	}
	if r.Mode != "" {
		r.SplitMode = r.Mode
	}
	for _, m := range r.Modes {
		r.Estimates = append(r.Estimates, m.Estimate)
		if m.Mode == r.Mode {
			r.Observed = m.Observed
		}
	}
}

// valid is the error of figures that no result has.
func (r *result) valid() error {
	all := slices.Clone(r.Estimates)
	for _, l := range r.Launches {
		all = append(all, l.Estimates...)
	}
	if o := r.Observed; o != nil && (o.Min < 0 || o.Max < 0) {
		return fmt.Errorf("the result is damaged: its runs took from %d to %d cycles", o.Min, o.Max)
	}
	seen := make(map[string]bool)
	for i, b := range all {
		switch {
		case b.Method == "" || b.Cycles < 0 || estimate.Weakest(b.Evidence, estimate.Proven) != b.Evidence:
			return fmt.Errorf("the result is damaged: the estimate of %q has %d cycles and evidence %q", b.Method, b.Cycles, b.Evidence)
		case i < len(r.Estimates) && seen[b.Method]:
			return fmt.Errorf("the result is damaged: it has %s twice", b.Method)
		}
		seen[b.Method] = true
	}
	return nil
}

// analysis is the result as far as its estimates are asked which is to be held against a deadline.
func (r *result) analysis() *estimate.Analysis {
	a := &estimate.Analysis{SplitMode: r.SplitMode}
	for _, b := range r.Estimates {
		a.Estimates = append(a.Estimates, estimate.Estimate{Method: b.Method, Cycles: b.Cycles, Evidence: b.Evidence, Numbers: b.Numbers})
	}
	return a
}
