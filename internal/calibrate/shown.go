package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"warpbound/internal/cuda"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// number is a number of a machine that a microbenchmark shows: it takes longer the greater the number is.
type number struct {
	path    string // as in machine.Machine.Rows
	what    string // the microbenchmark
	minimum int64
	scale   float64 // so many cycles longer for one more
	value   func(m *machine.Machine) int64
	set     func(m *machine.Machine, n int64)
	probe   func(ctx context.Context, p *prober) ([]float64, error)
}

// field is a number that is a field of the machine.
func field(path string, scale float64, of func(m *machine.Machine) *machine.Number) number {
	return number{
		path: path, minimum: 1, scale: scale,
		value: func(m *machine.Machine) int64 { return of(m).Value },
		set:   func(m *machine.Machine, n int64) { of(m).Value = n },
	}
}

// The two numbers of the timing of a class or of a group of operations.
const (
	latency       = "latency"
	initiationKey = "initiation"
)

// timed is the latency or the initiation of a class or of a group of operations.
func timed(section, name, which string, scale float64) number {
	timings := func(m *machine.Machine) map[string]machine.Timing {
		if section == "operations" {
			return m.Operations
		}
		return m.Classes
	}
	at := func(t *machine.Timing) *int64 {
		if which == latency {
			return &t.Latency
		}
		return &t.Initiation
	}
	return number{
		path: section + "." + name + "." + which, minimum: 1, scale: scale,
		value: func(m *machine.Machine) int64 {
			t := timings(m)[name]
			return *at(&t)
		},
		set: func(m *machine.Machine, n int64) {
			t := timings(m)[name]
			*at(&t) = n
			timings(m)[name] = t
		},
	}
}

// shows gives a number its microbenchmark.
func (n number) shows(what string, probe func(ctx context.Context, p *prober) ([]float64, error)) number {
	n.what, n.probe = what, probe
	return n
}

// groupChains are what measures groups of operations.
var groupChains = map[string]chain{
	"convert": {
		kind{"%d", "add.u32 %%tmp, %%dep, 0x3f800000+%[2]d; mov.b32 %%f%[1]s, %%tmp;", "mov.b32 %%tmp, %%f%[1]s; xor.b32 %%sink, %%sink, %%tmp;"},
		[]string{"cvt.rzi.s32.f32 %%r%[1]s, %%f%[1]s;", "cvt.rn.f32.s32 %%f%[1]s, %%r%[1]s;"},
	},
	"count": {word, []string{"popc.b32 %[1]s, %[1]s;"}},
	"wide": {
		kind{"%%l%d", "add.u32 %%tmp, %%dep, 2*%[2]d+3; mov.b64 %[1]s, {%%tmp, %%dep};", "mov.b64 {%%a0, %%tmp}, %[1]s; xor.b32 %%sink, %%sink, %%a0;"},
		[]string{"add.u64 %[1]s, %[1]s, %%data;", "xor.b64 %[1]s, %[1]s, %%data;"},
	},
	"logic": {word, []string{"shl.b32 %[1]s, %[1]s, %%three;"}},
}

// guarded is a chain of comparisons and additions that they guard.
var guarded = chain{word, []string{"setp.ne.u32 %%p1, %[1]s, %%top;", "@%%p1 add.u32 %[1]s, %[1]s, %%three;"}}

// Chains of few instructions, so that they are in small instruction caches.
const (
	shownWidth = 12
	shownShort = 2
	shownLong  = 6
)

// chained measures a chain of dependent instructions of one warp.
func chained(c chain) func(ctx context.Context, p *prober) ([]float64, error) {
	return func(ctx context.Context, p *prober) ([]float64, error) {
		return p.slope(ctx, shape{ctas: 1, warps: 1}, of("short", c, latencySteps[0], 1), of("long", c, latencySteps[1], 1), float64(latencySteps[1]-latencySteps[0]))
	}
}

