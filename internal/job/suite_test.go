package job_test

import (
	"os"
	"path/filepath"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
)

// TestSuite binds the jobs of the benchmark suite to their kernels.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob("../../kernels/*/job.toml")
	if err != nil || len(files) < 6 {
		t.Fatalf("found %v: %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			j, err := job.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			src, err := os.ReadFile(j.Resolve(j.Module))
			if err != nil {
				t.Fatal(err)
			}
			program, err := lower(j.Module, src)
			if err != nil {
				t.Fatal(err)
			}
			k, err := j.Link(program)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := j.Bind(k); err != nil {
				t.Error(err)
			}
		})
	}
}

// lower reads a module of the suite.
func lower(file string, src []byte) (*isa.Program, error) {
	if filepath.Ext(file) == ".simt" {
		module, err := minisimt.Parse(file, src)
		if err != nil {
			return nil, err
		}
		return minisimt.Lower(module)
	}
	module, err := ptx.Parse(file, src)
	if err != nil {
		return nil, err
	}
	return ptx.Lower(module)
}
