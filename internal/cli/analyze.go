package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/report"
	"warpbound/internal/suggest"
)

// analyzeFlags are the flags that analyze, check and demo share.
type analyzeFlags struct {
	vectors *int64
	stable  bool
	random  bool
	limit   *int64
	repeats *int64
	holdout *int64
	methods []string
	ipoints string
	traces  string
	inputs  string
	fig3    bool
}

func (f *analyzeFlags) add(c *cobra.Command) {
	f.addRuns(c)
	c.Flags().StringSliceVar(&f.methods, "methods", nil, "only these methods, for example hybrid/waves")
	c.Flags().StringVar(&f.ipoints, "ipoints", "blocks", "instrument blocks, headers (of loops), every:N blocks, labels:A,B, or none for end-to-end times alone")
	c.Flags().StringVar(&f.traces, "traces", "", "analyse the traces in this file (binary or CSV) instead of running the job")
	c.Flags().StringVar(&f.inputs, "inputs", "", "also run the inputs of the job files in this directory, such as those that search writes")
	c.MarkFlagsMutuallyExclusive("traces", "inputs")
	c.MarkFlagsMutuallyExclusive("traces", untilStable)
	addPublishedEdges(c, &f.fig3)
}

// addRuns adds the flags that say which runs are made.
func (f *analyzeFlags) addRuns(c *cobra.Command) {
	f.vectors = addNumber(c, "vectors", 1, "random test vectors to run (default: the job's)")
	addUntilStable(c, &f.stable)
	c.Flags().BoolVar(&f.random, "random-only", false, "run random inputs alone; otherwise a third of the runs, if there are ten or more, is of inputs within the contract that are to take long")
	f.limit = addNumber(c, "max-cycles", 1, "abort a run after this many cycles (default: 2^30)")
	f.holdout = addNumber(c, "holdout", 1, "further test vectors, of another seed, that try the estimates (default: none)")
	addYes(c)
	f.repeats = addNumber(c, "repeats", 1, "runs of each input on a device (default: 3, or 1 on cuda:standin)")
}

// untilStable is the flag that ends test vectors early.
const untilStable = "until-stable"

func addUntilStable(c *cobra.Command, stable *bool) {
	c.Flags().BoolVar(stable, untilStable, false, "run no more test vectors once they have shown nothing new for long: none of the last 50, nor of the last half")
}

func addPublishedEdges(c *cobra.Command, fig3 *bool) {
	c.Flags().BoolVar(fig3, "published-edges", false, "use the divergent edges of the published algorithm (Fig. 3), which misses some")
}

func addEffort(c *cobra.Command, effort *factor) {
	*effort = 1
	c.Flags().Var(effort, "effort", "how much work analyses may do: limits of work are so many times what they are else")
}

func (f *analyzeFlags) options() (warpbound.AnalyzeOptions, error) {
	opts := warpbound.AnalyzeOptions{Methods: f.methods, PublishedEdges: f.fig3, Runs: warpbound.Runs{Vectors: int(*f.vectors), UntilStable: f.stable, RandomOnly: f.random, MaxCycles: *f.limit, Repeats: int(*f.repeats), Holdout: int(*f.holdout), EndToEnd: f.ipoints == "none"}}
	if !opts.Runs.EndToEnd {
		var err error
		if opts.Ipoints, err = warpbound.ParsePlacement(f.ipoints); err != nil {
			return opts, usagef("--%w", err)
		}
	}
	return opts, knownMethods(f.methods)
}

// knownMethods checks the value of --methods.
func knownMethods(methods []string) error {
	known := warpbound.Methods()
	if methods != nil && len(methods) == 0 {
		return usagef("--methods: want some of %s", strings.Join(known, ", "))
	}
	for _, m := range methods {
		if !slices.Contains(known, m) {
			return usagef("--methods: unknown method %q%s", m, suggest.Hint(m, known))
		}
	}
	return nil
}

