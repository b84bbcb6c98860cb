package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"warpbound/internal/synthetic"
)

func syntheticCommand() *cobra.Command {
	cfg := synthetic.Config{}
	var dir string
	var force bool
	c := &cobra.Command{
		Use:   "synthetic --out DIR",
		Short: "Write a benchmark of nested if-else: a kernel and a job",
		Long: "Write a benchmark of nested if-else on the numbers of work-items: a kernel in\n" +
			synthetic.ModuleFile + " and a job in " + synthetic.JobFile + ".",
		Example: `  warpbound synthetic --out bench --nesting 2 --divergent 50
  warpbound split bench/job.toml`,
		Args: cobra.NoArgs,
	}
	flags := c.Flags()
	flags.IntVar(&cfg.Instructions, "instructions", 800, "instructions of the kernel, without conditionals")
	flags.IntVar(&cfg.Divergent, "divergent", 100, "per cent of the instructions that only one class of work-items executes")
	flags.IntVar(&cfg.Memory, "memory", 0, "per cent of the instructions that load or store (default 0)")
	flags.IntVar(&cfg.Nesting, "nesting", 3, fmt.Sprintf("nesting of if-else, up to %d; N makes 2^N classes", synthetic.MaxNesting))
	flags.IntVar(&cfg.Iterations, "iterations", 1, "iterations of a loop around all instructions; 1 is without a loop")
	flags.IntVar(&cfg.WorkItems, "items", 256, "work-items of a group")
	flags.IntVar(&cfg.Groups, "groups", 16, "groups of the launch")
	flags.IntVar(&cfg.Marked, "marked", synthetic.AllMarked, "mark only so many if-else for splitting, outer ones first; -1 for all")
	flags.Uint64Var(&cfg.Seed, "seed", 1, "seed of the instructions and of the contents of memory")
	flags.StringVar(&cfg.Machine, "machine", "gcn3-split", "machine that the job names")
	flags.StringVarP(&dir, "out", "o", "", "directory to write to; created if missing")
	flags.BoolVar(&force, "force", false, "overwrite what is there")
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err) // the flag is defined above
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		b, err := synthetic.New(cfg)
		if err != nil {
			return fmt.Errorf("--%w", err)
		}
		if err := saveBenchmark(dir, b, force); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n%s\n%d non-divergent and %d divergent instructions, %d of them access memory; %d if-else, %d of them marked\n",
			filepath.Join(dir, synthetic.ModuleFile), filepath.Join(dir, synthetic.JobFile),
			b.Counts.Uniform, b.Counts.Divergent, b.Counts.Memory, b.Counts.Branches, b.Counts.Marked)
		return err
	}
	return c
}

// saveBenchmark writes the files of a benchmark. Unless force is set it leaves files
// that are there.
func saveBenchmark(dir string, b *synthetic.Benchmark, force bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	var out outputs
	defer out.discard()
	for _, f := range []struct{ name, text string }{{synthetic.ModuleFile, b.Module}, {synthetic.JobFile, b.Job}} {
		path := filepath.Join(dir, f.name)
		if _, err := os.Lstat(path); !force && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--out: %s is there; --force overwrites it", path)
		}
		to, err := out.create("--out", path)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, f.text); err != nil {
			return fmt.Errorf("--out %s: %w", path, cause(err))
		}
	}
	return out.commit()
}
