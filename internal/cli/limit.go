package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"warpbound/estimate"
	"warpbound/internal/halt"
)

// grace is how long an interrupted command may take to print what is known, and finishing how long of that bounds
// of the runs so far may take.
const (
	grace     = 2 * time.Second
	finishing = grace / 2
)

// interruptible returns a context that ends with the first signal to interrupt or to terminate. A second one has the
// effect that it has on any program.
func interruptible() (ctx context.Context, cancel context.CancelCauseFunc) {
	ctx, cancel = context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case <-signals:
			cancel(&halt.Cause{Reason: estimate.BySignal, Text: "interrupted"})
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// addTimeout adds --timeout to commands.
func addTimeout(commands ...*cobra.Command) {
	for _, c := range commands {
		c.Flags().Var(&duration{}, timeoutFlag, "stop after this time, for example 30s or 10m, and print what is known by then")
	}
}

const timeoutFlag = "timeout"

// timeout returns the --timeout of a command, 0 if it has none.
func timeout(c *cobra.Command) time.Duration {
	f := c.Flags().Lookup(timeoutFlag)
	if f == nil {
		return 0
	}
	return f.Value.(*duration).value
}

// watchTimeout ends the context of a command after its --timeout, if it has one.
func watchTimeout(c *cobra.Command, cancel context.CancelCauseFunc) {
	if limit := timeout(c); limit > 0 {
		time.AfterFunc(limit, func() {
			cancel(&halt.Cause{Reason: estimate.ByTimeout, Text: fmt.Sprintf("out of time (--%s %s)", timeoutFlag, limit)})
		})
	}
}

// duration is the value of a flag that takes a positive time.
type duration struct{ value time.Duration }

func (d *duration) String() string {
	if d.value == 0 {
		return ""
	}
	return d.value.String()
}

// Type implements pflag.Value.
func (d *duration) Type() string { return "duration" }

func (d *duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil || v <= 0 {
		return errors.New("want a positive time with its unit, for example 30s or 10m")
	}
	d.value = v
	return nil
}

// soFar prints what a command knows, if anything, and returns the error with which it ended: nil, or that it ended
// early.
func soFar(ended error, known bool, print func() error) error {
	if !known {
		return ended
	}
	return errors.Join(ended, print())
}
