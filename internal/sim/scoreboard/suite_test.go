package scoreboard

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/effort"
	"warpbound/internal/trace"
	"warpbound/kernels"
)

// example is a kernel of the suite with its job.
type example struct {
	bound *job.Bound
	code  *emu.Code
	heads []trace.Ipoint // an Ipoint at every block
}

// loadExample loads a kernel of the suite. Of the job, edit holds pairs of what is there and what takes its place.
func loadExample(t testing.TB, name string, edit ...string) *example {
	t.Helper()
	suite := kernels.Suite()
	read := func(file string) []byte {
		src, err := fs.ReadFile(suite, path.Join(name, file))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	text := strings.NewReplacer(edit...).Replace(string(read("job.toml")))
	j, err := job.Parse(name+"/job.toml", []byte(text), func(file string) ([]byte, error) {
		return read(file), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ptx.Parse(j.Module, read(j.Module))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := ptx.Lower(mod)
	if err != nil {
		t.Fatal(err)
	}
	k, err := j.Link(prog)
	if err != nil {
		t.Fatal(err)
	}
	e := &example{}
	if e.bound, err = j.Bind(k); err != nil {
		t.Fatal(err)
	}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	if e.code, err = emu.Decode(k, g); err != nil {
		t.Fatal(err)
	}
	e.heads = slices.Repeat([]trace.Ipoint{trace.None}, e.code.Len())
	for b := range g.Blocks {
		e.heads[g.Blocks[b].Start] = trace.Ipoint(b)
	}
	return e
}

// prepare puts the inputs of a test vector into memory.
func (e *example) prepare(t testing.TB, mem *emu.Memory, vector int) emu.Launch {
	t.Helper()
	mem.Reset()
	in := e.bound.Inputs(vector)
	j := e.bound.Job
	launch := emu.Launch{Grid: j.Grid, Block: j.Block, DynamicShared: j.Shared}
	addrs := make([]uint64, len(j.Params))
	for i, p := range j.Params {
		switch p.Kind {
		case job.Buffer:
			addr, err := mem.Alloc(p.Name, len(in.Buffers[i]))
			if err != nil {
				t.Fatal(err)
			}
			copy(mem.Bytes(addr), in.Buffers[i])
			addrs[i] = addr
		case job.SharedPtr:
			addrs[i] = e.code.DynamicSharedOffset() + uint64(launch.DynamicShared)
			launch.DynamicShared += p.Bytes
		}
	}
	launch.Params = e.bound.ParamBlock(nil, in, func(i int) uint64 { return addrs[i] })
	return launch
}

// snapshot returns the contents of all buffers.
func (e *example) snapshot(mem *emu.Memory) [][]byte {
	var all [][]byte
	addr := uint64(abi.GlobalBase)
	for range e.bound.Job.Params {
		if b := mem.Bytes(addr); b != nil {
			all = append(all, slices.Clone(b))
			addr += uint64(len(b)+255)/256*256 + 16<<10
		}
	}
	return all
}

func (e *example) sim(t testing.TB, m *machine.Machine) *Sim {
	t.Helper()
	s, err := New(sim.Config{Code: e.code, Machine: m, RegsPerThread: 20, Ipoints: e.heads, MaxCycles: 10_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (e *example) run(t testing.TB, s *Sim, vector int) *observation {
	t.Helper()
	o := &observation{}
	o.run(t, s, e.prepare(t, &o.mem, vector))
	j := e.bound.Job
	o.check(t, j.Grid[0]*j.Grid[1]*j.Grid[2])
	return o
}

// TestSuite runs every kernel of the suite under the policies, three of them in turn unless there is more effort. The memory must
// be as after an execution without time, and as many instructions must have been
// executed, because no kernel depends on the order of its warps. A second run in
// the same storage, one in fresh storage, and one by a simulator that visits
// every cycle must show the same in every bit. Only the threads of bfs race for
// which of them discovers a vertex, which makes some execute more.
func TestSuite(t *testing.T) {
	policies := machine.Policies()
	for k, name := range kernels.Names() {
		e := loadExample(t, name)
		var mem emu.Memory
		grid, err := emu.NewGrid(e.code, e.prepare(t, &mem, 0), &mem, 32)
		if err != nil {
			t.Fatal(err)
		}
		functional, err := emu.Run(context.Background(), grid)
		if err != nil {
			t.Fatal(err)
		}
		for i, policy := range policies {
			if !effort.Many() && (i+k)%len(policies) > 2 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", name, policy), func(t *testing.T) {
				m, err := fermi(t).WithPolicy(policy)
				if err != nil {
					t.Fatal(err)
				}
				s := e.sim(t, m)
				first := e.run(t, s, 0)
				if !reflect.DeepEqual(e.snapshot(&first.mem), e.snapshot(&mem)) {
					t.Error("the memory is not as after an execution without time")
				}
				if c := first.Counters; name != "bfs" && (c.WarpInstrs != functional.WarpInstrs || c.ThreadInstrs != functional.ThreadInstrs) {
					t.Errorf("%d instructions of warps and %d of threads, without time %+v", c.WarpInstrs, c.ThreadInstrs, functional)
				}
				e.run(t, s, 1)
				same(t, "in the same storage", first, e.run(t, s, 0))
				same(t, "by visiting every cycle", first, e.run(t, slowly(e.sim(t, m)), 0))
			})
		}
	}
}

// TestRunsAllocateNothing checks that a run in storage that an equal one has used
// makes nothing new, with a trace and without.
func TestRunsAllocateNothing(t *testing.T) {
	e := loadExample(t, "reduction")
	s := e.sim(t, fermi(t))
	var mem emu.Memory
	var tr trace.Run
	launch := e.prepare(t, &mem, 0)
	run := func() {
		tr.Reset(0)
		for _, to := range []*trace.Run{&tr, nil} {
			if _, err := s.Run(context.Background(), launch, &mem, to); err != nil {
				t.Fatal(err)
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(3, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// same checks that two runs show the same.
func same(t testing.TB, how string, a, b *observation) {
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
	if !slices.Equal(a.tr.Records, b.tr.Records) {
		t.Errorf("%s: the traces differ", how)
	}
}

// BenchmarkKernels measures simulated instructions of warps per second, input
// generation excluded.
func BenchmarkKernels(b *testing.B) {
	for _, name := range kernels.Names() {
		b.Run(name, func(b *testing.B) {
			e := loadExample(b, name)
			s := e.sim(b, fermi(b))
			var mem emu.Memory
			var tr trace.Run
			instrs, cycles := int64(0), int64(0)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				launch := e.prepare(b, &mem, 0)
				tr.Reset(0)
				b.StartTimer()
				r, err := s.Run(context.Background(), launch, &mem, &tr)
				if err != nil {
					b.Fatal(err)
				}
				instrs += r.Counters.WarpInstrs
				cycles = r.Cycles
			}
			b.ReportMetric(float64(instrs)/b.Elapsed().Seconds(), "warp-instr/s")
			b.ReportMetric(float64(cycles), "cycles")
		})
	}
}
