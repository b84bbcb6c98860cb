package greedy_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/analysis"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/method/greedy"
	"warpbound/internal/platform"
)

var (
	first = flag.Uint64("first", 0, "seed of the first random kernel")
	seeds = flag.Int("seeds", 200, "random kernels to bound and simulate")
)

// scoreboards are the built-in machines with scoreboards.
var scoreboards = sync.OnceValue(func() (all []*machine.Machine) {
	for _, name := range machine.Names() {
		m, err := machine.Builtin(name)
		if err != nil {
			panic(err)
		}
		if m.Core == machine.Scoreboard {
			all = append(all, m)
		}
	}
	return all
})

// stress makes one thing on a machine so scarce that little else matters.
var stresses = map[string]func(m *machine.Machine, pick func(n *machine.Number, values ...int64)){
	"nothing": func(*machine.Machine, func(*machine.Number, ...int64)) {},
	"dispatch": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		quick(m, pick)
		pick(&m.SM.Dispatch, 3000, 20000)
	},
	"issue": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		quick(m, pick)
		pick(&m.SM.Schedulers, 1)
		pick(&m.SM.Count, 1)
		timings(m, func(c isa.Class, t *machine.Timing) {
			if c < isa.MemParam {
				t.Latency, t.Initiation = 1, 1
			}
		})
	},
	"pipelines": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		quick(m, pick)
		timings(m, func(c isa.Class, t *machine.Timing) {
			if c < isa.MemParam {
				t.Latency, t.Initiation = 2, 90
			}
		})
		for name, n := range m.Pipelines {
			n.Value = 1
			m.Pipelines[name] = n
		}
	},
	"unit": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		quick(m, pick)
		timings(m, func(c isa.Class, t *machine.Timing) {
			if c >= isa.MemParam && c <= isa.MemAtomic {
				t.Initiation = 90
			}
		})
		pick(&m.Shared.Banks, 1)
		pick(&m.Shared.AtomicPass, 50)
		if m.LSU.Buffer.Value > 0 {
			pick(&m.LSU.Address, 1, 300)
			pick(&m.LSU.Latency, 1, 20)
			pick(&m.LSU.Buffer, 1, 2)
		}
	},
	"stalls": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		pick(&m.L1.MSHRs, 1, 1, 2, 1024)
		pick(&m.L1.Merge, 1, 2, 1024)
		pick(&m.Interconnect.Credits, 1, 1, 2, 4096)
		pick(&m.L1.Sets, 1, 64)
		pick(&m.L1.Ways, 1, 2)
		pick(&m.L2.Latency, 1, 3000)
	},
	"crossbar": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		quick(m, pick)
		pick(&m.Interconnect.Flit, 1, 4)
		pick(&m.L2.Partitions, 1, 8)
		pick(&m.Interconnect.Buffer, 1, 1024)
	},
	"caches": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		quick(m, pick)
		pick(&m.ICache.Miss, 20000)
		pick(&m.CCache.Miss, 1, 20000)
	},
	"tags": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		pick(&m.L2.Initiation, 300, 3000)
		pick(&m.L2.Atomic, 1, 3000)
		pick(&m.L2.Partitions, 1, 2)
	},
	"blocked": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		quick(m, pick)
		pick(&m.L2.MSHRs, 1, 2, 1024)
		pick(&m.L2.Merge, 1, 2, 1024)
		pick(&m.L2.Ways, 1, 16)
		pick(&m.DRAM.Latency, 5000)
		pick(&m.L2.Partitions, 1)
	},
	"dram": func(m *machine.Machine, pick func(*machine.Number, ...int64)) {
		quick(m, pick)
		d := &m.DRAM
		for _, n := range []*machine.Number{&d.RRD, &d.RCD, &d.RAS, &d.RP, &d.RC, &d.CL, &d.WL, &d.CDLR, &d.WR, &d.CCD} {
			pick(n, n.Value, n.Value, 900)
		}
		d.RC.Value = max(d.RC.Value, d.RAS.Value)
		pick(&d.Banks, 1, 2, 16)
		pick(&d.Queue, 1, 16, 4096)
		pick(&d.Row, 256, 4096)
		pick(&m.L2.Partitions, 1, 2)
		pick(&m.L2.Sets, 1, 8)
		pick(&m.L2.Ways, 1, 16)
	},
}

