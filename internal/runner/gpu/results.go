package gpu

import (
	"bytes"
	"encoding/binary"

	"warpbound/diag"
	"warpbound/internal/job"
)

// unwritten returns an error if a run has changed a buffer that its kernels only read. No device checks
// accesses as a simulator does.
func (r *Runner) unwritten(in *job.Inputs) error {
	spec := r.cfg.Job.Job
	for i := range r.buffers {
		p := &spec.Params[i]
		if p.Kind != job.Buffer || p.Access != job.ReadOnly {
			continue
		}
		before := make([]byte, p.Bytes)
		in.Write(i, before)
		spec.Relocate(i, before, r.address)
		if !bytes.Equal(before, r.buffers[i].data) {
			return diag.Errorf(p.Pos, `the kernel has written to %s, which access = "read" does not allow`, p.Name)
		}
	}
	return nil
}

// SameResults reports whether two runs left the same in the buffers of a job: bytes, or addresses of the
// same places, of which each runner has its own.
func SameResults(a, b *Runner, left, right [][]byte) bool {
	for i := range left {
		if !bytes.Equal(left[i], right[i]) && !samePlaces(a, b, left[i], right[i]) {
			return false
		}
	}
	return true
}

// samePlaces compares contents in words as wide as an address.
func samePlaces(a, b *Runner, left, right []byte) bool {
	const word = 8
	if len(left) != len(right) {
		return false
	}
	for ; len(left) >= word; left, right = left[word:], right[word:] {
		x, y := binary.LittleEndian.Uint64(left), binary.LittleEndian.Uint64(right)
		if x == y {
			continue
		}
		i, j := a.holding(x), b.holding(y)
		if i < 0 || i != j || x-uint64(a.buffers[i].at) != y-uint64(b.buffers[j].at) {
			return false
		}
	}
	return bytes.Equal(left, right)
}

// holding returns the buffer that an address points into or just behind, by parameter; -1 if there is none.
func (r *Runner) holding(address uint64) int {
	for i := range r.buffers {
		if b := &r.buffers[i]; b.at != 0 && address-uint64(b.at) <= uint64(len(b.data)) {
			return i
		}
	}
	return -1
}