// analyze runs the analysis, reading --traces if given.
func (f *analyzeFlags) analyze(c *cobra.Command, job *warpbound.Job, opts warpbound.AnalyzeOptions) (*estimate.Analysis, error) {
	if f.traces != "" {
		in, err := os.Open(f.traces)
		if err != nil {
			return nil, fmt.Errorf("--traces %s: %w", f.traces, cause(err))
		}
		defer in.Close()
		opts.Runs.Traces, opts.Runs.TracesName = in, f.traces
	}
	if f.inputs != "" {
		var err error
		if opts.Runs.Inputs, err = job.LoadInputs(f.inputs); err != nil {
			return nil, fmt.Errorf("--inputs: %w", err)
		}
	}
	at := newPace(job.Name(), time.Now)
	shown := newDisplay(c.ErrOrStderr(), at.texts)
	ctx, price := newCost(c, shown, "--vectors", opts.Runs.Fleet.URL != "")
	opts.Phase, opts.Runs.Begin, opts.Runs.Cores = at.enter, price.begin, runtime.GOMAXPROCS(0)
	opts.Runs.Progress = func(done, total int) {
		at.step(done, total)
		shown.step(done, total)
		price.step(done, total*(1+opts.Sensitivity+opts.Placements))
	}
	opts.Sampled = func(done, total int) {
		at.step(done, total)
		shown.step(done, total)
	}
	opts.Grace = finishing
	alone := ""
	opts.Runs.OneCore = func(why string) { alone = why }
	a, err := job.Analyze(ctx, opts)
	shown.stop()
	if alone != "" {
		oneCore(c.ErrOrStderr(), alone)
	}
	return a, price.why(ctx, err)
}

// jobFlags select a job and override parts of it.
type jobFlags struct {
	machine string
	seed    int64
	absurd  bool
	effort  factor
	solver  string
	mode    string
}

func (f *jobFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.machine, "machine", "", "machine name or file, or a GPU as cuda:0, or cuda:standin (default: the job's)")
	c.Flags().Int64Var(&f.seed, "seed", 0, "seed of the random inputs (default: the job's)")
}

// addBounds adds the flags of commands that bound.
func (f *jobFlags) addBounds(c *cobra.Command) {
	addEffort(c, &f.effort)
	c.Flags().StringVar(&f.solver, "solver", warpbound.SolverAuto, "solver for loops that counters do not bound: "+strings.Join(warpbound.Solvers(), ", ")+"; auto is the first that is installed")
	c.Flags().BoolVar(&f.absurd, "allow-absurd", false, "take bounds of loops that rest on the range of a type alone, and on nothing that job or kernel state")
}

func (f *jobFlags) load(c *cobra.Command, path string) (*warpbound.Job, error) {
	return warpbound.Load(path, f.options(c))
}

