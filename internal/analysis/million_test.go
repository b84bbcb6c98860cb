package analysis_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"warpbound/diag"
	"warpbound/internal/analysis"
	"warpbound/internal/budget"
	"warpbound/internal/platform"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// many is a launch of vectorAdd with so many CTAs, on buffers of random numbers of their size.
func many(t *testing.T, ctas int) fs.FS {
	t.Helper()
	module, err := fs.ReadFile(kernels.Suite(), "vectorAdd/vectorAdd.ptx")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("module = \"k.ptx\"\ntarget = \"sm_70\"\ngrid = [%d]\nblock = [64]\n", ctas)
	for _, name := range []string{"a", "b", "c"} {
		text += fmt.Sprintf("[[param]]\nname = \"%s\"\ntype = \"f32\"\ncount = %d\ninit = \"uniform(-1, 1)\"\n", name, 64*ctas)
	}
	text += fmt.Sprintf("[[param]]\nname = \"n\"\ntype = \"u32\"\nvalue = %d\n", 64*ctas)
	return fstest.MapFS{"k.ptx": {Data: module}, "job.toml": {Data: []byte(text)}}
}

// TestMillionCTAs: static methods allocate hardly more for a million CTAs than for a thousand,
// where a table of so many would take megabytes. Those that have to go through lines or
// instructions of all CTAs say that they do not.
func TestMillionCTAs(t *testing.T) {
	for _, test := range []struct {
		method, machine string
		effort          budget.Effort
		warning         string // of a million CTAs
	}{
		{"static/greedy", "fermi-c2050", 1, "lines-not-counted"},
		{"static/greedy", "h100", 1, "lines-not-counted"},
		{"static/greedy", "orin-agx", 1, "lines-not-counted"},
		{"static/cta", "predictable-rr", 1, ""},
		{"static/llc-simple", "integrated-fermi", 1, "order-not-followed"},
		{"static/llc-interval", "integrated-fermi", 1, "order-not-followed"},
		{"split/none", "gcn3-split", 0.25, "schedule-not-played"},
	} {
		bound := func(ctas int) (cycles int64, allocated uint64, warnings []diag.Warning) {
			src, err := workload.ReadFS(many(t, ctas), "job.toml")
			if err != nil {
				t.Fatal(err)
			}
			j, err := platform.Load(src.WithEffort(test.effort), test.machine)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			a, warnings, err := analysis.Static(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{test.method}})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			return a.Estimates[0].Cycles, after.TotalAlloc - before.TotalAlloc, warnings
		}
		few, small, warnings := bound(1000)
		if len(warnings) > 0 {
			t.Errorf("%s on %s: warnings of a thousand CTAs: %v", test.method, test.machine, warnings)
		}
		cycles, large, warnings := bound(1_000_000)
		if cycles < 500*few {
			t.Errorf("%s on %s: %d cycles of a thousand CTAs, %d of a million", test.method, test.machine, few, cycles)
		}
		if large > small+4<<20 {
			t.Errorf("%s on %s: %d bytes are allocated for a thousand CTAs, %d for a million", test.method, test.machine, small, large)
		}
		said := func(w diag.Warning) bool { return w.ID == test.warning }
		if test.warning == "" && len(warnings) > 0 || test.warning != "" && !slices.ContainsFunc(warnings, said) {
			t.Errorf("%s on %s: warnings of a million CTAs: %v, want %s", test.method, test.machine, warnings, test.warning)
		}
	}
}
