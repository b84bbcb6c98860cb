package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"warpbound/estimate"

	"github.com/spf13/cobra"

	"warpbound"
)

func verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a certificate that analyze --certificate wrote: exit 0 if it proves its bound, 1 if not, 2 unknown",
		Example: `  warpbound analyze kernels/bfs/job.toml --certificate bfs.cert
  warpbound verify bfs.cert`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in, err := os.Open(args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], cause(err))
			}
			defer in.Close()
			p, err := warpbound.Verify(in)
			switch {
			case errors.Is(err, warpbound.ErrRefuted):
				fmt.Fprintf(c.OutOrStdout(), "%s: %v\n", args[0], err)
				return errVerdict
			case err != nil:
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return printProof(c.OutOrStdout(), args[0], p)
		},
	}
}

func printProof(w io.Writer, name string, p *estimate.Proof) error {
	_, err := fmt.Fprintf(w, "%s: holds: no path of %s (%d nodes, %d edges) takes more than %d cycles\n",
		name, p.Model, p.Nodes, p.Edges, p.Cycles)
	for _, f := range p.Facts {
		if err == nil {
			_, err = fmt.Fprintf(w, "  uses %s (evidence: %s)\n", f.Constraint, f.Evidence)
		}
	}
	return err
}