// issued measures independent instructions of as many warps as keep an SM busy. Barriers keep what begins and ends the chains of
// one warp from the steps of the others.
func issued(c chain) func(ctx context.Context, p *prober) ([]float64, error) {
	return func(ctx context.Context, p *prober) ([]float64, error) {
		separated := func(name string, steps int) kernel {
			k := of(name, c, 0, shownWidth)
			var section text
			section.WriteString(k.section + "\tbar.sync 0;\n")
			for i := range steps {
				c.step(&section, i%shownWidth, i/shownWidth)
			}
			k.section, k.sink = section.String(), "\tbar.sync 0;\n"+k.sink
			return k
		}
		return p.slope(ctx, shape{ctas: 1, warps: shownWarps}, separated("short", shownShort*shownWidth), separated("long", shownLong*shownWidth),
			float64((shownLong-shownShort)*shownWidth*shownWarps))
	}
}

// shownWarps are the warps of an SM that keep it busy: as many for each scheduler, of which there are up to four.
const shownWarps = 16

// of makes a kernel of so many steps of a chain in so many registers.
func of(name string, c chain, steps, width int) kernel {
	var section, sink text
	for n := range width {
		c.begin(&section, n)
		c.end(&sink, n)
	}
	for i := range steps {
		c.step(&section, i%width, i/width)
	}
	return kernel{name: name, section: section.String(), sink: sink.String()}
}

// shown returns the numbers of a machine that microbenchmarks show, in an order in which what a microbenchmark takes depends
// little on later numbers. It is the one place that says which these are.
func shown(m *machine.Machine) []number {
	var all []number
	issue := func(pipeline string) float64 { // cycles of an SM for one more cycle of a pipeline
		count := float64(m.Pipelines[pipeline].Value)
		if m.SM.SubCores.Value == machine.On {
			count *= float64(m.SM.Schedulers.Value)
		}
		return 1 / count
	}
	const dependent, independent = "a chain of dependent instructions", "independent instructions of all warps of an SM"
	for _, g := range []string{"logic", "wide", "convert", "count"} {
		if t, ok := m.Operations[g]; ok {
			all = append(all,
				timed("operations", g, latency, 1).shows(dependent, chained(groupChains[g])),
				timed("operations", g, initiationKey, issue(t.Pipeline)).shows(independent, issued(groupChains[g])))
		}
	}
	for _, class := range measured() {
		if _, lacks := m.StandIns["shuffle"]; lacks && class == isa.Sync {
			continue
		}
		share := 1.0
		if _, ok := m.Operations["logic"]; ok && class == isa.IntAdd {
			share = 0.5 // every other instruction is of the group
		}
		t := m.Timing(class)
		all = append(all,
			timed("classes", class.String(), latency, share).shows(dependent, chained(chains[class])),
			timed("classes", class.String(), initiationKey, share*issue(t.Pipeline)).shows(independent, issued(chains[class])))
	}
	if n, ok := guardOf(m); ok {
		all = append(all, n)
	}
	step := func(a access, stride, shift int) func(ctx context.Context, p *prober) ([]float64, error) {
		return func(ctx context.Context, p *prober) ([]float64, error) { return p.cells(ctx, a, stride, shift) }
	}
	const row = 128 // bytes of all banks: at least the distance at which all lanes want few of them
	all = append(all,
		timed("classes", "mem-shared", latency, 1).shows("a chain of loads of one word by all lanes", step(sharedLoad, 0, 0)),
		field("shared.atomic_pass", 31, func(m *machine.Machine) *machine.Number { return &m.Shared.AtomicPass }).shows("a chain of atomic additions of 32 lanes to one bank", step(sharedAtomic, row, 0)),
		timed("classes", "mem-param", latency, 1).shows("a chain of loads of a constant and additions", step(constantLoad, 0, 0)),
		timed("classes", "mem-global", latency, 1).shows("a chain of loads of a line that the L1 holds", step(globalLoad, 0, 0)),
		field("l2.latency", 1, func(m *machine.Machine) *machine.Number { return &m.L2.Latency }).shows("the quickest of loads of many lines that only the L2 holds", beyondL1(m)),
		timed("classes", "mem-atomic", latency, 1).shows("a chain of atomic additions of 32 lanes to a line", step(globalAtomics, 4, atomicShift(m))),
		field("l2.atomic", 28, func(m *machine.Machine) *machine.Number { return &m.L2.Atomic }).shows("a chain of atomic additions of 32 lanes to one word", step(globalAtomics, 0, 0)),
		field("sm.barrier", 1, func(m *machine.Machine) *machine.Number { return &m.SM.Barrier }).shows("barriers, one after the other",
			func(ctx context.Context, p *prober) ([]float64, error) { return samples(p.barrier(ctx, 4)) }),
		timed("classes", "control", latency, 1).shows("rounds of a loop",
			func(ctx context.Context, p *prober) ([]float64, error) { return samples(p.branch(ctx, 0)) }),
		field("sm.dispatch", 1, func(m *machine.Machine) *machine.Number { return &m.SM.Dispatch }).shows("time between the first instructions of CTAs of an SM",
			func(ctx context.Context, p *prober) ([]float64, error) {
				m, _, err := p.dispatch(ctx)
				return samples(m, err)
			}),
	)
	all = append(all, coldNumbers(m)...)
	for i := range all { // what passes the buffers of memory instructions takes longer than that
		if slices.Contains(buffered, all[i].path) {
			all[i].minimum = m.LSU.Latency.Value + 1
		}
	}
	return all
}

