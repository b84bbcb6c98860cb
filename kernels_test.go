package warpbound_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/kernels"
)

// variant is the directory of a kernel whose jobs run another module.
type variant struct {
	fs.FS
	module string
}

var moduleKey = regexp.MustCompile(`(?m)^module\s.*$`)

func (v variant) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(v.FS, name)
	if path.Base(name) == "job.toml" {
		data = moduleKey.ReplaceAll(data, fmt.Appendf(nil, "module = %q", v.module))
	}
	return data, err
}

func loadVariant(t *testing.T, kernel, job, module string) *warpbound.Job {
	t.Helper()
	dir := variant{os.DirFS(path.Join("kernels", kernel)), module}
	j, err := warpbound.LoadFS(dir, job, warpbound.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestKernelsAgainstReferences runs every kernel as each compiler setting made it
// and compares all buffers that it writes with the reference, bit by bit.
func TestKernelsAgainstReferences(t *testing.T) {
	againstReferences(t, kernels.References(), 2)
}

// TestLLCKernels does the same with the kernels for shared caches, which take longer.
func TestLLCKernels(t *testing.T) {
	againstReferences(t, kernels.LLC(), 1)
}

// TestSearchKernels runs the kernels for searches on all of their jobs: on random inputs, on
// the worst ones that are known, and on some of those few that the smallest have.
func TestSearchKernels(t *testing.T) {
	for i, ref := range kernels.Search() {
		facts := kernels.SearchBenchmarks()[i]
		load := func(t *testing.T, file string) *warpbound.Job {
			j, err := warpbound.LoadFS(kernels.Suite(), path.Join(ref.Kernel, file), warpbound.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		t.Run(ref.Kernel, func(t *testing.T) {
			t.Parallel()
			random := compare(t, load(t, "job.toml"), ref, 0)
			if facts.Worst != "" {
				worst := compare(t, load(t, facts.Worst), ref, 0)
				if worst < 22*random { // the largest ratio of Table IV
					t.Errorf("the worst input takes %d cycles, a random one %d", worst, random)
				}
			}
			if facts.Tiny != "" {
				j := load(t, facts.Tiny)
				for vector := range 20 {
					compare(t, j, ref, vector)
				}
			}
		})
	}
}

// TestArtificialWorst compares the input of artificial with which threads do most with others: where threads diverge, or CTAs do
// different things. Most of them take less time, and not all.
func TestArtificialWorst(t *testing.T) {
	simulate := func(equal func(thread int) bool) int64 {
		var values []byte
		for thread := range 32768 {
			var v uint32
			if equal(thread) {
				v = 1973480625
			}
			values = binary.LittleEndian.AppendUint32(values, v)
		}
		files := fstest.MapFS{"values.bin": {Data: values}}
		for _, name := range []string{"worst.toml", "artificial.ptx"} {
			data, err := fs.ReadFile(kernels.Suite(), "artificial/"+name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = &fstest.MapFile{Data: regexp.MustCompile(`init .*uniform.*`).ReplaceAll(data, []byte(`file = "values.bin"`))}
		}
		j, err := warpbound.LoadFS(files, "worst.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return run.Cycles
	}
	worst := simulate(func(int) bool { return true })
	for name, equal := range map[string]func(thread int) bool{
		"no thread":                      func(int) bool { return false },
		"half of each CTA":               func(thread int) bool { return thread%256 < 128 },
		"every other thread":             func(thread int) bool { return thread%2 == 0 },
		"one thread of each warp":        func(thread int) bool { return thread%32 == 0 },
		"all but one thread of each":     func(thread int) bool { return thread%32 != 0 },
		"all but the first warp of each": func(thread int) bool { return thread%256 >= 32 },
		"all but the last thread":        func(thread int) bool { return thread != 32767 },
		"every other CTA":                func(thread int) bool { return thread/256%2 == 0 },
	} {
		if cycles := simulate(equal); cycles >= worst {
			t.Errorf("%s: %d cycles, all: %d", name, cycles, worst)
		}
	}
	// Most work is not most time: a few threads with less to do change when others come to the memory.
	r := rand.New(rand.NewPCG(12, 0))
	few := simulate(func(int) bool { return r.IntN(128) != 0 })
	t.Logf("all: %d cycles; all but one of 128 at random: %d", worst, few)
	if few <= worst {
		t.Errorf("all but one of 128 at random: %d cycles, all: %d", few, worst)
	}
}

func againstReferences(t *testing.T, refs []kernels.Reference, vectors int) {
	for _, ref := range refs {
		modules := []string{ref.Kernel + ".ptx"}
		for _, setting := range []string{"O0.sm_20", "O0.sm_70", "O2.sm_20", "O2.sm_70"} {
			modules = append(modules, fmt.Sprintf("ptx/%s.%s.ptx", ref.Kernel, setting))
		}
		for _, module := range modules {
			t.Run(module, func(t *testing.T) {
				t.Parallel()
				j := loadVariant(t, ref.Kernel, "job.toml", module)
				for vector := range vectors {
					compare(t, j, ref, vector)
				}
			})
		}
	}
}

// TestLLCBenchmarks runs the larger jobs of these kernels, which no other test does. All
// jobs have inputs from which no result becomes large.
func TestLLCBenchmarks(t *testing.T) {
	refs := map[string]kernels.Reference{}
	for _, ref := range kernels.LLC() {
		refs[ref.Kernel] = ref
	}
	for _, b := range kernels.LLCBenchmarks() {
		for _, file := range b.Jobs {
			t.Run(b.Name+"/"+file, func(t *testing.T) {
				t.Parallel()
				j, err := warpbound.LoadFS(kernels.Suite(), file, warpbound.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				ref := refs[path.Dir(file)]
				if path.Base(file) != "job.toml" {
					compare(t, j, ref, 0)
				}
				if b.Program == "nw" {
					return // its scores are integers
				}
				buffers, scalars := arguments(j, 0)
				for name, data := range ref.Compute(buffers, scalars) {
					for i := 0; i < len(data); i += 4 {
						v := math.Float32frombits(binary.LittleEndian.Uint32(data[i:]))
						if !(math.Abs(float64(v)) < 100) {
							t.Fatalf("%s[%d] = %v", name, i/4, v)
						}
					}
				}
			})
		}
	}
}

// TestLLCLoops checks that their loops, where a compiler keeps any, have proven bounds.
func TestLLCLoops(t *testing.T) {
	for _, b := range kernels.LLCBenchmarks() {
		for _, file := range b.Jobs {
			j, err := warpbound.LoadFS(kernels.Suite(), file, warpbound.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			module := path.Dir(file) + "/" + path.Dir(file) + ".ptx"
			src, err := fs.ReadFile(kernels.Suite(), module)
			if err != nil {
				t.Fatal(err)
			}
			m, err := warpbound.Inspect(t.Context(), module, src, warpbound.InspectOptions{Job: j})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range m.Kernels[0].Loops {
				if l.PerWarp == nil || *l.PerWarp > 30 {
					t.Errorf("%s: loop %s: %s", file, l.Header, l.Bound)
				}
			}
		}
	}
}

// TestKernelsOnBarrelCores runs every kernel on the predictable machine.
func TestKernelsOnBarrelCores(t *testing.T) {
	for _, ref := range slices.Concat(kernels.References(), kernels.LLC()) {
		t.Run(ref.Kernel, func(t *testing.T) {
			t.Parallel()
			j, err := warpbound.LoadFS(os.DirFS(path.Join("kernels", ref.Kernel)), "job.toml", warpbound.LoadOptions{Machine: "predictable-rr"})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, j, ref, 0)
		})
	}
}

// TestTensorKernels runs the kernels for tensor cores on every machine that can, and compares
// what the methods promise with the times of runs.
func TestTensorKernels(t *testing.T) {
	for _, ref := range kernels.Tensor() {
		for _, machine := range []string{"fermi-c2050", "predictable-rr", "integrated-fermi"} {
			t.Run(ref.Kernel+"/"+machine, func(t *testing.T) {
				t.Parallel()
				j, err := warpbound.LoadFS(kernels.Suite(), ref.Kernel+"/job.toml", warpbound.LoadOptions{Machine: machine})
				if err != nil {
					t.Fatal(err)
				}
				compare(t, j, ref, 0)
				r, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: 2}})
				if err != nil {
					t.Fatal(err)
				}
				proven := 0
				for _, e := range r.Estimates {
					if e.Evidence == estimate.Proven {
						proven++
						if e.Cycles < r.Observed.Max {
							t.Errorf("%s: %d cycles, and a run takes %d", e.Method, e.Cycles, r.Observed.Max)
						}
					}
				}
				if methods := 1; machine != "fermi-c2050" && proven <= methods || proven == 0 { // what bounds other machines, and static/oblivious
					t.Errorf("%d proven bounds", proven)
				}
				sums := 0
				for _, w := range r.Warnings {
					if w.ID == "matrix-sums" {
						sums++
					}
				}
				if sums != 1 {
					t.Errorf("%d warnings of sums of products: %v", sums, r.Warnings)
				}
			})
		}
	}
}

// TestArgumentKernels runs the kernels with structs and pointers on every machine, compares every element of what
// they leave, and holds all bounds against the runs. What they must not write is read-only, so that a write is a fault.
func TestArgumentKernels(t *testing.T) {
	proven := map[string]int{"fermi-c2050": 2, "predictable-rr": 2, "gcn3-split": 4, "integrated-fermi": 3}
	for _, ref := range kernels.Arguments() {
		for machine, want := range proven {
			t.Run(ref.Kernel+"/"+machine, func(t *testing.T) {
				t.Parallel()
				j, err := warpbound.LoadFS(kernels.Suite(), ref.Kernel+"/job.toml", warpbound.LoadOptions{Machine: machine})
				if err != nil {
					t.Fatal(err)
				}
				buffers, scalars := arguments(j, 1)
				run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{Vector: 1})
				if err != nil {
					t.Fatal(err)
				}
				for name, want := range ref.Compute(buffers, scalars) {
					if at := firstDifference(run.Buffer(name), want); at >= 0 {
						t.Errorf("%s differs from the reference at byte %d", name, at)
					}
				}
				if len(run.Warnings) > 0 {
					t.Errorf("warnings %v", run.Warnings)
				}
				a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: 2}})
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range a.Estimates {
					if e.Evidence != estimate.Proven {
						continue
					}
					if want--; e.Cycles < run.Cycles && machine != "gcn3-split" {
						t.Errorf("%s is %d, and a run takes %d", e.Method, e.Cycles, run.Cycles)
					}
					far := run.Cycles * 3 / 2
					if e.Method == "static/greedy" { // holds for worse schedules than that of the run
						far = run.Cycles * 5
					}
					if e.Cycles > far {
						t.Errorf("%s is %d, far from a run of %d", e.Method, e.Cycles, run.Cycles)
					}
				}
				if want != 0 {
					t.Errorf("%d proven bounds too few", want)
				}
			})
		}
	}
}

