package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/scalar"
	"warpbound/internal/sim"
	"warpbound/internal/sim/barrel"
	"warpbound/internal/sim/scoreboard"
	"warpbound/internal/trace"
)

var policies = []machine.Policy{machine.GTO, machine.GTY, machine.LRR, machine.RR}

// checkResults executes test vectors in three ways, in the obvious way, without
// time, and cycle by cycle under every policy, and compares the buffers and what
// was counted. It returns, by loop, the most back edges that a thread took for one
// entry, -1 for a loop that none entered.
func checkResults(j *platform.Job) (trips []int64, err error) {
	trips = slices.Repeat([]int64{-1}, len(j.First().Graph.Loops().Loops))
	for vector := range randomVectors {
		in := j.First().Bound.Inputs(vector)
		want, err := scalar.Execute(j.First().Graph, j.First().Bound, in, trips)
		if err != nil {
			return nil, fmt.Errorf("thread by thread: %w", err)
		}
		got, counted, err := functional(j, in)
		if err != nil {
			return nil, fmt.Errorf("without time: %w", err)
		}
		if err := sameBuffers(j, want, got); err != nil {
			return nil, fmt.Errorf("without time: %w", err)
		}
		for _, policy := range policies {
			out, buffers, err := simulate(j, in, policy)
			if err == nil {
				err = sameBuffers(j, want, buffers)
			}
			if err == nil {
				err = addUp(out, counted)
			}
			if err != nil {
				return nil, fmt.Errorf("simulated with policy %s: %w", policy, err)
			}
		}
	}
	return trips, nil
}

// simulate runs a job on the simulator of its machine's core itself, which tells more than a runner does.
func simulate(j *platform.Job, in *job.Inputs, policy machine.Policy) (*sim.Result, [][]byte, error) {
	m, err := j.Machine.WithPolicy(policy)
	if err != nil {
		return nil, nil, err
	}
	k := j.First()
	config := sim.Config{Code: k.Code, Machine: m, RegsPerThread: k.Registers, MaxCycles: maxCycles}
	var s interface {
		Run(context.Context, emu.Launch, *emu.Memory, *trace.Run) (*sim.Result, error)
	}
	switch m.Core {
	case machine.Scoreboard:
		s, err = scoreboard.New(config)
	case machine.Barrel:
		s, err = barrel.New(config)
	default:
		err = fmt.Errorf("random kernels do not run on a %s core", m.Core)
	}
	if err != nil {
		return nil, nil, err
	}
	memory := k.NewMemory()
	launch, err := memory.Fill(in)
	if err != nil {
		return nil, nil, err
	}
	out, err := s.Run(context.Background(), launch, memory.Memory(), nil)
	return out, memory.Buffers(), err
}

// maxCycles ends runs that never would.
const maxCycles = 50_000_000

// functional executes a job without time and returns its buffers by parameter.
func functional(j *platform.Job, in *job.Inputs) ([][]byte, emu.Counters, error) {
	var mem emu.Memory
	addresses := make([]uint64, len(in.Buffers))
	for i, contents := range in.Buffers {
		if contents == nil {
			continue
		}
		var err error
		if addresses[i], err = mem.Alloc(j.First().Bound.Job.Params[i].Name, len(contents)); err != nil {
			return nil, emu.Counters{}, err
		}
		copy(mem.Bytes(addresses[i]), contents)
	}
	launch := emu.Launch{
		Grid: j.First().Bound.Job.Grid, Block: j.First().Bound.Job.Block,
		Params: j.First().Bound.ParamBlock(nil, in, func(param int) uint64 { return addresses[param] }),
	}
	grid, err := emu.NewGrid(j.First().Code, launch, &mem, j.Width())
	if err != nil {
		return nil, emu.Counters{}, err
	}
	counted, err := emu.Run(context.Background(), grid)
	if err != nil {
		return nil, emu.Counters{}, err
	}
	buffers := make([][]byte, len(addresses))
	for i, addr := range addresses {
		buffers[i] = mem.Bytes(addr)
	}
	return buffers, counted, nil
}

func sameBuffers(j *platform.Job, want, got [][]byte) error {
	for i := range want {
		for at := range want[i] {
			if want[i][at] != got[i][at] {
				return fmt.Errorf("byte %d of %s is %#x; thread by thread it is %#x", at, j.First().Bound.Job.Params[i].Name, got[i][at], want[i][at])
			}
		}
	}
	return nil
}

