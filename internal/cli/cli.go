// Package cli is the command line of warpbound, one file for each subcommand.
//
// It reads arguments and files, calls the public package and renders what comes
// back. Results go to standard output, progress and errors to standard error.
// It computes nothing itself.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitFine    = 0
	exitVerdict = 1 // the answer is against the user's limit
	exitFailure = 2 // bad input or a failure
)

// errVerdict is returned by a command whose result, already printed, is against
// the user's limit.
var errVerdict = errors.New("verdict against the limit")

// Main runs warpbound with the arguments after the program's name and returns
// the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := command()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errVerdict):
		return exitVerdict
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "warpbound: interrupted")
	default:
		fmt.Fprintln(stderr, "warpbound:", err)
	}
	return exitFailure
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "warpbound",
		Short: "Bound the worst-case execution time of GPU kernels",
		Long: "Warpbound bounds the worst-case execution time of GPU kernels: PTX in, bounds\n" +
			"out, each with what it rests on. Start with: warpbound demo",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		demoCommand(), analyzeCommand(), simCommand(), inspectCommand(),
		machinesCommand(), checkCommand(), reproduceCommand(),
	)
	return root
}

// format is the value of a --format flag.
type format string

func (f *format) String() string { return string(*f) }

// Type implements pflag.Value.
func (f *format) Type() string { return "text|json" }

func (f *format) Set(s string) error {
	if s != "text" && s != "json" {
		return fmt.Errorf("want text or json")
	}
	*f = format(s)
	return nil
}

func addFormat(c *cobra.Command) *format {
	f := format("text")
	c.Flags().Var(&f, "format", "how to print the result")
	return &f
}
