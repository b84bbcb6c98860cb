package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warpbound/internal/report"
	"warpbound/internal/reproduce"
)

// The runs for each kernel of a table: --quick, without a flag, and --full, which
// is the paper's number.
const (
	quickVectors   = 20
	defaultVectors = 200
	fullVectors    = 1000
)

func reproduceCommand() *cobra.Command {
	var quick, full bool
	var opts reproduce.Options
	c := &cobra.Command{
		Use:   "reproduce " + strings.Join(reproduce.Papers(), "|"),
		Short: "Put a paper's worked examples and tables beside what this implementation gives",
		Args:  cobra.ExactArgs(1),
	}
	format := addFormat(c)
	c.Flags().BoolVar(&opts.ExamplesOnly, "examples", false, "only the worked examples")
	c.Flags().BoolVar(&quick, "quick", false, fmt.Sprintf("%d runs for each kernel of a table instead of %d", quickVectors, defaultVectors))
	c.Flags().BoolVar(&full, "full", false, fmt.Sprintf("%d runs for each kernel, as in the paper", fullVectors))
	c.MarkFlagsMutuallyExclusive("quick", "full")
	c.RunE = func(c *cobra.Command, args []string) error {
		opts.Vectors = defaultVectors
		switch {
		case quick:
			opts.Vectors = quickVectors
		case full:
			opts.Vectors = fullVectors
		}
		step, stop := progress(c.ErrOrStderr(), args[0])
		defer stop()
		if step != nil {
			opts.Progress = func(_ string, done, total int) { step(done, total) }
		}
		r, err := reproduce.Paper(c.Context(), args[0], opts)
		if err != nil {
			return err
		}
		if *format == "json" {
			err = report.JSON(c.OutOrStdout(), r)
		} else {
			err = report.Reproduction(c.OutOrStdout(), r)
		}
		if err == nil && !r.Holds() {
			return errVerdict
		}
		return err
	}
	return c
}