// loadFor loads a job for a method. If it names a machine that the method is not for, and no
// flag another one, the job gets a built-in one, and standard error says so.
func (f *jobFlags) loadFor(c *cobra.Command, path, method, builtin string) (*warpbound.Job, error) {
	j, err := f.load(c, path)
	if err != nil || f.machine != "" || j.Supports(method) {
		return j, err
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s: the job's machine is not one for this: taking %s (--machine)\n", path, builtin)
	opts := f.options(c)
	opts.Machine = builtin
	return warpbound.Load(path, opts)
}

func (f *jobFlags) options(c *cobra.Command) warpbound.LoadOptions {
	opts := warpbound.LoadOptions{Machine: f.machine, AllowAbsurd: f.absurd, Effort: float64(f.effort), Solver: f.solver, Mode: f.mode}
	if c.Flags().Changed("seed") {
		opts.Seed = &f.seed
	}
	return opts
}

func analyzeCommand() *cobra.Command {
	var job jobFlags
	var flags analyzeFlags
	var limit limitFlags
	var details bool
	var html, plots, lp, proof, quota, converted, kept string
	var away fleetFlags
	var exports profiles
	var each runTimes
	var samples, placements *int64
	c := &cobra.Command{
		Use:   "analyze JOB.toml",
		Short: "Run a job on random inputs and bound its worst-case execution time",
		Example: `  # all methods, on the job's machine and random inputs:
  warpbound analyze kernels/vectorAdd/job.toml
  # another machine, fewer runs, two of the methods:
  warpbound analyze kernels/bfs/job.toml --machine predictable-rr \
    --vectors 20 --methods hybrid/waves,static/cta
  # for a browser, and for a program:
  warpbound analyze kernels/bfs/job.toml --html report.html --format json`,
		Args: cobra.ExactArgs(1),
	}
	format := addFormat(c)
	job.add(c)
	job.addBounds(c)
	flags.add(c)
	limit.add(c)
	addDetails(c, &details)
	c.Flags().StringVar(&job.mode, "mode", "", "mode of the machine's clocks, or lowest (default: [clock] of the machine)")
	c.Flags().StringVar(&html, "html", "", "also write the report as an HTML page to this file")
	c.Flags().StringVar(&plots, "plots", "", "also write the charts of the HTML page as SVG files to this directory; created if missing")
	c.Flags().StringVar(&quota, "quota", "", "accesses of a core to a shared cache in an interval, or auto for the number with the smallest bound (default: the job's)")
	samples = addNumber(c, "sensitivity", 1, "also analyse the job on so many machines whose numbers are sampled from the ranges that the machine's file states")
	var policies word
	policies.words = []string{"all"}
	c.Flags().Var(&policies, "policies", "all: also run the test vectors under every scheduling policy and order of memory service")
	placements = addNumber(c, "placements", 1, "also analyse the job so many times with its buffers at other addresses")
	c.MarkFlagsMutuallyExclusive("placements", "traces")
	c.MarkFlagsMutuallyExclusive("policies", "quota")
	c.MarkFlagsMutuallyExclusive("policies", "traces")
	c.MarkFlagsMutuallyExclusive("sensitivity", "quota")
	c.MarkFlagsMutuallyExclusive("sensitivity", "traces")
	c.Flags().StringVar(&converted, "if-convert", "", "also write the module with selections in place of the branches that inputs reach, which static/oblivious bounds exactly, to this file")
	c.MarkFlagsMutuallyExclusive("if-convert", "quota")
	c.MarkFlagsMutuallyExclusive("if-convert", "traces")
	c.Flags().StringVar(&kept, "campaign", "", "keep what runs gave, with their traces, in this directory, and make none again that it holds")
	c.MarkFlagsMutuallyExclusive("campaign", "traces")
	away.addCoordinator(c, "the test vectors run")
	c.MarkFlagsMutuallyExclusive("workers", "traces")
	c.MarkFlagsMutuallyExclusive("nats", "traces")
	exports.add(c, "the longest run")
	each.add(c)
	c.Flags().StringVar(&lp, "lp", "", "also write the IPET model to this file in CPLEX LP format")
	c.Flags().StringVar(&proof, "certificate", "", "also write the certificate of an estimate to this file, for verify: of the one of --methods, or of the least with the strongest evidence")
	c.RunE = func(c *cobra.Command, args []string) error {
		opts, err := flags.options()
		if err != nil {
			return err
		}
		opts.Runs.Campaign = kept
		opts.Sensitivity, opts.Policies, opts.Placements = int(*samples), policies.value != "", int(*placements)
		budget, err := limit.parse(c)
		if err != nil {
			return err
		}
		j, err := job.load(c, args[0])
		if err != nil {
			return err
		}
		best := int64(0)
		if quota != "" {
			if j, best, err = withQuota(c.Context(), j, quota); err != nil {
				return err
			}
		}
		var out outputs
		defer out.discard()
		if lp != "" {
			if opts.Write.LP, err = out.create("--lp", lp); err != nil {
				return err
			}
		}
		if proof != "" {
			if opts.Write.Certificate, err = out.create("--certificate", proof); err != nil {
				return err
			}
		}
		var module io.Writer
		if converted != "" {
			opts.Refusals = true // since static/oblivious bounds another module
			if module, err = out.create("--if-convert", converted); err != nil {
				return err
			}
		}
		var page io.Writer
		if html != "" {
			if page, err = out.create("--html", html); err != nil {
				return err
			}
		}
		if plots != "" {
			if err := os.MkdirAll(plots, 0o755); err != nil {
				return fmt.Errorf("--plots: %w", err)
			}
		}
		if err := exports.create(&out); err != nil {
			return err
		}
		if err := each.gather(&out, &opts.Runs); err != nil {
			return err
		}
		end, err := away.start(c, &opts.Runs.Fleet)
		if err != nil {
			return err
		}
		defer end()
		a, err := flags.analyze(c, j, opts)
		if !budget.Given() {
			budget = j.Budget()
		}
		if a != nil && budget.Given() {
			j.Check(a, budget, limit.requires())
			if err == nil && a.Verdict.Status == estimate.NotShown {
				err = j.Suggest(c.Context(), a)
			}
		}
		var profile *estimate.Profile
		known := func() error {
			return errors.Join(each.save(), printAnalysis(c.OutOrStdout(), *format, details, j, a, profile))
		}
		var void error // which the page and the files are to show, too
		if a != nil && a.Void != nil && a.Interrupted == nil {
			void, err = keepVoidProof(c, err), nil
			out.drop("--lp", "--certificate") // which have nothing to say of it
		}
		if err != nil {
			return soFar(keepVoidProof(c, err), a != nil, known)
		}
		if module != nil {
			if err := convertBranches(c, j, opts.Runs, a, module); err != nil {
				return err
			}
		}
		switch simulated := a.Longest != nil && flags.traces == ""; { // runs in traces need not be those of the job's vectors
		case simulated && (page != nil || plots != "" || exports.wanted()):
			profile, err = exports.make(c, j, a.Longest, chargedBy(a), *flags.limit)
		case simulated && *format == "text":
			profile, err = profileBeside(c, j, a, *flags.limit)
		case exports.wanted():
			err = errNoProfile
		}
		if err != nil { // the analysis is known all the same
			return soFar(err, true, known)
		}
		hz := a.Hz(j.ClockHz())
		if page != nil {
			if err := report.HTML(page, a, profile, hz); err != nil {
				return fmt.Errorf("--html %s: %w", html, err)
			}
		}
		if plots != "" {
			pictures, err := report.Pictures(a, profile, hz)
			if err == nil {
				err = out.pictures(plots, pictures)
			}
			if err != nil {
				return fmt.Errorf("--plots: %w", err)
			}
		}
		if err := each.write(); err != nil {
			return err
		}
		if err := out.commit(); err != nil {
			return err
		}
		if err := printAnalysis(c.OutOrStdout(), *format, details, j, a, profile); err != nil || void != nil {
			if a.Verdict != nil && a.Verdict.Status == estimate.Missed {
				return errVerdict
			}
			return errors.Join(void, err)
		}
		if quota == "auto" {
			if err := printQuota(c.OutOrStdout(), *format, best); err != nil {
				return err
			}
		}
		return verdictError(a.Verdict)
	}
	return c
}

func printAnalysis(w io.Writer, f format, details bool, j *warpbound.Job, a *estimate.Analysis, profile *estimate.Profile) error {
	switch {
	case f == "json":
		return report.JSON(w, a)
	case details:
		return report.Details(inRed(w), a, profile, a.Hz(j.ClockHz()))
	}
	return report.Summary(inRed(w), a, profile, a.Hz(j.ClockHz()))
}

// convertBranches writes the job's module with selections in place of branches, and adds what that costs and gains to its analysis.
func convertBranches(c *cobra.Command, j *warpbound.Job, runs warpbound.Runs, a *estimate.Analysis, to io.Writer) error {
	text, made, err := j.IfConvert(c.Context(), warpbound.IfConvertOptions{Vectors: runs.Vectors, MaxCycles: runs.MaxCycles})
	if err != nil {
		return fmt.Errorf("--if-convert: %w", err)
	}
	made.Before, a.IfConversion = a.Answer, made
	_, err = to.Write(text)
	return err
}