// addUp checks that as many instructions were executed as without time, and that
// every scheduler accounts for every cycle.
func addUp(out *sim.Result, counted emu.Counters) error {
	issued := int64(0)
	for sm, schedulers := range out.Schedulers {
		for i, c := range schedulers {
			sum := c.Issued
			for _, n := range c.Stalls {
				sum += n
			}
			if sum != out.Cycles {
				return fmt.Errorf("scheduler %d of SM %d accounts for %d of %d cycles", i, sm, sum, out.Cycles)
			}
			issued += c.Issued
		}
	}
	c := out.Counters
	if issued != counted.WarpInstrs || c.WarpInstrs != issued || c.ThreadInstrs != counted.ThreadInstrs {
		return fmt.Errorf("%d instructions issued, %d executed by warps and %d by threads; without time %+v",
			issued, c.WarpInstrs, c.ThreadInstrs, counted)
	}
	return nil
}

// observation is what simulated runs of a job showed.
type observation struct {
	binary, csv bytes.Buffer // traces of all runs, an Ipoint on every block
	longest     int64        // time of any warp
	maximum     int64        // time of any run
	starts      map[trace.Record]int64
}

// The methods make an observation a trace.Sink that looks at warps.

func (o *observation) BeginRun(int) error {
	o.starts = map[trace.Record]int64{}
	return nil
}

func (o *observation) Record(r trace.Record) error {
	warp := trace.Record{CTA: r.CTA, Warp: r.Warp}
	switch r.Ipoint {
	case trace.Start:
		o.starts[warp] = r.Cycle
	case trace.Exit:
		o.longest = max(o.longest, r.Cycle-o.starts[warp])
	}
	return nil
}

func (o *observation) EndRun(end int64) error {
	o.maximum = max(o.maximum, end)
	return nil
}

// observe simulates all test vectors, twice, which must show the same.
func observe(j *platform.Job) (*observation, error) {
	first, err := observeOnce(j)
	if err != nil {
		return nil, err
	}
	second, err := observeOnce(j)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(first.binary.Bytes(), second.binary.Bytes()) {
		return nil, errors.New("two runs have different traces")
	}
	return first, nil
}

func observeOnce(j *platform.Job) (*observation, error) {
	o := &observation{}
	recording, chosen, err := place(j.Platform, j.Workload, Methods().recorders(j.Platform), &method.Problem{Graph: j.First().Graph, Machine: j.Machine}, nil)
	if err != nil {
		return nil, err
	}
	r, err := j.Platform.Open(j.Workload, runner.Options{
		MaxCycles: maxCycles, Record: []*runner.Record{{Chosen: chosen, Points: recording.Points(), Graph: recording}},
	})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	binary, err := trace.NewWriter(&o.binary, header(j.Platform, j.Workload, recording))
	if err != nil {
		return nil, err
	}
	csv, err := trace.NewCSVWriter(&o.csv, header(j.Platform, j.Workload, recording))
	if err != nil {
		return nil, err
	}
	rec := runner.Recorder{Take: func(_ int, run *trace.Run) error {
		for _, sink := range []trace.Sink{binary, csv, o} {
			if err := run.Replay(sink); err != nil {
				return err
			}
		}
		return nil
	}}
	for vector := range randomVectors {
		rec.Number = vector
		in := j.First().Bound.Inputs(vector)
		out, err := r.Run(context.Background(), in, &rec)
		if err != nil {
			return nil, err
		}
		want, _, err := functional(j, in)
		if err == nil {
			err = sameBuffers(j, want, out.Buffers)
		}
		if err != nil {
			return nil, fmt.Errorf("recorded: %w", err)
		}
	}
	return o, errors.Join(binary.Close(), csv.Close())
}

// placements are the ways to place Ipoints that are tested.
var placements = []string{"blocks", "headers", "every:2", "every:3"}

// checkBounds analyses a job, and its traces instead, with the same outcome: no
// transition that the graph does not know, and no bound below what was seen.
func checkBounds(j *platform.Job, seen *observation) error {
	for _, name := range placements {
		at, err := method.ParsePlacement(name)
		if err != nil {
			return err
		}
		a, err := Analyze(context.Background(), j.Platform, j.Workload, Request{Methods: hybrids, Ipoints: at, Campaign: campaign.Spec{Vectors: randomVectors}})
		if err == nil {
			err = seen.check(a)
		}
		if err != nil {
			return fmt.Errorf("ipoints %s: %w", name, err)
		}
		traces := map[string]*bytes.Buffer{"binary": &seen.binary}
		if name == "blocks" { // a CSV file with other Ipoints does not fit
			traces["CSV"] = &seen.csv
		}
		if len(a.Races) > 0 {
			return fmt.Errorf("ipoints %s: random kernels have no races: %+v", name, a.Races)
		}
		for format, file := range traces {
			b, err := Analyze(context.Background(), j.Platform, j.Workload, Request{Methods: hybrids, Ipoints: at, Traces: bytes.NewReader(file.Bytes())})
			if err != nil {
				return fmt.Errorf("ipoints %s from the %s trace: %w", name, format, err)
			}
			if asJSON(a) != asJSON(b) {
				return fmt.Errorf("ipoints %s from the %s trace: %s\ndirectly: %s", name, format, asJSON(b), asJSON(a))
			}
		}
	}
	return nil
}

