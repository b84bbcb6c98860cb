package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"warpbound/internal/cuda"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// units is how a generation of devices gives out registers and shared memory.
type units struct {
	since                    cuda.Capability
	registers, warps, shared int64
}

// unitsOf are those of NVIDIA's CUDA Occupancy Calculator, newest first.
var unitsOf = []units{
	{cuda.Capability{Major: 8}, 256, 4, 128},
	{cuda.Capability{Major: 6, Minor: 1}, 256, 4, 256},
	{cuda.Capability{Major: 6}, 256, 2, 256},
	{cuda.Capability{Major: 3}, 256, 4, 256},
}

func older(a, b cuda.Capability) bool {
	return cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Minor, b.Minor)) < 0
}

// attribute begins the source of what a device states.
const attribute = "attribute of the device: "

// attributes states what the device says of itself.
func (c *calibration) attributes() error {
	a, sm := c.dev.Attributes(), &c.m.SM
	c.m.Name = strings.Trim(slug(a.Name)+"-calibrated", "-")
	c.m.About = a.Name + ", by warpbound calibrate"
	if v := a.Capability; v != (cuda.Capability{}) {
		c.m.Architecture = fmt.Sprintf("sm_%d%d", v.Major, v.Minor)
	}
	say := func(n *machine.Number, v int, what string) {
		if v > 0 {
			n.Value, n.Source = int64(v), attribute+what
		}
	}
	say(&c.m.Clock.Core, a.ClockKHz*1000, "highest clock of the SMs")
	say(&c.m.Clock.DRAM, a.MemoryKHz*1000, "highest clock of the memory")
	say(&sm.Count, a.SMs, "number of SMs")
	say(&sm.WarpSize, a.WarpSize, "warp size")
	say(&sm.Warps, a.SMThreads/a.WarpSize, "threads of an SM by warp size")
	say(&sm.Threads, a.SMThreads, "threads of an SM")
	say(&sm.CTAThreads, a.CTAThreads, "threads of a CTA")
	say(&sm.CTAs, a.SMCTAs, "CTAs of an SM")
	say(&sm.Registers, a.SMRegisters, "registers of an SM")
	say(&sm.Shared, a.SMShared, "shared memory of an SM")
	if a.ReservedShared > 0 {
		c.note("each CTA takes %d bytes of shared memory beside its own, which the simulator does not know", a.ReservedShared)
	}
	for _, u := range unitsOf {
		if !older(a.Capability, u.since) {
			source := fmt.Sprintf("NVIDIA CUDA Occupancy Calculator, compute capability %d.%d", a.Capability.Major, a.Capability.Minor)
			sm.RegisterUnit.Value, sm.RegisterUnit.Source = u.registers, source
			sm.WarpUnit.Value, sm.WarpUnit.Source = u.warps, source
			sm.SharedUnit.Value, sm.SharedUnit.Source = u.shared, source
			break
		}
	}
	return nil
}

// slug makes a name of a machine from that of a device.
func slug(name string) string {
	const maximum = 50
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	text := strings.Join(words, "-")
	return text[:min(maximum, len(text))]
}

// latencies measures the classes of arithmetic.
func (c *calibration) latencies() error {
	for _, class := range measured() {
		m, err := c.latency(c.ctx, class)
		if err != nil {
			return err
		}
		if err := m.positive(); err != nil {
			return err
		}
		c.keep(m)
		c.time(class, func(t *machine.Timing) { t.Latency, t.Source = max(1, whole(m.Median())), m.source() })
		if class == isa.IntAdd {
			c.add = m.Median()
		}
	}
	return nil
}

// memoryPipeline is the name of the pipeline for memory.
const memoryPipeline = "memory"

// pipelines measures how fast instructions of the classes can issue, and finds pipelines
// that explain it.
func (c *calibration) pipelines() error {
	c.intervals = map[isa.Class]float64{}
	sources := map[isa.Class]string{}
	for _, class := range measured() {
		samples, err := c.interval(c.ctx, []isa.Class{class}, []int{1})
		if err != nil {
			return err
		}
		m := &Measurement{Name: class.String() + ".interval", What: "independent instructions of all warps of an SM", Unit: "core cycles", Samples: samples}
		if err := m.positive(); err != nil {
			return err
		}
		c.keep(m)
		c.intervals[class], sources[class] = m.Median(), m.source()
	}
	groups, err := c.group(c.ctx, c.intervals)
	if err != nil {
		return err
	}
	memory := c.m.Pipelines[c.m.Timing(isa.MemGlobal).Pipeline]
	memory.Source = "the simulator has one for memory"
	c.m.Pipelines = map[string]machine.Number{memoryPipeline: memory}
	for _, class := range isa.Classes() {
		if class >= isa.MemParam {
			c.time(class, func(t *machine.Timing) { t.Pipeline = memoryPipeline })
		}
	}
	for _, g := range groups {
		slowest := slices.MaxFunc(g.classes, func(a, b isa.Class) int { return cmp.Compare(c.intervals[a], c.intervals[b]) })
		seen, err := c.pipelinesSeen(c.ctx, slowest)
		if err != nil {
			return err
		}
		g.fit(c.intervals, seen)
		source := fmt.Sprintf("measured by calibrate: the least number that explains the intervals of its classes; mixtures tell which share it: %v", g.classes)
		if seen == g.count {
			source = fmt.Sprintf("measured by calibrate: instructions of class %s that issue without a pause; mixtures tell which classes share it: %v", slowest, g.classes)
		}
		c.m.Pipelines[g.name()] = machine.Number{Value: g.count, Unit: memory.Unit, Source: source}
		for _, class := range g.classes {
			c.time(class, func(t *machine.Timing) {
				t.Pipeline, t.Initiation = g.name(), g.initiation[class]
				t.Source += "; initiation: " + sources[class] + " by the number of pipelines"
			})
		}
	}
	sfu := c.m.Timing(isa.SFU).Pipeline
	c.time(isa.Tensor, func(t *machine.Timing) { t.Pipeline = sfu }) // it is not measured
	return nil
}

