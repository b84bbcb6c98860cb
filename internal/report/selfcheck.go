package report

import (
	"fmt"
	"io"
	"strings"

	"warpbound/estimate"
)

// Selfcheck writes what the check of the methods on random kernels gave.
func Selfcheck(w io.Writer, s *estimate.Selfcheck) error {
	p := &printer{w: w}
	p.printf("%s (seed %d, %d to %d) on machines like %s\n", counted(s.Next-s.First, "random kernel"),
		s.Seed, s.First, max(s.Next-1, s.First), strings.Join(s.Machines, ", "))
	if !s.Complete {
		p.printf("interrupted: resume with --first %d\n", s.Next)
	}
	p.printf("%s: %s with other results in functional execution, %s rejected unexpectedly\n", counted(s.Runs, "simulated run"),
		counted(s.Results, "kernel"), counted(s.Failures, "kernel"))
	if s.Invariant > 0 {
		p.printf("%s: one run followed stands for 20 vectors\n", counted(s.Invariant, "kernel"))
	}
	p.printf("\n")
	p.table(func(rows *printer) {
		names := []string{"method"}
		for _, m := range s.Methods {
			names = append(names, m.Method)
		}
		names = padded(names)
		rows.printf("%s\tchecked\trefused\tviolations\tmin\tmean\t95%%\tmax\tkernel\t\n", names[0])
		for i, m := range s.Methods {
			rows.printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", names[i+1], group(int64(m.Checked)), group(int64(m.Refused)), group(int64(m.Violations)),
				ratio(m, m.MinRatio), ratio(m, m.MeanRatio), ratio(m, m.HighRatio), ratio(m, m.WorstRatio), worst(m))
		}
	})
	p.printf("\nmin, mean, 95th percentile and max of estimate / longest run that it must cover\n")
	for _, m := range s.Methods {
		if m.Refused > 0 {
			p.printf("%s refused %.2f %%, first because: %s\n", m.Method, 100*float64(m.Refused)/float64(m.Refused+m.Checked), m.Refusal)
		}
	}
	for _, v := range s.Findings {
		p.printf("\nVIOLATION, kernel %d, %s: %s\n  reduced to %s: %s\n", v.Kernel, v.Kind, v.Text, counted(v.Lines, "line"), v.Path)
	}
	return p.err
}

func ratio(m estimate.MethodCheck, r float64) string {
	if m.Checked == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", r)
}

func worst(m estimate.MethodCheck) string {
	if m.Checked == 0 {
		return "-"
	}
	return group(int64(m.Worst))
}