// quick gives a machine a memory that hardly matters.
func quick(m *machine.Machine, pick func(n *machine.Number, values ...int64)) {
	for _, n := range []*machine.Number{
		&m.Interconnect.Latency, &m.L2.Latency, &m.DRAM.Latency, &m.L2.Atomic, &m.DRAM.RRD, &m.DRAM.RCD, &m.DRAM.RAS, &m.DRAM.RP, &m.DRAM.RC, &m.DRAM.CL,
		&m.DRAM.WL, &m.DRAM.CDLR, &m.DRAM.WR, &m.DRAM.CCD, &m.ICache.Miss, &m.CCache.Miss,
	} {
		pick(n, 1)
	}
	for _, n := range []*machine.Number{&m.L1.MSHRs, &m.L1.Merge, &m.Interconnect.Flit, &m.L2.MSHRs, &m.L2.Merge} {
		pick(n, 1024)
	}
	pick(&m.Interconnect.Credits, 4096)
	pick(&m.L1.Ways, 16)
	pick(&m.L2.Ways, 16)
	pick(&m.L2.Sets, 64)
	timings(m, func(c isa.Class, t *machine.Timing) {
		if c >= isa.MemParam && c <= isa.MemAtomic && m.LSU.Buffer.Value == 0 {
			t.Latency, t.Initiation = 2, 1
		}
	})
}

func timings(m *machine.Machine, change func(c isa.Class, t *machine.Timing)) {
	m.Classes = maps.Clone(m.Classes)
	m.Pipelines = maps.Clone(m.Pipelines)
	for _, c := range isa.Classes() {
		t := m.Timing(c)
		change(c, &t)
		m.Classes[c.String()] = t
	}
}

// randomMachine draws a small and odd machine on which one thing is scarce, and any policy that is work-conserving.
func randomMachine(t testing.TB, src *rand.Rand) (*machine.Machine, string) {
	t.Helper()
	all := scoreboards()
	m := *all[src.IntN(len(all))].WithoutBasis()
	m.Name = "random"
	pick := func(n *machine.Number, values ...int64) {
		if n.Unit != "" {
			n.Value, n.Source = values[src.IntN(len(values))], "random"
		}
	}
	names := slices.Sorted(maps.Keys(stresses))
	name := names[src.IntN(len(names))]
	pick(&m.SM.Count, 1, 2, 5, 14)
	pick(&m.SM.CTAs, 1, 2, 8)
	if src.IntN(2) == 0 {
		pick(&m.SM.Dispatch, 1, 8, 30)
		pick(&m.SM.Barrier, 1, 20)
		pick(&m.L1.Sets, 1, 4, 32)
		pick(&m.L1.Ways, 1, 4)
		pick(&m.L1.MSHRs, 1, 4, 32)
		pick(&m.L1.Merge, 1, 8)
		pick(&m.Interconnect.Flit, 8, 64)
		pick(&m.Interconnect.Buffer, 1, 8)
		pick(&m.Interconnect.Credits, 1, 4, 256)
		pick(&m.L2.Partitions, 1, 2, 6)
		pick(&m.L2.Sets, 1, 8, 64)
		pick(&m.L2.Ways, 1, 16)
		pick(&m.L2.MSHRs, 1, 4, 64)
		pick(&m.L2.Merge, 1, 4)
		pick(&m.DRAM.Queue, 1, 16)
		pick(&m.DRAM.Banks, 1, 16)
		pick(&m.ICache.Sets, 1, 16)
		pick(&m.CCache.Sets, 1, 4)
		pick(&m.ICache.Miss, 1, 40, 2000)
		pick(&m.CCache.Miss, 1, 40, 2000)
	}
	if m.L2.Partitions.Value%2 != 0 {
		m.L2.Far = machine.Number{}
	}
	stresses[name](&m, pick)
	if m.L2.Partitions.Value%2 != 0 {
		m.L2.Far = machine.Number{}
	}
	if m.L1.Index.Value == machine.Fermi && (m.L1.Sets.Value != 32 || m.L1.Line.Value != 128) {
		m.L1.Index.Value = machine.Linear
	}
	if m.CarveOuts != nil {
		m.CarveOuts = maps.Clone(m.CarveOuts)
		for key, ways := range m.CarveOuts {
			ways.Value = min(ways.Value, m.L1.Ways.Value)
			m.CarveOuts[key] = ways
		}
	}
	policies := slices.DeleteFunc(machine.Policies(), func(p machine.Policy) bool { return p == machine.RR })
	m.SM.Policy.Value = policies[src.IntN(len(policies))]
	m.DRAM.Order = machine.Choice[machine.Order]{Value: machine.Orders()[src.IntN(len(machine.Orders()))], Source: "random"}
	return &m, name
}

