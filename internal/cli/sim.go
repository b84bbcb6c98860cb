package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/report"
)

func simCommand() *cobra.Command {
	var job jobFlags
	var vector int
	var limit int64
	var trace, ipoints string
	var dumps []string
	c := &cobra.Command{
		Use:   "sim JOB.toml",
		Short: "Simulate one run of a job: cycles and counters",
		Args:  cobra.ExactArgs(1),
	}
	format := addFormat(c)
	job.add(c)
	c.Flags().IntVar(&vector, "vector", 0, "which test vector to run, from 0")
	c.Flags().Int64Var(&limit, "max-cycles", 0, "give up after this many cycles (default: 2^40)")
	c.Flags().StringVar(&trace, "trace", "", "write the Ipoint trace to this file (CSV if it ends in .csv)")
	c.Flags().StringVar(&ipoints, "ipoints", "blocks", "instrument blocks, headers (of loops), every:N blocks, or labels:A,B")
	c.Flags().StringArrayVar(&dumps, "dump", nil, "NAME=FILE: write the buffer's bytes after the run, little-endian")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if vector < 0 {
			return fmt.Errorf("--vector %d: want at least 0", vector)
		}
		if limit < 0 {
			return fmt.Errorf("--max-cycles %d: want at least 1", limit)
		}
		opts := warpbound.SimulateOptions{Vector: vector, MaxCycles: limit}
		if opts.Ipoints, err = warpbound.ParsePlacement(ipoints); err != nil {
			return fmt.Errorf("--ipoints: %w", err)
		}
		j, err := job.load(c, args[0])
		if err != nil {
			return err
		}
		targets, err := dumpTargets(j, dumps)
		if err != nil {
			return err
		}
		var out *file
		if trace != "" {
			if out, err = createFile(trace); err != nil {
				return err
			}
			opts.Trace, opts.TraceCSV = out, strings.HasSuffix(trace, ".csv")
		}
		run, err := j.Simulate(c.Context(), opts)
		if out != nil {
			if err != nil {
				out.discard()
			} else {
				err = out.commit()
			}
		}
		if err != nil {
			return err
		}
		if err := targets.write(run); err != nil {
			return err
		}
		if *format == "json" {
			return report.JSON(c.OutOrStdout(), &run.Simulation)
		}
		return report.Simulation(c.OutOrStdout(), &run.Simulation, j.ClockHz())
	}
	return c
}

// dump is one --dump: a buffer and the file for its bytes.
type dump struct{ buffer, file string }

type dumpList []dump

// dumpTargets reads the --dump flags before anything runs.
func dumpTargets(j *warpbound.Job, flags []string) (dumpList, error) {
	var list dumpList
	var errs []error
	for _, f := range flags {
		name, path, ok := strings.Cut(f, "=")
		if !ok || path == "" {
			errs = append(errs, fmt.Errorf("--dump %s: want NAME=FILE", f))
			continue
		}
		if !j.HasBuffer(name) {
			errs = append(errs, fmt.Errorf("--dump %s: the job has no buffer %q; it has %s", f, name, strings.Join(j.Buffers(), ", ")))
			continue
		}
		list = append(list, dump{name, path})
	}
	return list, errors.Join(errs...)
}

func (list dumpList) write(run *warpbound.Run) error {
	for _, d := range list {
		f, err := createFile(d.file)
		if err != nil {
			return err
		}
		if _, err := f.Write(run.Buffer(d.buffer)); err != nil {
			f.discard()
			return fmt.Errorf("writing %s: %w", d.file, err)
		}
		if err := f.commit(); err != nil {
			return err
		}
	}
	return nil
}