// quickest is the class of which an SM issues most.
func (c *calibration) quickest() isa.Class {
	best := isa.IntAdd
	for _, class := range measured() {
		if c.intervals[class] < c.intervals[best]*(1-fits) {
			best = class
		}
	}
	return best
}

// warps finds out how an SM chooses among its warps.
func (c *calibration) warps() error {
	class, sm := c.quickest(), &c.m.SM
	count, m, err := c.schedulers(c.ctx, class)
	if err != nil {
		return err
	}
	c.keep(m)
	if count > 0 {
		found(&sm.Schedulers, count, "the first warp that slows down warp 0; independent instructions of class %s", class)
	} else {
		count = max(1, int(math.Round(1/c.intervals[class])))
		found(&sm.Schedulers, count, "as many as instructions of class %s issue in a cycle", class)
	}
	if 1/c.intervals[class] < 1.5 {
		c.note("no class issues twice in a cycle, so that more schedulers than %d cannot be told from fewer", count)
	}
	policy, m, err := c.policy(c.ctx, class, count)
	if err != nil {
		return err
	}
	c.keep(m)
	sm.Policy.Value, sm.Policy.Source = policy, m.source()
	barrier, err := c.barrier(c.ctx, count)
	if err != nil {
		return err
	}
	c.set(&sm.Barrier, barrier, 1)
	return nil
}

// intervalsAgain corrects the initiations of classes whose intervals are not those that the
// pipelines make of them: the last of several warps can be too few to keep slow ones busy, on
// the simulator too.
func (c *calibration) intervalsAgain() error {
	for _, class := range measured() {
		t := c.m.Timing(class)
		count, want := float64(c.m.Pipelines[t.Pipeline].Value), c.intervals[class]
		if math.Abs(float64(t.Initiation)/count/want-1) < near {
			continue
		}
		time, err := c.settle(t.Initiation, 1, 1/count, want,
			func(n int64) { c.time(class, func(t *machine.Timing) { t.Initiation = n }) },
			func(p *prober) ([]float64, error) { return p.interval(c.ctx, []isa.Class{class}, []int{1}) })
		if err != nil {
			return err
		}
		c.time(class, func(t *machine.Timing) {
			t.Source += fmt.Sprintf(", and chosen so that simulated they take %s", short(time))
		})
	}
	return nil
}

// control measures branches.
func (c *calibration) control() error {
	latency, err := c.branch(c.ctx, c.add)
	if err != nil {
		return err
	}
	both, err := c.branches(c.ctx)
	if err != nil {
		return err
	}
	c.keep(latency, both)
	home := c.m.Timing(isa.IntAdd)
	count := c.m.Pipelines[home.Pipeline].Value
	c.time(isa.Control, func(t *machine.Timing) { t.Latency, t.Pipeline = max(1, whole(latency.Median())), home.Pipeline })
	time, err := c.settle(1, 1, 1/float64(count), both.Median(),
		func(n int64) { c.time(isa.Control, func(t *machine.Timing) { t.Initiation = n }) },
		func(p *prober) ([]float64, error) { return samples(p.branches(c.ctx)) })
	c.time(isa.Control, func(t *machine.Timing) {
		t.Source = fmt.Sprintf("%s; initiation: %s; chosen so that simulated they take %s, on the pipelines of int-add, which is not measured",
			latency.source(), both.source(), short(time))
	})
	return err
}

// dispatching measures how CTAs come to SMs.
func (c *calibration) dispatching() error {
	m, seen, err := c.dispatch(c.ctx)
	if err != nil {
		return err
	}
	c.keep(m)
	dispatch := &c.m.SM.Dispatch
	time, err := c.settle(whole(m.Median()), 1, 1, m.Median(), func(n int64) { dispatch.Value = n },
		func(p *prober) ([]float64, error) {
			m, _, err := p.dispatch(c.ctx)
			return samples(m, err)
		})
	if err != nil {
		return err
	}
	dispatch.Source = fmt.Sprintf("%s; chosen so that simulated it is %s", m.source(), short(time))
	empty, err := c.launch(c.ctx)
	if err != nil {
		return err
	}
	c.keep(empty)
	if int64(seen) != c.m.SM.Count.Value {
		c.note("CTAs were on %d SMs, but the device says that it has %d", seen, c.m.SM.Count.Value)
	} else {
		c.m.SM.Count.Source += "; CTAs were on all of them"
	}
	return nil
}
