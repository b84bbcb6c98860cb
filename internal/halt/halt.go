// Package halt tells why work ends before it is complete.
//
// Whoever may end work early cancels its context with a *Cause; whoever works asks for the reason, so that the result
// can say it. halt must not know what works.
package halt

import (
	"context"
	"errors"

	"warpbound/estimate"
)

// Cause is why a context is cancelled.
type Cause struct {
	Reason estimate.Reason
	Text   string // for people
}

// Error returns the text.
func (c *Cause) Error() string { return c.Text }

// RunError is the error of a simulated run that has ended with its context.
type RunError struct {
	Cycles int64 // that were simulated
	Err    error // of the context
}

// Error returns the text of the cause.
func (e *RunError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.Err }

// Ended reports whether an error is that of a context that has ended, instead of a failure of the work itself.
func Ended(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }

// Reason returns why a context has ended.
func Reason(ctx context.Context) estimate.Reason {
	why := context.Cause(ctx)
	if c, ok := errors.AsType[*Cause](why); ok {
		return c.Reason
	}
	if errors.Is(why, context.DeadlineExceeded) {
		return estimate.ByTimeout
	}
	return estimate.ByCaller
}
