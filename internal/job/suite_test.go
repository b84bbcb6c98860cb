package job

import (
	"path/filepath"
	"testing"
)

// TestSuite loads the jobs of the benchmark suite.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob("../../kernels/*/job.toml")
	if err != nil || len(files) < 6 {
		t.Fatalf("found %v: %v", files, err)
	}
	for _, file := range files {
		j, err := Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if j.Kernel != filepath.Base(filepath.Dir(file)) || len(j.Params) == 0 || j.Pos.Grid.Line != 4 {
			t.Errorf("%s: %+v", file, j)
		}
	}
}
