package outside

import (
	"errors"
	"fmt"

	"warpbound/diag"
)

// Kind tells which kind of error something is, and what the kind says of it. It is empty for an
// error of no kind.
func Kind(err error) string {
	if e, ok := errors.AsType[*diag.UnboundedLoopError](err); ok {
		return fmt.Sprintf("no bound of loop %s of %s at %v", e.Loop, e.Kernel, e.Pos)
	}
	if e, ok := errors.AsType[*diag.FaultError](err); ok {
		return fmt.Sprintf("fault of thread %v of CTA %v at %v", e.Thread, e.CTA, e.Pos)
	}
	if e, ok := errors.AsType[*diag.DeadlockError](err); ok {
		return fmt.Sprintf("deadlock of %s in cycle %d", e.Kernel, e.Cycle)
	}
	if e, ok := errors.AsType[*diag.LimitError](err); ok {
		return fmt.Sprintf("limit of %s in cycle %d", e.Kernel, e.Cycle)
	}
	if e, ok := errors.AsType[*diag.UnsupportedError](err); ok {
		return fmt.Sprintf("no methods for the machine: %v", e.Methods)
	}
	if e, ok := errors.AsType[*diag.LaunchError](err); ok {
		return fmt.Sprintf("launch: %v", e.Err)
	}
	if e, ok := errors.AsType[*diag.ContradictionError](err); ok {
		return fmt.Sprintf("contradiction: %v", e.Err)
	}
	if e, ok := errors.AsType[*diag.VoidBoundError](err); ok {
		return fmt.Sprintf("void bound, with %d files: %v", len(e.Files), e.Err)
	}
	if e, ok := errors.AsType[*diag.OverflowError](err); ok {
		return fmt.Sprintf("overflow: %v", e.Err)
	}
	if e, ok := errors.AsType[*diag.TraceError](err); ok {
		return fmt.Sprintf("trace %s", e.File)
	}
	if e, ok := errors.AsType[*diag.MissingSolverError](err); ok {
		return fmt.Sprintf("no solver %s", e.Solver)
	}
	if e, ok := errors.AsType[*diag.DifferenceError](err); ok {
		return fmt.Sprintf("difference: %v", e.Err)
	}
	if e, ok := errors.AsType[*diag.MissingDeviceError](err); ok {
		return fmt.Sprintf("no device: %v", e.Err)
	}
	if e, ok := errors.AsType[*diag.Error](err); ok {
		return fmt.Sprintf("at %v", e.Pos)
	}
	return ""
}
