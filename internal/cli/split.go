package cli

import (
	"time"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/report"
)

func splitCommand() *cobra.Command {
	var job jobFlags
	var how warpbound.SplitOptions
	var opts warpbound.CompareSplitsOptions
	c := &cobra.Command{
		Use:   "split JOB.toml",
		Short: "Compare no, dynamic and predictable wavefront splitting, and choose where to split",
		Long: "Compare no, dynamic and predictable wavefront splitting, and choose where to split.\n" +
			"Jobs whose machine does not split wavefronts are taken to gcn3-split.",
		Example: `  warpbound split kernels/bfs/job.toml --branches all
  # which branches are worth it?
  warpbound split kernels/bfs/job.toml --branches all --choose`,
		Args: cobra.ExactArgs(1),
	}
	format := addFormat(c)
	job.add(c)
	job.addBounds(c)
	vectors := addNumber(c, "vectors", 1, "random test vectors to run in each mode (default: the job's)")
	addYes(c)
	limit := addNumber(c, "max-cycles", 1, "abort a run after this many cycles (default: 2^30)")
	simds := number{}
	c.Flags().Var(&simds, "simds", "split SIMDs for each SIMD, 0 to 7 (default: the job's)")
	c.Flags().StringSliceVar(&how.Branches, "branches", nil, "labels or lines of the branches that split, or all (default: those that module and job mark)")
	c.Flags().BoolVar(&opts.Choose, "choose", false, "find the branches to split that minimise the bound")
	c.Flags().BoolVar(&opts.Measure, "measured", false, "also compose measured times of blocks, as the paper does; these are no bounds")
	c.RunE = func(c *cobra.Command, args []string) error {
		j, err := job.loadFor(c, args[0], "split/none", "gcn3-split")
		if err != nil {
			return err
		}
		if c.Flags().Changed("simds") {
			n := int(simds.value)
			how.SIMDs = &n
		}
		if j, err = j.Split(how); err != nil {
			return err
		}
		opts.Vectors, opts.MaxCycles = int(*vectors), *limit
		at := newPace(j.Name(), time.Now)
		shown := newDisplay(c.ErrOrStderr(), at.texts)
		ctx, price := newCost(c, shown, "--vectors", false)
		opts.Begin = price.begin
		opts.Progress = func(done, total int) {
			at.step(done, total)
			shown.step(done, total)
			price.step(done, total)
		}
		s, err := j.CompareSplits(ctx, opts)
		shown.stop()
		return soFar(price.why(ctx, err), s != nil, func() error {
			if *format == "json" {
				return report.JSON(c.OutOrStdout(), s)
			}
			return report.Splitting(c.OutOrStdout(), s, j.ClockHz())
		})
	}
	return c
}