// buffered are the latencies of instructions that pass the buffers of a load/store unit.
var buffered = []string{"classes.mem-shared.latency", "classes.mem-global.latency", "classes.mem-atomic.latency"}

// guardOf is how much later than other instructions guards can use the result of a comparison, if the machine says so.
func guardOf(m *machine.Machine) (number, bool) {
	pipeline := m.Timing(isa.IntAdd).Pipeline
	if t, ok := m.Operations["logic"]; ok {
		pipeline = t.Pipeline
	}
	key := machine.Pair(pipeline, machine.Guard)
	if _, ok := m.Dependences[key]; !ok {
		return number{}, false
	}
	// A step is a comparison or an addition, so that one cycle of the machine is half of one.
	return number{
		path: "dependences." + key, scale: 0.5,
		value: func(m *machine.Machine) int64 { return m.Dependences[key].Value },
		set: func(m *machine.Machine, n int64) {
			d := m.Dependences[key]
			d.Value = n
			m.Dependences[key] = d
		},
	}.shows("a chain of comparisons and additions that they guard", chained(guarded)), true
}

// coldNumbers are those of a machine that show when something is executed or loaded for the first time.
func coldNumbers(m *machine.Machine) []number {
	var all []number
	if !m.WarmCopies() { // else the memory of a simulated microbenchmark is in the L2 when it begins
		all = append(all, field("dram.latency", 1, func(m *machine.Machine) *machine.Number { return &m.DRAM.Latency }).shows("loads of many lines that no cache holds, but for the slowest tenth", coldLoads(m)))
	}
	if line := int(m.ICache.Line.Value); line > 0 {
		fetched := line * int(m.ICache.Stream.Value+1) // instructions that one miss brings
		all = append(all, field("icache.miss", coldMisses, func(m *machine.Machine) *machine.Number { return &m.ICache.Miss }).
			shows("straight code that is executed for the first time", func(ctx context.Context, p *prober) ([]float64, error) {
				return p.slope(ctx, shape{ctas: 1, warps: 1, rounds: 1}, of("short", groupChains["logic"], fetched, shownWidth), of("long", groupChains["logic"], (1+coldMisses)*fetched, shownWidth), 1)
			}))
	}
	if line := int(m.CCache.Line.Value); line > 0 && line < ringBytes {
		all = append(all, field("ccache.miss", float64(ringBytes/line-1), func(m *machine.Machine) *machine.Number { return &m.CCache.Miss }).
			shows("loads of constants for the first time, less those of one word", func(ctx context.Context, p *prober) ([]float64, error) { return p.coldConstants(ctx, line) }))
	}
	return all
}

// coldMisses are the misses of an instruction cache by which the long microbenchmark has more.
const coldMisses = 4