// TestMiniSIMT runs every kernel for the mini-SIMT machine there, and with warps of 32
// lanes and a scoreboard.
func TestMiniSIMT(t *testing.T) {
	for _, ref := range kernels.MiniSIMT() {
		for _, machine := range []string{"", "predictable-rr", "fermi-c2050"} {
			j, err := warpbound.LoadFS(kernels.Suite(), ref.Kernel+"/job.toml", warpbound.LoadOptions{Machine: machine})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, j, ref, 0)
		}
	}
}

// TestCorpus runs every kernel, on a small launch, as every compiler of the corpus
// made it at every level for every target: all give the reference result, and
// nothing in them is warned of.
func TestCorpus(t *testing.T) {
	for _, ref := range slices.Concat(kernels.References(), kernels.LLC(), kernels.Search()) {
		modules, err := fs.Glob(os.DirFS(path.Join("kernels", ref.Kernel, "corpus")), "*.ptx")
		if err != nil {
			t.Fatal(err)
		}
		for _, module := range modules {
			t.Run(ref.Kernel+"/"+module, func(t *testing.T) {
				t.Parallel()
				compare(t, loadVariant(t, ref.Kernel, "corpus/job.toml", module), ref, 0)
			})
		}
	}
}

// compare runs a vector of a job, compares what it leaves with the reference, and returns its
// cycles.
func compare(t *testing.T, j *warpbound.Job, ref kernels.Reference, vector int) int64 {
	t.Helper()
	run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
	if err != nil {
		t.Fatal(err)
	}
	buffers, scalars := arguments(j, vector)
	for name, want := range ref.Compute(buffers, scalars) {
		got := run.Buffer(name)
		if at := firstDifference(got, want); at >= 0 {
			t.Errorf("vector %d: %s differs from the reference at byte %d", vector, name, at)
		}
	}
	for name, before := range buffers {
		if !slices.Contains(ref.Outputs, name) && !bytes.Equal(before, run.Buffer(name)) {
			t.Errorf("vector %d: the input %s was changed", vector, name)
		}
	}
	return run.Cycles
}

// arguments returns what a reference computes from.
func arguments(j *warpbound.Job, vector int) (buffers map[string][]byte, scalars map[string]uint64) {
	buffers, scalars = map[string][]byte{}, map[string]uint64{}
	for name, data := range j.Inputs(vector) {
		if j.HasBuffer(name) {
			buffers[name] = data
			continue
		}
		var bits [8]byte
		copy(bits[:], data)
		scalars[name] = binary.LittleEndian.Uint64(bits[:])
	}
	return buffers, scalars
}

// firstDifference returns the index of the first byte that differs, or -1.
func firstDifference(a, b []byte) int {
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
