package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/report"
	"warpbound/internal/symbol"
)

func checkCommand() *cobra.Command {
	var job jobFlags
	var flags analyzeFlags
	var budget time.Duration
	c := &cobra.Command{
		Use:   "check JOB.toml --budget 2ms",
		Short: "Check a job's bound against a time budget: exit 0 within, 1 exceeded, 2 unknown",
		Example: `  warpbound check kernels/vectorAdd/job.toml --budget 2ms
  # by one method alone, on another machine:
  warpbound check kernels/vectorAdd/job.toml --budget 350us \
    --machine predictable-rr --methods static/cta`,
		Args: cobra.ExactArgs(1),
	}
	job.add(c)
	flags.add(c)
	c.Flags().DurationVar(&budget, "budget", 0, "time budget of the kernel, for example 2ms or 350us")
	if err := c.MarkFlagRequired("budget"); err != nil {
		panic(err) // the flag is defined one line above
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if budget <= 0 {
			return fmt.Errorf("--budget %s: want a positive time", budget)
		}
		opts, err := flags.options()
		if err != nil {
			return err
		}
		j, err := job.load(c, args[0])
		if err != nil {
			return err
		}
		a, err := flags.analyze(c, j, opts)
		if err != nil && (a == nil || !certain(a, j.ClockHz(), budget)) {
			return err
		}
		bound := a.Tightest()
		if bound == nil {
			return fmt.Errorf("unknown: none of the selected methods bounds the whole kernel")
		}
		return verdict(c, j, a, bound, budget)
	}
	return c
}

func verdict(c *cobra.Command, j *warpbound.Job, a *estimate.Analysis, bound *estimate.Estimate, budget time.Duration) error {
	took := report.Duration(bound.Cycles, a.Hz(j.ClockHz()))
	answer, err := "within", error(nil)
	if took > budget {
		answer, err = "over", errVerdict
	}
	name := symbol.Readable(a.Kernel)
	if len(a.Launches) > 0 {
		name = a.Job // all of its launches together
	}
	_, failed := fmt.Fprintf(c.OutOrStdout(), "%s: %s of %s (%d cycles, evidence: %s) is %s the budget of %s\n",
		name, bound.Method, took, bound.Cycles, bound.Evidence, answer, budget)
	if text := report.Convergence(a.Convergence); failed == nil && text != "" {
		_, failed = fmt.Fprintln(c.OutOrStdout(), text)
	}
	if failed != nil {
		return failed
	}
	return err
}
