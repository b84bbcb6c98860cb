package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/report"
	"warpbound/internal/suggest"
)

func inspectCommand() *cobra.Command {
	var opts warpbound.InspectOptions
	var dot bool
	var jobFile, stage string
	var effort factor
	c := &cobra.Command{
		Use:   "inspect MODULE",
		Short: "Show a module's kernels, basic blocks, loops, branches, accesses and the edges added by divergence",
		Example: `  warpbound inspect kernels/bfs/bfs.ptx
  # with what the launch of a job tells of loops and accesses:
  warpbound inspect kernels/bfs/bfs.ptx --job kernels/bfs/job.toml
  # a picture of the flow graph:
  warpbound inspect kernels/bfs/bfs.ptx --dot | dot -Tsvg > bfs.svg`,
		Args: cobra.ExactArgs(1),
	}
	format := addFormat(c)
	c.Flags().StringVar(&opts.Kernel, "kernel", "", "only this kernel")
	c.Flags().StringVar(&jobFile, "job", "", "take the launch of this job of the module into account")
	addPublishedEdges(c, &opts.PublishedEdges)
	addEffort(c, &effort)
	c.Flags().BoolVar(&dot, "dot", false, "print the flow graphs in the DOT language")
	c.Flags().StringVar(&stage, "stage", "", "print what the pipeline has made of the module behind this stage, and the times of the stages to standard error: "+stageNames())
	c.MarkFlagsMutuallyExclusive("dot", "format", "stage")
	c.RunE = func(c *cobra.Command, args []string) error {
		if names := strings.Split(stageNames(), ", "); stage != "" && !slices.Contains(names, stage) {
			return usagef("--stage: there is no stage %q%s", stage, suggest.Hint(stage, names))
		}
		opts.Effort = float64(effort)
		src, err := warpbound.ReadModule(args[0])
		if err != nil {
			return err
		}
		if jobFile != "" {
			if opts.Job, err = warpbound.Load(jobFile, warpbound.LoadOptions{Effort: opts.Effort}); err != nil {
				return err
			}
		}
		if stage != "" {
			return warpbound.DumpStage(c.OutOrStdout(), args[0], src, warpbound.DumpOptions{
				Stage: stage, Kernel: opts.Kernel, Job: opts.Job,
				Took: func(stage string, took time.Duration) { fmt.Fprintf(c.ErrOrStderr(), "%-10s %v\n", stage, took) },
			})
		}
		m, err := warpbound.Inspect(c.Context(), args[0], src, opts)
		return soFar(err, m != nil, func() error {
			switch {
			case dot:
				return report.DOT(c.OutOrStdout(), m)
			case *format == "json":
				return report.JSON(c.OutOrStdout(), m)
			}
			return report.Module(c.OutOrStdout(), m)
		})
	}
	return c
}

// stageNames lists the stages of the pipeline.
func stageNames() string {
	var names []string
	for _, s := range warpbound.Stages() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}
