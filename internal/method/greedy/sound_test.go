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
	"warpbound/internal/budget"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/method/greedy"
	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
)

var (
	alone = flag.String("scarce", "", "draw only machines on which this is scarce (see stresses); empty: any")
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
	"misses": func(m *machine.Machine, pick func(*machine.Number, ...int64)) { // in the L1, for which warps wait one after the other
		quick(m, pick)
		pick(&m.L1.Sets, 1, 2, 4, 32)
		pick(&m.L1.Ways, 1, 2, 3, 4, 16)
		pick(&m.Interconnect.Latency, 1, 300)
		pick(&m.L2.Latency, 1, 1000, 5000)
		pick(&m.DRAM.Latency, 1, 5000)
		m.L1.Index.Value = machine.Hashed
		if m.L1.Sets.Value < 4 {
			m.L1.Index.Value = machine.Linear
		}
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
	if *alone != "" {
		name = *alone
	}
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

// lookups makes a kernel whose warps load few lines often, from tables at indices that data choose, at known addresses and from local memory, and
// store to some of them now and then, and its job.
func lookups(src *rand.Rand, warp int) (job, module *fstest.MapFile) {
	size := 8 << src.IntN(5) // words of the table
	frame := 4 << src.IntN(4)
	threads, ctas := 1+src.IntN(3*warp), 1+src.IntN(20)
	count := threads*ctas + 64
	var b strings.Builder
	fmt.Fprintf(&b, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry lookups(.param .u64 in, .param .u64 tab, .param .u64 out)\n{\n"+
		".local .align 8 .b8 frame[%d];\n.reg .b32 %%r<16>;\n.reg .b64 %%d<16>;\n.reg .pred %%p<3>;\n", 4*frame)
	b.WriteString("ld.param.u64 %d0, [in];\nld.param.u64 %d1, [tab];\nld.param.u64 %d2, [out];\nmov.u64 %d3, frame;\n" +
		"mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %r0;\nmul.wide.u32 %d4, %r3, 4;\n" +
		"add.u64 %d5, %d0, %d4;\nadd.u64 %d6, %d2, %d4;\nld.global.u32 %r4, [%d5];\nmov.u32 %r9, 0;\n")
	index := func(words int) {
		fmt.Fprintf(&b, "and.b32 %%r5, %%r4, %d;\nmul.wide.u32 %%d7, %%r5, 4;\n", words-1)
	}
	some := []int{src.IntN(frame), src.IntN(frame), src.IntN(frame)}
	known := func() int { return 4 * some[src.IntN(len(some))] }
	barriers, writes, guards, wild := src.IntN(3) == 0, src.IntN(3) == 0, src.IntN(3) == 0, src.IntN(4) == 0
	loop := src.IntN(2) == 0
	if loop {
		b.WriteString("LOOP:\n")
	}
	for range 5 + src.IntN(30) {
		guard := ""
		if guards {
			switch src.IntN(6) {
			case 0:
				b.WriteString("setp.lt.u32 %p1, %r4, 200;\n")
				guard = "@%p1 "
			case 1:
				fmt.Fprintf(&b, "setp.lt.u32 %%p1, %%r0, %d;\n", src.IntN(threads+1))
				guard = "@%p1 "
			}
		}
		switch src.IntN(16) {
		case 0, 1, 2:
			index(size)
			fmt.Fprintf(&b, "add.u64 %%d8, %%d1, %%d7;\n%sld.global.u32 %%r4, [%%d8];\n", guard)
		case 3, 4:
			fmt.Fprintf(&b, "%sld.global.u32 %%r6, [%%d1+%d];\nadd.u32 %%r4, %%r4, %%r6;\n", guard, 4*src.IntN(size))
		case 5, 6:
			fmt.Fprintf(&b, "%sld.global.u32 %%r6, [%%d5+%d];\nadd.u32 %%r4, %%r4, %%r6;\n", guard, 4*src.IntN(32))
		case 7, 8, 9:
			fmt.Fprintf(&b, "%sld.local.u32 %%r6, [%%d3+%d];\n", guard, known())
			if src.IntN(3) > 0 {
				b.WriteString("add.u32 %r4, %r4, %r6;\n")
			}
		case 10, 11, 12:
			fmt.Fprintf(&b, "%sst.local.u32 [%%d3+%d], %%r4;\n", guard, known())
		case 13:
			if !wild {
				break
			}
			index(frame)
			b.WriteString("add.u64 %d8, %d3, %d7;\n")
			if src.IntN(2) == 0 {
				fmt.Fprintf(&b, "%sst.local.u32 [%%d8], %%r4;\n", guard)
			} else {
				fmt.Fprintf(&b, "%sld.local.u32 %%r4, [%%d8];\n", guard)
			}
		case 14:
			if !writes {
				fmt.Fprintf(&b, "%sst.global.u32 [%%d6], %%r4;\n", guard)
				break
			}
			index(size)
			b.WriteString("add.u64 %d8, %d1, %d7;\n")
			switch src.IntN(4) {
			case 0:
				fmt.Fprintf(&b, "%sst.global.u32 [%%d8], %%r4;\n", guard)
			case 1:
				fmt.Fprintf(&b, "%sred.global.add.u32 [%%d8], 1;\n", guard)
			case 2:
				fmt.Fprintf(&b, "%sst.global.u32 [%%d1+%d], 7;\n", guard, 4*src.IntN(size))
			case 3:
				fmt.Fprintf(&b, "%sld.volatile.global.u32 %%r4, [%%d8];\n", guard)
			}
		case 15:
			if barriers {
				b.WriteString("bar.sync 0;\n")
			}
		}
	}
	if loop {
		fmt.Fprintf(&b, "add.u32 %%r9, %%r9, 1;\nsetp.lt.u32 %%p2, %%r9, %d;\n@%%p2 bra LOOP;\n", 2+src.IntN(6))
	}
	b.WriteString("st.global.u32 [%d6], %r4;\nret;\n}\n")
	text := fmt.Sprintf("module = 'kernel.ptx'\nkernel = 'lookups'\nmachine = 'm.toml'\ngrid = [%d]\nblock = [%d]\nseed = %d\n", ctas, threads, src.IntN(1000))
	for _, p := range []string{"in", "tab", "out"} {
		n := count
		if p == "tab" {
			n = size
		}
		text += fmt.Sprintf("[[param]]\nname = '%s'\ntype = 'u32'\ncount = %d\ninit = 'uniform(0, 1000000)'\n", p, n)
	}
	return &fstest.MapFile{Data: []byte(text)}, &fstest.MapFile{Data: []byte(b.String())}
}

// moderate is how much abstract execution random kernels may take: the few that take more take more than all others together.
const moderate = budget.Effort(0.002)

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
		j.Workload.First().Bound.Job.Effort = moderate
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

// TestSummarisedLoops bounds random kernels on random machines with so little effort that iterations of loops are summarised. No run may take
// longer.
func TestSummarisedLoops(t *testing.T) {
	summarised, bound := 0, 0
	seeds := effort.Draw(t, 2000)
	for _, seed := range seeds {
		src := rand.New(rand.NewPCG(seed, 21))
		m, _ := randomMachine(t, src)
		opts := kernelgen.Options{
			Statements: 4 + src.IntN(8), Depth: 1, Trips: 40 + src.IntN(100), Threads: 1 + src.IntN(64), CTAs: 1 + src.IntN(8),
			Bounded: true, Features: kernelgen.DrawFeatures(src), Warp: int(m.SM.WarpSize.Value), Independent: m.IndependentThreads(), Machine: "m.toml",
		}
		c := kernelgen.New(src, opts)
		fsys := fstest.MapFS{"m.toml": {Data: m.Format()}, "job.toml": {Data: []byte(c.Job)}, c.File: {Data: []byte(c.Module)}}
		j, err := platform.LoadFS(fsys, "job.toml", "")
		if err != nil {
			t.Fatal(err)
		}
		j.Workload.First().Bound.Job.Effort = budget.Effort(1+src.IntN(8)) * 3e-5
		a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{greedy.ID}})
		if err != nil {
			if testing.Verbose() {
				t.Log(err)
			}
			continue
		}
		bound++
		e := &a.Estimates[0]
		if !slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "loops-summarised" }) {
			continue
		}
		summarised++
		for vector := range 2 {
			run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{Vector: vector})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if run.Cycles > e.Cycles {
				t.Errorf("seed %d: %d cycles, bound %d: %+v", seed, run.Cycles, e.Cycles, e.Detail)
			}
		}
	}
	t.Logf("%d bounds, %d with summaries", bound, summarised)
	if effort.Many() && summarised*20 < len(seeds) {
		t.Errorf("%d of %d bounds rest on summaries, fewer than a twentieth of the kernels", summarised, bound)
	}
}

