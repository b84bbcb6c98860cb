package job

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

// Inputs is the contents of one test vector, all little-endian. Both slices are
// indexed by parameter of the whole job and nil where a parameter has nothing of the kind.
type Inputs struct {
	Scalars [][]byte // numbers and structs passed by value
	// Buffers are the contents of the buffers before the kernel starts. What Vector
	// and SetVector made has nil for each: Write makes them where they are wanted,
	// so that no copy of them is kept.
	Buffers [][]byte

	bound  *Bound // makes the buffers that are nil, as those of the vector
	vector int
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
	b.setScalars(vector, in)
	params := b.Job.Whole().Params
	for i := range params {
		if p := &params[i]; p.Kind == Buffer {
			in.Buffers[i] = resize(in.Buffers[i], p.Bytes)
			b.draw(vector, i, in.Buffers[i])
		}
	}
}

// Vector is Inputs without the contents of buffers, which Write makes.
func (b *Bound) Vector(vector int) *Inputs {
	in := &Inputs{}
	b.SetVector(vector, in)
	return in
}

// SetVector is Vector into memory that the caller has: what it made for the same
// job is made anew without allocation.
func (b *Bound) SetVector(vector int, in *Inputs) {
	b.setScalars(vector, in)
	clear(in.Buffers)
}

// setScalars begins inputs: with their numbers, and without contents of buffers
// that they did not have.
func (b *Bound) setScalars(vector int, in *Inputs) {
	params := b.Job.Whole().Params
	in.bound, in.vector = b, vector
	in.Scalars = resize(in.Scalars, len(params))
	in.Buffers = resize(in.Buffers, len(params))
	for i := range params {
		if p := &params[i]; p.byValue() {
			in.Scalars[i] = resize(in.Scalars[i], p.Bytes)
			b.draw(vector, i, in.Scalars[i])
		}
	}
	b.Job.Whole().relate(vector, in.Scalars)
}

// draw writes what a parameter holds in a test vector to memory of its size.
func (b *Bound) draw(vector, param int, to []byte) {
	p := &b.Job.Whole().Params[param]
	var rng rand.PCG
	if p.Content.Kind == Uniform {
		rng = generator(b.Job.Seed, vector, param)
	}
	p.Content.fill(to, p.Type, &rng)
	if p.Content.Kind != Uniform {
		return
	}
	for i := range b.Job.Whole().Assumes {
		if a := &b.Job.Whole().Assumes[i]; a.Array == param {
			a.settle(p, to)
		}
	}
}

// Size returns the size of a buffer in bytes.
func (in *Inputs) Size(param int) int {
	if data := in.Buffers[param]; data != nil || in.bound == nil {
		return len(data)
	}
	return in.bound.Job.Whole().Params[param].Bytes
}

// Write writes the contents of a buffer to memory of its size.
func (in *Inputs) Write(param int, to []byte) {
	if data := in.Buffers[param]; data != nil || in.bound == nil {
		copy(to, data)
		return
	}
	in.bound.draw(in.vector, param, to)
}

// Contents returns the contents of a buffer, perhaps in the memory of scratch.
func (in *Inputs) Contents(param int, scratch []byte) []byte {
	if data := in.Buffers[param]; data != nil {
		return data
	}
	scratch = resize(scratch, in.Size(param))
	in.Write(param, scratch)
	return scratch
}

// Part returns n bytes from an offset of a buffer that Contents would hold there, and makes no others; nil if those
// depend on others, or are addresses. They must not be changed.
func (in *Inputs) Part(param, offset, n int) []byte {
	if data := in.Buffers[param]; data != nil {
		return data[offset:][:n]
	}
	p := &in.bound.Job.Whole().Params[param]
	return p.Content.makePart(p.Type, offset, n)
}

// Hash returns a SHA-256, in hexadecimal, of what the inputs hold.
func (in *Inputs) Hash() string {
	h := sha256.New()
	for _, s := range in.Scalars {
		fmt.Fprintf(h, "%d %x\n", len(s), s)
	}
	for i := range in.Buffers {
		data := in.Contents(i, nil)
		fmt.Fprintf(h, "%d ", len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
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

// byValue reports whether an argument, or the field of one, is what it holds.
func (p *Param) byValue() bool { return p.Kind == Scalar || p.Kind == Struct || p.Kind == Array }

// ParamBlock lays out the arguments of the launch as the kernel reads them, in
// the memory of block if that is large enough.
// address gives the address of a buffer, or of the shared memory of a SharedPtr,
// by the index of its parameter in the launch.
func (b *Bound) ParamBlock(block []byte, in *Inputs, address func(param int) uint64) []byte {
	block = resize(block, b.ParamBytes)
	clear(block)
	for i := range b.Job.Params {
		offset, bytes, ok := b.Slot(i)
		if !ok {
			continue
		}
		at := block[offset : offset+bytes]
		switch p := &b.Job.Params[i]; p.Kind {
		case Buffer, SharedPtr:
			putBits(at, address(i))
		case View:
			putBits(at, address(p.View.Param)+p.View.Bytes)
		default:
			if from := b.Job.InWhole(i); from >= 0 {
				copy(at, in.Scalars[from])
			} else {
				copy(at, p.Content.Data)
			}
			b.Job.Relocate(i, at, address)
		}
	}
	return block
}
