// Package cli is the command line of warpbound, one file for each subcommand.
//
// It reads arguments and files, calls the public package and renders what comes
// back. Results go to standard output, progress and errors to standard error.
// It computes nothing itself.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"warpbound/internal/halt"
	"warpbound/internal/provenance"
)

// The exit codes.
const (
	exitFine     = 0
	exitVerdict  = 1 // the answer is against the user's limit
	exitFailure  = 2 // bad input or a failure
	exitNotShown = 3 // it is not known whether it is
)

// errVerdict is returned by a command whose result, already printed, is against
// the user's limit.
var errVerdict = errors.New("verdict against the limit")

// errNotShown is returned by a command whose result, already printed, does not show that the user's limit is kept.
var errNotShown = errors.New("not shown")

// errFailed is returned by a command that failed, and has said why.
var errFailed = errors.New("failed")

// Main runs warpbound with the arguments after the program's name and returns
// the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	return within(grace, args, stdout, stderr)
}

// within is Main, where an interrupted command may take so long to clean up.
func within(grace time.Duration, args []string, stdout, stderr io.Writer) int {
	ctx, cancel := interruptible()
	defer cancel(nil)
	go watchMemory(ctx, cancel, memoryLimit(), liveBytes)
	root := command()
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { watchTimeout(c, cancel) }
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	var unwritten error // of a help text: the library of commands drops it
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		var page bytes.Buffer
		showHelp(c, &page, columns(stdout))
		_, unwritten = page.WriteTo(stdout)
	})
	err := execute(ctx, root, grace)
	if err == nil {
		err = unwritten
	}
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errVerdict):
		return exitVerdict
	case errors.Is(err, errNotShown):
		return exitNotShown
	case errors.Is(err, errFailed):
		return exitFailure
	case halt.Ended(ctx, err):
		fmt.Fprintln(stderr, "warpbound:", context.Cause(ctx))
	default:
		complain(stderr, err)
	}
	return exitFailure
}

// execute runs the command. One that is interrupted while it waits for something
// that cannot be, such as the other end of a pipe, is left behind.
func execute(ctx context.Context, root *cobra.Command, grace time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return ctx.Err()
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "warpbound",
		Short: "Bound the worst-case execution time of GPU kernels",
		Long: "Warpbound bounds the worst-case execution time of GPU kernels: PTX in, bounds\n" +
			"out, each with its evidence and assumptions. Start with: warpbound demo",
		Example: `  warpbound demo
  warpbound analyze kernels/vectorAdd/job.toml
  warpbound check kernels/vectorAdd/job.toml --budget 2ms`,
		Version:       provenance.Of().Tool.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.Args = cobra.NoArgs
	root.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	help := helpCommand(root)
	root.SetHelpCommand(help)
	strict(help)
	run := []*cobra.Command{
		initCommand(), demoCommand(), analyzeCommand(), simCommand(), inspectCommand(),
		checkCommand(), verifyCommand(), factsCommand(), reproduceCommand(), selfcheckCommand(),
		calibrateCommand(), splitCommand(), quotaCommand(), searchCommand(), workerCommand(),
	}
	addTimeout(run...)
	root.AddCommand(run...)
	root.AddCommand(compareCommand(), machinesCommand(), syntheticCommand(), versionCommand(), completionCommand())
	strict(root)
	completeAll(root)
	return root
}

// helpCommand is cobra's, but for the exit code where there is no such command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show how a command is used",
		Example: `  warpbound help analyze
  warpbound help machines show`,
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			of, _, err := root.Find(args)
			if err != nil {
				return fixed()(c, args, typed)
			}
			return fixed(below(of)...)(c, args, typed)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				err = usagef("%w", unknownCommand(c, rest[0]))
			}
			if err != nil {
				return err
			}
			return c.Help()
		},
	}
}
