package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/kernels"
)

func demoCommand() *cobra.Command {
	var flags analyzeFlags
	var machine string
	var details bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Analyse an embedded kernel; needs no files",
		Example: `  warpbound demo
  warpbound demo --machine predictable-rr --vectors 20`,
		Args: cobra.NoArgs,
	}
	format := addFormat(c)
	flags.addRuns(c)
	flags.ipoints = "blocks"
	addDetails(c, &details)
	c.Flags().StringVar(&machine, "machine", "", "name of a built-in machine (default: fermi-c2050)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		opts, err := flags.options()
		if err != nil {
			return err
		}
		j, err := warpbound.LoadFS(kernels.Demo(), "job.toml", warpbound.LoadOptions{Machine: machine})
		if err != nil {
			return err
		}
		a, err := flags.analyze(c, j, opts)
		if err != nil {
			return soFar(err, a != nil, func() error { return printAnalysis(c.OutOrStdout(), *format, details, j, a) })
		}
		if *format == "text" {
			fmt.Fprint(c.OutOrStdout(), demoIntro)
		}
		return printAnalysis(c.OutOrStdout(), *format, details, j, a)
	}
	return c
}

const demoIntro = `This is one step of a breadth-first search: a thread for each vertex, and a loop
over its neighbours that runs as long as the vertex has some. The 32 threads of
a warp share one program counter, so a warp takes as long as its busiest thread,
and both paths of a branch on which its threads disagree, one after the other.
The kernel was compiled to PTX by clang. Warpbound ran it on a simulated GPU,
each time with other random inputs, and combines the longest
observed times of its parts into WCET estimates.

`
