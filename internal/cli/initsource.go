package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/compile"
	"warpbound/internal/machine"
)

// approximate says what is special about code that was compiled without a toolkit.
const approximate = "Functions such as expf, sinf and powf are Warpbound's approximations, as with -use_fast_math; nvcc makes other code of them."

// sourceFlags are those of init for sources.
type sourceFlags struct {
	arch   string
	update bool
}

func (f *sourceFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.arch, "arch", compile.DefaultArch,
		"the architecture for which a source is compiled; with --machine, the one that it describes")
	c.Flags().BoolVar(&f.update, "update", false, "compile the source of the job again, by the command in its [source]")
}

// fileAndFlags takes one argument, and behind two dashes any number.
func fileAndFlags(c *cobra.Command, args []string) error {
	if at := c.ArgsLenAtDash(); at >= 0 {
		args = args[:at]
	}
	return cobra.ExactArgs(1)(c, args)
}

// module is a module for which a job is written.
type module struct {
	name  string
	text  []byte
	table string // [source] of the job; empty if nothing was compiled
	isNew bool   // it was compiled, and there is no file of it yet
}

// save writes a module that is new.
func (m *module) save() error {
	if !m.isNew {
		return nil
	}
	return writeFiles(map[string][]byte{m.name: m.text})
}

// module reads a module, or compiles a source for a job that will be in a directory, with further
// flags of the compiler. The job is for the machine on, unless that is empty.
func (f *sourceFlags) module(c *cobra.Command, file, dir, on string, flags []string) (*module, error) {
	text, err := warpbound.ReadModule(file)
	if err != nil {
		return nil, err
	}
	if !compile.IsSource(file) {
		if len(flags) > 0 || c.Flags().Changed("arch") {
			return nil, fmt.Errorf("%s is not compiled, so it takes no flags for a compiler", file)
		}
		return &module{name: file, text: text}, nil
	}
	name, err := relative(dir, file)
	if err != nil {
		return nil, err
	}
	arch, described, err := f.archFor(c, file, on)
	if err != nil {
		return nil, err
	}
	command, err := compile.Command(c.Context(), compile.Request{Source: name, Arch: arch, Flags: flags})
	if err != nil {
		return nil, err
	}
	because := ""
	if arch != described {
		because = fmt.Sprintf(": %s does not know %s, which %s describes", command[0], described, on)
	}
	fmt.Fprintf(c.ErrOrStderr(), "Compiling %s with %s for %s%s\n", file, command[0], arch, because)
	ptx, err := compile.Run(c.Context(), command, dir, c.ErrOrStderr())
	if err != nil {
		return nil, uncompiled(err, file, command)
	}
	if compile.Approximates(command) && bytes.Contains(ptx, []byte(".approx.")) {
		fmt.Fprintln(c.ErrOrStderr(), approximate)
	}
	out := &module{
		name: filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))+".ptx"),
		text: ptx, table: compile.Table(name, command, text),
	}
	old, err := os.ReadFile(out.name)
	switch {
	case err == nil && bytes.Equal(old, ptx):
		return out, nil
	case err == nil:
		return nil, fmt.Errorf("%s is there already and is another module, so it stays as it is; name a job in another directory with -o, or compile a job's source again with init --update JOB", out.name)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	out.isNew = true
	return out, nil
}

// archFor returns the architecture for which a source is compiled, and the one for which it should
// be: that of the flag, or of the GPU that the machine on describes.
func (f *sourceFlags) archFor(c *cobra.Command, file, on string) (arch, wanted string, err error) {
	if on == "" || c.Flags().Changed("arch") {
		return f.arch, f.arch, nil
	}
	m, err := machine.Builtin(on)
	if err != nil {
		return "", "", err
	}
	if !strings.HasPrefix(m.Architecture, "sm_") { // it describes no GPU
		return f.arch, f.arch, nil
	}
	arch, err = compile.Nearest(c.Context(), file, m.Architecture)
	return arch, m.Architecture, err
}

// announce shows a command that a job holds before it runs.
func announce(c *cobra.Command, dir string, command []string) {
	in := ""
	if dir != "." {
		in = " in " + dir
	}
	fmt.Fprintf(c.ErrOrStderr(), "Compiling%s: %s\n", in, strings.Join(command, " "))
}

// uncompiled says what to do where a compiler has said what is wrong.
func uncompiled(err error, file string, command []string) error {
	if !errors.Is(err, compile.ErrRefused) {
		return err
	}
	text := fmt.Sprintf("flags for it follow two dashes: warpbound init %s -- -I include -D N=16", file)
	if compile.Approximates(command) && filepath.Ext(file) == ".cu" {
		text += fmt.Sprintf("\nWhat needs a CUDA toolkit: nvcc -ptx %s where there is one, and warpbound init of the module", file)
	}
	return fmt.Errorf("%s %w %s; %s", command[0], err, file, text)
}

// writeFiles writes files that appear under their names when all are complete.
func writeFiles(files map[string][]byte) error {
	var out outputs
	defer out.discard()
	for name, text := range files {
		f, err := out.create("writing", name)
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
	}
	return out.commit()
}

// again compiles the source of a job again, and says if the job does not fit what comes of it.
func again(c *cobra.Command, file string) error {
	u, err := compile.Again(c.Context(), file, func(dir string, command []string) { announce(c, dir, command) }, c.ErrOrStderr())
	if errors.Is(err, compile.ErrRefused) {
		return fmt.Errorf("the compiler %w it; %s and its module stay as they are", err, file)
	}
	if err != nil {
		return err
	}
	files := map[string][]byte{file: u.JobText}
	if !u.Same {
		files[u.Module] = u.ModuleText
	}
	if err := writeFiles(files); err != nil {
		return err
	}
	what := "has changed"
	if u.Same {
		what = "is as it was"
	}
	fmt.Fprintf(c.OutOrStdout(), "Compiled %s: %s %s.\n", u.Source, u.Module, what)
	if _, err := warpbound.Load(file, warpbound.LoadOptions{}); err != nil {
		return fmt.Errorf("%s does not fit the new module:\n%w", file, err)
	}
	return nil
}
