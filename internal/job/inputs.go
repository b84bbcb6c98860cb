package job

import "math/rand/v2"

// Inputs is the contents of one test vector, all little-endian. Both slices are
// indexed by parameter and nil where a parameter has nothing of the kind.
type Inputs struct {
	Scalars [][]byte // numbers and structs passed by value
	Buffers [][]byte // contents of the buffers before the kernel starts
}

// Inputs makes the inputs of a test vector. The same seed, vector and job give
// the same bytes on every computer.
func (b *Bound) Inputs(vector int) *Inputs {
	in := &Inputs{}
	b.Fill(vector, in)
	return in
}

// Fill is Inputs into memory that the caller has: what Inputs or Fill made for
// the same job is filled anew without allocation.
func (b *Bound) Fill(vector int, in *Inputs) {
	params := b.Job.Params
	in.Scalars = resize(in.Scalars, len(params))
	in.Buffers = resize(in.Buffers, len(params))
	for i := range params {
		p := &params[i]
		at := &in.Scalars[i]
		switch p.Kind {
		case SharedPtr:
			continue
		case Buffer:
			at = &in.Buffers[i]
		}
		*at = resize(*at, p.Bytes)
		var rng rand.PCG
		if p.Content.Kind == Uniform {
			rng = generator(b.Job.Seed, vector, i)
		}
		p.Content.fill(*at, p.Type, &rng)
	}
}

// resize returns s with n elements, in its own memory if that is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Varies reports whether test vectors differ: whether any input is sampled.
func (j *Job) Varies() bool {
	for i := range j.Params {
		if j.Params[i].Content.Kind == Uniform {
			return true
		}
	}
	return false
}

// ParamBlock lays out the arguments of the launch as the kernel reads them, in
// the memory of block if that is large enough.
// address gives the address of a buffer, or of the shared memory of a SharedPtr,
// by the index of its parameter.
func (b *Bound) ParamBlock(block []byte, in *Inputs, address func(param int) uint64) []byte {
	block = resize(block, b.ParamBytes)
	clear(block)
	for i := range b.Job.Params {
		v := &b.Kernel.Params[i]
		at := block[v.Offset : v.Offset+v.Bytes]
		switch b.Job.Params[i].Kind {
		case Buffer, SharedPtr:
			putBits(at, address(i))
		default:
			copy(at, in.Scalars[i])
		}
	}
	return block
}
