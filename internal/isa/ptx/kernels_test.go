package ptx

import (
	"os"
	"path/filepath"
	"testing"

	"warpbound/internal/test/isatest"
)

// modules returns the committed PTX of the kernels and of this package.
func modules(t testing.TB) map[string][]byte {
	t.Helper()
	sources := make(map[string][]byte)
	const suite = "../../../kernels/*/"
	for _, pattern := range []string{suite + "*.ptx", suite + "ptx/*.ptx", suite + "corpus/*.ptx", "testdata/*.ptx"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if sources[file], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(sources) < 200 {
		t.Fatalf("only %d modules found", len(sources))
	}
	return sources
}

// TestKernelsLower checks that the modules lower without a warning, so that
// every instruction in them is known, and that every kernel links.
func TestKernelsLower(t *testing.T) {
	for file, src := range modules(t) {
		m, err := Parse(file, src)
		if err != nil {
			t.Error(err)
			continue
		}
		p, err := Lower(m)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range p.Warnings {
			t.Errorf("%s: %s", w.Pos, w.Text)
		}
		if len(p.Entries()) == 0 {
			t.Errorf("%s has no kernel", file)
		}
		for _, f := range p.Entries() {
			if _, err := isatest.Link(p, f.Name); err != nil {
				t.Error(err)
			}
		}
	}
}
