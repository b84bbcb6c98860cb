package method

import (
	"context"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/absexec"
)

// Tightest asks bound for the bound of a launch whatever its buffers hold and then, unless that is exact,
// for one that takes into account what fixed buffers hold, as far as the kernel surely does not write
// to them. It returns the lesser one, with the warnings of the problem if it is not exact. bound
// makes one estimate; exact may be nil if none is known to be exact.
//
// Where neither is a bound, it is one that rests on what the job states of read-only buffers. The error is that of the
// first bound where all fail.
func Tightest(ctx context.Context, p *Problem, exact func(*estimate.Estimate) bool, bound func(*Problem) (*Answer, error)) (*Answer, error) {
	own := *p
	own.Stated, own.Trusted = nil, nil
	a, err := tightest(ctx, &own, exact, bound)
	if err == nil || len(p.Stated) == 0 || ctx.Err() != nil {
		return a, err
	}
	trusting := *p
	trusting.Bounds = slices.Concat(p.Bounds, p.Stated)
	if a, failed := tightest(ctx, &trusting, exact, bound); failed == nil {
		return a, nil
	}
	return nil, err
}

func tightest(ctx context.Context, p *Problem, exact func(*estimate.Estimate) bool, bound func(*Problem) (*Answer, error)) (*Answer, error) {
	isExact := func(a *Answer) bool { return exact != nil && exact(&a.Estimates[0]) }
	a, err := bound(p.WithFixed(nil))
	if len(p.Fixed) > 0 && ctx.Err() == nil && (err != nil || !isExact(a)) {
		better, failed := Assuming(p, bound)
		switch {
		case failed == nil && (err != nil || better.Estimates[0].Cycles < a.Estimates[0].Cycles):
			a, err = better, nil
		case failed != nil && err == nil && ctx.Err() == nil:
			a.Warnings = append(a.Warnings, p.GaveUp("no-fixed-contents", "what buffers hold when the kernel starts is not taken into account", failed))
		}
	}
	if err != nil {
		return nil, err
	}
	if !isExact(a) {
		a.Warnings = append(p.Warnings(), a.Warnings...)
	}
	return a, nil
}

// Assuming returns what bound makes of a problem whose fixed buffers are those to which the kernel surely
// does not write (absexec.Assuming).
func Assuming[T any](p *Problem, bound func(*Problem) (T, error)) (T, error) {
	return absexec.Assuming(p.Fixed, func(fixed []absexec.Buffer) (T, error) { return bound(p.WithFixed(fixed)) })
}

// WithFixed returns the problem with other fixed buffers.
func (p *Problem) WithFixed(fixed []absexec.Buffer) *Problem {
	other := *p
	other.Fixed = fixed
	return &other
}