// additions makes a kernel that adds numbers, with a barrier or without, and its job: random kernels access memory too often for the time of
// instructions to matter.
func additions(src *rand.Rand) (job, module *fstest.MapFile) {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry additions()\n{\n.reg .b32 %r<9>;\n")
	for range 20 + src.IntN(200) {
		fmt.Fprintf(&b, "add.u32 %%r%d, %%r%d, 1;\n", src.IntN(8), src.IntN(8))
		if src.IntN(200) == 0 {
			b.WriteString("bar.sync 0;\n")
		}
	}
	b.WriteString("ret;\n}\n")
	text := fmt.Sprintf("module = 'kernel.ptx'\nkernel = 'additions'\nmachine = 'm.toml'\ngrid = [%d]\nblock = [%d]\n", 1+src.IntN(40), 1+src.IntN(512))
	return &fstest.MapFile{Data: []byte(text)}, &fstest.MapFile{Data: []byte(b.String())}
}

// bounded loads a job and bounds it. Loops that depend on data get a bound that they surely keep. The estimate is nil if there is none.
func bounded(t testing.TB, fsys fstest.MapFS, maximum int) (*platform.Job, *estimate.Estimate) {
	t.Helper()
	text := string(fsys["job.toml"].Data)
	if !strings.Contains(text, "[loop]") {
		text += "\n[loop]\n"
	}
	for {
		fsys["job.toml"] = &fstest.MapFile{Data: []byte(text)}
		j, err := platform.LoadFS(fsys, "job.toml", "")
		if err != nil {
			t.Fatal(err)
		}
		a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{greedy.ID}})
		var loop *absexec.UnboundedLoop
		switch {
		case errors.As(err, &loop):
			text += fmt.Sprintf("%q = %d\n", loop.Place(), maximum)
		case err != nil:
			if testing.Verbose() {
				t.Log(err)
			}
			return j, nil
		default:
			return j, &a.Estimates[0]
		}
	}
}

// TestRandomKernels bounds random kernels on random machines, and simulates them on some inputs. No run may take longer. It counts how often each
// term of the bound is needed.
func TestRandomKernels(t *testing.T) {
	bound, sum, violations := 0, 0.0, 0
	needed, tried := make(map[string]int), make(map[string]int)
	for n := range uint64(*seeds) {
		seed := *first + n
		src := rand.New(rand.NewPCG(seed, 20))
		m, stress := randomMachine(t, src)
		opts := kernelgen.Options{
			Statements: 1 + src.IntN(10), Depth: 1 + src.IntN(2), Trips: 1 + src.IntN(3), Threads: 1 + src.IntN(100), CTAs: 1 + src.IntN(30),
			Bounded: src.IntN(8) > 0, Features: kernelgen.DrawFeatures(src), Warp: int(m.SM.WarpSize.Value), Machine: "m.toml",
		}
		if stress == "crossbar" || stress == "dram" {
			opts.Threads += 60 + src.IntN(200)
		}
		fsys := fstest.MapFS{"m.toml": {Data: m.Format()}}
		if stress == "issue" {
			fsys["job.toml"], fsys["kernel.ptx"] = additions(src)
		} else {
			c := kernelgen.New(src, opts)
			fsys["job.toml"], fsys[c.File] = &fstest.MapFile{Data: []byte(c.Job)}, &fstest.MapFile{Data: []byte(c.Module)}
		}
		j, e := bounded(t, fsys, 2*opts.Trips)
		if e == nil {
			continue
		}
		bound++
		longest := int64(0)
		for vector := range 2 {
			run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{Vector: vector})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			longest = max(longest, run.Cycles)
		}
		if longest > e.Cycles {
			violations++
			t.Errorf("seed %d, %s scarce: %d cycles, bound %d: %+v", seed, stress, longest, e.Cycles, e.Detail)
		}
		tried[stress]++
		for name, cycles := range terms(e.Detail.(*estimate.Greedy)) {
			if longest > e.Cycles-cycles {
				needed[name]++
			}
			if longest > e.Cycles-cycles/2 {
				needed[name+"/2"]++
			}
		}
		sum += float64(e.Cycles) / float64(longest)
	}
	if *first == 0 {
		for name := range terms(&estimate.Greedy{}) {
			if needed[name]*100 < bound {
				t.Errorf("term %s is needed by %d of %d bounds", name, needed[name], bound)
			}
		}
	}
	t.Logf("%d kernels, %d of which have bounds; mean of bound/simulation %.2f; needed %v, scarce %v", *seeds, bound, sum/float64(bound), needed, tried)
}

// terms returns the terms of a bound.
func terms(g *estimate.Greedy) map[string]int64 {
	return map[string]int64{
		"chain": g.Chain, "dispatch": g.Dispatch, "issue": g.Issue, "pipelines": g.Pipelines, "unit": g.Unit, "stalls": g.Stalls,
		"crossbar": g.Crossbar, "caches": g.Caches, "tags": g.Tags, "blocked": g.Blocked, "dram": g.DRAM,
	}
}
