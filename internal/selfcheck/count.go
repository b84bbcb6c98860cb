package selfcheck

import (
	"slices"

	"warpbound/estimate"
	"warpbound/internal/provenance"
)

// newReport returns the report of a run that has checked nothing.
func newReport(cfg *Config) *estimate.Selfcheck {
	s := &estimate.Selfcheck{Provenance: provenance.Of(),
		Seed: cfg.Seed, First: cfg.First, Next: cfg.First,
		Methods: []estimate.MethodCheck{}, Findings: []estimate.Violation{},
	}
	for _, m := range cfg.Machines {
		s.Machines = append(s.Machines, m.Name)
	}
	for _, m := range cfg.Methods {
		s.Methods = append(s.Methods, estimate.MethodCheck{Method: m})
	}
	return s
}

// tally is a report with the ratios that it sums up, by method.
type tally struct {
	*estimate.Selfcheck
	ratios [][]float64
}

func newTally(cfg *Config) *tally {
	return &tally{newReport(cfg), make([][]float64, len(cfg.Methods))}
}

// report completes the report.
func (s *tally) report() *estimate.Selfcheck {
	for i := range s.Methods {
		s.Methods[i].HighRatio = percentile(s.ratios[i], 95)
	}
	return s.Selfcheck
}

// percentile returns the least of some numbers that so many percent of them are not greater than; 0 if there are
// none.
func percentile(of []float64, percent int) float64 {
	if len(of) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(of))[(len(of)*percent+99)/100-1]
}

// count adds the outcome of a kernel.
func (s *tally) count(kernel int, out *outcome) {
	s.Runs += out.Runs
	if out.Invariant {
		s.Invariant++
	}
	for i, a := range out.Answers {
		m := &s.Methods[i]
		if a.Other {
			continue
		}
		if a.Refusal != "" {
			if m.Refused++; m.Refused == 1 {
				m.Refusal = a.Refusal
			}
			continue
		}
		if m.Checked == 0 || a.Ratio < m.MinRatio {
			m.MinRatio = a.Ratio
		}
		if a.Ratio > m.WorstRatio {
			m.WorstRatio, m.Worst = a.Ratio, kernel
		}
		m.MeanRatio += (a.Ratio - m.MeanRatio) / float64(m.Checked+1)
		m.Checked++
		s.ratios[i] = append(s.ratios[i], a.Ratio)
	}
	if out.Violation == nil {
		return
	}
	switch out.Violation.Kind {
	case kindResult:
		s.Results++
	case kindFailure:
		s.Failures++
	default:
		for i := range s.Methods {
			if s.Methods[i].Method == out.Violation.Method {
				s.Methods[i].Violations++
			}
		}
	}
}
