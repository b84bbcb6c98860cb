package inspect_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/test/effort"
)

// TestCorpora inspects modules in PTX of the repository. None fails, and nothing in them
// is refused but what is there to be refused. Of the suite's kernels from other compilers nothing has a warning.
func TestCorpora(t *testing.T) {
	const root = "../.."
	var modules []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".ptx" {
			modules = append(modules, path)
		}
		return err
	})
	if err != nil || len(modules) < 300 {
		t.Errorf("%d modules, %v", len(modules), err)
	}
	for _, path := range effort.Some(t, modules, 100) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := warpbound.Inspect(t.Context(), path, src, warpbound.InspectOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, r := range m.Refused {
			if len(r.Kernels) == 0 || r.Reason == "" || r.Pos == "" {
				t.Errorf("%s: refusal %+v", path, r)
			}
		}
		corpus := filepath.Base(filepath.Dir(path)) == "corpus" // of a kernel of the suite, from other compilers
		kernel := filepath.Base(filepath.Dir(filepath.Dir(path)))
		has := slices.ContainsFunc(m.Kernels, func(k estimate.Kernel) bool { return k.Name == kernel })
		if corpus && !has {
			t.Errorf("%s: no kernel %s", path, kernel)
		}
		for _, w := range m.Warnings {
			if corpus {
				t.Errorf("%s: %s", w.Pos, w.Text)
			}
			if w.ID == "refused-statement" {
				t.Errorf("%s: %s", w.Pos, w.Text)
			}
		}
	}
}
