package method

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/absexec"
)

// Assumptions are what the estimate of every static method rests on, what its problem takes for granted
// of fixed buffers included.
func (p *Problem) Assumptions() []string {
	list := []string{
		"PTX instructions are executed with the timing of the machine file (a device executes the SASS that ptxas generates)",
		"no other kernel runs on the GPU",
		"launch overhead on the host is not included",
		"buffers are aligned to 256 bytes",
		"the kernel terminates without fault for all inputs",
	}
	holds := func(buffer, why string) {
		list = append(list, fmt.Sprintf("buffer %s has the contents given by the job (%s)", buffer, why))
	}
	const stated = `annotated: access = "read", so that a run that writes it is a fault`
	for _, b := range p.Fixed {
		switch {
		case !b.Assumed:
			holds(b.Name, "the kernel does not write it")
		case !slices.Contains(p.Trusted, b.Name):
			holds(b.Name, stated)
		}
	}
	for _, name := range p.Trusted {
		holds(name, stated)
	}
	for _, s := range p.Solved {
		list = append(list, fmt.Sprintf("%s is right that control returns to %s at most %d times for one entry of the loop (%s)", p.By, p.Graph.Name(s.Header), s.Max, s.Function))
	}
	return list
}

// Asked returns the solver on which the estimates of a problem rest; nil if there is none.
func (p *Problem) Asked() *estimate.Solver {
	if p.Solved == nil {
		return nil
	}
	name, version, _ := strings.Cut(p.By, " ")
	out := &estimate.Solver{Name: name, Version: version}
	for _, s := range p.Solved {
		out.Loops = append(out.Loops, estimate.SolvedLoop{Name: p.Graph.Name(s.Header), Pos: p.Graph.Blocks[s.Header].Source().String(), Iterations: s.Max, Ranking: s.Function})
	}
	return out
}

// RaceFree is what estimates rest on where the paths of a branch execute beside each other. Whoever knows of data
// races adds what is known.
const RaceFree = "results do not depend on the order in which the paths of a branch execute"

// Evidence is the strongest that an estimate can have for what its problem takes for granted of fixed buffers.
func (p *Problem) Evidence() estimate.Evidence {
	if slices.ContainsFunc(p.Fixed, func(b absexec.Buffer) bool { return b.Assumed }) {
		return estimate.Annotated
	}
	return estimate.Proven
}

// WarmCopies is what estimates rest on that come of runs of a machine whose L2 is not empty when a launch begins.
const WarmCopies = "when the first launch begins, the L2 holds what the host has copied, as far as there is room"

// LoopAssumption is what an estimate rests on that takes the bound of a loop from the job.
func LoopAssumption(loop string, iterations int64) string {
	return fmt.Sprintf("loop bound of %s: at most %d back edges per entry (annotated)", loop, iterations)
}
