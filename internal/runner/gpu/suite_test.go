package gpu_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/cfg"
	"warpbound/internal/cuda"
	"warpbound/internal/cuda/standin"
	"warpbound/internal/emu"
	"warpbound/internal/instrument"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/runner"
	"warpbound/internal/runner/gpu"
	"warpbound/internal/runner/simulated"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// bench is a job as devices run it, and as it is.
type bench struct {
	job      *job.Bound
	original *job.Bound
	module   *ptx.Module // prepared
	graph    *cfg.Graph  // of the job's kernel there
}

// load reads a job and prepares its module.
func load(t *testing.T, name string) *bench {
	t.Helper()
	j, err := job.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	src, err := job.ReadFile(j.Resolve(j.Module), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return bind(t, j, src)
}

func bind(t *testing.T, j *job.Job, src []byte) *bench {
	t.Helper()
	m, err := ptx.Parse(j.Resolve(j.Module), src)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{original: link(t, j, m)}
	if b.module, err = gpu.Prepare(m, j); err != nil {
		t.Fatal(err)
	}
	b.job = link(t, j, b.module)
	if b.graph, err = cfg.Build(b.job.Kernel); err != nil {
		t.Fatal(err)
	}
	return b
}

func link(t *testing.T, j *job.Job, m *ptx.Module) *job.Bound {
	t.Helper()
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := j.Link(p)
	if err != nil {
		t.Fatal(err)
	}
	then, err := j.LinkThen(p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := j.Bind(k, then...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func fermi(t *testing.T) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func open(t *testing.T) cuda.Device {
	t.Helper()
	d, err := standin.New(fermi(t))
	if err != nil {
		t.Fatal(err)
	}
	dev, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// start makes a runner of the job, with recording code unless code is nil.
func (b *bench) start(t *testing.T, dev cuda.Device, code *instrument.Code) *gpu.Runner {
	t.Helper()
	cfg := gpu.Config{Device: dev, Job: b.job, Records: code != nil, Timeout: time.Hour}
	var err error
	if code == nil {
		cfg.Program, err = gpu.Plain(b.module)
	} else {
		cfg.Program, err = gpu.NewProgram(code)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := gpu.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// code puts recording code before every block.
func (b *bench) code(t *testing.T) *instrument.Code {
	t.Helper()
	points, err := instrument.Find(b.module, b.graph)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]bool, len(b.graph.Blocks))
	for i := range all {
		all[i] = true
	}
	code, err := points.Choose(all)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// anything is a graph with all transitions.
type anything struct{}

func (anything) Follows(_, _ trace.Ipoint) bool { return true }

// simulate runs the original kernel on the simulator and records the code's blocks.
func (b *bench) simulate(t *testing.T, code *instrument.Code, in *job.Inputs) ([][]byte, *trace.Run) {
	t.Helper()
	points := make([]trace.Ipoint, len(code.Blocks))
	n := trace.Ipoint(0)
	for block, has := range code.Blocks {
		points[block] = trace.None
		if has {
			points[block] = n
			n++
		}
	}
	run := new(trace.Run)
	out := b.execute(t, []*job.Bound{b.original}, &runner.Record{Points: points}, in, run)
	return out.Buffers, run
}

// execute runs kernels on the simulator.
func (b *bench) execute(t *testing.T, kernels []*job.Bound, record *runner.Record, in *job.Inputs, run *trace.Run) *runner.Outcome {
	t.Helper()
	w := &workload.Workload{Spec: b.original.Job.Whole(), Machine: fermi(t)}
	for _, bound := range kernels {
		g, err := cfg.Build(bound.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		code, err := emu.Decode(bound.Kernel, g)
		if err != nil {
			t.Fatal(err)
		}
		w.Kernels = append(w.Kernels, &workload.Kernel{Bound: bound, Graph: g, Code: code, Machine: w.Machine, Registers: 20})
	}
	if w.Several() {
		vars := workload.Vars(w.Kernels)
		for _, k := range w.Kernels {
			k.Vars = vars
		}
	}
	if record != nil {
		record = &runner.Record{Points: workload.AtBlocks(w.First(), record.Points)}
	}
	r, err := simulated.New(w.Machine).Open(w, runner.Options{Record: []*runner.Record{record}})
	if err != nil {
		t.Fatal(err)
	}
	rec := &runner.Recorder{Take: func(_ int, made *trace.Run) error {
		*run = trace.Run{Records: slices.Clone(made.Records), End: made.End}
		return nil
	}}
	if run == nil {
		rec = nil
	}
	out, err := r.Run(context.Background(), in, rec)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sequences returns the Ipoints of each warp in order.
func sequences(run *trace.Run) map[[2]int32][]trace.Ipoint {
	all := make(map[[2]int32][]trace.Ipoint)
	for _, r := range run.Records {
		key := [2]int32{r.CTA, r.Warp}
		all[key] = append(all[key], r.Ipoint)
	}
	return all
}

// TestSuite runs all kernels of the suite on the device that stands in for a GPU, with
// recording code and without: results are those of the simulator, and warps pass the same
// Ipoints. Those of bfs depend on which threads come first.
func TestSuite(t *testing.T) {
	names, err := filepath.Glob("../../../kernels/*/job.toml")
	if err != nil || len(names) < 15 {
		t.Fatalf("%d jobs, %v", len(names), err)
	}
	for _, name := range names {
		if filepath.Base(filepath.Dir(name)) == "triangleSum" {
			continue // for a machine without PTX
		}
		kernel := filepath.Base(filepath.Dir(name))
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			b, dev := load(t, name), open(t)
			in := b.job.Inputs(0)
			check := func(want [][]byte, run *gpu.Run) {
				for i := range want {
					if b.job.Job.Params[i].Access == job.ReadOnly {
						continue // may hold addresses of the device; a run that changes it is an error
					}
					if !bytes.Equal(want[i], run.Buffers[i]) {
						t.Errorf("%s differs", b.job.Job.Params[i].Name)
					}
				}
			}
			plain := b.start(t, dev, nil)
			if b.job.Job.Repeat.Several() {
				check(b.rounds(t, in).Buffers, mustRun(t, plain, in))
				return
			}
			code := b.code(t)
			want, simulated := b.simulate(t, code, in)
			for range 2 { // the second time from the same state
				check(want, mustRun(t, plain, in))
			}
			run := mustRun(t, b.start(t, dev, code), in)
			check(want, run)
			var tr trace.Run
			if _, err := run.Recording.Trace(code, anything{}, &tr); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sequences(simulated), sequences(&tr)); diff != "" && kernel != "bfs" {
				t.Error(diff)
			}
		})
	}
}

func mustRun(t *testing.T, r *gpu.Runner, in *job.Inputs) *gpu.Run {
	t.Helper()
	run, err := r.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// rounds runs all launches of the original kernels on the simulator.
func (b *bench) rounds(t *testing.T, in *job.Inputs) *runner.Outcome {
	t.Helper()
	return b.execute(t, append([]*job.Bound{b.original}, b.original.Then...), nil, in, nil)
}

// TestApplication makes the launches of an application, with arguments of their own, on the device that stands in for a
// GPU: as often as on the simulator, with the same results.
func TestApplication(t *testing.T) {
	b := load(t, "../../../kernels/relaxation/application.toml")
	r := b.start(t, open(t), nil)
	defer r.Close()
	for vector := range 2 {
		in := b.job.Inputs(vector)
		want := b.rounds(t, in)
		for range 2 {
			run := mustRun(t, r, in)
			for i := range want.Buffers {
				if !bytes.Equal(want.Buffers[i], run.Buffers[i]) {
					t.Errorf("vector %d: buffer %d differs", vector, i)
				}
			}
			for i, l := range run.Launches {
				if l.Kernel != want.Launches[i].Kernel || l.Executions != want.Launches[i].Executions || l.Min <= 0 || l.Min > l.Max || l.Elapsed < l.Max {
					t.Errorf("vector %d: launch %+v, want %+v", vector, l, want.Launches[i])
				}
			}
		}
	}
}
