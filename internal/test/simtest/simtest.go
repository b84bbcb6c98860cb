// Package simtest is what the tests of the simulators of in-order cores share: runs and what
// holds of every one, what holds of every simulator, kernels, and the rules of requests by the
// letter.
//
// It must not import a simulator of a core, or what those share among themselves.
package simtest

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/sim"
	"warpbound/internal/test/emutest"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/trace"
)

// Prepare fills a memory with the inputs of a launch, and returns that.
type Prepare func(*emu.Memory) emu.Launch

// Simulator is what the simulators of all cores are.
type Simulator interface {
	Run(context.Context, emu.Launch, *emu.Memory, *trace.Run) (*sim.Result, error)
}

// Observation is all that a run shows.
type Observation struct {
	*sim.Result
	Trace trace.Run
	Mem   emu.Memory
}

// Observe runs a launch and checks what holds of every run.
func Observe(t testing.TB, s Simulator, prepare Prepare) *Observation {
	t.Helper()
	o := &Observation{}
	l := prepare(&o.Mem)
	result, err := s.Run(context.Background(), l, &o.Mem, &o.Trace)
	if err != nil {
		t.Fatal(err)
	}
	o.Result = keep(result)
	o.Check(t, l)
	return o
}

// keep copies a result, which the next run overwrites.
func keep(r *sim.Result) *sim.Result {
	c := *r
	c.Schedulers = nil
	for _, s := range r.Schedulers {
		c.Schedulers = append(c.Schedulers, slices.Clone(s))
	}
	c.Cores = slices.Clone(r.Cores)
	return &c
}

// Check checks what holds of every run.
func (o *Observation) Check(t testing.TB, l emu.Launch) {
	t.Helper()
	issued := int64(0)
	for i, sm := range o.Schedulers {
		for j, c := range sm {
			sum := c.Issued
			for _, n := range c.Stalls {
				sum += n
			}
			if sum != o.Cycles {
				t.Errorf("SM %d, port %d: %d cycles issued and stalls %v are not %d cycles", i, j, c.Issued, c.Stalls, o.Cycles)
			}
			issued += c.Issued
		}
	}
	if issued != o.Counters.WarpInstrs {
		t.Errorf("%d cycles issued, but %d instructions", issued, o.Counters.WarpInstrs)
	}
	if o.Trace.End != o.Cycles {
		t.Errorf("the trace ends in cycle %d, the run in %d", o.Trace.End, o.Cycles)
	}
	if !slices.IsSortedFunc(o.Trace.Records, trace.Compare) {
		t.Error("the trace is not in order")
	}
	frames := map[trace.Ipoint]int{}
	for _, r := range o.Trace.Records {
		frames[r.Ipoint]++
	}
	warps := l.Grid[0] * l.Grid[1] * l.Grid[2] * o.Occupancy.Warps
	if frames[trace.Start] != warps || frames[trace.Exit] != warps {
		t.Errorf("%d starts and %d exits of %d warps", frames[trace.Start], frames[trace.Exit], warps)
	}
}

// Same checks that two runs show the same.
func Same(t testing.TB, how string, a, b *Observation) {
	t.Helper()
	if a.Cycles != b.Cycles {
		t.Errorf("%s: %d cycles, first %d", how, b.Cycles, a.Cycles)
	}
	if a.Counters != b.Counters {
		t.Errorf("%s: counters %+v, first %+v", how, b.Counters, a.Counters)
	}
	if !reflect.DeepEqual(a.Schedulers, b.Schedulers) {
		t.Errorf("%s: the schedulers' cycles differ: %v, first %v", how, b.Stalled(), a.Stalled())
	}
	if a.Intervals != b.Intervals || !slices.Equal(a.Cores, b.Cores) {
		t.Errorf("%s: %d intervals, cores %+v, first %d, %+v", how, b.Intervals, b.Cores, a.Intervals, a.Cores)
	}
	if !slices.Equal(a.Trace.Records, b.Trace.Records) {
		t.Errorf("%s: the traces differ", how)
	}
}

// At returns when a warp reached an Ipoint for the first time, -1 if never.
func (o *Observation) At(cta, warp int, ip trace.Ipoint) int64 {
	for _, r := range o.Trace.Records {
		if int(r.CTA) == cta && int(r.Warp) == warp && r.Ipoint == ip {
			return r.Cycle
		}
	}
	return -1
}

// Issues returns the cycles in which a warp issued instructions whose Ipoints are not below
// from, in the order of issue.
func (o *Observation) Issues(cta, warp int, from trace.Ipoint) []int64 {
	var at []int64
	for _, r := range o.Trace.Records {
		if int(r.CTA) == cta && int(r.Warp) == warp && r.Ipoint >= from {
			at = append(at, r.Cycle)
		}
	}
	return at
}

// CheckWithoutTime executes the launch without time and checks that it leaves in memory what the
// run left, and executes as many instructions.
func (o *Observation) CheckWithoutTime(t testing.TB, code *emu.Code, prepare Prepare, width int) {
	t.Helper()
	var mem emu.Memory
	grid, err := emu.NewGrid(code, prepare(&mem), &mem, width)
	if err != nil {
		t.Fatal(err)
	}
	counters, err := emu.Run(context.Background(), grid)
	if err != nil {
		t.Fatal(err)
	}
	for addr := uint64(abi.GlobalBase); mem.Bytes(addr) != nil; addr += abi.AlignUp(uint64(len(mem.Bytes(addr))), abi.BufferAlign) + abi.BufferGap {
		if !bytes.Equal(mem.Bytes(addr), o.Mem.Bytes(addr)) {
			t.Errorf("the buffer at %#x is not as after an execution without time", addr)
		}
	}
	if o.Counters.WarpInstrs != counters.WarpInstrs || o.Counters.ThreadInstrs != counters.ThreadInstrs {
		t.Errorf("%d instructions of warps and %d of threads, without time %+v", o.Counters.WarpInstrs, o.Counters.ThreadInstrs, counters)
	}
}

// Load reads a job and its module, and returns the kernel and what fills a memory with its
// first inputs.
func Load(t testing.TB, text, module string) (*cfg.Graph, Prepare) {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	j, err := job.Parse("job.toml", []byte(text), func(string) ([]byte, error) { return nil, fmt.Errorf("no file") })
	fatal(err)
	prog := flowtest.Lower(t, j.Module, []byte(module))
	k, err := j.Link(prog)
	fatal(err)
	b, err := j.Bind(k)
	fatal(err)
	g, err := cfg.Build(k)
	fatal(err)
	in := b.Inputs(0)
	return g, func(mem *emu.Memory) emu.Launch {
		mem.Reset()
		addrs := make([]uint64, len(j.Params))
		for i, p := range j.Params {
			if p.Kind != job.Buffer {
				continue
			}
			addrs[i], err = mem.Alloc(p.Name, len(in.Buffers[i]))
			fatal(err)
			copy(mem.Bytes(addrs[i]), in.Buffers[i])
		}
		return emu.Launch{
			Grid: j.Grid, Block: j.Block, DynamicShared: j.Shared,
			Params: b.ParamBlock(nil, in, func(i int) uint64 { return addrs[i] }),
		}
	}
}

// Decode makes code of a kernel.
func Decode(t testing.TB, g *cfg.Graph) *emu.Code {
	t.Helper()
	code, err := emu.Decode(g.Kernel, g)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// EveryThird makes an Ipoint of every third instruction.
func EveryThird(code *emu.Code) []trace.Ipoint {
	ips := emutest.EveryInstr(code)
	for i := range ips {
		if i%3 > 0 {
			ips[i] = trace.None
		}
	}
	return ips
}
