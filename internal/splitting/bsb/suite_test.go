package bsb_test

import (
	"os"
	"path/filepath"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/splitting/bsb"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/isatest"
)

// graphs builds the flow graphs of the kernels of a PTX file.
func graphs(t *testing.T, file string) []*cfg.Graph {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return graphsOf(t, filepath.Base(file), text)
}

// graphsOf builds the flow graphs of the kernels of a PTX module.
func graphsOf(t *testing.T, name string, text []byte) []*cfg.Graph {
	t.Helper()
	p := flowtest.Lower(t, name, text)
	var all []*cfg.Graph
	for _, fn := range p.Funcs {
		if !fn.Entry {
			continue
		}
		k, err := isatest.Link(p, fn.Name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cfg.Build(k)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

// TestSuite: the code that compilers make of the suite's kernels at every level has a form in
// which lanes go round loops together, with all branches taken for divergent.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob("../../../kernels/*/corpus/*.ptx")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("only %d files", len(files))
	}
	for _, file := range files {
		for _, g := range graphs(t, file) {
			checkForm(t, file, g)
		}
	}
}

// TestJobs does the same for the kernels of the jobs, one in mini-SIMT code among them.
func TestJobs(t *testing.T) {
	for _, kernel := range flowtest.Kernels() {
		checkForm(t, kernel, flowtest.Suite(t, kernel).Graph)
	}
}

func checkForm(t *testing.T, name string, g *cfg.Graph) {
	t.Helper()
	f, err := bsb.New(g, bsb.Options{Lanes: 64})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if err := f.Check(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, x := range f.DivergingLoops {
		t.Errorf("%s: lanes go round the loop at %s diverged because of %s", name, g.Name(x.Header), g.Name(x.Branch))
	}
}
