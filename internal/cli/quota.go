package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/report"
)

func quotaCommand() *cobra.Command {
	var flags jobFlags
	c := &cobra.Command{
		Use:   "quota JOB.toml...",
		Short: "Find the quota of regulated accesses to a shared cache that minimises the bounds of jobs",
		Long: "Find the quota of regulated accesses to a shared cache that minimises the bounds of jobs.\n" +
			"Jobs whose machine has no cache that a CPU shares are taken to integrated-fermi.",
		Example: `  warpbound quota kernels/vectorAdd/job.toml
  warpbound quota kernels/vectorAdd/job.toml kernels/bfs/job.toml \
    --from 16 --to 32`,
		Args: cobra.MinimumNArgs(1),
	}
	format := addFormat(c)
	flags.add(c)
	flags.addBounds(c)
	first := addNumber(c, "from", 1, "try every quota from this one on (default: powers of two, then neighbours of the best)")
	last := addNumber(c, "to", 1, "try every quota up to this one")
	c.MarkFlagsRequiredTogether("from", "to")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("from") && *first > *last {
			return usagef("there is no quota from %d to %d: --from is more than --to", *first, *last)
		}
		var jobs []*warpbound.Job
		for _, name := range args {
			j, err := flags.loadFor(c, name, "static/llc-simple", "integrated-fermi")
			if err != nil {
				return err
			}
			jobs = append(jobs, j)
		}
		step, stop := progress(c.ErrOrStderr(), "quotas")
		q, err := warpbound.BestQuota(c.Context(), jobs, warpbound.QuotaOptions{First: *first, Last: *last, Progress: step})
		stop()
		return soFar(err, q != nil, func() error {
			if *format == "json" {
				return report.JSON(c.OutOrStdout(), q)
			}
			return report.Quotas(c.OutOrStdout(), q)
		})
	}
	return c
}

// withQuota returns the job with a quota, which is a number, or auto for the best one, and what
// that is.
func withQuota(ctx context.Context, j *warpbound.Job, quota string) (*warpbound.Job, int64, error) {
	n, err := strconv.ParseInt(quota, 10, 64)
	if quota == "auto" {
		var q *estimate.Quotas
		if q, err = warpbound.BestQuota(ctx, []*warpbound.Job{j}, warpbound.QuotaOptions{}); err != nil {
			return nil, 0, err
		}
		n = q.Tried[q.Best].Quota
	} else if err != nil {
		return nil, 0, fmt.Errorf("--quota: want a number of accesses or auto, not %.40q", quota)
	}
	on := true
	j, err = j.LLC(warpbound.LLCOptions{Quota: &n, Regulated: &on})
	return j, n, err
}

// printQuota writes a quota as a job states it.
func printQuota(w io.Writer, f format, quota int64) error {
	if f == "json" {
		return nil // it is among the details
	}
	_, err := fmt.Fprintf(w, "\nFor the job:\n\n[llc]\nquota = %d\n", quota)
	return err
}
