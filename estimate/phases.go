package estimate

import "slices"

// HybridPhases is the detail of hybrid/phases.
type HybridPhases struct {
	Contexts     int     `json:"contexts"`       // that were told apart
	Transitions  int     `json:"transitions"`    // between them
	CTAsPerClass int     `json:"ctas_per_class"` // that share contexts: 1 if each CTA has its own
	Sampled      int64   `json:"sampled"`        // runs of inputs that were sampled; the others were chosen
	Chance       *Chance `json:"chance"`         // null of fewer than two sampled runs, and of a launch that a run executes several times
}

// Chance is what the times of runs say of a further one whose input is sampled from the same distribution. It says
// nothing of other inputs.
type Chance struct {
	Runs      int64 `json:"runs"`       // that were sampled
	HighWater int64 `json:"high_water"` // the largest of their times, in cycles
	// Exceeds is the probability that the further run takes longer than that, at most: 1/(Runs+1), by rank.
	Exceeds float64 `json:"exceeds"`
	// Gumbel is what a run exceeds with the probability Rare if times have the Gumbel distribution of their mean and
	// variance, in cycles. Nothing proves that they have.
	Gumbel int64   `json:"gumbel"`
	Rare   float64 `json:"rare"`
}

// SelfPrediction says whether the runs from which an estimate was made predict each other.
type SelfPrediction struct {
	Verdict Prediction `json:"verdict"`
	// Window is the size of the windows, in back edges or milestones: the largest that predicts, else the smallest; 0 for whole
	// runs, which are enough where all are alike.
	Window   int64 `json:"L"`
	Splits   int64 `json:"splits"`   // estimates that were made from a tenth of the sampled runs each
	Exceeded int64 `json:"exceeded"` // of them, by one of the other sampled runs
}

// Worse reports whether a verdict is less than another one; nil is that of what is not tried.
func (s *SelfPrediction) Worse(than *SelfPrediction) bool {
	if s == nil || than == nil {
		return s != nil
	}
	order := []Prediction{Fixed, Held, TooFewRuns, Exceeded}
	return slices.Index(order, s.Verdict) > slices.Index(order, than.Verdict)
}

// Prediction is the outcome of self-prediction.
type Prediction string

// The verdicts.
const (
	Held       Prediction = "held"         // no estimate from a tenth of the runs was exceeded by the others
	Exceeded   Prediction = "exceeded"     // training does not predict itself
	Fixed      Prediction = "fixed"        // all runs are alike: no input is sampled, or none that is reaches what time depends on
	TooFewRuns Prediction = "too-few-runs" // to try it
)

// Holdout is how runs of test vectors on which no estimate rests compare with an estimate.
type Holdout struct {
	Vectors  int   `json:"vectors"`  // that were run
	Exceeded int   `json:"exceeded"` // of them, that took longer than the estimate
	Max      int64 `json:"max"`      // the longest time, in cycles
	Seed     int64 `json:"seed"`     // from which they are sampled
}
