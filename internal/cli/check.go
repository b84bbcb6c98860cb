package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/report"
	"warpbound/internal/symbol"
)

func checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check JOB.toml...",
		Short: "Check the bounds of jobs against their budgets: exit 0 met, 1 missed, 3 not shown",
		Long: "Check the bounds of jobs against their budgets, each against the one that it states (budget = \"2ms\", or\n" +
			"cycles as budget = 120000), or all against --budget. A job meets it if a bound that is proven is within it, or one\n" +
			"with the evidence of --require or a stronger one; it misses it if a run takes longer.\n\n" +
			"Exit code: 1 if a job misses its budget, else 2 if one fails, else 3 if it is not shown of one that it meets it,\n" +
			"else 0. The other jobs are checked all the same.",
		Example: `  warpbound check kernels/vectorAdd/job.toml --budget 2ms
  # by one method alone, on another machine, in cycles:
  warpbound check kernels/vectorAdd/job.toml --budget 200000 \
    --machine predictable-rr --methods static/cta
  # several jobs, for CI; without --budget against the budgets that they state:
  warpbound check kernels/*/job.toml --budget 20ms --format sarif`,
		Args: cobra.MinimumNArgs(1),
	}
	f.format = addFormats(c, "text", "json", "sarif", "junit")
	f.job.add(c)
	f.job.addBounds(c)
	f.analyze.add(c)
	c.Flags().StringVar(&f.job.mode, "mode", warpbound.LowestMode, "mode of the machine's clocks; lowest is the one with the lowest clocks, if the machine has modes")
	f.limit.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		k, err := f.check(c)
		if err != nil {
			return err
		}
		return k.run(args)
	}
	return c
}

// checkFlags are the flags of check.
type checkFlags struct {
	job     jobFlags
	analyze analyzeFlags
	format  *format
	limit   limitFlags
}

// check reads the flags.
func (f *checkFlags) check(c *cobra.Command) (*checkRun, error) {
	k := &checkRun{c: c, flags: f, requires: f.limit.requires()}
	var err error
	if k.budget, err = f.limit.parse(c); err != nil {
		return nil, err
	}
	k.opts, err = f.analyze.options()
	k.opts.Refusals = true
	return k, err
}

// checkRun is a check of several jobs.
type checkRun struct {
	c        *cobra.Command
	flags    *checkFlags
	budget   warpbound.Budget // of all jobs, if it is given
	requires estimate.Evidence
	opts     warpbound.AnalyzeOptions
}

// run checks the jobs one after the other and prints what comes of each. Jobs without an answer go to standard error,
// in formats for programs too.
func (k *checkRun) run(names []string) error {
	var jobs []estimate.CheckedJob
	var took []time.Duration
	for _, name := range names {
		begun := time.Now()
		j := k.job(name)
		jobs, took = append(jobs, j), append(took, time.Since(begun))
		if err := k.line(&j, len(names) > 1); err != nil {
			return err
		}
	}
	all := warpbound.Checked(jobs, k.requires)
	if err := k.print(all, took); err != nil {
		return err
	}
	switch {
	case all.Missed == 0 && all.Failed > 0:
		return errFailed
	default:
		return verdictError(all.Verdict)
	}
}

// job checks one job.
func (k *checkRun) job(name string) estimate.CheckedJob {
	checked, err := k.checked(name)
	if halt.Ended(k.c.Context(), err) {
		err = context.Cause(k.c.Context())
	}
	if err != nil {
		return warpbound.Unchecked(name, err)
	}
	return checked
}

func (k *checkRun) checked(name string) (estimate.CheckedJob, error) {
	none := estimate.CheckedJob{}
	if err := k.c.Context().Err(); err != nil {
		return none, err
	}
	j, err := k.flags.job.load(k.c, name)
	if err != nil {
		return none, err
	}
	budget := k.budget
	if !budget.Given() {
		budget = j.Budget()
	}
	if !budget.Given() {
		return none, fmt.Errorf("%s states no budget: write budget = \"2ms\" into it, or give --budget 2ms", name)
	}
	if k.requires != estimate.Proven {
		return k.held(j, budget)
	}
	counts, err := j.RegisterCounts()
	if err != nil {
		return none, err
	}
	if len(counts) == 0 {
		return k.held(j, budget)
	}
	var all []estimate.CheckedJob
	for _, n := range counts {
		opts := k.flags.job.options(k.c)
		opts.Registers = n
		with, err := warpbound.Load(name, opts)
		if err != nil {
			return none, err
		}
		c, err := k.held(with, budget)
		if err != nil {
			return none, fmt.Errorf("with %d registers of a thread: %w", n, err)
		}
		all = append(all, c)
		if c.Verdict.Status != estimate.Met {
			break // the others cannot make it met
		}
	}
	return warpbound.WorstOf(counts[:len(all)], all), nil
}

// held analyses a job and holds it against a budget. Runs are made as far as they can change the verdict, unless the user asks for
// what needs others.
func (k *checkRun) held(j *warpbound.Job, budget warpbound.Budget) (estimate.CheckedJob, error) {
	none := estimate.CheckedJob{}
	opts := k.opts
	if k.requires == estimate.Proven && !slices.ContainsFunc([]string{"holdout", "inputs", "traces", untilStable}, k.c.Flags().Changed) {
		opts.Try = budget
	}
	a, err := k.flags.analyze.analyze(k.c, j, opts)
	if err != nil && (a == nil || a.Interrupted == nil && a.Void == nil) {
		return none, err
	}
	if a.Void != nil {
		_ = keepVoidProof(k.c, err) // the reasons say the rest
	}
	return j.Check(a, budget, k.requires), nil
}

// line prints the line of a job. Among others its file names it, alone its kernel, unless there are several.
func (k *checkRun) line(j *estimate.CheckedJob, among bool) error {
	name := symbol.Readable(j.Kernel)
	if among || j.Launches > 0 {
		name = j.Job
	}
	line := report.Checked(j, name)
	if j.Failed {
		if among && !strings.Contains(line, j.Job) {
			line = j.Job + ": " + line
		}
		_, err := fmt.Fprintln(k.c.ErrOrStderr(), "warpbound:", line)
		return err
	}
	if *k.flags.format != "text" {
		return nil
	}
	if text := report.Convergence(j.Convergence); text != "" {
		line += "\n" + text
	}
	if _, err := fmt.Fprintln(k.c.OutOrStdout(), line); err != nil {
		return err
	}
	return k.otherGPU(j)
}

// otherGPU warns where a bound is one of another GPU than the code is for, or of threads that are
// scheduled otherwise.
func (k *checkRun) otherGPU(j *estimate.CheckedJob) error {
	for _, w := range j.Warnings {
		if w.ID != "target-differs" && w.ID != "lockstep-target" {
			continue
		}
		if _, err := fmt.Fprintf(k.c.ErrOrStderr(), "warning: %s: %s [%s]\n", w.Pos, w.Text, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// print writes the whole in the format that is asked for.
func (k *checkRun) print(all *estimate.Check, took []time.Duration) error {
	out := k.c.OutOrStdout()
	switch *k.flags.format {
	case "json":
		return report.JSON(out, all)
	case "sarif":
		return report.SARIF(out, all)
	case "junit":
		return report.JUnit(out, all, took)
	}
	if len(all.Jobs) == 1 {
		return nil // its line says all
	}
	_, err := fmt.Fprintln(out, report.CheckSummary(all))
	return err
}
