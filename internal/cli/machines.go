package cli

import (
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/workload"
)

func machinesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "machines",
		Short: "List the built-in machines, or show the numbers of one",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			tw := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, name := range machine.Names() {
				m, err := machine.Builtin(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(tw, "%s\t%s\n", name, m.About)
			}
			return tw.Flush()
		},
	}
	c.AddCommand(&cobra.Command{
		Use:   "show NAME",
		Short: "Show every number of a machine with its unit and source; NAME may be a file",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := platform.Machine(args[0], workload.ReadFile)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %s\ncore %s\nhash %s\n\n", m.Name, m.About, m.Core, m.Hash())
			tw := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, r := range m.Rows() {
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.Path, r.Value, r.Unit, r.Source)
			}
			if m.Core == machine.Integrated {
				hit, miss := m.LLCSpan()
				const follows = "follows: an access to the shared cache, from when it could be sent, alone in its core's queues"
				fmt.Fprintf(tw, "\nhit\t%d to %d\tcore cycles\t%s\n", hit.Min, hit.Max, follows)
				fmt.Fprintf(tw, "miss\t%d to %d\tcore cycles\t%s\n", miss.Min, miss.Max, follows)
			}
			fmt.Fprintln(tw)
			for _, short := range slices.Sorted(maps.Keys(m.Sources)) {
				fmt.Fprintf(tw, "%s\t%s\n", short, m.Sources[short])
			}
			return tw.Flush()
		},
	})
	return c
}
