package analysis

import (
	"errors"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/test/effort"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// obliviousKernels are the kernels of the suite that do the same whatever their inputs are.
var obliviousKernels = []string{
	"cfdAdvance", "cfdStep", "gaussianFactor", "gaussianUpdate", "ludDiagonal", "ludInternal", "ludPerimeter", "matrixMul", "nwLower", "nwUpper", "reduction",
	"sradSelect", "sradUpdate", "vectorAdd",
}

// TestOblivious holds static/oblivious against runs with random inputs and with bytes of all kinds,
// on machines of all cores.
func TestOblivious(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(kernels.Suite(), "*/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"fermi-c2050", "gcn3-split", "integrated-fermi", "predictable-rr", "h100", "orin-nano"}
	for _, machine := range effort.Some(t, all, 2) {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			vectors := effort.Draw(t, 30)
			var found []string
			for _, file := range files {
				if machine == "gcn3-split" && file == "halfMul/job.toml" {
					continue // it is for warps of 32 threads
				}
				applies := slices.Contains(obliviousKernels, strings.TrimSuffix(file, "/job.toml"))
				if (machine == "h100" || machine == "orin-nano") && !applies && !effort.Many() {
					continue // which fermi-c2050, of the same core, refuses too
				}
				j, err := platform.LoadFS(kernels.Suite(), file, machine)
				if err != nil {
					t.Fatal(err)
				}
				a, warnings, err := Static(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"static/oblivious"}, Refusals: true})
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				if len(a.Estimates) == 0 {
					if r := a.Refused[0]; r.Sink == nil || r.Sink.SourceChain == nil || r.Pos != r.Sink.Pos || len(warnings) > 0 && warnings[0].ID == "no-static-bound" {
						t.Errorf("%s: refused %+v, warnings %+v", file, r, warnings)
					}
					continue
				}
				found = append(found, file[:len(file)-len("/job.toml")])
				holdOblivious(t, file, j, &a.Estimates[0], vectors)
			}
			for _, name := range obliviousKernels {
				if !slices.Contains(found, name) {
					t.Errorf("%s has no bound", name)
				}
			}
		})
	}
}

// holdOblivious runs a job with test vectors and with buffers full of some words: every run must
// take as long as the estimate says.
func holdOblivious(t *testing.T, name string, j *platform.Job, e *estimate.Estimate, vectors []uint64) {
	t.Helper()
	if e.Evidence != estimate.Proven || !e.Exact() {
		t.Errorf("%s: %+v", name, e)
	}
	r, err := j.Platform.Open(j.Workload, runner.Options{Repeats: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	hold := func(in *job.Inputs, what any) {
		out, err := r.Run(t.Context(), in, nil)
		if err != nil {
			t.Fatalf("%s with %v: %v", name, what, err)
		}
		if out.Cycles != e.Cycles {
			t.Errorf("%s with %v: a run takes %d cycles, not %d", name, what, out.Cycles, e.Cycles)
		}
	}
	bound := j.First().Bound
	for _, vector := range vectors {
		hold(bound.Inputs(int(vector)+1), vector+1)
	}
	for _, fill := range []uint32{0, math.MaxUint32, 0x7fc0_0001, 0x0000_0001, 0x8000_0000, 0x7f80_0000} {
		hold(filled(j.Workload, fill), fill)
	}
}

// filled returns the inputs of the first vector with sampled buffers of one word, again and again.
func filled(w *workload.Workload, word uint32) *job.Inputs {
	in := w.First().Bound.Inputs(0)
	for i, p := range w.Spec.Whole().Params {
		if p.Kind == job.Buffer && p.Content.Kind == job.Uniform {
			for at := range in.Buffers[i] {
				in.Buffers[i][at] = byte(word >> (8 * (at % 4)))
			}
		}
	}
	return in
}

// TestEffectsAreFollowed: what simulators read from the execution of an instruction is what an
// effect holds. Of each field package taint must know, by which sink or by which argument it cannot
// depend on inputs.
func TestEffectsAreFollowed(t *testing.T) {
	followed := map[string]string{
		"PC":          "the next instruction of a warp: guards of branches, targets",
		"Mask":        "guards",
		"Diverged":    "guards of branches, targets",
		"Turned":      "branches, and registers that decide where a warp goes",
		"Looked":      "the same",
		"LookedLocal": "local memory, all of it",
		"Changed":     "whether a run ends with the error of a livelock, and nothing else",
		"Recurs":      "the same",
		"Separate":    "a sink of its own: where threads of a warp wait for others",
		"Unsettled":   "taint of its own, where NaN becomes an integer",
		"Arrived":     "operands of barriers and of mbarriers",
		"Released":    "the same",
		"WarpDone":    "guards of exits",
		"CTADone":     "the same",
		"Access":      "addresses, sizes of copies",
	}
	of := reflect.TypeFor[emu.Effect]()
	for i := range of.NumField() {
		name := of.Field(i).Name
		if followed[name] == "" {
			t.Errorf("emu.Effect.%s is new: let package taint follow it, add a test to TestFollow, and a line here and in docs/methods/runs.md", name)
		}
		delete(followed, name)
	}
	access := map[string]bool{"Kind": true, "Space": true, "Bytes": true, "Lanes": true, "Addr": true, "Bulk": true, "AddrDiff": true, "Near": true}
	of = reflect.TypeFor[emu.Access]()
	for i := range of.NumField() {
		if name := of.Field(i).Name; !access[name] {
			t.Errorf("emu.Access.%s is new: let package taint follow it", name)
		}
		delete(access, of.Field(i).Name)
	}
	if len(followed)+len(access) > 0 {
		t.Error(errors.New("fields that are gone"), followed, access)
	}
}
