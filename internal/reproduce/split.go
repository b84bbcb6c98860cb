package reproduce

import (
	"context"
	"fmt"

	"warpbound/estimate"
)

// splitTitle is the paper.
const splitTitle = "Klashtorny, Wu, Kaushik and Patel, Predictable GPU Wavefront Splitting for Safety-Critical Systems, ACM TECS 22(5s), 2023"

// Split reproduces Klashtorny and others: the worked examples, Table 2, and what shows that
// Lemma 5.8 does not follow from the equations; Table 3 and Figs. 10 to 12 on our simulator with
// our bounds, with synthetic benchmarks and the kernels of the suite.
func Split(ctx context.Context, opts Options) (*estimate.Reproduction, error) {
	r := &estimate.Reproduction{Paper: splitTitle}
	var err error
	if r.Examples, err = splitFigures(ctx); err != nil {
		return nil, err
	}
	t, err := table2(ctx)
	if err != nil {
		return nil, err
	}
	r.Tables = append(r.Tables, *t)
	if t, err = lemma58(); err != nil {
		return nil, err
	}
	r.Tables = append(r.Tables, *t)
	if opts.ExamplesOnly {
		return r, nil
	}
	return r, splitSweeps(ctx, r, opts)
}

// splitSweeps adds the tables and figures of Section 7.
func splitSweeps(ctx context.Context, r *estimate.Reproduction, opts Options) error {
	s := &sweeper{lab: &lab{}, base: benchmark(opts.Iterations), kernels: suiteNames(), runs: opts.SplitRuns, out: r}
	for _, figure := range []struct {
		name string
		make func(context.Context) error
	}{
		{"Table 3", s.table3}, {"Fig. 10a", s.fig10a}, {"Fig. 10b", s.fig10b}, {"Fig. 10c", s.fig10c},
		{"Fig. 10e", s.fig10e}, {"Fig. 10e with an L1", s.fig10eL1}, {"Fig. 11", s.fig11}, {"Fig. 11 with an L1", s.fig11L1},
		{"Fig. 12", s.fig12}, {"split points", s.choices},
	} {
		if opts.Progress != nil {
			s.progress = func(done, total int) { opts.Progress(figure.name, done, total) }
		}
		if err := figure.make(ctx); err != nil {
			return fmt.Errorf("%s: %w", figure.name, err)
		}
	}
	r.Examples = append(r.Examples, example(fmt.Sprintf("Section 7: runs that take longer than their bound, of %d", s.count), "0", fmt.Sprint(s.beyond)))
	return nil
}
