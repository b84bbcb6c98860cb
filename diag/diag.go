// Package diag holds source positions, the diagnostics that carry them, and the kinds of errors
// that programs which embed the tool can tell apart.
//
// Every error that a user can cause names where it was caused: Errorf makes
// such an error, and List gathers several of them, sorted by position.
//
// diag imports nothing of this project and knows no input language.
package diag

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a source file. Line and Col count from 1 and Col counts
// bytes; a zero Line means that the position is not known, a zero Col that only
// the line is.
type Pos struct {
	File string
	Line int32
	Col  int32
}

// Known reports whether the position names at least a line.
func (p Pos) Known() bool { return p.Line > 0 }

// String renders the position as file:line:col, leaving out what is not known.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Compare orders positions by file, line and column.
func (p Pos) Compare(q Pos) int {
	if c := strings.Compare(p.File, q.File); c != 0 {
		return c
	}
	if p.Line != q.Line {
		return int(p.Line) - int(q.Line)
	}
	return int(p.Col) - int(q.Col)
}

// Error is a message about a place in a source file.
type Error struct {
	Pos Pos
	Err error
}

// Error renders the position and the message.
func (e *Error) Error() string {
	if e.Pos == (Pos{}) {
		return e.Err.Error()
	}
	return e.Pos.String() + ": " + e.Err.Error()
}

// Unwrap returns the error without its position.
func (e *Error) Unwrap() error { return e.Err }

// Errorf formats an error at pos. The format may use %w.
func Errorf(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Err: fmt.Errorf(format, args...)}
}

// List is several errors about one input. The zero List is ready to use.
type List struct{ errs []*Error }

// Add appends an error.
func (l *List) Add(e *Error) { l.errs = append(l.errs, e) }

// Len returns the number of errors gathered.
func (l *List) Len() int { return len(l.errs) }

// Err returns nil for an empty list, the error itself for a list of one, and
// otherwise all errors joined in the order of their positions.
func (l *List) Err() error {
	switch len(l.errs) {
	case 0:
		return nil
	case 1:
		return l.errs[0]
	}
	sorted := slices.Clone(l.errs)
	slices.SortStableFunc(sorted, func(a, b *Error) int { return a.Pos.Compare(b.Pos) })
	joined := make([]error, len(sorted))
	for i, e := range sorted {
		joined[i] = e
	}
	return errors.Join(joined...)
}

// Warning is a finding that does not stop an analysis. ID is stable, short and
// in kebab case, for example "launch-excluded".
type Warning struct {
	Pos  Pos
	ID   string
	Text string
}
