// Package diag gives the packages of this module the names of the public package diag, which
// it was until that became public: it has none of its own.
package diag

import "warpbound/diag"

// The types of the public package.
type (
	Pos     = diag.Pos
	Error   = diag.Error
	List    = diag.List
	Warning = diag.Warning
)

// The kinds of errors of the public package.
type (
	UnboundedLoopError = diag.UnboundedLoopError
	FaultError         = diag.FaultError
	DeadlockError      = diag.DeadlockError
	LimitError         = diag.LimitError
	UnsupportedError   = diag.UnsupportedError
	LaunchError        = diag.LaunchError
	ContradictionError = diag.ContradictionError
	OverflowError      = diag.OverflowError
	TraceError         = diag.TraceError
	DifferenceError    = diag.DifferenceError
	MissingSolverError = diag.MissingSolverError
	MissingDeviceError = diag.MissingDeviceError
)

// Errorf formats an error at pos. The format may use %w.
func Errorf(pos Pos, format string, args ...any) *Error { return diag.Errorf(pos, format, args...) }
