package scaffold

import (
	"context"
	"errors"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/platform"
	"warpbound/internal/workload"
)

// How often the job is executed before it is written, and how often buffers may grow by that.
const (
	verified = 4 // test vectors
	growths  = 16
)

// verify loads the job as it will be written and executes its first test vectors. A buffer that proves too small grows.
// What the job does is noted whatever the outcome; an error is one of the job as a file.
func (f *found) verify(ctx context.Context, module []byte) error {
	for range growths {
		loaded, err := f.load(module)
		if err != nil {
			return err
		}
		again, err := f.execute(ctx, loaded)
		if err != nil || !again {
			return err
		}
	}
	return nil
}

// load makes the job ready to run.
func (f *found) load(module []byte) (*workload.Workload, error) {
	const name = "job.toml"
	nothing := func(string) ([]byte, error) { return nil, errors.New("the job names no files") }
	spec, err := job.Parse(name, []byte(f.render()), nothing)
	if err != nil {
		return nil, err
	}
	loaded, err := platform.Load(&workload.Source{Spec: spec, Module: module, Read: nothing}, "")
	if err != nil {
		return nil, err
	}
	return loaded.Workload, nil
}

// execute runs the first test vectors and reports whether a buffer has grown.
func (f *found) execute(ctx context.Context, w *workload.Workload) (grown bool, err error) {
	k := w.First()
	memory := k.NewMemory()
	f.covered, f.err = make([]bool, len(f.graph.Blocks)), nil
	for v := range verified {
		launch, err := memory.Fill(k.Bound.Vector(v))
		if err != nil {
			return false, err
		}
		buffers := f.placed(w.Spec, memory)
		out, err := f.run(ctx, launch, memory.Memory(), buffers)
		if err != nil {
			return false, err
		}
		for b, c := range out.covered {
			f.covered[b] = f.covered[b] || c
		}
		if out.err != nil && f.grow(out, buffers) {
			return true, nil
		}
		f.add(out)
		if out.err != nil {
			f.err, f.at, f.pc = out.err, out.at, out.pc
			return false, nil
		}
	}
	return false, nil
}

// placed returns where the buffers of the guess lie in the memory of the job.
func (f *found) placed(spec *job.Job, memory *workload.Memory) []placed {
	var all []placed
	for i := range f.guess.words {
		w := &f.guess.words[i]
		if w.kind != isPointer {
			continue
		}
		count, ahead := f.count(i)
		size := w.elem.Bytes()
		for n, p := range spec.Whole().Params {
			if p.Kind == job.Buffer && p.Name == f.buffer(i) {
				all = append(all, placed{
					word: w.offset, address: memory.Address(n) + uint64(ahead)*uint64(size),
					before: int(ahead) * size, bytes: int(count-ahead) * size,
				})
			}
		}
	}
	return all
}

// grow enlarges the buffer beyond which a thread went.
func (f *found) grow(out *outcome, buffers []placed) bool {
	if !errors.Is(out.err, emu.ErrOutOfBounds) {
		return false
	}
	grown := false
	out.at.base.each(func(s int) {
		for _, b := range buffers {
			i := f.guess.at(b.word)
			at := int64(out.address - b.address)
			if f.evidence.sources[s].word != b.word || at < -before || at >= maxWindow {
				continue
			}
			r := f.reached[i]
			if !r.any() { // it has a size all the same
				r.min, r.max = 0, int64(b.bytes)
			}
			const widest = 16 // bytes of an access
			r.max, r.last = max(r.max, 2*at, at+widest), out.pc
			r.min = min(r.min, at)
			grown = true
		}
	})
	return grown
}

// signed returns the signed type of as many bits as an integer type has.
func signed(t isa.Type) isa.Type {
	switch t.Bits() {
	case 8:
		return isa.S8
	case 16:
		return isa.S16
	case 64:
		return isa.S64
	}
	return isa.S32
}
