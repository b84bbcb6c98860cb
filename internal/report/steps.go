package report

import (
	"io"
	"strconv"

	"warpbound/estimate"
)

// StepsHeader writes the heads of the columns of a listing of steps.
func StepsHeader(w io.Writer) error {
	p := &printer{w: w}
	p.printf("%9s %3s %4s %4s  %-12s %-40s %s\n", "cycle", "SM", "CTA", "warp", "address", "instruction", "active lanes, stack after it")
	return p.err
}

// Step writes a line of a listing of steps.
func Step(w io.Writer, s *estimate.Step) error {
	p := &printer{w: w}
	warp := strconv.Itoa(s.Warp)
	if s.Split > 0 {
		warp += "." + strconv.Itoa(s.Split)
	}
	p.printf("%9d %3d %4d %4s  %-12s %-40s %s", s.Cycle, s.SM, s.CTA, warp, s.Address, s.Instr, s.Lanes)
	if s.Stack != "" {
		p.printf("  %s", s.Stack)
	}
	p.printf("\n")
	return p.err
}
