package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/report"
	"warpbound/kernels"
)

func demoCommand() *cobra.Command {
	var flags analyzeFlags
	machine := "orin-agx"
	var details bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Hold an embedded kernel against a deadline; needs no files",
		Example: `  warpbound demo
  warpbound demo --machine predictable-rr --vectors 20`,
		Args: cobra.NoArgs,
	}
	format := addFormat(c)
	flags.addRuns(c)
	flags.ipoints = "blocks"
	addDetails(c, &details)
	c.Flags().StringVar(&machine, "machine", machine, "name of a built-in machine")
	c.RunE = func(c *cobra.Command, _ []string) error {
		opts, err := flags.options()
		if err != nil {
			return err
		}
		budget, err := warpbound.ParseBudget(demoBudget)
		if err != nil {
			return err
		}
		j, err := warpbound.LoadFS(kernels.Suite(), "histogram64/job.toml", warpbound.LoadOptions{Machine: machine})
		if err != nil {
			return err
		}
		a, err := flags.analyze(c, j, opts)
		if a != nil {
			j.Check(a, budget, estimate.Proven)
		}
		if err == nil && a.Verdict.Status == estimate.NotShown {
			err = j.Suggest(c.Context(), a)
		}
		var profile *estimate.Profile
		print := func() error { return printAnalysis(c.OutOrStdout(), *format, details, j, a, profile) }
		if err != nil {
			return soFar(err, a != nil, print)
		}
		if profile, err = profileBeside(c, j, a, *flags.limit); err != nil {
			return soFar(err, true, print)
		}
		if err := print(); err != nil || *format != "text" {
			return err
		}
		_, err = fmt.Fprint(c.OutOrStdout(), demoText, report.Changed(a, j.ClockHz()))
		return err
	}
	return c
}

const demoBudget = "30us"

const demoText = `
This is a histogram of an image, compiled from OpenCL C, with a deadline of 30 us. Threads whose
pixels fall into one bin wait for each other, so the time depends on the image. "At least" is the
longest run, on random images and on such as are to take long, and "at most" holds for all images,
of this model of the GPU.
`
