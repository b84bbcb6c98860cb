package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/report"
	"warpbound/internal/workload"
)

func machinesCommand() *cobra.Command {
	var module, kernel string
	c := &cobra.Command{
		Use:   "machines [--for MODULE]",
		Short: "List the built-in machines and which of them suit a module, or show the numbers of one",
		Example: `  warpbound machines
  warpbound machines --for kernels/bfs/bfs.ptx
  warpbound machines show fermi-c2050`,
		Args: cobra.NoArgs,
	}
	format := addFormat(c)
	c.Flags().StringVar(&module, "for", "", "which machines suit this module, and why, the best first")
	c.Flags().StringVar(&kernel, "kernel", "", "with --for, only this kernel")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if module != "" {
			return machinesFor(c.OutOrStdout(), module, kernel, *format)
		}
		if c.Flags().Changed("format") || kernel != "" {
			return usagef("--format and --kernel need --for MODULE")
		}
		return listMachines(c.OutOrStdout())
	}
	c.AddCommand(showCommand())
	return c
}

// showCommand shows one machine.
func showCommand() *cobra.Command {
	var identifiable bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show every number of a machine with its unit and source; NAME may be a file",
		Example: `  warpbound machines show fermi-c2050
  warpbound machines show v100 --identifiable`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if identifiable {
				return showIdentifiable(c, args[0])
			}
			m, err := platform.Machine(args[0], workload.ReadFile)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %s\ncore %s\narchitecture %s\nhash %s\n\n", m.Name, m.About, m.Core, cmp.Or(m.Architecture, "not said"), m.Hash())
			tw := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			believed := m.StatesBasis() || m.Ranged() != nil
			for _, r := range m.Rows() {
				fmt.Fprintf(tw, "%s\t%s\t%s\t", r.Path, r.Value, r.Unit)
				if believed {
					fmt.Fprintf(tw, "%s\t%s\t", cmp.Or(string(r.Basis), "-"), cmp.Or(r.Range.String(), "-"))
				}
				if len(m.Origins) > 0 {
					fmt.Fprintf(tw, "%s\t", cmp.Or(m.Origin(r.Path), args[0]))
				}
				fmt.Fprintf(tw, "%s\n", r.Source)
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
	}
	c.Flags().BoolVar(&identifiable, "identifiable", false, "which numbers calibrate gives back from such a device, and why not the others")
	return c
}

// showIdentifiable writes which numbers of a machine a calibration gives back, and then the rest.
func showIdentifiable(c *cobra.Command, name string) error {
	all, err := warpbound.Identifiable(c.Context(), name)
	if err != nil {
		return err
	}
	tw := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "calibrate gives back:")
	found := 0
	for _, id := range all {
		if id.How != "" {
			found++
			fmt.Fprintf(tw, "  %s\t%s\t%s\n", id.Path, id.Value, id.How)
		}
	}
	fmt.Fprintln(tw, "\nand keeps of the base:")
	for _, id := range all {
		if id.How == "" {
			fmt.Fprintf(tw, "  %s\t%s\t%s\n", id.Path, id.Value, id.Why)
		}
	}
	fmt.Fprintf(tw, "\n%d of %d\n", found, len(all))
	return tw.Flush()
}

// listMachines writes what machines are built in.
func listMachines(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range machine.Names() {
		m, err := machine.Builtin(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(tw, "%s\t%s\n", name, m.About)
	}
	return tw.Flush()
}

// machinesFor writes which machines suit a module.
func machinesFor(w io.Writer, module, kernel string, f format) error {
	src, err := warpbound.ReadModule(module)
	if err != nil {
		return err
	}
	m, err := warpbound.MachinesFor(module, src, kernel)
	if err != nil {
		return err
	}
	if f == "json" {
		return report.JSON(w, m)
	}
	return report.Machines(w, m, columns(w))
}
