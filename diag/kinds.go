package diag

// The errors below are those that callers may want to tell apart, with errors.As. Each has in Err
// what is said of it, which may wrap more; most are found inside of an *Error or of a text that
// says in which run or file they came up. Positions that are not known are zero.

// UnboundedLoopError says that nothing bounds how often a loop iterates: lanes leave it for a
// reason that is not known, or it has no exit.
type UnboundedLoopError struct {
	Kernel string
	Loop   string // name of its header, as a job's [loop] table takes it
	Pos    Pos    // of the header in the module
	Source Pos    // of the header in the compiler's source
	Branch Pos    // by which lanes may leave
	Err    error
}

// FaultError says that the program did what it must not, such as an access outside every buffer.
type FaultError struct {
	Kernel string
	CTA    [3]int // zero if a device does not say
	Thread [3]int // within the CTA, likewise
	Pos    Pos    // of the instruction in the module
	Source Pos    // of the instruction in the compiler's source
	Err    error
}

// DeadlockError says that no warp of a run can ever get on: all wait, at barriers or in loops that
// read what nobody can change any more (a livelock).
type DeadlockError struct {
	Kernel string
	Cycle  int64 // in which the run was given up
	Err    error
}

// LimitError says that a run was given up since it took too long.
type LimitError struct {
	Kernel string
	Cycle  int64 // in which the run was given up; 0 on a device
	Err    error
}

// UnsupportedError says that a method is none for a machine.
type UnsupportedError struct {
	Methods []string
	Err     error
}

// LaunchError says that a launch does not fit a machine or a device.
type LaunchError struct{ Err error }

// ContradictionError says that a run, or what a static method knows for certain, contradicts what
// the job states.
type ContradictionError struct{ Err error }

// VoidBoundError says that a run takes longer than a bound that is proven, so that the tool is
// wrong.
type VoidBoundError struct {
	Err   error
	Files map[string][]byte // the job with the inputs of the run, by name; nil if not known
}

// OverflowError says that a bound does not fit into 63 bits.
type OverflowError struct{ Err error }

// TraceError says that a trace cannot be read, or is not one of the job.
type TraceError struct {
	File string
	Err  error
}

// MissingSolverError says that a solver is not installed.
type MissingSolverError struct {
	Solver string
	Err    error
}

// DifferenceError says that two executions of the same thing had different outcomes.
type DifferenceError struct{ Err error }

// MissingDeviceError says that there is no GPU, or no driver for one.
type MissingDeviceError struct{ Err error }

func (e *UnboundedLoopError) Error() string { return e.Err.Error() }
func (e *FaultError) Error() string         { return e.Err.Error() }
func (e *DeadlockError) Error() string      { return e.Err.Error() }
func (e *LimitError) Error() string         { return e.Err.Error() }
func (e *UnsupportedError) Error() string   { return e.Err.Error() }
func (e *LaunchError) Error() string        { return e.Err.Error() }
func (e *ContradictionError) Error() string { return e.Err.Error() }
func (e *VoidBoundError) Error() string     { return e.Err.Error() }
func (e *OverflowError) Error() string      { return e.Err.Error() }
func (e *TraceError) Error() string         { return e.File + ": " + e.Err.Error() }
func (e *MissingSolverError) Error() string { return e.Err.Error() }
func (e *DifferenceError) Error() string    { return e.Err.Error() }
func (e *MissingDeviceError) Error() string { return e.Err.Error() }

// Unwrap returns what is said of the error.
func (e *UnboundedLoopError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *FaultError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *DeadlockError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *LimitError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *LaunchError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *ContradictionError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *VoidBoundError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *OverflowError) Unwrap() error { return e.Err }

// Unwrap returns the error without the file.
func (e *TraceError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *MissingSolverError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *DifferenceError) Unwrap() error { return e.Err }

// Unwrap returns what is said of the error.
func (e *MissingDeviceError) Unwrap() error { return e.Err }
