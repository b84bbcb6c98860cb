package report

import (
	"fmt"

	"warpbound/estimate"
)

// Predicted says how an estimate that is tried on the runs it is made of did; nothing of others.
func Predicted(e *estimate.Estimate) string {
	s := e.SelfPrediction
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("Self-prediction of %s: ", e.Method)
	switch s.Verdict {
	case estimate.Held:
		text += fmt.Sprintf("held. %s from a tenth of the sampled runs each hold for all others, with windows of %d.", counted(int(s.Splits), "estimate"), s.Window)
	case estimate.Exceeded:
		text += fmt.Sprintf("exceeded. %d of %s from a tenth of the sampled runs do not hold for all others: the estimate decides nothing. More vectors may help.",
			s.Exceeded, counted(int(s.Splits), "estimate"))
	case estimate.Fixed:
		text += "not needed. No input that is sampled reaches what time depends on, so that all runs are alike."
	default:
		text += "not tried. It needs 20 runs of sampled inputs; until then the estimate decides nothing."
	}
	return text
}

// Chances says what the times of sampled runs tell of a further one; nothing if there is no such estimate.
func Chances(e *estimate.Estimate) string {
	d, ok := e.Detail.(*estimate.HybridPhases)
	if !ok || d.Chance == nil {
		return ""
	}
	c := d.Chance
	return fmt.Sprintf("A further input that is sampled like these takes more than %s cycles with probability 1/%s at most (by rank).\nBy the Gumbel distribution of their times a run exceeds %s cycles with probability %g; nothing proves that they have it.",
		group(c.HighWater), group(c.Runs+1), group(c.Gumbel), c.Rare)
}

// HeldOut says how the held-out vectors compare with the estimates of an analysis; nothing if there were none.
func HeldOut(a *estimate.Analysis) string {
	text := ""
	for i := range a.Estimates {
		e := &a.Estimates[i]
		h := e.Holdout
		if h == nil {
			continue
		}
		if text == "" {
			text = fmt.Sprintf("Held out: %s of seed %d, of which the longest takes %s.", counted(h.Vectors, "vector"), h.Seed, counted(int(h.Max), "cycle"))
		}
		if h.Exceeded > 0 {
			text += fmt.Sprintf("\n  %s is exceeded by %s, by %.1f %% at most.", e.Method, group(int64(h.Exceeded)), 100*(float64(h.Max)/float64(e.Cycles)-1))
		}
	}
	return text
}

// Converged says what the estimates of an analysis would be with fewer runs; nothing if there were few.
func Converged(a *estimate.Analysis) string {
	text := ""
	for i := range a.Estimates {
		e := &a.Estimates[i]
		n := len(e.Convergence)
		if n < 2 || e.Convergence[n-1].Vectors < 10 || e.Cycles == 0 {
			continue
		}
		before := e.Convergence[n-2]
		if text == "" {
			text = fmt.Sprintf("Convergence: without the last %s of %s,", group(int64(e.Convergence[n-1].Vectors-before.Vectors)), counted(e.Convergence[n-1].Vectors, "vector"))
		}
		text += fmt.Sprintf("\n  %s is %s", e.Method, moved(before.Cycles, e.Cycles))
	}
	return text
}

// moved says how a figure compares with a later one.
func moved(before, after int64) string {
	switch change := 100 * (float64(before)/float64(after) - 1); {
	case before == after:
		return "the same."
	case change < 0:
		return fmt.Sprintf("%.1f %% less.", -change)
	default:
		return fmt.Sprintf("%.1f %% more.", change)
	}
}

// trials writes how estimates were tried, each as a paragraph.
func trials(p *printer, a *estimate.Analysis) {
	var all []string
	for i := range a.Estimates {
		all = append(all, Predicted(&a.Estimates[i]), Chances(&a.Estimates[i]))
	}
	any := false
	for _, text := range append(all, Converged(a), HeldOut(a)) {
		if text != "" {
			p.printf("%s\n", text)
			any = true
		}
	}
	if any {
		p.printf("\n")
	}
}