// coldConstants measures how much longer loads of as many constants, line bytes from each other, take than of one, in a loop that is
// executed once.
func (p *prober) coldConstants(ctx context.Context, line int) ([]float64, error) {
	fns, unload, err := p.load(kernel{
		name:    "constants",
		prepare: "\tmov.u64 %w1, ring;\n\tcvt.u32.u64 %a1, %w1;\n",
		section: `	add.u32 %a2, %a1, %dep;
	mov.u32 %a0, %dep;
NEXT:
	.pragma "nounroll";
	ld.const.u32 %a3, [%a2];
	add.u32 %a2, %a2, %a3;
	add.u32 %a2, %a2, %stride;
	add.u32 %a0, %a0, 1;
	setp.lt.u32 %p0, %a0, %n;
	@%p0 bra NEXT;
`,
		sink: "\tmov.u32 %sink, %a2;\n",
	})
	if err != nil {
		return nil, err
	}
	defer unload()
	var out []float64
	for range p.repeats {
		var spans [2]float64
		for i, stride := range []int{0, line} {
			records, err := p.run(ctx, fns[0], shape{ctas: 1, warps: 1, rounds: 1, n: ringBytes / line, stride: stride})
			if err != nil {
				return nil, fmt.Errorf("microbenchmark constants: %w", err)
			}
			spans[i] = span(records)
		}
		out = append(out, spans[1]-spans[0])
	}
	return out, nil
}

// quantile returns the value below which a share of a list is.
func quantile(list []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(share*float64(len(sorted)-1))]
}

// beyondL1 measures loads of lines that the L2 holds, the quickest but for a tenth.
func beyondL1(m *machine.Machine) func(ctx context.Context, p *prober) ([]float64, error) {
	const lines = 4 * hits
	stride := min(int(m.L2.Interleave.Value), refineBytes/lines/2) // to reach all partitions
	return func(ctx context.Context, p *prober) ([]float64, error) {
		w, err := p.walk(".cg")
		if err != nil {
			return nil, err
		}
		defer w.unload()
		var out []float64
		for range p.repeats {
			times, err := w.times(ctx, path{n: lines, stride: stride, rounds: 3})
			if err != nil {
				return nil, err
			}
			out = append(out, quantile(times, 0.1))
		}
		return out, nil
	}
}

// coldLoads measures loads of lines side by side that no cache holds, but for the slowest tenth. The mean of many does not depend on where in a cycle
// of the DRAM one begins.
func coldLoads(m *machine.Machine) func(ctx context.Context, p *prober) ([]float64, error) {
	line := int(m.L2.Line.Value)
	return func(ctx context.Context, p *prober) ([]float64, error) {
		times, err := p.cold(ctx, 4*hits, line, line)
		if err != nil {
			return nil, err
		}
		slices.Sort(times)
		return []float64{mean(times[:len(times)*9/10])}, nil
	}
}

// atomicShift is how many neighbouring lanes, as a power of two, add to one word if the 32 lanes are on one line.
func atomicShift(m *machine.Machine) int {
	shift := 0
	for line := int64(128); line > m.L1.Line.Value; line /= 2 {
		shift++
	}
	return shift
}

// stated are the numbers that a device states about itself.
var stated = []string{
	"clock.core", "clock.dram", "sm.count", "sm.warp_size", "sm.warps", "sm.threads", "sm.cta_threads", "sm.ctas", "sm.registers", "sm.shared",
}

