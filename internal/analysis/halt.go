package analysis

import (
	"context"
	"time"

	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/method"
)

// The names of parts of an analysis that are no methods.
const (
	partRuns    = "runs"
	partRaces   = "races"
	partHoldout = "holdout"
	partVerdict = "race verdict"
)

// lack notes that an analysis which was interrupted has no answer of some methods, or lacks another part.
func (a *Answer) lack(parts ...string) { a.lacks = append(a.lacks, parts...) }

// interrupted says what the analysis lacks now that ctx has ended, nil if it is complete.
func (a *Answer) interrupted(ctx context.Context) *estimate.Interruption {
	if ctx.Err() == nil || len(a.lacks) == 0 {
		return nil
	}
	return &estimate.Interruption{Reason: halt.Reason(ctx), Planned: a.planned, Missing: a.lacks}
}

// asked returns the names of a method's estimates that are asked for.
func (r *Request) asked(m method.Method) []string {
	var ids []string
	for _, name := range m.Names() {
		if r.wants(name.ID) {
			ids = append(ids, name.ID)
		}
	}
	return ids
}

// enter tells what is done next.
func (r *Request) enter(what string) {
	if r.Phase != nil {
		r.Phase(what)
	}
}

// finishing returns a context for what is made of runs, which may take some more time after ctx has ended.
func finishing(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), grace)
}
