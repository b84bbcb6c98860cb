package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
)

// limitFlags say which budget jobs are held against, and what evidence counts.
type limitFlags struct {
	budget  string
	require choice
}

func (f *limitFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.budget, "budget", "", "hold the bound against this: a time such as 2ms, or cycles such as 120000 (default: what the job states)")
	f.require.words = []string{string(estimate.Observed), string(estimate.Annotated), string(estimate.Proven)}
	c.Flags().Var(&f.require, "require", "a budget is met by an estimate with this evidence or a stronger one (default: proven)")
}

// parse reads the budget, which is none if it is not given.
func (f *limitFlags) parse(c *cobra.Command) (warpbound.Budget, error) {
	if !c.Flags().Changed("budget") {
		return warpbound.Budget{}, nil
	}
	b, err := warpbound.ParseBudget(f.budget)
	if err != nil {
		return b, usagef("--budget %s: %w", f.budget, err)
	}
	return b, nil
}

// requires returns the evidence that counts.
func (f *limitFlags) requires() estimate.Evidence {
	return cmp.Or(estimate.Evidence(f.require.value), estimate.Proven)
}

// verdictError returns the error that ends a command with the exit code of a verdict; nil if there is none, or if it is met.
func verdictError(v *estimate.Verdict) error {
	switch {
	case v == nil || v.Status == estimate.Met:
		return nil
	case v.Status == estimate.Missed:
		return errVerdict
	}
	return errNotShown
}

func addDetails(c *cobra.Command, details *bool) {
	c.Flags().BoolVar(details, "details", false, "print all: methods, assumptions, coverage, data races")
}
