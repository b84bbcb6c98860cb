package simulated

import (
	"fmt"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/causes"
	"warpbound/internal/isa"
	"warpbound/internal/runner"
	"warpbound/internal/sim"
	"warpbound/internal/taint"
	"warpbound/internal/workload"
)

// observer tells the callers of a runner, and a tracker and issues unless they are nil, of every instruction; nil if nobody asks.
func observer(w *workload.Workload, number int, opts runner.Options, tracker *taint.Tracker, told *issues) func(*sim.Step) {
	var all []func(*sim.Step)
	if tracker != nil {
		all = append(all, tell(tracker))
	}
	if told != nil {
		all = append(all, told.observe)
	}
	if opts.Step != nil {
		all = append(all, renderer(w.Kernels[number], w.Width(), opts.Step))
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return func(s *sim.Step) {
		for _, f := range all {
			f(s)
		}
	}
}

// issues tells of every instruction that a simulator of a launch executes.
type issues struct {
	launch   int
	counters map[*sim.Counters]int
	report   func(*runner.Issue)
	alone    bool // nobody tells what warps waited for
	ended    int  // executions of the launch before this one

	issue runner.Issue
	half  bool // only one of both is known of the next instruction: what it is, or what its warp waited for
}

// newIssues tells what the options ask for of a launch; nil if that is nothing.
func newIssues(launch int, opts runner.Options) *issues {
	if opts.Issue == nil {
		return nil
	}
	return &issues{launch: launch, counters: make(map[*sim.Counters]int), report: opts.Issue, alone: !opts.Chain}
}

// end ends an execution of the launch.
func (i *issues) end() {
	if i != nil {
		i.ended++
	}
}

// observe takes an instruction.
func (i *issues) observe(s *sim.Step) {
	counter, ok := i.counters[s.Counters]
	if !ok {
		counter = len(i.counters)
		i.counters[s.Counters] = counter
	}
	i.issue = runner.Issue{
		Launch: i.launch, Execution: i.ended, Cycle: s.Cycle, SM: s.SM, CTA: s.CTA, Warp: s.Warp, Split: s.Split, PC: s.PC,
		Alive: s.Alive, Active: s.Active, Executed: s.Executed, Counter: counter, Transactions: s.Counters.Transactions, Wait: i.issue.Wait,
	}
	i.tell()
}

// waited takes what the warp of an instruction waited for last, right before or after the instruction.
func (i *issues) waited(kind causes.Kind) {
	i.issue.Wait = sim.CauseName(kind)
	i.tell()
}

// tell reports an instruction once both are known.
func (i *issues) tell() {
	if i.half = !i.half && !i.alone; !i.half {
		i.report(&i.issue)
	}
}

// renderer makes a step for people of every instruction that a simulator executes.
func renderer(k *workload.Kernel, width int, report func(*estimate.Step)) func(*sim.Step) {
	kernel, graph := k.Graph.Kernel, k.Graph
	labels := make(map[int]string)
	for _, l := range kernel.Labels {
		labels[l.Index] = l.Name
	}
	address := func(pc int) string {
		if name := labels[pc]; name != "" && kernel.Reconvergence == isa.AtSyncs {
			return name
		}
		b := graph.BlockOf(pc)
		if d := pc - graph.Blocks[b].Start; d > 0 {
			return fmt.Sprintf("%s+%d", graph.Name(b), d)
		}
		return graph.Name(b)
	}
	return func(s *sim.Step) {
		in := &kernel.Instrs[s.PC]
		executed := s.Executed
		if in.Op == isa.Bra || in.Op == isa.BrxIdx {
			executed = s.Active // all of them decide
		}
		report(&estimate.Step{
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

// accesses makes a result of every access to a shared cache that a simulator tells, nil if nobody asks for
// them.
func accesses(report func(*estimate.LLCAccess)) func(*sim.LLCAccess) {
	if report == nil {
		return nil
	}
	return func(a *sim.LLCAccess) {
		access := estimate.LLCAccess(*a)
		report(&access)
	}
}
