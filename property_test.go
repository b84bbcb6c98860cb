package warpbound

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/scalar"
	"warpbound/internal/target"
	"warpbound/internal/trace"
)

var policies = []machine.Policy{machine.GTO, machine.LRR, machine.RR}

// checkResults executes test vectors in three ways, in the obvious way, without
// time, and cycle by cycle under every policy, and compares the buffers and what
// was counted. It returns, by loop, the most back edges that a thread took for one
// entry, -1 for a loop that none entered.
func checkResults(j *Job) (trips []int64, err error) {
	trips = slices.Repeat([]int64{-1}, len(j.graph.Loops().Loops))
	for vector := range randomVectors {
		in := j.bound.Inputs(vector)
		want, err := scalar.Execute(j.graph, j.bound, in, trips)
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
			out, err := simulate(j, in, policy)
			if err == nil {
				err = sameBuffers(j, want, out.Buffers)
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

func simulate(j *Job, in *job.Inputs, policy machine.Policy) (*target.Outcome, error) {
	m, err := j.machine.WithPolicy(policy)
	if err != nil {
		return nil, err
	}
	t, err := target.NewSimulator(target.Config{
		Job: j.bound, Code: j.code, Machine: m, Registers: j.registers, MaxCycles: maxCycles,
	})
	if err != nil {
		return nil, err
	}
	return t.Run(context.Background(), in, nil)
}

// maxCycles ends runs that never would.
const maxCycles = 50_000_000

// functional executes a job without time and returns its buffers by parameter.
func functional(j *Job, in *job.Inputs) ([][]byte, emu.Counters, error) {
	var mem emu.Memory
	addresses := make([]uint64, len(in.Buffers))
	for i, contents := range in.Buffers {
		if contents == nil {
			continue
		}
		var err error
		if addresses[i], err = mem.Alloc(j.bound.Job.Params[i].Name, len(contents)); err != nil {
			return nil, emu.Counters{}, err
		}
		copy(mem.Bytes(addresses[i]), contents)
	}
	launch := emu.Launch{
		Grid: j.bound.Job.Grid, Block: j.bound.Job.Block,
		Params: j.bound.ParamBlock(nil, in, func(param int) uint64 { return addresses[param] }),
	}
	grid, err := emu.NewGrid(j.code, launch, &mem, int(j.machine.SM.WarpSize.Value))
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

func sameBuffers(j *Job, want, got [][]byte) error {
	for i := range want {
		for at := range want[i] {
			if want[i][at] != got[i][at] {
				return fmt.Errorf("byte %d of %s is %#x; thread by thread it is %#x", at, j.bound.Job.Params[i].Name, got[i][at], want[i][at])
			}
		}
	}
	return nil
}

// addUp checks that as many instructions were executed as without time, and that
// every scheduler accounts for every cycle.
func addUp(out *target.Outcome, counted emu.Counters) error {
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
	most        int64        // time of any run
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
	o.most = max(o.most, end)
	return nil
}

// observe simulates all test vectors, twice, which must show the same.
func observe(j *Job) (*observation, error) {
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

func observeOnce(j *Job) (*observation, error) {
	o := &observation{}
	ipg, err := j.ipg(nil, false, nil)
	if err != nil {
		return nil, err
	}
	t, err := j.target(asIs, ipg, SimulateOptions{MaxCycles: maxCycles})
	if err != nil {
		return nil, err
	}
	binary, err := trace.NewWriter(&o.binary, j.header(ipg))
	if err != nil {
		return nil, err
	}
	csv, err := trace.NewCSVWriter(&o.csv, j.header(ipg))
	if err != nil {
		return nil, err
	}
	var run trace.Run
	for vector := range randomVectors {
		run.Reset(vector)
		if _, err := t.Run(context.Background(), j.bound.Inputs(vector), &run); err != nil {
			return nil, err
		}
		for _, sink := range []trace.Sink{binary, csv, o} {
			if err := run.Replay(sink); err != nil {
				return nil, err
			}
		}
	}
	return o, errors.Join(binary.Close(), csv.Close())
}

// placements are the ways to place Ipoints that are tested.
var placements = []string{"blocks", "headers", "every:2", "every:3"}

// checkBounds analyses a job, and its traces instead, with the same outcome: no
// transition that the graph does not know, and no bound below what was seen.
func checkBounds(j *Job, seen *observation) error {
	for _, name := range placements {
		place, err := ParsePlacement(name)
		if err != nil {
			return err
		}
		a, err := j.Analyze(context.Background(), AnalyzeOptions{Methods: hybrids, Vectors: randomVectors, Ipoints: place})
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
		for format, file := range traces {
			b, err := j.Analyze(context.Background(), AnalyzeOptions{Methods: hybrids, Traces: bytes.NewReader(file.Bytes()), Ipoints: place})
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
var hybrids = Methods()[:3]

// check compares an analysis with what it was made of.
func (o *observation) check(a *Analysis) error {
	if a.Observed.Max != o.most {
		return fmt.Errorf("the analysis observed at most %d cycles, the runs took %d", a.Observed.Max, o.most)
	}
	for _, e := range a.Estimates {
		least := o.most
		if !e.Bounds() {
			least = o.longest
		}
		if e.Cycles < least {
			return fmt.Errorf("%s is %d, below the %d observed", e.Method, e.Cycles, least)
		}
	}
	return nil
}

func asJSON(a *Analysis) string {
	text, err := json.Marshal(a)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// checkAnnotations states loop bounds. Those observed change no estimate, larger
// ones lower none. Those of threads are never contradicted by a warp, however it
// diverges, and bounds that rest on them hold.
func checkAnnotations(c *kernelgen.Case, j *Job, trips []int64, seen *observation) error {
	analyse := func(placement string, bounds map[string]int64) (*Analysis, error) {
		place, err := ParsePlacement(placement)
		if err != nil {
			return nil, err
		}
		ipg, err := j.ipg(place, false, nil)
		if err != nil {
			return nil, err
		}
		more := "\n[loop]\n"
		for _, loop := range ipg.Loops {
			if most, known := bounds[loop.Name]; known && loop.Iter != nil { // others cannot be used
				more += fmt.Sprintf("%q = %d\n", loop.Name, most)
			}
		}
		annotated, err := randomJob(c, more)
		if err != nil {
			return nil, err
		}
		annotated.machine = j.machine
		return annotated.Analyze(context.Background(), AnalyzeOptions{Traces: bytes.NewReader(seen.binary.Bytes()), Ipoints: place})
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
			if e.Cycles < was || factor == 1 && e.Cycles != was {
				return fmt.Errorf("%s is %d with the annotations %v, %d with what was observed", e.Method, e.Cycles, bounds, was)
			}
		}
	}
	bounds := map[string]int64{}
	for l, loop := range j.graph.Loops().Loops {
		if trips[l] >= 0 {
			bounds[j.graph.Name(loop.Header)] = trips[l]
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
