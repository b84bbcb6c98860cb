package simulated_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/test/effort"
	"warpbound/kernels"
)

// explained is what a run gave, with its chain of causes if that is asked for.
type explained struct {
	run     estimate.Simulation
	novelty []int64
	buffers [][]byte
	chain   *estimate.Chain
}

// explain runs the first vector of a job.
func explain(j *platform.Job, chain bool) (e *explained, err error) {
	r, err := j.Platform.Open(j.Workload, runner.Options{Chain: chain})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := r.Run(context.Background(), j.First().Bound.Vector(0), nil)
	if err != nil {
		return nil, err
	}
	e = &explained{
		run:     estimate.Simulation{Cycles: out.Cycles, Counters: map[string]int64{}, Scheduler: map[string]int64{}},
		novelty: out.Statistics.Novelty(nil), chain: out.Statistics.Chain(),
	}
	out.Statistics.Describe(&e.run)
	for _, b := range out.Buffers {
		e.buffers = append(e.buffers, slices.Clone(b))
	}
	return e, nil
}

// checkChain says what is wrong with the chain of a run of a job, or with its results when the
// chain is asked for.
func checkChain(j *platform.Job) error {
	plain, err := explain(j, false)
	if err != nil {
		return err
	}
	with, err := explain(j, true)
	if err != nil {
		return fmt.Errorf("with its chain: %w", err)
	}
	if len(plain.chain.Segments) > 0 {
		return errors.New("a chain that nobody asked for")
	}
	c := with.chain
	with.chain = plain.chain
	if !reflect.DeepEqual(plain, with) {
		return fmt.Errorf("%+v, and with its chain %+v", plain.run, with.run)
	}
	at, other := int64(0), int64(0)
	sums, lines := map[string]estimate.ChainKind{}, map[string]int64{}
	for i, s := range c.Segments {
		if s.From != at || s.To <= s.From {
			return fmt.Errorf("segment %d is %+v, behind cycle %d", i, s, at)
		}
		if err := checkSegment(j.Workload.Machine, s); err != nil {
			return err
		}
		if s.Kind == "other" {
			other += s.To - s.From
		}
		k := sums[s.Kind]
		sums[s.Kind] = estimate.ChainKind{Kind: s.Kind, Cycles: k.Cycles + s.To - s.From, Segments: k.Segments + 1}
		lines[lineOf(cmp.Or(s.Source, s.Pos))] += s.To - s.From
		at = s.To
	}
	if at != plain.run.Cycles {
		return fmt.Errorf("the chain ends in cycle %d of %d", at, plain.run.Cycles)
	}
	if 100*other > at {
		return fmt.Errorf("%d of %d cycles are of the kind other", other, at)
	}
	for _, k := range c.ByKind {
		if sums[k.Kind] != k {
			return fmt.Errorf("kind %+v, want %+v", k, sums[k.Kind])
		}
	}
	for _, l := range c.ByLine {
		if lines[l.Line] != l.Cycles {
			return fmt.Errorf("line %+v, want %d", l, lines[l.Line])
		}
	}
	if len(sums) != len(c.ByKind) || len(lines) != len(c.ByLine) {
		return fmt.Errorf("%d kinds and %d lines, want %d and %d", len(c.ByKind), len(c.ByLine), len(sums), len(lines))
	}
	return nil
}

// lineOf returns the file and the line of a position.
func lineOf(pos string) string {
	if parts := strings.Split(pos, ":"); len(parts) == 3 {
		return parts[0] + ":" + parts[1]
	}
	return pos
}

// checkSegment says whether a segment is too long for its kind: then it does not begin with the
// event that ended the wait.
func checkSegment(m *machine.Machine, s estimate.ChainSegment) error {
	longest := map[string]int64{"barrier": m.SM.Barrier.Value}
	for _, all := range []map[string]machine.Timing{m.Classes, m.Operations, m.StandIns, m.Tensor} {
		for name, t := range all {
			if !strings.HasPrefix(name, "mem-") {
				longest["alu"] = max(longest["alu"], t.Latency)
				longest["branch"] = max(longest["branch"], t.Latency)
			}
		}
	}
	if m.Core == machine.Splitting { // from the beginning of a pass
		longest["barrier"] = max(longest["barrier"], m.Split.Pass.Value)
	}
	for _, d := range m.Dependences {
		longest["alu"] = max(longest["alu"], longest["branch"]+d.Value)
	}
	if l, ok := longest[s.Kind]; ok && s.To-s.From > 2*l { // an instruction may wait for itself
		return fmt.Errorf("segment %+v takes longer than %d cycles", s, l)
	}
	return nil
}

