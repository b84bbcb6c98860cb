package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/report"
)

func initCommand() *cobra.Command {
	var opts warpbound.DraftOptions
	var source sourceFlags
	var output string
	c := &cobra.Command{
		Use:   "init FILE",
		Short: "Write a job for a kernel of a module: a launch, arguments and buffers, guessed and tried",
		Long: `Writes a job for a kernel of a module: a launch, arguments and buffers, guessed and tried.

A source of CUDA C++ (.cu) or OpenCL C (.cl) is compiled first, by nvcc or else by clang, for the architecture that the
machine describes. Flags for the compiler follow two dashes.`,
		Example: `  warpbound init kernels/bfs/bfs.ptx
  # one kernel of several, and a name for the job:
  warpbound init kernels/relaxation/relaxation.ptx --kernel relax -o relax.toml
  # for another machine than the one that suits the kernel best:
  warpbound init kernels/bfs/bfs.ptx --machine orin-agx -o orin.toml
  # from a source, and again when it has changed:
  warpbound init kernels/vectorAdd/vectorAdd.cl -o add.toml --arch sm_80 -- -O3
  warpbound init --update add.toml`,
		Args: fileAndFlags,
	}
	source.add(c)
	c.Flags().StringVarP(&output, "output", "o", "", "the job file to write (default: beside the module, named after it, or after the kernel if it has several)")
	c.Flags().StringVar(&opts.Kernel, "kernel", "", "the kernel, if the module has several")
	c.Flags().StringVar(&opts.Machine, "machine", "",
		"the built-in machine that the job is for (default: the one that suits the kernel best)")
	c.MarkFlagsMutuallyExclusive("update", "machine")
	c.RunE = func(c *cobra.Command, args []string) error {
		if source.update {
			return again(c, args[0])
		}
		if output == "-" {
			return usagef("--output -: a job finds its module from its own place, so name a file")
		}
		if machine.IsFile(opts.Machine) || platform.IsDevice(opts.Machine) {
			return usagef("--machine %s: a job is written for a built-in machine; "+
				"name a file or a device in the job, or with analyze --machine", opts.Machine)
		}
		dir := filepath.Dir(args[0])
		if output != "" {
			dir = filepath.Dir(output)
		}
		m, err := source.module(c, args[0], dir, opts.Machine, args[1:])
		if err != nil {
			return err
		}
		if opts.Path, err = relative(dir, m.name); err != nil {
			return err
		}
		d, err := warpbound.Draft(c.Context(), m.name, m.text, opts)
		if err != nil {
			return err
		}
		if output == "" {
			output = filepath.Join(dir, d.Stem+".toml")
		}
		if err := m.save(); err != nil {
			return err
		}
		if err := writeNew(output, d.Text+m.table); err != nil {
			return err
		}
		return report.Draft(c.OutOrStdout(), d, output)
	}
	return c
}

// relative returns the path of a file from a directory, with slashes.
func relative(dir, file string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	path, err := filepath.Rel(dir, file)
	return filepath.ToSlash(path), err
}

// writeNew writes a file that must not be there yet. It appears under its name only when all of it is written: half a job
// would be in the way of the next attempt.
func writeNew(name, text string) error {
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s is there already and stays as it is; name another file with -o", name)
	}
	f, err := begin(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no directory %s: make it, or name another file with -o", filepath.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, cause(err))
	}
	if err := f.complete(text); err != nil {
		return fmt.Errorf("%s: %w", name, cause(err))
	}
	return nil
}

// complete writes the text of a file and moves it to its name, or leaves nothing behind.
func (f *file) complete(text string) error {
	f.Writer = bufio.NewWriter(f.target)
	_, err := f.WriteString(text)
	if err == nil {
		err = f.commit()
	}
	if err != nil {
		f.discard()
	}
	return err
}
