package estimate

import "slices"

// HybridPhases is the detail of hybrid/phases.
type HybridPhases struct {
	Contexts     int   `json:"contexts"`       // that were told apart
	Transitions  int   `json:"transitions"`    // between them
	CTAsPerClass int   `json:"ctas_per_class"` // that share contexts: 1 if each CTA has its own
	Sampled      int64 `json:"sampled"`        // runs of inputs that were sampled; the others were made
}

// Prediction says whether runs refute the estimate that is made of others of them.
type Prediction struct {
	Status      PredictionStatus `json:"status"`
	Random      int64            `json:"random"`      // inputs that were run of those that are sampled
	Adversarial int64            `json:"adversarial"` // and of those that were made to take long, saved ones included
	// Exceeded is how often an estimate from a part of the runs was exceeded by others: of those
	// from a tenth of the sampled runs each, of the one before inputs were evolved, and of the one
	// that is confirmed, by each run.
	Exceeded int64 `json:"exceeded"`
	// Window is the size of the windows, in back edges or milestones: the largest that is not
	// refuted, else the smallest; 0 for whole runs, which are enough where all are alike.
	Window int64 `json:"L"`
	// Fixed says that all runs are alike, since no input that is sampled reaches what time depends
	// on.
	Fixed bool `json:"fixed,omitempty"`
	// Because is why it is untested, each with its place, or what exceeds it.
	Because []string `json:"because,omitempty"`
	// Confirmed says how likely a further sampled input is to take longer; nil if nothing is known
	// of it.
	Confirmed *Confirmation `json:"confirmed,omitempty"`
}

// Confirmation is what runs say of an estimate that was made before they were drawn. Their number
// was fixed before, too.
type Confirmation struct {
	Runs     int64 `json:"runs"`
	Exceeded int64 `json:"exceeded"` // of them, which took longer
	// Chance is the probability that a further input of the same distribution takes longer: no
	// more, with the confidence. It is the upper end of the interval of Clopper and Pearson. It
	// says nothing of other inputs.
	Chance     float64 `json:"chance"`
	Confidence float64 `json:"confidence"`
}

// Worse reports whether a status is less than another one; nil is that of what is not tried.
func (p *Prediction) Worse(than *Prediction) bool {
	if p == nil || than == nil {
		return p != nil
	}
	order := []PredictionStatus{NotRefuted, Untested, Refuted}
	return slices.Index(order, p.Status) > slices.Index(order, than.Status)
}

// PredictionStatus is what runs say of an estimate.
type PredictionStatus string

// What they say.
const (
	NotRefuted PredictionStatus = "not_refuted" // by so many inputs
	Untested   PredictionStatus = "untested"    // inputs reach what runs have not exercised, or there are too few runs
	Refuted    PredictionStatus = "refuted"     // by runs of which it was not made
)

// Holdout is how runs of test vectors on which no estimate rests compare with an estimate.
type Holdout struct {
	Vectors  int   `json:"vectors"`  // that were run
	Exceeded int   `json:"exceeded"` // of them, that took longer than the estimate
	Max      int64 `json:"max"`      // the longest time, in cycles
	Seed     int64 `json:"seed"`     // from which they are sampled
}