// TestRandomKernels bounds random kernels on random machines, and simulates them on some inputs. No run may take longer. It counts how often each
// term of the bound is needed.
func TestRandomKernels(t *testing.T) {
	bound, sum, violations := 0, 0.0, 0
	needed, tried := make(map[string]int), make(map[string]int)
	for _, seed := range effort.Draw(t, 2000) {
		src := rand.New(rand.NewPCG(seed, 20))
		m, stress := randomMachine(t, src)
		opts := kernelgen.Options{
			Statements: 1 + src.IntN(10), Depth: 1 + src.IntN(2), Trips: 1 + src.IntN(3), Threads: 1 + src.IntN(100), CTAs: 1 + src.IntN(30),
			Bounded: src.IntN(8) > 0, Features: kernelgen.DrawFeatures(src), Warp: int(m.SM.WarpSize.Value), Independent: m.IndependentThreads(), Machine: "m.toml",
		}
		if stress == "crossbar" || stress == "dram" {
			opts.Threads += 60 + src.IntN(200)
		}
		fsys := fstest.MapFS{"m.toml": {Data: m.Format()}}
		switch {
		case stress == "issue":
			fsys["job.toml"], fsys["kernel.ptx"] = additions(src)
		case stress == "misses", stress == "stalls" && src.IntN(2) == 0, stress != "dispatch" && stress != "pipelines" && src.IntN(4) == 0:
			fsys["job.toml"], fsys["kernel.ptx"] = lookups(src, int(m.SM.WarpSize.Value))
		default:
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
	if effort.Many() && *alone == "" {
		for name := range terms(&estimate.Greedy{}) {
			if needed[name]*100 < bound {
				t.Errorf("term %s is needed by %d of %d bounds", name, needed[name], bound)
			}
		}
	}
	t.Logf("%d bounds; mean of bound/simulation %.2f; needed %v, scarce %v", bound, sum/float64(bound), needed, tried)
}

// terms returns the terms of a bound.
func terms(g *estimate.Greedy) map[string]int64 {
	return map[string]int64{
		"chain": g.Chain, "dispatch": g.Dispatch, "issue": g.Issue, "pipelines": g.Pipelines, "unit": g.Unit, "stalls": g.Stalls,
		"crossbar": g.Crossbar, "caches": g.Caches, "tags": g.Tags, "blocked": g.Blocked, "dram": g.DRAM,
	}
}
