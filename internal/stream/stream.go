// Package stream reads what a CPU core does that runs beside a kernel: a stream of accesses
// to memory, which docs/formats.md describes. Parse reads a program in a small language of
// loops, ParseTrace a list of accesses; a Cursor goes through the accesses of either.
//
// stream knows neither machines nor time beyond the gaps that a stream states. It imports
// internal/diag and nothing else of this project.
package stream

import "warpbound/diag"

// Limits of a stream.
const (
	// Max is the largest number, positive or negative, that a stream may compute, and
	// the bytes of the CPU's own memory.
	Max = 1 << 40

	// MaxBytes is the largest text in bytes.
	MaxBytes = 16 << 20

	maxNesting = 16      // of loops, and of the operands of an expression
	maxIdle    = 1 << 20 // steps from one access to the next
)

// Own is the Buffer of accesses to the CPU's own memory.
const Own = -1

// Access is one access of the CPU.
type Access struct {
	Gap    int64 // cycles from the end of the access before, or from the beginning
	Offset int64 // of the byte in its buffer, or in the CPU's own memory
	Buffer int   // index of Stream.Buffers, or Own
	Store  bool
}

// Buffer is a buffer that a stream names.
type Buffer struct {
	Name string
	Pos  diag.Pos // where it is named first
}

// Stream is what a CPU does. It is not changed after it was read.
type Stream struct {
	Buffers []Buffer // in the order in which they are named

	code  []instr  // of a program
	vars  int      // loops nested in each other, at most
	trace []record // of a trace
}

// record is an access of a trace.
type record struct {
	Access
	pos diag.Pos
}

// buffer returns the index of a buffer, which is entered if it is new.
func (s *Stream) buffer(name string, pos diag.Pos) int {
	for i := range s.Buffers {
		if s.Buffers[i].Name == name {
			return i
		}
	}
	s.Buffers = append(s.Buffers, Buffer{name, pos})
	return len(s.Buffers) - 1
}
