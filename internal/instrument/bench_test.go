package instrument_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/instrument"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/sim"
	"warpbound/internal/sim/scoreboard"
	"warpbound/internal/trace"
)

// bench is a job whose kernel is run with and without recording code.
type bench struct {
	job     *job.Job
	module  *ptx.Module
	program *hybrid.Program
	graph   *cfg.Graph
	points  *instrument.Points
	machine *machine.Machine
}

// newBench loads a job from what read returns by name.
func newBench(name string, read func(string) ([]byte, error)) (*bench, error) {
	text, err := read(name)
	if err != nil {
		return nil, err
	}
	b := new(bench)
	if b.job, err = job.Parse(name, text, read); err != nil {
		return nil, err
	}
	if text, err = read(b.job.Module); err != nil {
		return nil, err
	}
	if b.module, err = ptx.Parse(b.job.Module, text); err != nil {
		return nil, err
	}
	bound, err := b.link(b.module)
	if err != nil {
		return nil, err
	}
	if b.graph, err = cfg.Build(bound.Kernel); err != nil {
		return nil, err
	}
	divergent, err := cfg.DivergentEdges(b.graph.Flow, nil)
	if err != nil {
		return nil, err
	}
	b.program = hybrid.NewProgram(b.graph, b.graph.WithEdges(divergent))
	if b.machine, err = machine.Builtin("fermi-c2050"); err != nil {
		return nil, err
	}
	b.points, err = instrument.Find(b.module, b.graph)
	return b, err
}

// jobOf makes a bench of a job and its module.
func jobOf(text, module string) (*bench, error) {
	return newBench("job.toml", func(name string) ([]byte, error) {
		if name == "job.toml" {
			return []byte(text), nil
		}
		return []byte(module), nil
	})
}

func (b *bench) link(m *ptx.Module) (*job.Bound, error) {
	program, err := ptx.Lower(m)
	if err != nil {
		return nil, err
	}
	kernel, err := b.job.Link(program)
	if err != nil {
		return nil, err
	}
	return b.job.Bind(kernel)
}

// outcome is what a run leaves.
type outcome struct {
	buffers [][]byte
	trace   trace.Run
	buffer  []byte // of recording code
}

// run simulates the kernel of a module. The layout says how large the buffer of recording code
// is; nil for a module without.
func (b *bench) run(m *ptx.Module, layout *instrument.Layout, ipoints func(*cfg.Graph) []trace.Ipoint) (*outcome, error) {
	bound, err := b.link(m)
	if err != nil {
		return nil, err
	}
	out, mem, addresses, recorded := new(outcome), new(emu.Memory), make([]uint64, len(b.job.Params)), uint64(0)
	in := bound.Inputs(0)
	for i, p := range b.job.Params {
		if p.Kind != job.Buffer {
			continue
		}
		if addresses[i], err = mem.Alloc(p.Name, len(in.Buffers[i])); err != nil {
			return nil, err
		}
		copy(mem.Bytes(addresses[i]), in.Buffers[i])
	}
	kernel := *bound.Kernel
	kernel.Vars = slices.Clone(kernel.Vars)
	for _, s := range bound.Symbols {
		kernel.Vars[s.Var].Init, kernel.Vars[s.Var].Relocs = s.Data, nil
	}
	if layout != nil {
		if recorded, err = mem.Alloc("trace", layout.Bytes()); err != nil {
			return nil, err
		}
		symbol := slices.IndexFunc(kernel.Vars, func(v isa.Var) bool { return v.Name == instrument.Symbol })
		if symbol < 0 {
			return nil, errors.New("the module has no variable for the buffer")
		}
		kernel.Vars[symbol].Init = layout.Symbol(recorded)
	}
	g, err := cfg.Build(&kernel)
	if err != nil {
		return nil, err
	}
	code, err := emu.Decode(&kernel, g)
	if err != nil {
		return nil, err
	}
	launch := emu.Launch{Grid: b.job.Grid, Block: b.job.Block, DynamicShared: b.job.Shared}
	for i, p := range b.job.Params {
		if p.Kind == job.SharedPtr {
			addresses[i] = code.DynamicSharedOffset() + uint64(launch.DynamicShared)
			launch.DynamicShared += p.Bytes
		}
	}
	launch.Params = bound.ParamBlock(nil, in, func(i int) uint64 { return addresses[i] })
	s, err := scoreboard.New(sim.Config{Code: code, Machine: b.machine, RegsPerThread: 16, Ipoints: ipoints(g)})
	if err != nil {
		return nil, err
	}
	if _, err := s.Run(context.Background(), launch, mem, &out.trace); err != nil {
		return nil, err
	}
	for i, p := range b.job.Params {
		if p.Kind == job.Buffer {
			out.buffers = append(out.buffers, mem.Bytes(addresses[i]))
		}
	}
	if layout != nil {
		out.buffer = mem.Bytes(recorded)
	}
	return out, nil
}