// suiteJobs returns the jobs of the suite.
func suiteJobs(t *testing.T) []string {
	jobs, err := fs.Glob(kernels.Suite(), "*/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// long are jobs of the suite whose runs take as long as those of all others together. They are left
// out unless there is more effort.
var long = []string{longestJob, "petri/job.toml", "nwUpper/job.toml", "nwLower/job.toml"}

const longestJob = "lbm/job.toml"

// TestChain: chains tile the runs of the suite on machines of all cores, with two of scoreboards:
// with and without buffers between schedulers and the load/store unit, and caches for instructions.
func TestChain(t *testing.T) {
	all := []string{"fermi-c2050", "rtx-2060", "predictable-rr", "integrated-fermi", "gcn3-split"}
	for _, name := range effort.Some(t, all, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, file := range suiteJobs(t) {
				if file == longestJob && name != "fermi-c2050" && !effort.Many() {
					continue
				}
				j, err := platform.LoadFS(kernels.Suite(), file, name)
				if err != nil {
					continue // for warps of another width
				}
				if err := checkChain(j); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// TestChainOfLaunches: the chain of a run with several launches is that of one after the other.
func TestChainOfLaunches(t *testing.T) {
	for _, name := range []string{"fermi-c2050", "integrated-fermi"} {
		j, err := platform.LoadFS(kernels.Suite(), "relaxation/application.toml", name)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkChain(j); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// latencies are the kinds of segments that each name a latency of a machine.
var latencies = []string{"alu", "branch", "memory", "barrier", "dispatch", "interconnect", "split", "l2", "dram"}

// lengthen makes one of the latencies of a machine longer.
func lengthen(m *machine.Machine, kind string, cycles int64) {
	classes := func(chosen func(name string) bool) {
		for _, all := range []map[string]machine.Timing{m.Classes, m.Operations, m.StandIns, m.Tensor} {
			for name, t := range all {
				if chosen(name) {
					t.Latency += cycles
					all[name] = t
				}
			}
		}
	}
	switch kind {
	case "alu":
		classes(func(name string) bool {
			return !strings.HasPrefix(name, "mem-") && name != "control" && name != "sync"
		})
	case "branch":
		classes(func(name string) bool { return name == "control" || name == "sync" })
	case "memory":
		classes(func(name string) bool { return strings.HasPrefix(name, "mem-") })
	case "barrier":
		m.SM.Barrier.Value += cycles
	case "dispatch":
		m.SM.Dispatch.Value += cycles
	case "interconnect":
		m.Interconnect.Latency.Value += cycles
	case "split":
		m.Split.Split.Value += cycles
		m.Split.Merge.Value += cycles
	case "l2":
		m.L2.Latency.Value += cycles
		m.LLC.Latency.Value += cycles
	case "dram":
		m.DRAM.Latency.Value += cycles
		m.DRAM.Open.Value += cycles
		m.DRAM.Conflict.Value += cycles
	}
}

// slowed returns by how much longer a run takes with one latency so many cycles longer.
func slowed(t *testing.T, j *platform.Job, kind string, cycles, before int64) int64 {
	m := *j.Workload.Machine
	m.Classes, m.Operations, m.StandIns, m.Tensor = maps.Clone(m.Classes), maps.Clone(m.Operations), maps.Clone(m.StandIns), maps.Clone(m.Tensor)
	lengthen(&m, kind, cycles)
	other, err := j.On(&m)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain(other, false)
	if err != nil {
		t.Fatal(err)
	}
	return e.run.Cycles - before
}

// predicts reports whether the latency of which a chain has more segments than of any other makes
// the run longer than any other, if each is as many cycles longer. Latencies must make at least
// half of the time of the run; else it says nothing.
func predicts(t *testing.T, j *platform.Job, cycles int64) (right, applies bool) {
	before, err := explain(j, true)
	if err != nil {
		t.Fatal(err)
	}
	counts, total, first := map[string]int64{}, int64(0), int64(0)
	for _, k := range before.chain.ByKind {
		if slices.Contains(latencies, k.Kind) {
			counts[k.Kind] = k.Segments
			total += k.Cycles
			first = max(first, k.Segments)
		}
	}
	if 2*total < before.run.Cycles {
		return false, false
	}
	longest, named := int64(0), int64(0)
	for _, kind := range latencies {
		by := slowed(t, j, kind, cycles, before.run.Cycles)
		if longest = max(longest, by); counts[kind] == first {
			named = max(named, by)
		}
	}
	return named == longest, true
}

// TestChainPredicts makes latencies longer, on machines of all cores: by 8 cycles, or by one where
// that is much.
func TestChainPredicts(t *testing.T) {
	right, all := 0, 0
	for _, m := range []struct {
		name   string
		cycles int64
	}{{"fermi-c2050", 8}, {"predictable-rr", 1}, {"integrated-fermi", 8}, {"gcn3-split", 1}} {
		for _, file := range suiteJobs(t) {
			if slices.Contains(long, file) && !effort.Many() {
				continue
			}
			j, err := platform.LoadFS(kernels.Suite(), file, m.name)
			if err != nil {
				continue // for warps of another width
			}
			switch named, applies := predicts(t, j, m.cycles); {
			case !applies:
			case named:
				right++
				all++
			default:
				t.Logf("%s on %s: another latency matters more", file, m.name)
				all++
			}
		}
	}
	t.Logf("the latency that the chain names matters more than any other in %d of %d runs", right, all)
	if all < 40 || 10*right < 9*all {
		t.Errorf("%d of %d", right, all)
	}
}