// hybrids are the methods that rest on runs.
var hybrids = Methods().IDs()[:3]

// check compares an analysis with what it was made of.
func (o *observation) check(a *Answer) error {
	if a.Observed.Max != o.maximum {
		return fmt.Errorf("the analysis observed at most %d cycles, the runs took %d", a.Observed.Max, o.maximum)
	}
	for _, e := range a.Estimates {
		minimum := o.maximum
		if !e.Bounds() {
			minimum = o.longest
		}
		if e.Cycles < minimum {
			return fmt.Errorf("%s is %d, below the %d observed", e.Method, e.Cycles, minimum)
		}
	}
	return nil
}

func asJSON(a *Answer) string {
	text, err := json.Marshal(a.Analysis)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// ipointGraph returns the graph of the Ipoints of a job.
func ipointGraph(j *platform.Job, at method.Placement) (*hybrid.IPG, error) {
	g := j.First().Graph
	divergent, err := cfg.DivergentEdges(g.Flow, nil)
	if err != nil {
		return nil, err
	}
	return hybrid.NewIPG(hybrid.NewProgram(g, g.WithEdges(divergent)), at)
}

// checkAnnotations states loop bounds. Those observed change no estimate, larger
// ones lower none. Those of threads are never contradicted by a warp, however it
// diverges, and bounds that rest on them hold.
func checkAnnotations(c *kernelgen.Case, j *platform.Job, trips []int64, seen *observation) error {
	analyse := func(placement string, bounds map[string]int64) (*Answer, error) {
		at, err := method.ParsePlacement(placement)
		if err != nil {
			return nil, err
		}
		ipg, err := ipointGraph(j, at)
		if err != nil {
			return nil, err
		}
		more := "\n[loop]\n"
		for _, loop := range ipg.Loops {
			if maximum, known := bounds[loop.Name]; known && loop.Iter != nil { // others cannot be used
				more += fmt.Sprintf("%q = %d\n", loop.Name, maximum)
			}
		}
		annotated, err := randomJob(c, more)
		if err != nil {
			return nil, err
		}
		annotated = on(annotated, j.Machine)
		return Analyze(context.Background(), annotated.Platform, annotated.Workload, Request{Methods: []string{hybrid.Warp, hybrid.Dynamic, hybrid.Waves, hybrid.List, hybrid.Placed}, Ipoints: at, Traces: bytes.NewReader(seen.binary.Bytes())})
	}
	plain, err := analyse("blocks", nil)
	if err != nil {
		return err
	}
	detail, ok := plain.Estimates[0].Detail.(*estimate.HybridWarp)
	if !ok {
		return fmt.Errorf("the detail of %s is a %T", plain.Estimates[0].Method, plain.Estimates[0].Detail)
	}
	for _, factor := range []int64{1, 2} {
		bounds := map[string]int64{}
		for _, l := range detail.Loops {
			bounds[l.Header] = l.Observed*factor + factor - 1
		}
		stated, err := analyse("blocks", bounds)
		if err != nil {
			return fmt.Errorf("annotated %v: %w", bounds, err)
		}
		for i, e := range stated.Estimates {
			was := plain.Estimates[i].Cycles
			if e.Cycles < was || factor == 1 && e.Cycles != was && e.Method != hybrid.Placed { // which leaves out placements that do not show all loops
				return fmt.Errorf("%s is %d with the annotations %v, %d with what was observed", e.Method, e.Cycles, bounds, was)
			}
		}
	}
	bounds := map[string]int64{}
	for l, loop := range j.First().Graph.Loops().Loops {
		if trips[l] >= 0 {
			bounds[j.First().Graph.Name(loop.Header)] = trips[l]
		}
	}
	for _, name := range placements {
		stated, err := analyse(name, bounds)
		if err == nil {
			err = seen.check(stated)
		}
		if err != nil {
			return fmt.Errorf("ipoints %s with the bounds of threads %v: %w", name, bounds, err)
		}
	}
	return nil
}
