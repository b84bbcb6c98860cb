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

// Errorf formats an error at pos. The format may use %w.
func Errorf(pos Pos, format string, args ...any) *Error { return diag.Errorf(pos, format, args...) }
