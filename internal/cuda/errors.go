package cuda

import (
	"errors"
	"fmt"

	"warpbound/diag"
)

// The causes of errors that callers may want to tell apart with errors.Is.
var (
	ErrNoDriver = error(&diag.MissingDeviceError{Err: errors.New("no usable CUDA driver")})
	ErrNoDevice = error(&diag.MissingDeviceError{Err: errors.New("no such GPU")})
	ErrMemory   = errors.New("out of GPU memory")
	ErrNotFound = errors.New("not in the module")
	ErrLaunch   = error(&diag.LaunchError{Err: errors.New("the GPU does not accept the launch")})
	ErrTimeout  = error(&diag.LimitError{Err: errors.New("the kernel did not terminate in time")})
	ErrLost     = errors.New("the GPU cannot be used any more after a fault or a timeout")
)

// CallError is a call of the driver that failed.
type CallError struct {
	Call string // the function of the driver
	Code int    // what it returned
	Name string // of the code, for example "CUDA_ERROR_INVALID_VALUE"; empty if the driver has none
	Text string // what the driver says of the code; may be empty
}

// Error renders call and code in one line.
func (e *CallError) Error() string {
	name := e.Name
	if name == "" {
		name = fmt.Sprintf("error %d", e.Code)
	}
	if e.Text == "" {
		return fmt.Sprintf("%s: %s", e.Call, name)
	}
	return fmt.Sprintf("%s: %s (%s)", e.Call, name, e.Text)
}

// BuildError says that the compiler for a device rejected a module.
type BuildError struct {
	Err error     // of the call
	Log []Message // in the order of the compiler's log
}

// Error renders the error and what stands in the log, a line for each message.
func (e *BuildError) Error() string {
	text := fmt.Sprintf("the GPU's compiler rejects the module: %v", e.Err)
	for _, m := range e.Log {
		text += "\n" + m.String()
	}
	return text
}

// Unwrap returns the error of the call.
func (e *BuildError) Unwrap() error { return e.Err }

// Fault says that a kernel did what it must not.
type Fault struct {
	Kernel string
	Line   int // of the PTX, from 1; 0 if the driver does not say
	Err    error
}

// Error names the kernel and what it did.
func (e *Fault) Error() string { return fmt.Sprintf("kernel %s: %v", e.Kernel, e.Err) }

// Unwrap returns the error without the kernel.
func (e *Fault) Unwrap() error { return e.Err }

// As makes it a *diag.FaultError, of which file is not known here.
func (e *Fault) As(target any) bool {
	to, ok := target.(**diag.FaultError)
	if ok {
		*to = &diag.FaultError{Kernel: e.Kernel, Pos: diag.Pos{Line: int32(e.Line)}, Err: e}
	}
	return ok
}
