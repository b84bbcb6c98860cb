package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"warpbound/internal/provenance"
	"warpbound/internal/report"
)

func versionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "version",
		Short: "Tell which build of warpbound this is",
		Example: `  warpbound version
  warpbound version --format json`,
		Args: cobra.NoArgs,
	}
	format := addFormat(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		p := provenance.Of()
		if *format == "json" {
			return report.JSON(c.OutOrStdout(), p)
		}
		_, err := fmt.Fprintln(c.OutOrStdout(), p.Tool)
		return err
	}
	return c
}
