package estimate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Status says in a word whether runs keep to a budget.
type Status string

// What a verdict says.
const (
	Met      Status = "met"       // a bound is within the budget, and its evidence is strong enough
	Missed   Status = "missed"    // a run takes longer
	NotShown Status = "not_shown" // neither is known
)

// TimeBudget is the longest that a run may take.
type TimeBudget struct {
	Text    string  `json:"text"`     // the time or the cycles, with the unit
	Cycles  int64   `json:"cycles"`   // the greatest number that is within
	ClockHz float64 `json:"clock_hz"` // at which cycles become time
}

// Verdict says whether runs keep to a budget.
type Verdict struct {
	Status     Status `json:"status"`
	Budget     int64  `json:"budget"`               // cycles that a run may take
	BudgetText string `json:"budget_text"`          // as it was stated, a time or cycles, with the unit
	BudgetPos  string `json:"budget_pos,omitempty"` // where the job states it: file:line:col; empty if the user gave it with the command
	// Bound is the estimate that counts, in cycles, and Method and Evidence are whose it is and what it rests on: the one of
	// the strongest evidence that is within the budget, else the least with the evidence that is required or a stronger one.
	// It is nil, and they are empty, if there is none.
	Bound    *int64   `json:"bound"`
	Method   string   `json:"method,omitempty"`
	Evidence Evidence `json:"evidence,omitempty"`
	Margin   *int64   `json:"margin"`      // cycles by which the bound is below the budget, negative if it is above; nil without a bound
	Longest  *int64   `json:"longest_run"` // cycles of the longest run; nil if nothing ran
	Because  string   `json:"because"`     // what decides, or what is missing
	Next     []Change `json:"next"`        // what would help most, the best first
}

// Change is something that the user may change, with what the analysis of the changed job gives.
type Change struct {
	Change          string   `json:"change"`
	Cycles          int64    `json:"cycles"` // of the least bound then
	Evidence        Evidence `json:"evidence"`
	ChangesContract bool     `json:"changes_contract"` // the kernel is asked to do less: for fewer inputs, or in another launch
}

// Judge returns what the analysis says of a budget in cycles. Evidence weaker than that which is required does not count; empty requires
// Proven.
//
// A run over the budget misses it, whatever the estimates are. Nothing is shown if a run exceeds a bound, since what the tool
// or the job says is wrong then; if the manual leaves open what the kernel does; and, of an analysis that ended early, unless
// a proven bound is within the budget.
func (a *Analysis) Judge(budget int64, requires Evidence) *Verdict {
	a.ExceedObserved()
	requires = cmp.Or(requires, Proven)
	v := &Verdict{Budget: budget, Longest: a.LongestCycles(), Next: []Change{}}
	if e := a.decisive(budget, requires); e != nil {
		v.Bound, v.Method, v.Evidence, v.Margin = new(e.Cycles), e.Method, e.Evidence, new(budget-e.Cycles)
	}
	within := v.Bound != nil && *v.Margin >= 0
	v.Status = NotShown
	switch undefined := a.Undefined(); {
	case v.Longest != nil && *v.Longest > budget:
		v.Status, v.Because = Missed, "a run takes longer"
	case a.Void != nil:
		v.Because = a.Void[0].Text
	case undefined != nil:
		v.Because = "no bound holds on a GPU: " + undefined.Text
	case a.Interrupted != nil && !(within && v.Evidence == Proven):
		v.Because = fmt.Sprintf("the analysis ended early (%s), and what is known by then does not decide", a.Interrupted.Reason)
	case within:
		v.Status, v.Because = Met, "the bound is within the budget"
	case v.Bound != nil && v.Longest != nil:
		v.Because = "the budget lies between run and bound"
	case v.Bound != nil:
		v.Because = "the bound is above the budget, and nothing ran"
	default:
		v.Because = a.lacksEvidence(requires)
	}
	return v
}

// decisive returns the estimate that counts for a verdict, nil if there is none.
func (a *Analysis) decisive(budget int64, requires Evidence) *Estimate {
	best := a.Strong(requires)
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if e.Cycles > budget || !a.counts(e) || Weakest(e.Evidence, requires) != requires {
			continue
		}
		stronger := best.Evidence != e.Evidence && Weakest(best.Evidence, e.Evidence) == best.Evidence
		if best.Cycles > budget || stronger || best.Evidence == e.Evidence && e.Cycles < best.Cycles {
			best = e
		}
	}
	return best
}

// LongestCycles returns how long the longest run takes, those included that were given up and that only showed
// that a bound is void; nil if nothing ran.
func (a *Analysis) LongestCycles() *int64 {
	var cycles *int64
	if a.Observed != nil {
		cycles = new(a.Observed.Max)
	}
	if a.Stopped != nil && (cycles == nil || *a.Stopped > *cycles) {
		cycles = a.Stopped
	}
	for i := range a.Void {
		if v := &a.Void[i]; v.Kernel == "" && (cycles == nil || v.Run > *cycles) {
			cycles = new(v.Run)
		}
	}
	return cycles
}

// lacksEvidence says why no estimate counts.
func (a *Analysis) lacksEvidence(requires Evidence) string {
	if e := a.Tightest(); e != nil {
		return fmt.Sprintf("the strongest bound is %s, whose evidence is %s, and %s is required", e.Method, e.Evidence, requires)
	}
	if slices.ContainsFunc(a.Estimates, func(e Estimate) bool { return e.Bounds() && !e.Relied() }) {
		return "no estimate of the whole kernel decides"
	}
	return "none of the selected methods bounds the whole kernel"
}

// Phrase renders the verdict in a word or two: its status, with the evidence of one that is met and not proven.
func (v *Verdict) Phrase() string {
	word := strings.ToUpper(strings.ReplaceAll(string(v.Status), "_", " "))
	if v.Status == Met && v.Evidence != Proven {
		word += fmt.Sprintf(" (%s)", v.Evidence)
	}
	return word
}
