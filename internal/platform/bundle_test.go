package platform_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/internal/platform"
	"warpbound/kernels"
)

// TestBundlesReproduce makes jobs again from the files that an error about a void proof gets: their
// one vector must be the inputs of the run, on the same machine.
func TestBundlesReproduce(t *testing.T) {
	for _, name := range []string{"bfs", "vectorAdd", "histogram64"} {
		j, err := platform.LoadFS(kernels.Suite(), name+"/job.toml", "integrated-fermi")
		if err != nil {
			t.Fatal(err)
		}
		const vector = 3
		in := j.First().Bound.Inputs(vector)
		void := &diag.VoidBoundError{Err: errors.New("a run takes longer")}
		if err := j.Reproduced(void, in); !errors.Is(err, void) {
			t.Fatal(err)
		}
		files := fstest.MapFS{}
		for name, text := range void.Files {
			files[name] = &fstest.MapFile{Data: text}
		}
		again, err := platform.LoadFS(files, "job.toml", "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again.Machine.Hash() != j.Machine.Hash() || again.Module.Hash != j.Module.Hash {
			t.Errorf("%s: another machine or module", name)
		}
		got := again.First().Bound.Inputs(0)
		for i := range in.Buffers {
			if !bytes.Equal(in.Buffers[i], got.Buffers[i]) {
				t.Errorf("%s: buffer %d differs", name, i)
			}
		}
		if diff := cmp.Diff(in.Scalars, got.Scalars); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if err := new(platform.Job).Reproduced(nil, nil); err != nil {
		t.Error(err)
	}
}
