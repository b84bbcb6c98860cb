package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/report"
	"warpbound/internal/suggest"
)

func simCommand() *cobra.Command {
	var job jobFlags
	var trace, ipoints string
	var dumps []string
	var steps, races, chain bool
	var exports profiles
	c := &cobra.Command{
		Use:   "sim JOB.toml",
		Short: "Simulate one run of a job: cycles and counters",
		Example: `  # cycles and counters of the first test vector:
  warpbound sim kernels/vectorAdd/job.toml
  # the result buffer as bytes, and the trace as CSV:
  warpbound sim kernels/vectorAdd/job.toml --dump c=c.bin --trace t.csv
  # every instruction of the sixth vector:
  warpbound sim kernels/triangleSum/job.toml --vector 5 --steps`,
		Args: cobra.ExactArgs(1),
	}
	format := addFormat(c)
	job.add(c)
	policy := addWord(c, "policy", "which warp issues", machine.Policies())
	order := addWord(c, "dram-order", "which request a bank of the DRAM serves first", machine.Orders())
	seed := addNumber(c, "policy-seed", 0, "of the random numbers by which --policy or --dram-order random choose (default 0)")
	vector := addNumber(c, "vector", 0, "which test vector to run, from 0")
	var adversarial string
	c.Flags().StringVar(&adversarial, "adversarial", "", "run the adversarial inputs of this name, which analyze prints, instead of a test vector")
	c.MarkFlagsMutuallyExclusive("adversarial", "vector")
	limit := addNumber(c, "max-cycles", 1, "abort after this many cycles (default: 2^30)")
	c.Flags().StringVar(&trace, "trace", "", "write the Ipoint trace to this file (CSV if it ends in .csv)")
	c.Flags().StringVar(&ipoints, "ipoints", "blocks", "instrument blocks, headers (of loops), every:N blocks, or labels:A,B")
	c.Flags().StringArrayVar(&dumps, "dump", nil, "NAME=FILE: write the buffer's bytes after the run, little-endian")
	c.Flags().BoolVar(&steps, "steps", false, "list every warp instruction: cycle, active lanes, and the reconvergence stack after it")
	c.Flags().BoolVar(&races, "races", false, "look for data races and for lanes that rely on lock-step, and exit with 1 if there are any")
	c.Flags().BoolVar(&chain, "chain", false, "find the chain of causes that leads to the end of the run: its critical path, by kind of wait and by line")
	exports.add(c, "the run")
	c.MarkFlagsMutuallyExclusive("steps", "format")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		opts := warpbound.SimulateOptions{Vector: int(*vector), Adversarial: adversarial, MaxCycles: *limit, Out: c.ErrOrStderr(), Cores: runtime.GOMAXPROCS(0), Races: races, Chain: chain}
		opts.OneCore = func(why string) { oneCore(c.ErrOrStderr(), why) }
		if opts.Ipoints, err = warpbound.ParsePlacement(ipoints); err != nil {
			return usagef("--%w", err)
		}
		j, err := job.load(c, args[0])
		if err != nil {
			return err
		}
		choices := warpbound.Choices{Policy: *policy, DRAMOrder: *order}
		if c.Flags().Changed("policy-seed") {
			choices.Seed = seed // 0 is a seed like any other
		}
		if j, err = j.Choosing(choices); err != nil {
			return usagef("%w", err)
		}
		var out outputs
		defer out.discard()
		if trace != "" {
			if opts.Trace, err = out.create("--trace", trace); err != nil {
				return err
			}
			opts.TraceCSV = strings.HasSuffix(trace, ".csv")
		}
		list, err := parseDumps(j, dumps, &out)
		if err != nil {
			return err
		}
		if err := exports.create(&out); err != nil {
			return err
		}
		var listed error
		listing := bufio.NewWriter(c.OutOrStdout())
		if steps {
			listed = report.StepsHeader(listing)
			opts.Step = func(s *estimate.Step) { listed = cmp.Or(listed, report.Step(listing, s)) }
		}
		run, err := j.Simulate(c.Context(), opts)
		print := func() error {
			if *format == "json" {
				return report.JSON(c.OutOrStdout(), &run.Simulation)
			}
			return report.Simulation(c.OutOrStdout(), &run.Simulation, j.ClockHz())
		}
		failed := cmp.Or(listed, listing.Flush())
		if err != nil {
			return soFar(err, run != nil && failed == nil, print)
		}
		if failed != nil {
			return failed
		}
		if steps {
			fmt.Fprintln(c.OutOrStdout())
		}
		for _, d := range list {
			if _, err := d.Write(run.Buffer(d.buffer)); err != nil {
				return fmt.Errorf("--dump %s: %w", d.name, cause(err))
			}
		}
		if exports.wanted() {
			made := &estimate.LongestRun{Vector: &opts.Vector, Cycles: run.Cycles}
			if adversarial != "" {
				made = &estimate.LongestRun{Adversarial: adversarial, Cycles: run.Cycles}
			}
			if _, err := exports.make(c, j, made, nil, *limit); err != nil {
				return err
			}
		}
		if err := out.commit(); err != nil {
			return err
		}
		hazard := func(w estimate.Warning) bool { return w.ID == estimate.WarpSynchronous }
		if err = print(); err == nil && (len(run.Races) > 0 || slices.ContainsFunc(run.Warnings, hazard)) {
			err = errVerdict
		}
		return err
	}
	return c
}

// oneCore says why a large launch was simulated on one core although there are more.
func oneCore(w io.Writer, why string) {
	fmt.Fprintf(w, "warpbound: simulated on one core: %s\n", why)
}

// dump is one --dump: a buffer and the file for its bytes.
type dump struct {
	buffer string
	*file
}

// parseDumps reads the --dump flags and begins their files.
func parseDumps(j *warpbound.Job, flags []string, out *outputs) ([]dump, error) {
	var list []dump
	for _, f := range flags {
		buffer, path, ok := strings.Cut(f, "=")
		if !ok || path == "" {
			return nil, fmt.Errorf("--dump %s: want NAME=FILE", f)
		}
		if !j.HasBuffer(buffer) {
			return nil, fmt.Errorf("--dump %s: the job has no buffer %q%s", f, buffer, suggest.HintOf("it has", buffer, j.Buffers()))
		}
		to, err := out.create("--dump", path)
		if err != nil {
			return nil, err
		}
		list = append(list, dump{buffer, to})
	}
	return list, nil
}
