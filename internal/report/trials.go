package report

import (
	"fmt"

	"warpbound/estimate"
)

// maxReasons is how many reasons of a prediction the text lists.
const maxReasons = 5

// Predicted says whether runs refute an estimate that is made of others of them; nothing of one
// that is not tried.
func Predicted(e *estimate.Estimate) string {
	p := e.Prediction
	if p == nil {
		return ""
	}
	text := fmt.Sprintf("Prediction of %s: ", e.Method)
	switch {
	case p.Fixed:
		return text + "not refuted. No input that is sampled reaches what time depends on, so that all runs are alike."
	case p.Status == estimate.NotRefuted:
		text += fmt.Sprintf("not refuted by %s random and %s adversarial inputs, with windows of %d.", group(p.Random), group(p.Adversarial), p.Window)
	case p.Status == estimate.Refuted:
		text += fmt.Sprintf("refuted. Other runs exceed estimates from a part of them, %s: the estimate decides nothing.", counted(int(p.Exceeded), "time"))
	default:
		text += "untested. Runs do not exercise all that inputs reach: the estimate decides nothing."
	}
	for i, reason := range p.Because {
		if i == maxReasons {
			text += fmt.Sprintf("\n  and %d more", len(p.Because)-i)
			break
		}
		text += "\n  " + reason
	}
	return text
}

// Confirmed says how likely a further random input is to take longer than an estimate; nothing if
// nothing is known of it.
func Confirmed(e *estimate.Estimate) string {
	if e.Prediction == nil || e.Prediction.Confirmed == nil {
		return ""
	}
	c := e.Prediction.Confirmed
	return fmt.Sprintf("A further random input takes longer than %s with probability %.2g at most, with %.0f %% confidence:\n"+
		"%s of %s that were drawn after the estimate did. It says nothing of inputs that are not drawn like these.",
		e.Method, c.Chance, 100*c.Confidence, group(c.Exceeded), counted(int(c.Runs), "run"))
}

// HeldOut says how the held-out vectors compare with the estimates of an analysis; nothing if there
// were none.
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

// Converged says what the estimates of an analysis would be with fewer runs; nothing if there were
// few.
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
		all = append(all, Predicted(&a.Estimates[i]), Confirmed(&a.Estimates[i]))
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
