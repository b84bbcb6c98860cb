// Package reproduce puts the worked examples and tables of the papers beside
// what this implementation gives.
//
// Its examples are computed by the packages that the analysis uses, from the
// papers' inputs. It prints nothing and must not import the command line.
package reproduce

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/provenance"
	"warpbound/internal/suggest"
)

// Options say how much to reproduce.
type Options struct {
	ExamplesOnly bool
	Quick        bool                                 // leave out of the figures of machines what takes long, and analyse small launches for the table of hybrid analysis
	Vectors      int                                  // runs for each kernel of a table; a tenth of it where a run takes long
	HeldOut      int                                  // runs of other inputs for each of these, which try estimates that rest on them
	SplitRuns    int                                  // runs for each kernel and mode of wavefront splitting
	Iterations   int                                  // of synthetic benchmarks
	SearchRuns   int                                  // of each strategy of a search
	SmallRuns    int                                  // the same where a launch has few threads
	SearchOwn    bool                                 // search also in kernels that the paper does not have
	SearchSeeds  int                                  // of searches whose true worst case is known
	Quotas       []int64                              // of regulated accesses, beside that of the machine; ascending
	Campaign     string                               // a directory that keeps the runs of the table of hybrid analysis, by kernel; "" for none
	Progress     func(kernel string, done, total int) // may be nil
}

// papers are the papers that can be reproduced.
var papers = map[string]func(context.Context, Options) (*estimate.Reproduction, error){
	"hybrid":   Hybrid,
	"cta":      CTA,
	"split":    Split,
	"llc":      LLC,
	"search":   Search,
	"machines": Machines,
}

// plotted are the papers that are reproduced with figures.
var plotted = []string{"llc", "search", "split"}

// Papers returns the names of the papers that can be reproduced.
func Papers() []string { return slices.Sorted(maps.Keys(papers)) }

// HasFigures reports whether the paper of the given name is reproduced with figures.
func HasFigures(name string) bool { return slices.Contains(plotted, name) }

// Paper reproduces the paper of the given name. If ctx ends, the error is that of ctx, and the result, unless nil, has
// the examples and tables until then.
func Paper(ctx context.Context, name string, opts Options) (*estimate.Reproduction, error) {
	reproduce, ok := papers[name]
	if !ok {
		return nil, fmt.Errorf("no paper %q%s", name, suggest.Hint(name, Papers()))
	}
	r, err := reproduce(ctx, opts)
	switch {
	case err == nil:
	case r != nil && halt.Ended(ctx, err):
		r.Interrupted = interruption(ctx)
		r.Tables = append([]estimate.Table{}, r.Tables...)
	default:
		return nil, err
	}
	r.Provenance = provenance.Of()
	return r, err
}

// interruption says that tables lack what was not known when a context ended.
func interruption(ctx context.Context) *estimate.Interruption {
	return &estimate.Interruption{Reason: halt.Reason(ctx), Missing: []string{"tables"}}
}
