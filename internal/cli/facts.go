package cli

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"warpbound/estimate"
	"warpbound/internal/report"
)

func factsCommand() *cobra.Command {
	var job jobFlags
	var dir string
	c := &cobra.Command{
		Use:   "facts JOB.toml",
		Short: "Write what is known of registers, loops, edges and addresses as formulas that an SMT solver is to refute",
		Example: `  # z3 formulas/loop-1.smt2, and each other file, is to answer unsat:
  warpbound facts kernels/histogram64/job.toml --smt formulas`,
		Args: cobra.ExactArgs(1),
	}
	format := addFormat(c)
	job.add(c)
	c.Flags().StringVar(&dir, "smt", "", "write files in SMT-LIB 2, and index.json, to this directory")
	c.RunE = func(c *cobra.Command, args []string) error {
		if dir == "" {
			return usagef("--smt: name a directory to write formulas to")
		}
		j, err := job.load(c, args[0])
		if err != nil {
			return err
		}
		list, files, err := j.Facts(c.Context())
		if err != nil {
			return err
		}
		var index bytes.Buffer
		if err := report.JSON(&index, list); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("--smt %s: %w", dir, cause(err))
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o644); err != nil {
				return fmt.Errorf("--smt %s: %w", dir, err)
			}
		}
		// The list comes last: where it is, the files are complete.
		if err := os.WriteFile(filepath.Join(dir, "index.json"), index.Bytes(), 0o644); err != nil {
			return fmt.Errorf("--smt %s: %w", dir, err)
		}
		if *format == "json" {
			return report.JSON(c.OutOrStdout(), list)
		}
		return printFormulas(c.OutOrStdout(), dir, list)
	}
	return c
}

// printFormulas prints how many formulas there are of each kind.
func printFormulas(w io.Writer, dir string, list *estimate.Facts) error {
	counts := make(map[string]int)
	for _, f := range list.Formulas {
		counts[f.Kind]++
	}
	out := &lines{w: w}
	out.printf("%s: %s, listed in index.json\n", dir, counted(len(list.Formulas), "formula"))
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		out.printf("  %-12s %d\n", kind, counts[kind])
	}
	return out.err
}
