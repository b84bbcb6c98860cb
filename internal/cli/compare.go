package cli

import (
	"os"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/report"
)

func compareCommand() *cobra.Command {
	var threshold string
	c := &cobra.Command{
		Use:   "compare A.json B.json",
		Short: "Compare two saved results: what changed and where, exit 1 if the second is worse",
		Long: "Compare two results that analyze, search, sim or split have printed with --format json: A, the one before,\n" +
			"and B. Exit code: 1 if a bound or the high-water mark of B is above that of A by more than the threshold, if\n" +
			"the evidence of a method or of the answer is weaker, or if B lacks a method of A; else 0. 2 if a file is no\n" +
			"such result, or if a run of one takes longer than a proven or annotated bound of it, or of the other\n" +
			"for the same job.",
		Example: `  warpbound analyze kernels/vectorAdd/job.toml --format json > before.json
  warpbound analyze kernels/vectorAdd/job.toml --format json > after.json
  warpbound compare before.json after.json --threshold 2.5%`,
		Args: cobra.ExactArgs(2),
	}
	format := addFormat(c)
	c.Flags().StringVar(&threshold, "threshold", "5%", "growth that is no regression: a percentage, or 0 for none")
	c.RunE = func(c *cobra.Command, args []string) error {
		by, err := warpbound.ParseThreshold(threshold)
		if err != nil {
			return usagef("--threshold %s: %w", threshold, err)
		}
		var results [2]warpbound.SavedResult
		for i, name := range args {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			results[i] = warpbound.SavedResult{Name: name, JSON: text}
		}
		compared, err := warpbound.Compare(results[0], results[1], by)
		if err != nil {
			return err
		}
		if *format == "json" {
			err = report.JSON(c.OutOrStdout(), compared)
		} else {
			err = report.Comparison(inRed(c.OutOrStdout()), compared)
		}
		if err == nil {
			err = voidError(compared.Void)
		}
		if err == nil && len(compared.Regressions) > 0 {
			return errVerdict
		}
		return err
	}
	return c
}
