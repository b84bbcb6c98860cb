package reproduce

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/platform"
	"warpbound/kernels"
)

// TestKeptRuns analyses a kernel again whose runs were kept, those that try its estimates too: none
// is made again, and the answer is the same.
func TestKeptRuns(t *testing.T) {
	all := kernels.SDK()
	k := all[slices.IndexFunc(all, func(k kernels.SDKKernel) bool { return k.Program == "Histogram-2" })]
	job, err := platform.LoadFS(k.Files(), "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files, answers [2]any
	for i := range answers {
		a, err := analyseSDK(t.Context(), k, job, Options{Vectors: 3, HeldOut: 2, Quick: true, Campaign: dir})
		if err != nil {
			t.Fatal(err)
		}
		answers[i] = *a
		kept := make(map[string]string)
		for _, name := range []string{"vectors-000000000.log", "holdout/vectors-000000000.log"} {
			text, err := os.ReadFile(filepath.Join(dir, k.Program, name))
			if err != nil {
				t.Fatal(err)
			}
			kept[name] = string(text)
		}
		files[i] = kept
	}
	if !reflect.DeepEqual(answers[0], answers[1]) {
		t.Errorf("%+v with runs that were kept, %+v when they were made", answers[1].(analysis.Answer), answers[0])
	}
	if !reflect.DeepEqual(files[0], files[1]) {
		t.Error("runs that were kept are made again")
	}
}