// hidden says why numbers are neither measured nor stated: the first row of which the path begins with the prefix and ends with the suffix.
var hidden = []struct{ prefix, suffix, reason string }{
	{"mode.", "", "whoever runs the device guarantees it"},
	{"", ".pipeline", "classes with the same times cannot be told from classes that share pipelines"},
	{"pipelines.", "", "only the rate of pipelines shows, which is their number by the initiation of what they execute"},
	{"classes.sync.", "", "the microbenchmark shuffles, which the device does by other instructions"},
	{"stand_ins.", "", "stands for instructions that the device does not have"},
	{"tensor.", "", "no microbenchmark multiplies matrices"},
	{"classes.tensor.", "", "no microbenchmark multiplies matrices"},
	{"operations.", "", "no microbenchmark executes the group, which PTX for sm_30 does not have"},
	{"classes.mem-", ".initiation", "it cannot be told from the rates of the load/store unit, of banks and of the interconnect"},
	{"classes.control.initiation", "", "it cannot be told from that of the comparisons that branches need"},
	{"dependences.", "", "a chain through several pipelines shows only the sum of what all of its steps add"},
	{"carve_outs.", "", "how a launch divides the memory of an SM is the driver's choice"},
	{"sm.register_unit", "", "the occupancy calculator states it; it decides only about occupancy"},
	{"sm.warp_unit", "", "the occupancy calculator states it; it decides only about occupancy"},
	{"sm.shared_", "", "the occupancy calculator states it; it decides only about occupancy"},
	{"sm.", "", "it belongs to the shape of the SM, which is the base's"},
	{"shared.", "", "it belongs to the shape of shared memory, which is the base's"},
	{"lsu.", "", "only sums of what the load/store unit and the class of an access add are seen"},
	{"icache.", "", "it belongs to the shape of the cache, which is the base's"},
	{"ccache.", "", "it belongs to the shape of the cache, which is the base's"},
	{"interconnect.latency", "", "only the sum of the ways there and back and of l2.latency is seen"},
	{"l1.", "", "it belongs to the shape of the cache, which is the base's"},
	{"interconnect.", "", "it belongs to the shape of the interconnect, which is the base's"},
	{"l2.far", "", "the near half keeps what it has fetched, so that a line is far only for its first load"},
	{"l2.", "", "it belongs to the shape of the cache, which is the base's"},
	{"dram.latency", "", "simulated, the memory of a microbenchmark is in the L2 when it begins, since the host has copied it"},
	{"dram.", "", "a load from DRAM shows only the sum of what all of its parts take"},
}

// reason says why a number is hidden.
func reason(path string) string {
	for _, h := range hidden {
		if strings.HasPrefix(path, h.prefix) && strings.HasSuffix(path, h.suffix) {
			return h.reason
		}
	}
	return ""
}

// Identified is a number or word of a machine and how a calibration that keeps the machine's shape finds it.
type Identified struct {
	Path  string
	Value string
	How   string // which microbenchmark or attribute gives it back; empty if none does
	Why   string // none does
}

// Identifiable lists everything that a machine says, in the order of its Rows, and whether calibrating a device that is so gives
// it back: the numbers that Refine chooses by microbenchmarks, those that devices state, and the rest, which it keeps. It
// simulates each microbenchmark with the numbers beside the stated one, since a number that makes no difference is not found.
func Identifiable(ctx context.Context, m *machine.Machine, simulate func(*machine.Machine) (cuda.Device, error)) ([]Identified, error) {
	if m.Core != machine.Scoreboard {
		return nil, fmt.Errorf("%s has %s: only machines with a scoreboard describe GPUs", m.Name, m.Core.Named())
	}
	c := &calibration{Config: Config{Simulate: simulate}, ctx: ctx, m: m.WithoutBasis()}
	how, why := map[string]string{}, map[string]string{}
	for _, path := range stated {
		how[path] = "attribute of the device"
	}
	for _, n := range shown(m) {
		other, err := c.alike(n)
		switch {
		case err != nil:
			return nil, err
		case other != 0:
			why[n.path] = fmt.Sprintf("%s: as long with %d", n.what, other)
		default:
			how[n.path] = n.what
		}
	}
	var all []Identified
	for _, row := range m.Rows() {
		id := Identified{Path: row.Path, Value: row.Value, How: how[row.Path], Why: why[row.Path]}
		if id.How == "" && id.Why == "" {
			id.Why = reason(row.Path)
		}
		all = append(all, id)
	}
	return all, nil
}

// alike returns a neighbour of a number with which its microbenchmark takes as long, 0 if both make a difference.
func (c *calibration) alike(n number) (int64, error) {
	value := n.value(c.m)
	defer n.set(c.m, value)
	probe := func(p *prober) ([]float64, error) { return n.probe(c.ctx, p) }
	time, err := c.simulated(refineBytes, probe)
	if err != nil {
		return 0, err
	}
	for _, other := range []int64{value - 1, value + 1} {
		if other < n.minimum {
			continue
		}
		n.set(c.m, other)
		beside, err := c.simulated(refineBytes, probe)
		if err != nil {
			return 0, err
		}
		if math.Abs(beside-time) < n.scale/2 {
			return other, nil
		}
	}
	return 0, nil
}
