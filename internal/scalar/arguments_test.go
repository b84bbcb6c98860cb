package scalar_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/scalar"
	"warpbound/kernels"
)

// TestArguments executes the kernels whose arguments hold structs and pointers, thread by thread.
func TestArguments(t *testing.T) {
	for _, ref := range kernels.Arguments() {
		t.Run(ref.Kernel, func(t *testing.T) {
			b := load(t, "../../kernels/"+ref.Kernel+"/job.toml")
			in := b.Inputs(0)
			buffers, numbers := map[string][]byte{}, map[string]uint64{}
			for i, p := range b.Job.Params {
				if p.Kind == job.Buffer {
					buffers[p.Name] = in.Buffers[i]
					continue
				}
				numbers[p.Name] = binary.LittleEndian.Uint64(append(bytes.Clone(in.Scalars[i]), make([]byte, 8)...))
			}
			g, err := cfg.Build(b.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			got, err := scalar.Execute(g, b, in, nil)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range ref.Compute(buffers, numbers) {
				for i, p := range b.Job.Params {
					if p.Name == name && !bytes.Equal(got[i], want) {
						t.Errorf("%s is %x, want %x", name, got[i], want)
					}
				}
			}
		})
	}
}

// load reads a job and binds it to its kernel.
func load(t *testing.T, name string) *job.Bound {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	j, err := job.Load(name)
	fatal(err)
	src, err := job.ReadFile(j.Resolve(j.Module), 1<<20)
	fatal(err)
	m, err := ptx.Parse(j.Module, src)
	fatal(err)
	p, err := ptx.Lower(m)
	fatal(err)
	k, err := j.Link(p)
	fatal(err)
	b, err := j.Bind(k)
	fatal(err)
	return b
}
