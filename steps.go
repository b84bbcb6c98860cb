package warpbound

import (
	"fmt"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/isa"
	"warpbound/internal/sim"
)

// Step is one instruction that a warp executed.
type Step = estimate.Step

// observer makes a Step of every instruction that a simulator executes, nil if nobody asks
// for them.
func (j *Job) observer(report func(*Step)) func(*sim.Step) {
	if report == nil {
		return nil
	}
	kernel := j.graph.Kernel
	labels := make(map[int]string)
	for _, l := range kernel.Labels {
		labels[l.Index] = l.Name
	}
	address := func(pc int) string {
		if name := labels[pc]; name != "" && kernel.Meeting == isa.AtSyncs {
			return name
		}
		b := j.graph.BlockOf(pc)
		if d := pc - j.graph.Blocks[b].Start; d > 0 {
			return fmt.Sprintf("%s+%d", j.graph.Name(b), d)
		}
		return j.graph.Name(b)
	}
	width := int(j.machine.SM.WarpSize.Value)
	return func(s *sim.Step) {
		in := &kernel.Instrs[s.PC]
		executed := s.Executed
		if in.Op == isa.Bra || in.Op == isa.BrxIdx {
			executed = s.Active // all of them decide
		}
		report(&Step{
			Cycle: s.Cycle, SM: s.SM, CTA: s.CTA, Warp: s.Warp, Split: s.Split,
			Address: address(s.PC), Instr: kernel.Format(in),
			Lanes: lanes(s.Active, executed, width), Stack: stack(s, address, width),
		})
	}
}

// stack renders what waits after a step: frames (branch, done, next, todo) of the
// synchronisation stack, or entries (pc, until, lanes) of the reconvergence stack.
func stack(s *sim.Step, address func(pc int) string, width int) string {
	if s.After.Done() {
		return ""
	}
	var list []string
	bits := func(set uint64) string { return lanes(set, set, width) }
	for _, f := range s.After.Frames() {
		list = append(list, fmt.Sprintf("(%s, %s, %s, %s)", address(f.Branch), bits(f.Done), address(f.Next), bits(f.Todo)))
	}
	for _, e := range s.After.Waiting() {
		until := "exit"
		if e.Until >= 0 {
			until = address(e.Until)
		}
		list = append(list, fmt.Sprintf("(%s, %s, %s)", address(e.PC), until, bits(e.Lanes)))
	}
	return strings.Join(list, " ")
}

// lanes renders sets of lanes, lane 0 first.
func lanes(active, executed uint64, width int) string {
	text := make([]byte, width)
	for i := range text {
		switch bit := uint64(1) << i; {
		case executed&bit != 0:
			text[i] = '1'
		case active&bit != 0:
			text[i] = '.'
		default:
			text[i] = '0'
		}
	}
	return string(text)
}
