package warpbound_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/kernels"
)

// variant is the directory of a kernel whose job runs another module.
func variant(t *testing.T, kernel, module string) fs.FS {
	t.Helper()
	dir := os.DirFS(path.Join("kernels", kernel))
	text, err := fs.ReadFile(dir, "job.toml")
	if err != nil {
		t.Fatal(err)
	}
	own := fmt.Sprintf(`"%s.ptx"`, kernel)
	if !bytes.Contains(text, []byte(own)) {
		t.Fatalf("the job of %s does not name %s", kernel, own)
	}
	files := fstest.MapFS{"job.toml": {Data: bytes.Replace(text, []byte(own), []byte(`"`+module+`"`), 1)}}
	add := func(name string) {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	add(module)
	entries, err := fs.Glob(dir, "*.bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range entries {
		add(name)
	}
	return files
}

// TestKernelsAgainstReferences runs every kernel as each compiler setting made it
// and compares all buffers that it writes with the reference, bit by bit.
func TestKernelsAgainstReferences(t *testing.T) {
	for _, ref := range kernels.References() {
		modules := []string{ref.Kernel + ".ptx"}
		for _, setting := range []string{"O0.sm_20", "O0.sm_70", "O2.sm_20", "O2.sm_70"} {
			modules = append(modules, fmt.Sprintf("ptx/%s.%s.ptx", ref.Kernel, setting))
		}
		for _, module := range modules {
			t.Run(module, func(t *testing.T) {
				t.Parallel()
				j, err := warpbound.LoadFS(variant(t, ref.Kernel, module), "job.toml", warpbound.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				for vector := range 2 {
					compare(t, j, ref, vector)
				}
			})
		}
	}
}

func compare(t *testing.T, j *warpbound.Job, ref kernels.Reference, vector int) {
	t.Helper()
	run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
	if err != nil {
		t.Fatal(err)
	}
	in := j.Inputs(vector)
	buffers, scalars := map[string][]byte{}, map[string]uint64{}
	for name, data := range in {
		if j.HasBuffer(name) {
			buffers[name] = data
			continue
		}
		var bits [8]byte
		copy(bits[:], data)
		scalars[name] = binary.LittleEndian.Uint64(bits[:])
	}
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
