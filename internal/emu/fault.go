package emu

import (
	"errors"
	"fmt"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// Fault is an error of the executed program: which thread of which kernel did
// what, and where.
type Fault struct {
	Kernel *isa.Kernel
	CTA    [3]int
	Thread [3]int // within the CTA
	Instr  *isa.Instr
	Err    error
}

// Error renders everything in one line; the position is that of the
// instruction in the module, followed by that in the compiler's source. What
// linking added to end the run is not shown: its error says all.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Instr.Pos.Known() {
		fmt.Fprintf(&b, "%s: ", f.Instr.Pos)
	}
	if f.Instr.Loc.Known() {
		fmt.Fprintf(&b, "(%s) ", f.Instr.Loc)
	}
	fmt.Fprintf(&b, "kernel %s, CTA %s, thread %s: ", f.Kernel.Readable(), triple(f.CTA), triple(f.Thread))
	if f.Instr.System != isa.SysStop {
		fmt.Fprintf(&b, "%s: ", f.Kernel.Format(f.Instr))
	}
	b.WriteString(f.Err.Error())
	return b.String()
}

// Unwrap returns the error without the place where it happened.
func (f *Fault) Unwrap() error { return f.Err }

// As makes it a *diag.FaultError.
func (f *Fault) As(target any) bool {
	to, ok := target.(**diag.FaultError)
	if ok {
		*to = &diag.FaultError{Kernel: f.Kernel.Name, CTA: f.CTA, Thread: f.Thread, Pos: f.Instr.Pos, Source: f.Instr.Loc, Err: f}
	}
	return ok
}

func triple(v [3]int) string { return fmt.Sprintf("(%d,%d,%d)", v[0], v[1], v[2]) }

// The causes of faults that callers may want to tell apart with errors.Is.
var (
	ErrOutOfBounds = errors.New("access outside every buffer")
	ErrMisaligned  = errors.New("misaligned access")
	ErrReadOnly    = errors.New("write to constant memory")
	ErrForbidden   = errors.New("access that the job does not allow")
	ErrTrap        = errors.New("trap")
	ErrBarrier     = errors.New("barrier in divergent code")
	ErrDeadlock    = error(&diag.DeadlockError{Err: errors.New("deadlock")})
	ErrLivelock    = error(&diag.DeadlockError{Err: errors.New("livelock")})
	ErrSync        = errors.New("branch without its sync")
)

// unflatten gives the coordinates of a linear index, x fastest.
func unflatten(i int, dim [3]int) [3]int {
	return [3]int{i % dim[0], i / dim[0] % dim[1], i / dim[0] / dim[1]}
}

// UninitialisedRead is a place at which threads read bytes of memory that nothing
// had written. Such bytes are zero in a run, and anything on a device.
type UninitialisedRead struct {
	Kernel *isa.Kernel
	Instr  *isa.Instr
	CTA    [3]int // of the first thread that did
	Thread [3]int // within the CTA
	Bytes  int    // that it read and nothing had written
	Place  string // where its access begins
	Count  int64  // of such reads by all threads
}

// String says what was read by whom, without the place of the instruction.
func (r *UninitialisedRead) String() string {
	text := fmt.Sprintf("%s reads %d uninitialised bytes: %s, in CTA %s, thread %s",
		r.Kernel.Format(r.Instr), r.Bytes, r.Place, triple(r.CTA), triple(r.Thread))
	if r.Count > 1 {
		text += fmt.Sprintf(", the first of %d such reads", r.Count)
	}
	return text + "; they are zero"
}
