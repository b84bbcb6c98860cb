package calibrate

import (
	"context"
	"fmt"
	"slices"

	"warpbound/internal/cuda"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// independent makes a kernel of independent instructions of a class.
func independent(name string, class isa.Class, steps int) kernel {
	return sections(name, steps*busyWidth, busyWidth, []isa.Class{class}, []int{1})
}

// schedulers finds the number of schedulers of an SM: warp k is the first that slows down
// warp 0, since both have the same scheduler. Instructions of the class must be accepted
// from two schedulers at a time. It is 0 if no warp of a CTA does.
func (p *prober) schedulers(ctx context.Context, class isa.Class) (int, *Measurement, error) {
	short, long := independent("short", class, 2), independent("long", class, 8)
	fns, unload, err := p.load(short, long)
	if err != nil {
		return 0, nil, err
	}
	defer unload()
	warps := min(32, fns[0].Attributes().MaxThreads/32)
	m := &Measurement{Name: "sm.schedulers", What: fmt.Sprintf("time of warps 0 and k with independent instructions of class %s, by that of warp 0 alone, k = 1, 2, ...", class), Unit: "ratio"}
	rate := func(active uint32) (float64, error) {
		samples, err := p.slopes(ctx, shape{ctas: 1, warps: warps, active: active}, [2]cuda.Function(fns), 1)
		if err != nil {
			return 0, err
		}
		return median(samples), nil
	}
	alone, err := rate(1)
	for k := 1; k < warps && err == nil; k++ {
		var both float64
		both, err = rate(1 | 1<<k)
		m.Samples = append(m.Samples, both/alone)
		if both > 1.5*alone {
			return k, m, err
		}
	}
	return 0, m, err
}

// policySteps are the instructions of each chain in the kernels that tell policies apart.
const policySteps = 16

// inOrder makes a kernel of independent instructions of a class that reads the clock when
// the last of them has issued, without waiting for any: a greedy scheduler gives a warp
// up when it waits. If chained is set, warp 0 executes a chain of as many dependent ones instead.
func inOrder(name string, class isa.Class, chained bool) kernel {
	k, c := independent(name, class, 0), chains[class]
	var other text
	other.WriteString(k.section)
	if chained {
		other.WriteString("\tsetp.ne.u32 %p31, %warp, 0;\n\t@%p31 bra SECOND;\n")
		for i := range policySteps * busyWidth {
			c.step(&other, 0, i)
		}
		other.WriteString("\tbra.uni JOIN;\nSECOND:\n")
	}
	for i := range policySteps {
		switch i { // the guard is known when the last steps have issued
		case policySteps - 2:
			c.end(&other, 0)
		case policySteps - 1:
			other.WriteString("\tsetp.le.u32 %p30, %zero, %sink;\n")
		}
		for number := range busyWidth {
			c.step(&other, number, i)
		}
	}
	other.WriteString("\t@%p30 mov.u64 %w1, %clock64;\nJOIN:\n")
	k.entry, k.section, k.finish = "\tmov.u64 %w1, 0;\n", other.String(), "\tmov.u64 %c1, %w1;\n"
	return k
}

// policy finds out which of two warps a scheduler prefers. Warps 0 and second have the
// same one.
func (p *prober) policy(ctx context.Context, class isa.Class, second int) (machine.Policy, *Measurement, error) {
	fns, unload, err := p.load(inOrder("same", class, false), inOrder("mixed", class, true))
	if err != nil {
		return "", nil, err
	}
	defer unload()
	ends := func(fn cuda.Function, active uint32) (first, last float64, err error) {
		records, err := p.run(ctx, fn, shape{ctas: 1, warps: second + 1, active: active})
		if err != nil {
			return 0, 0, err
		}
		return records[0].cycles(), records[second].cycles(), nil
	}
	m := &Measurement{Name: "sm.policy", Unit: "ratio", What: "times of two warps of a scheduler with independent instructions, the longer by the shorter"}
	only := uint32(1) << second
	youngest := 0 // how often the youngest warp ended first
	for range p.repeats {
		a, b, err := ends(fns[0], 1|only)
		if err != nil {
			return "", nil, err
		}
		if b < a {
			youngest++
		}
		m.Samples = append(m.Samples, max(a, b)/min(a, b))
	}
	switch {
	case m.Median() > 1.4 && 2*youngest > p.repeats:
		return machine.GTY, m, nil
	case m.Median() > 1.4:
		return machine.GTO, m, nil
	}
	m.Samples = nil
	m.What = "time of a warp with independent instructions, beside one with a chain of dependent ones by alone; equal warps of a scheduler end together"
	for range p.repeats {
		_, alone, err := ends(fns[1], only)
		if err != nil {
			return "", nil, err
		}
		_, beside, err := ends(fns[1], 1|only)
		if err != nil {
			return "", nil, err
		}
		m.Samples = append(m.Samples, beside/alone)
	}
	if m.Median() > 2.5 {
		return machine.RR, m, nil
	}
	return machine.LRR, m, nil
}

// barrier measures how long a barrier takes from the last arrival until the warps go on,
// with one warp for each scheduler.
func (p *prober) barrier(ctx context.Context, schedulers int) (*Measurement, error) {
	barriers := func(name string, n int) kernel {
		return kernel{name: name, section: repeat("\tbar.sync 0;\n", n), sink: "\tmov.u32 %sink, %dep;\n"}
	}
	samples, err := p.slope(ctx, shape{ctas: 1, warps: schedulers}, barriers("short", 16), barriers("long", 48), 32)
	return &Measurement{Name: "sm.barrier", What: fmt.Sprintf("barriers of %d warps, one after the other", schedulers), Unit: "core cycles", Samples: samples}, err
}

// branch measures how long after a branch that is taken the next instruction issues:
// a round of a loop, without the two dependent instructions before the branch.
func (p *prober) branch(ctx context.Context, add float64) (*Measurement, error) {
	loop := kernel{name: "loop", section: `	mov.u32 %a0, %dep;
LOOP:
	.pragma "nounroll";
	add.u32 %a0, %a0, 1;
	setp.lt.u32 %p0, %a0, %n;
	@%p0 bra LOOP;
`, sink: "\tmov.u32 %sink, %a0;\n"}
	fns, unload, err := p.load(loop)
	if err != nil {
		return nil, err
	}
	defer unload()
	m := &Measurement{Name: "control.latency", What: "rounds of a loop, less two dependent instructions of class int-add", Unit: "core cycles"}
	for range p.repeats {
		var spans [2]float64
		for i, n := range []int{32, 160} {
			records, err := p.run(ctx, fns[0], shape{ctas: 1, warps: 1, n: n})
			if err != nil {
				return nil, err
			}
			spans[i] = span(records)
		}
		m.Samples = append(m.Samples, (spans[1]-spans[0])/128-2*add)
	}
	return m, nil
}

// branches measures how many cycles of an SM a comparison and a branch that is not taken
// take when warps have as many of them as they can.
func (p *prober) branches(ctx context.Context) (*Measurement, error) {
	const predicates = 24
	code := func(name string, blocks int) kernel {
		var b text
		for k := range blocks {
			for i := range predicates {
				fmt.Fprintf(&b, "\tsetp.eq.u32 %%p%d, %%sink, %d;\n", i, k*predicates+i+1)
			}
			for i := range predicates {
				fmt.Fprintf(&b, "\t@%%p%d bra OUT;\n", i)
			}
		}
		return kernel{name: name, begin: "\tmov.u32 %sink, 0;\n", section: "\tor.b32 %sink, %sink, %dep;\n" + b.String() + "OUT:\n"}
	}
	const maximum, short, long = 32, 2, 6
	fns, unload, err := p.load(code("short", short), code("long", long))
	if err != nil {
		return nil, err
	}
	defer unload()
	warps := min(maximum, fns[1].Attributes().MaxThreads/32)
	samples, err := p.slopes(ctx, shape{ctas: 1, warps: warps}, [2]cuda.Function(fns), float64((long-short)*predicates*warps))
	return &Measurement{Name: "control.interval", What: "comparisons with branches that are not taken, all warps of an SM", Unit: "core cycles", Samples: samples}, err
}

// dispatch measures the time between the starts of neighbouring CTAs of an SM, and counts
// the SMs.
func (p *prober) dispatch(ctx context.Context) (*Measurement, int, error) {
	a := p.dev.Attributes()
	perSM := max(2, min(8, a.SMCTAs))
	// After the clock a warp waits, so that others can start.
	const first = "\tmov.u64 %w0, %clock64;\n\tcvt.u32.u64 %a0, %w0;\n\tand.b32 %a0, %a0, 255;\n\tor.b32 %a0, %a0, 1;\n"
	k := kernel{name: "start", entry: first + repeat("\tdiv.u32 %a0, 65536, %a0;\n", 8), section: "\tadd.u32 %sink, %a0, %dep;\n", finish: "\tmov.u64 %c0, %w0;\n"}
	fns, unload, err := p.load(k)
	if err != nil {
		return nil, 0, err
	}
	defer unload()
	m := &Measurement{Name: "sm.dispatch", What: "time between the first instructions of CTAs of an SM", Unit: "core cycles per CTA"}
	seen := 0
	for range p.repeats {
		records, err := p.run(ctx, fns[0], shape{ctas: a.SMs * perSM, warps: 1})
		if err != nil {
			return nil, 0, err
		}
		starts := map[uint32][]uint64{}
		for _, r := range records {
			starts[r.sm] = append(starts[r.sm], r.start)
		}
		seen = max(seen, len(starts))
		var gaps []float64 // means, since a start can be late by an instruction of another warp
		for _, at := range starts {
			if n := len(at); n > 1 {
				gaps = append(gaps, float64(slices.Max(at)-slices.Min(at))/float64(n-1))
			}
		}
		if len(gaps) == 0 {
			return nil, 0, fmt.Errorf("microbenchmark start: no SM executed two of %d CTAs: %w", len(records), cuda.ErrLaunch)
		}
		m.Samples = append(m.Samples, median(gaps))
	}
	return m, seen, nil
}

// launch measures how long a kernel takes by events that does nothing: what a launch costs
// beside the kernel.
func (p *prober) launch(ctx context.Context) (*Measurement, error) {
	mod, err := p.dev.Load([]byte(header + ".visible .entry empty()\n{\n\tret;\n}\n"))
	if err != nil {
		return nil, fmt.Errorf("microbenchmark empty: %w", err)
	}
	defer mod.Unload()
	fn, err := mod.Function("empty")
	if err != nil {
		return nil, fmt.Errorf("microbenchmark empty: %w", err)
	}
	m := &Measurement{Name: "launch", What: "launches of an empty kernel, by CUDA events", Unit: "ns"}
	for range p.repeats {
		time, err := fn.Launch(ctx, cuda.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}})
		if err != nil {
			return nil, fmt.Errorf("microbenchmark empty: %w", err)
		}
		m.Samples = append(m.Samples, float64(time.Nanoseconds()))
	}
	return m, nil
}

func repeat(code string, n int) string {
	var b text
	for range n {
		b.WriteString(code)
	}
	return b.String()
}
