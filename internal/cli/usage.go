package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"warpbound/internal/suggest"
)

// usageError is the error of a command that is called in a wrong way: what is said of it names
// the usage of the command, too.
type usageError struct {
	err     error
	command *cobra.Command // nil until the command has returned
}

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

// usagef returns the error of a wrong call, such as a flag with a value that it cannot have.
func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// complain writes what is wrong, and of a wrong call how it is right.
func complain(w io.Writer, err error) {
	fmt.Fprintln(w, "warpbound:", err)
	if wrong := (*usageError)(nil); errors.As(err, &wrong) && wrong.command != nil {
		fmt.Fprintf(w, "Usage: %s\nHelp:  %s --help\n", usageLine(wrong.command), wrong.command.CommandPath())
	}
}

// usageLine is how a command is called, in one line.
func usageLine(c *cobra.Command) string {
	if !c.HasParent() {
		return c.CommandPath() + " COMMAND [flags]"
	}
	return c.UseLine()
}

// strict makes a command and those below it say what is wrong in a call, before they do anything.
func strict(c *cobra.Command) {
	for _, b := range c.Commands() {
		strict(b)
	}
	c.SetFlagErrorFunc(flagError)
	valid := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if valid != nil && valid(c, args) != nil {
			return &usageError{argumentsError(c, args), c}
		}
		if err := flagsError(c); err != nil {
			return &usageError{err, c}
		}
		return nil
	}
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			err := run(c, args)
			if wrong := (*usageError)(nil); errors.As(err, &wrong) {
				wrong.command = c
			}
			return err
		}
	}
}

// argumentsError says what is wrong in the arguments of a command, which are too few or too many.
func argumentsError(c *cobra.Command, args []string) error {
	want := positional(c)
	switch {
	case len(args) > 0 && c.HasSubCommands():
		return unknownCommand(c, args[0])
	case len(args) > len(want):
		return fmt.Errorf("unexpected argument %q", args[len(want)])
	case strings.Contains(want[len(args)], "|"):
		return fmt.Errorf("say which: %s", strings.Join(strings.Split(want[len(args)], "|"), ", "))
	}
	return fmt.Errorf("%s is missing", strings.TrimSuffix(want[len(args)], "..."))
}

// positional returns the names of a command's arguments, as its usage has them.
func positional(c *cobra.Command) []string {
	var names []string
	for _, word := range strings.Fields(c.Use)[1:] {
		if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "[") {
			break
		}
		names = append(names, word)
	}
	return names
}

// unknownCommand says that there is no such command, and which was meant.
func unknownCommand(c *cobra.Command, name string) error {
	if _, err := os.Stat(name); err == nil || filepath.Ext(name) == ".toml" {
		verb := "analyze"
		if filepath.Ext(name) != ".toml" {
			verb = "inspect"
		}
		return fmt.Errorf("%s is a file: which command? for example %s %s %s", name, c.Root().Name(), verb, name)
	}
	return fmt.Errorf("unknown command %q%s", name, suggest.Mean(name, below(c)))
}

// below returns the names of the commands below one.
func below(c *cobra.Command) []string {
	var names []string
	for _, b := range c.Commands() {
		if b.IsAvailableCommand() {
			names = append(names, b.Name())
		}
	}
	return names
}

// flagError says in one sentence what the parser of flags found.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		err = fmt.Errorf("unknown flag --%s%s", name, suggest.Question(flagsNear(c, name)))
	case errors.As(err, &unknown):
		err = fmt.Errorf("unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &missing):
		err = fmt.Errorf("--%s: a value is missing (%s)", missing.GetFlag().Name, missing.GetFlag().Value.Type())
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s %s: %w", invalid.GetFlag().Name, invalid.GetValue(), valueError(invalid))
	}
	return &usageError{err, c}
}

// flagsNear returns the flags of a command nearest to a name, as they are given.
func flagsNear(c *cobra.Command, name string) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := suggest.Nearest(name, names)
	for i := range near {
		near[i] = "--" + near[i]
	}
	return near
}

// valueError is what the flag says of its value. The flags of the library say how they parse.
func valueError(e *pflag.InvalidValueError) error {
	switch e.GetFlag().Value.Type() {
	case "int", "int64":
		if _, ours := e.GetFlag().Value.(*number); !ours {
			return errors.New("want an integer")
		}
	case "uint64":
		return errors.New("want an integer of at least 0")
	case "float64":
		return errors.New("want a number")
	case "bool":
		return errors.New("want true or false")
	case "duration":
		if _, ours := e.GetFlag().Value.(*duration); ours {
			break
		}
		return errors.New("want a time with its unit, for example 2ms or 350us")
	}
	return e.Unwrap()
}

// The annotations by which the library of commands marks groups of flags.
const (
	exclusiveFlags = "cobra_annotation_mutually_exclusive"
	togetherFlags  = "cobra_annotation_required_if_others_set"
)

// flagsError says which flags are missing or exclude each other.
func flagsError(c *cobra.Command) error {
	var err error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case !f.Changed && f.Annotations[cobra.BashCompOneRequiredFlag] != nil:
			err = fmt.Errorf("--%s is missing", f.Name)
		case !f.Changed:
			for _, group := range f.Annotations[togetherFlags] {
				if given := given(c, group); len(given) > 0 {
					err = fmt.Errorf("--%s is missing: %s needs it", f.Name, given[0])
				}
			}
		default:
			for _, group := range f.Annotations[exclusiveFlags] {
				if given := given(c, group); len(given) > 1 {
					err = fmt.Errorf("%s exclude each other", strings.Join(given, " and "))
				}
			}
		}
	})
	return err
}

// given returns those flags of a group that are given.
func given(c *cobra.Command, group string) []string {
	var flags []string
	for name := range strings.FieldsSeq(group) {
		if c.Flags().Changed(name) {
			flags = append(flags, "--"+name)
		}
	}
	slices.Sort(flags)
	return flags
}
