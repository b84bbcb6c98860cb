package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/fleet"
	"warpbound/internal/fleet/runs"
	"warpbound/internal/selfcheck"
)

// serverVariable is the environment variable with the server of workers.
const serverVariable = "NATS_URL"

// processorsVariable is the environment variable with how many processors a worker takes; without it, it takes one.
const processorsVariable = "GOMAXPROCS"

// fleetFlags say by which server workers are reached.
type fleetFlags struct {
	server  warpbound.Fleet
	workers *int64
}

func (f *fleetFlags) add(c *cobra.Command, usage string) {
	c.Flags().StringVar(&f.server.URL, "nats", "", usage)
	c.Flags().StringVar(&f.server.Creds, "nats-creds", "", "file with the credentials for the server")
	c.Flags().StringVar(&f.server.CA, "nats-ca", "", "file with the certificates of the authorities that may certify the server (default: those of the system)")
	c.Flags().StringVar(&f.server.Cert, "nats-cert", "", "file with the certificate for the server")
	c.Flags().StringVar(&f.server.Key, "nats-key", "", "file with the key of that certificate")
	c.MarkFlagsRequiredTogether("nats-cert", "nats-key")
}

// addCoordinator adds the flags of a command that has workers do what is asked.
func (f *fleetFlags) addCoordinator(c *cobra.Command, what string) {
	f.add(c, "have "+what+" by the workers of this NATS server, for example nats://HOST:4222")
	f.workers = addNumber(c, "workers", 1, "have "+what+" by so many processes of this computer")
	c.MarkFlagsMutuallyExclusive("workers", "nats")
}

// start starts the workers of this computer, if there are to be any, and says by which server workers are reached. end
// ends them.
func (f *fleetFlags) start(c *cobra.Command, to *warpbound.Fleet) (end func(), err error) {
	note := newNotes(c.ErrOrStderr())
	if f.server.URL != "" {
		*to = f.server
		to.Note = note
	}
	if *f.workers == 0 {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "warpbound-workers-")
	if err != nil {
		return nil, err
	}
	url, stop, err := warpbound.ServeFleet(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--workers: %w", err), os.RemoveAll(dir))
	}
	ctx, cancel := context.WithCancel(c.Context())
	var group sync.WaitGroup
	for range *f.workers {
		group.Go(func() { supervise(ctx, url, note) })
	}
	*to = warpbound.Fleet{URL: url, Note: note}
	return func() {
		cancel()
		group.Wait()
		stop()
		os.RemoveAll(dir)
	}, nil
}

// supervise keeps a worker running until ctx ends. It dies with this process, whatever ends that: its standard input
// closes then.
func supervise(ctx context.Context, url string, note func(string)) {
	for ctx.Err() == nil {
		if err := work(ctx, url); err != nil && ctx.Err() == nil {
			note(fmt.Sprintf("a worker has ended (%v), another one begins", err))
		}
		select {
		case <-time.After(time.Second / 10):
		case <-ctx.Done():
		}
	}
}

// work runs a worker to its end.
func work(ctx context.Context, url string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w := exec.CommandContext(ctx, self, "worker", "--until-closed")
	w.Args[0] = os.Args[0]
	w.Env = append(os.Environ(), serverVariable+"="+url)
	alive, err := w.StdinPipe()
	if err != nil {
		return err
	}
	defer alive.Close()
	return w.Run()
}

// newNotes returns what writes notes of workers.
func newNotes(to io.Writer) func(string) {
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(to, "warpbound:", text)
	}
}

func workerCommand() *cobra.Command {
	var f fleetFlags
	var closed bool
	c := &cobra.Command{
		Use:   "worker",
		Short: "Work on this computer for analyze, search and selfcheck --nats",
		Example: `  # on each computer, with the server that --nats names there too:
  warpbound worker --nats nats://build.example:4222`,
		Args: cobra.NoArgs,
	}
	f.add(c, "NATS server with JetStream, for example nats://HOST:4222 (default: $"+serverVariable+")")
	c.Flags().BoolVar(&closed, "until-closed", false, "end when standard input does")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if f.server.URL == "" {
			f.server.URL = os.Getenv(serverVariable)
		}
		if f.server.URL == "" {
			return usagef("--nats is missing")
		}
		f.server.Note = newNotes(c.ErrOrStderr())
		if os.Getenv(processorsVariable) == "" {
			runtime.GOMAXPROCS(1)
		}
		ctx, cancel := context.WithCancel(c.Context())
		defer cancel()
		if closed {
			go func() {
				io.Copy(io.Discard, os.Stdin)
				cancel()
			}()
		}
		err := runs.Work(ctx, fleet.Config(f.server), selfcheck.Kind())
		if ctx.Err() != nil && c.Context().Err() == nil {
			return nil
		}
		return err
	}
	return c
}
