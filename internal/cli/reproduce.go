package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warpbound/estimate"
	"warpbound/internal/report"
	"warpbound/internal/reproduce"
)

// extent is how much is run.
type extent struct {
	vectors    int     // runs for each kernel of a table
	heldOut    int     // runs for each of these that try what they gave
	splitRuns  int     // runs for each kernel and mode of wavefront splitting
	iterations int     // of synthetic benchmarks
	quotas     []int64 // of regulated accesses to a shared cache
	searchRuns int     // of each strategy of a search
	smallRuns  int     // the same where a launch has few threads
	searchOwn  bool    // search also in kernels that the paper does not have
	seeds      int     // of searches whose true worst case is known
}

// extents are those of --quick, of no flag, and of --full, which are the papers' runs and cycles.
func extents() (quick, normal, full extent) {
	return extent{20, 2, 1, 2, nil, 40, 2000, false, 3},
		extent{200, 1, 10, 10, []int64{16, 256}, 200, 3000, true, 20},
		extent{1000, 10, 50, 75, []int64{8, 16, 32, 64, 128, 256, 512}, 1000, 10000, true, 100}
}

func reproduceCommand() *cobra.Command {
	var quick, full bool
	var plots, html, on string
	var opts reproduce.Options
	minimum, normal, maximum := extents()
	c := &cobra.Command{
		Use:   "reproduce " + strings.Join(reproduce.Papers(), "|") + " [JOB.toml]",
		Short: "Compare a paper's worked examples and tables, or its rules on a job, with the results of this implementation",
		Long: "Compare a paper's worked examples and tables with the results of this implementation.\n" +
			"With a job, apply the rules as published to that, and set what they give beside our estimates and the longest run.",
		Example: `  warpbound reproduce cta --examples
  warpbound reproduce hybrid --quick
  # what the published rules give on a kernel of your own:
  warpbound reproduce split kernels/bfs/job.toml`,
		Args: cobra.RangeArgs(1, 2),
	}
	format := addFormat(c)
	c.Flags().BoolVar(&opts.ExamplesOnly, "examples", false, "only the worked examples")
	c.Flags().BoolVar(&quick, "quick", false, fmt.Sprintf("%d runs for each kernel of a table instead of %d, small launches and short benchmarks, the machine's quota of a shared cache only, and searches of %d runs instead of %d in the paper's kernels only", minimum.vectors, normal.vectors, minimum.searchRuns, normal.searchRuns))
	c.Flags().BoolVar(&full, "full", false, fmt.Sprintf("%d runs for each kernel, as in the paper, or a tenth of them where one takes long, long benchmarks, more quotas of a shared cache, and searches of %d runs", maximum.vectors, maximum.searchRuns))
	c.Flags().StringVar(&plots, "plots", "", "also write figures as SVG to this directory; created if missing")
	c.Flags().StringVar(&html, "html", "", "also write examples, tables and figures as an HTML page to this file")
	c.Flags().StringVar(&opts.Campaign, "campaign", "", "keep the runs of hybrid analysis in this directory, and make none again that it holds")
	c.Flags().StringVar(&on, "machine", "", "machine name or file for JOB.toml (default: the job's, or one that the rules are about)")
	c.MarkFlagsMutuallyExclusive("quick", "full")
	c.MarkFlagsMutuallyExclusive("plots", "examples")
	c.RunE = func(c *cobra.Command, args []string) error {
		how := normal
		switch {
		case quick:
			opts.Quick = true
			how = minimum
		case full:
			how = maximum
		}
		opts.Vectors, opts.HeldOut, opts.SplitRuns, opts.Iterations, opts.Quotas = how.vectors, how.heldOut, how.splitRuns, how.iterations, how.quotas
		opts.SearchRuns, opts.SmallRuns, opts.SearchOwn, opts.SearchSeeds = how.searchRuns, how.smallRuns, how.searchOwn, how.seeds
		if len(args) < 2 && on != "" {
			return errors.New("--machine: is that of a job, and there is none")
		}
		for _, f := range []string{"examples", "plots", "campaign"} {
			if len(args) == 2 && c.Flags().Changed(f) {
				return fmt.Errorf("--%s: is for a paper's own tables, and not for a job", f)
			}
		}
		if plots != "" {
			if !reproduce.HasFigures(args[0]) {
				return fmt.Errorf("--plots: %s is reproduced without figures", args[0])
			}
			if err := os.MkdirAll(plots, 0o755); err != nil {
				return fmt.Errorf("--plots: %w", err)
			}
		}
		if opts.Campaign != "" && args[0] != "hybrid" {
			return fmt.Errorf("--campaign: the runs of hybrid are kept, and %s has none of these", args[0])
		}
		var out outputs
		defer out.discard()
		var page io.Writer
		if html != "" {
			var err error
			if page, err = out.create("--html", html); err != nil {
				return err
			}
		}
		step, stop := progress(c.ErrOrStderr(), args[0])
		if step != nil {
			opts.Progress = func(_ string, done, total int) { step(done, total) }
		}
		r, ended := (*estimate.Reproduction)(nil), error(nil)
		if len(args) == 2 {
			r, ended = reproduce.Rules(c.Context(), args[0], args[1], on, opts)
		} else {
			r, ended = reproduce.Paper(c.Context(), args[0], opts)
		}
		stop()
		if r == nil {
			return ended
		}
		if plots != "" && ended == nil {
			if err := savePlots(plots, r.Plots); err != nil {
				return err
			}
		}
		if page != nil && ended == nil {
			if err := report.ReproductionHTML(page, r); err != nil {
				return fmt.Errorf("--html %s: %w", html, err)
			}
			if err := out.commit(); err != nil {
				return err
			}
		}
		err := ended
		if *format == "json" {
			err = errors.Join(err, report.JSON(c.OutOrStdout(), r))
		} else {
			err = errors.Join(err, report.Reproduction(c.OutOrStdout(), r))
		}
		if err == nil && !r.Holds() {
			return errVerdict
		}
		return err
	}
	return c
}

// savePlots writes plots as SVG files of a directory.
func savePlots(dir string, plots []estimate.Plot) error {
	var out outputs
	defer out.discard()
	for i := range plots {
		to, err := out.create("--plots", filepath.Join(dir, plots[i].File+".svg"))
		if err != nil {
			return err
		}
		if err := report.Plot(to, &plots[i]); err != nil {
			return err
		}
	}
	return out.commit()
}