// measured is what a check of a placement found.
type measured struct {
	code      *instrument.Code
	ipg       *hybrid.IPG
	without   trace.Run // by the simulator, of a run without recording code
	simulated trace.Run // by the simulator, of the run with it
	recorded  trace.Run // by recording code
	*instrument.Following
}

// record runs the kernel with recording code from its text, and without.
func (b *bench) record(place method.Placement, capacity instrument.Capacity) (*measured, error) {
	chosen, err := place(b.program.Sites())
	if err != nil {
		return nil, err
	}
	m := new(measured)
	if m.code, err = b.points.Choose(chosen); err != nil {
		return nil, err
	}
	if m.ipg, err = hybrid.NewIPG(b.program, func(*method.Sites) ([]bool, error) { return m.code.Blocks, nil }); err != nil {
		return nil, err
	}
	plain, err := b.run(b.module, nil, func(g *cfg.Graph) []trace.Ipoint {
		ipoints := noIpoints(g)
		for block, at := range m.ipg.OfBlock {
			ipoints[g.Blocks[block].Start] = at
		}
		return ipoints
	})
	if err != nil {
		return nil, err
	}
	m.without = plain.trace
	var text strings.Builder
	if err := ptx.Print(&text, m.code.Module); err != nil {
		return nil, err
	}
	again, err := ptx.Parse("instrumented.ptx", []byte(text.String()))
	if err != nil {
		return nil, err
	}
	layout, err := instrument.NewLayout(b.job.Grid, b.job.Block, capacity)
	if err != nil {
		return nil, err
	}
	with, err := b.run(again, &layout, func(g *cfg.Graph) []trace.Ipoint { return b.aligned(g, m.ipg) })
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text.String())
	}
	m.simulated = with.trace
	for i := range plain.buffers {
		if !bytes.Equal(plain.buffers[i], with.buffers[i]) {
			return nil, fmt.Errorf("recording code changes buffer %d", i)
		}
	}
	recording, err := layout.Read(with.buffer)
	if err != nil {
		return nil, err
	}
	m.Following, err = recording.Trace(m.code, m.ipg, &m.recorded)
	return m, err
}

func noIpoints(g *cfg.Graph) []trace.Ipoint {
	ipoints := make([]trace.Ipoint, len(g.Kernel.Instrs))
	for i := range ipoints {
		ipoints[i] = trace.None
	}
	return ipoints
}

// aligned gives the blocks of a kernel with recording code the Ipoints that the same blocks have
// without: the other instructions are the same, in the same order.
func (b *bench) aligned(g *cfg.Graph, ipg *hybrid.IPG) []trace.Ipoint {
	ipoints := noIpoints(g)
	next := 0
	for i := range g.Kernel.Instrs {
		in, records := &g.Kernel.Instrs[i], false
		note := func(r isa.Reg) { records = records || strings.Contains(g.Kernel.Regs[r].Name, "%wb_") }
		in.Reads(note)
		in.Writes(note)
		if records {
			continue
		}
		if block := b.graph.BlockOf(next); b.graph.Blocks[block].Start == next {
			ipoints[i] = ipg.OfBlock[block]
		}
		if in.Op != b.graph.Kernel.Instrs[next].Op {
			panic("recording code changes the kernel")
		}
		next++
	}
	return ipoints
}

type warp struct{ cta, index int32 }

// sequences gives the Ipoints of every warp.
func sequences(run *trace.Run) map[warp][]trace.Ipoint {
	all := make(map[warp][]trace.Ipoint)
	for _, r := range run.Records {
		key := warp{r.CTA, r.Warp}
		all[key] = append(all[key], r.Ipoint)
	}
	return all
}

// check compares what recording code wrote with what the simulator says, warp by warp. As long as
// there is too little room for records, they are made again with more: where threads race, in
// other numbers.
func (b *bench) check(place method.Placement) (*measured, error) {
	m, err := b.record(place, instrument.NewCapacity(512))
	for {
		more, overflow := errors.AsType[*instrument.OverflowError](err)
		if !overflow {
			break
		}
		m, err = b.record(place, more.Max)
	}
	if err != nil {
		return nil, err
	}
	if err := same(&m.recorded, &m.simulated); err != nil {
		return nil, err
	}
	if m.Total() > 0 {
		return nil, fmt.Errorf("unknown transitions: %v", m.Unknown)
	}
	return m, nil
}

// same compares the Ipoints of every warp in two runs.
func same(a, b *trace.Run) error {
	got, want := sequences(a), sequences(b)
	for key, list := range want {
		if !slices.Equal(list, got[key]) {
			return fmt.Errorf("CTA %d, warp %d: %v, want %v", key.cta, key.index, got[key], list)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d warps, want %d", len(got), len(want))
	}
	return nil
}

func mustCheck(t *testing.T, b *bench, place method.Placement) *measured {
	t.Helper()
	m, err := b.check(place)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// refind looks for the points of the kernel in another module.
func (b *bench) refind(module *ptx.Module) error {
	_, err := instrument.Find(module, b.graph)
	return err
}
