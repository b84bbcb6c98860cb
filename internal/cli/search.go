package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/report"
	"warpbound/internal/suggest"
)

func searchCommand() *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search JOB.toml",
		Short: "Find the inputs with the longest execution time: evolution guided by runs and symbolic execution",
		Long: "Find the inputs with the longest execution time. Symbolic execution of a few threads finds inputs for\n" +
			"their paths; those, single elements and the elements of threads are changed in the inputs that took\n" +
			"longest so far (guided; gdivan is the genetic search of Horga et al.). The search space is what the job\n" +
			"samples at random. The longest time found is not a bound: it is compared with the bounds, and the search\n" +
			"ends if it meets one that is proven. Ctrl-C keeps the best inputs found so far.",
		Example: `  # at most 200 runs; the inputs found go to a directory:
  warpbound search kernels/bfs/job.toml --budget 200 --out found
  # go on where that stopped:
  warpbound search kernels/bfs/job.toml --budget 400 --out found --resume
  # how much do symbolic paths help?
  warpbound search kernels/insertionSort/job.toml --strategy all`,
		Args: cobra.ExactArgs(1),
	}
	f.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		strategies, err := f.strategies()
		if err != nil {
			return err
		}
		j, err := f.job.load(c, args[0])
		if err != nil {
			return err
		}
		s, err := f.search(c, j, strategies)
		if err != nil {
			return err
		}
		end, err := f.away.start(c, &s.opts.Fleet)
		if err != nil {
			return err
		}
		defer end()
		return s.run(c)
	}
	return c
}

// searchFlags are the flags of search.
type searchFlags struct {
	job      jobFlags
	format   *format
	settings warpbound.SearchSettings
	explore  warpbound.ExploreOptions
	away     fleetFlags
	bounds   bool
	vectors  *int64
	stable   bool
	limit    *int64
	strategy string
	time     time.Duration
	out      string
	plot     string
	html     string
	resume   bool
}

func (f *searchFlags) add(c *cobra.Command) {
	f.format = addFormat(c)
	f.job.add(c)
	f.settings, f.explore = warpbound.DefaultSearchSettings(), warpbound.DefaultExploreOptions()
	flags := c.Flags()
	flags.StringVar(&f.strategy, "strategy", warpbound.SearchStrategies()[0], "how to search: "+strings.Join(warpbound.SearchStrategies(), ", ")+", some of them with commas between, or all")
	flags.IntVar(&f.settings.Runs, "budget", f.settings.Runs, "runs that each strategy may make; with --time any number unless it is given")
	flags.DurationVar(&f.time, "time", 0, "how long each strategy may search, with its symbolic execution; results are not reproducible then")
	flags.IntVar(&f.settings.Population, "population", f.settings.Population, "inputs of a generation (gdivan, random+ga)")
	flags.Float64Var(&f.settings.Elite, "elite", f.settings.Elite, "share of a generation that survives unchanged (elite; gdivan, random+ga)")
	flags.Float64Var(&f.settings.Mutation, "mutation", f.settings.Mutation, "mutation probability of a gene (gdivan, random+ga)")
	flags.Float64Var(&f.settings.Special, "special", f.settings.Special, "share of the first generation that is for paths with most instructions and most divergence (gdivan)")
	flags.IntVar(&f.settings.Patience, "patience", f.settings.Patience, "stop after this many generations without a longer time, or as many runs; 0 for never")
	flags.IntVar(&f.settings.Novelty, "novelty", f.settings.Novelty, "inputs that are kept because they had more of a counter, such as misses, than any before (gdivan, random+ga)")
	flags.IntVar(&f.explore.Threads, "threads", f.explore.Threads, "threads to execute symbolically at once, at most")
	flags.StringVar(&f.explore.Solver, "solver", f.explore.Solver, "solver for formulas: z3, cvc5, or a command that reads SMT-LIB 2")
	flags.StringVar(&f.explore.FloatSolver, "float-solver", f.explore.FloatSolver, "solver for formulas with floating point, likewise")
	flags.BoolVar(&f.bounds, "bounds", true, "compare the longest time with the bounds of all methods that apply to the machine")
	f.vectors = addNumber(c, "vectors", 1, "random test vectors for the measurement-based bounds (default: the job's)")
	addUntilStable(c, &f.stable)
	f.limit = addNumber(c, "max-cycles", 1, "abort a run after this many cycles (default: 2^30)")
	addYes(c)
	flags.StringVar(&f.out, "out", "", "directory for the inputs, a plot, and the state to resume from; created if missing. A search that begins anew takes the paths that one before found there")
	flags.BoolVar(&f.resume, "resume", false, "resume the search whose state is in the directory --out")
	f.away.addCoordinator(c, "the inputs run")
	flags.StringVar(&f.html, "html", "", "also write the report as an HTML page to this file")
	flags.StringVar(&f.plot, "plot", "", "write the longest time over the number of runs to this file, as SVG")
}

// The files of a search in its directory.
const (
	stateFile = "state.json"
	worstStem = "worst"
	faultDir  = "fault" // of the first run that failed
	// keptDir is where the best inputs are kept without --out, if a search was at its end of time (makeNewDirectory).
	keptDir = "warpbound-worst-inputs"
)

// searchRun is a search that writes files.
type searchRun struct {
	flags *searchFlags
	job   *warpbound.Job
	opts  warpbound.SearchOptions
	fault string // file of the first run that failed
}

// strategies reads the flags that need no job.
func (f *searchFlags) strategies() ([]string, error) {
	if f.resume && f.out == "" {
		return nil, usagef("--resume: say where the search is (--out DIR)")
	}
	if err := f.numbers(); err != nil {
		return nil, err
	}
	known := warpbound.SearchStrategies()
	if f.strategy == "all" {
		return known, nil
	}
	names := strings.Split(f.strategy, ",")
	for i, name := range names {
		switch {
		case !slices.Contains(known, name):
			return nil, usagef("--strategy: unknown strategy %q%s", name, suggest.Hint(name, append(known, "all")))
		case slices.Contains(names[:i], name):
			return nil, usagef("--strategy: %s is there twice", name)
		}
	}
	return names, nil
}

// numbers checks the settings of the search that are flags, each by its name.
func (f *searchFlags) numbers() error {
	s := &f.settings
	for _, share := range []struct {
		flag  string
		value float64
	}{{"elite", s.Elite}, {"mutation", s.Mutation}, {"special", s.Special}} {
		if !(share.value >= 0 && share.value <= 1) {
			return usagef("--%s %g: want a share from 0 to 1", share.flag, share.value)
		}
	}
	for _, number := range []struct {
		flag           string
		value, minimum int
	}{{"budget", s.Runs, 1}, {"population", s.Population, 2}, {"patience", s.Patience, 0}, {"novelty", s.Novelty, 0}} {
		if number.value < number.minimum {
			return usagef("--%s %d: want an integer of at least %d", number.flag, number.value, number.minimum)
		}
	}
	if f.time < 0 {
		return usagef("--time %v: want a time that is not negative, such as 5m", f.time)
	}
	return nil
}

// search prepares a search as the flags say.
func (f *searchFlags) search(c *cobra.Command, j *warpbound.Job, strategies []string) (*searchRun, error) {
	s := &searchRun{flags: f, job: j, opts: warpbound.SearchOptions{
		Strategies: strategies, Settings: f.settings, Explore: f.explore, MaxCycles: *f.limit,
		Time: f.time, ExploreLimit: timeout(c) / 3, // with what is made of it half of the time: the rest is for runs
	}}
	if f.time > 0 && !c.Flags().Changed("budget") {
		s.opts.Settings.Runs = 0
	}
	if f.bounds {
		s.opts.Bounds = &warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: int(*f.vectors), UntilStable: f.stable, MaxCycles: *f.limit}}
	}
	if f.out == "" {
		return s, nil
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return nil, fmt.Errorf("--out %s: %w", f.out, cause(err))
	}
	if f.resume {
		if err := s.resume(); err != nil {
			return nil, err
		}
	} else {
		s.opts.Before, _ = s.before() // what cannot be read is written anew
	}
	s.opts.File = filepath.Join(f.out, worstStem+".toml")
	s.opts.Save, s.opts.Failed = s.save, s.failed
	return s, nil
}

// before reads the state of the search that the directory has.
func (s *searchRun) before() (*warpbound.SearchState, error) {
	in, err := os.Open(filepath.Join(s.flags.out, stateFile))
	if err != nil {
		return nil, cause(err)
	}
	defer in.Close()
	return warpbound.ReadSearchState(in)
}

// resume reads the state to go on from.
func (s *searchRun) resume() (err error) {
	if s.opts.Resume, err = s.before(); err != nil {
		return fmt.Errorf("--resume %s: %w", filepath.Join(s.flags.out, stateFile), err)
	}
	if file := filepath.Join(s.flags.out, faultDir, worstStem+".toml"); s.opts.Resume.Faults() > 0 {
		s.fault = file
	}
	return nil
}

// run searches and prints what was found.
func (s *searchRun) run(c *cobra.Command) error {
	var line searchLine
	shown := newDisplay(c.ErrOrStderr(), func() []string { return line.texts(s.job.Name()) })
	ctx, price := newCost(c, shown, "--budget", s.opts.Fleet.URL != "")
	runs := searchCost{cost: price, limited: s.flags.time > 0}
	s.opts.Progress = func(p warpbound.SearchProgress) {
		began := line.set(p, time.Now())
		shown.step(p.Runs, p.Budget)
		runs.step(p, began)
	}
	found, err := s.job.Search(ctx, s.opts)
	shown.stop()
	ended := price.why(ctx, ctx.Err())
	if found == nil {
		return s.withFault(price.why(ctx, err))
	}
	found.Search.FaultFile = s.fault
	var void error
	if found.Analysis.Void != nil {
		void, err = err, nil
	}
	if err == nil {
		if err := s.write(c, found); err != nil {
			return err
		}
	}
	if *s.flags.format == "json" {
		err = report.JSON(c.OutOrStdout(), found.Analysis)
	} else {
		err = report.Search(inRed(c.OutOrStdout()), found.Analysis, found.Search, s.job.ClockHz())
	}
	switch {
	case err != nil:
		return err
	case found.Interrupted:
		return ended
	}
	return keepVoidProof(c, void)
}

// searchCost is the cost of the runs of a search, of which solvers take none.
type searchCost struct {
	*cost
	limited bool // in time: runs are not asked about
	before  int  // runs of this strategy that a search before has made
	paths   int  // that are known
}

// step notes the progress of a search, in which a strategy may have begun.
func (c *searchCost) step(p warpbound.SearchProgress, began bool) {
	switch {
	case c.limited:
	case began:
		c.before, c.paths = p.Runs, p.Paths
		c.begin(p.AtOnce)
	case c.away && p.Paths != c.paths: // runs may have waited for these
		c.paths = p.Paths
		c.begin(p.AtOnce)
	case p.Runs > c.before:
		c.cost.step(p.Runs, p.Budget)
	}
}

// withFault adds to an error where the inputs of the first run that failed are.
func (s *searchRun) withFault(err error) error {
	if s.fault == "" {
		return err
	}
	return fmt.Errorf("(inputs of the first run that failed: %s) %w", s.fault, err)
}

// save writes the state of the search and, unless it is the same as before, the best so far.
func (s *searchRun) save(state *warpbound.SearchState, best *warpbound.SavedInputs) error {
	var out outputs
	defer out.discard()
	if best != nil {
		if err := s.inputs(&out, s.flags.out, *best); err != nil {
			return err
		}
	}
	to, err := out.create("--out", filepath.Join(s.flags.out, stateFile))
	if err != nil {
		return err
	}
	if err := state.Write(to); err != nil {
		return err
	}
	return out.commit()
}

// failed writes the inputs of the first run that failed to a directory of their own: they are
// none to analyse a job with.
func (s *searchRun) failed(in warpbound.SavedInputs, _ string) error {
	dir := filepath.Join(s.flags.out, faultDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	var out outputs
	defer out.discard()
	if err := s.inputs(&out, dir, in); err != nil {
		return err
	}
	s.fault = filepath.Join(dir, worstStem+".toml")
	return out.commit()
}

// inputs writes inputs as a job.
func (s *searchRun) inputs(out *outputs, dir string, in warpbound.SavedInputs) error {
	files, err := s.job.Files(dir, worstStem, in)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		to, err := out.create("--out", filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if _, err := to.Write(files[name]); err != nil {
			return fmt.Errorf("--out %s: %w", dir, cause(err))
		}
	}
	return nil
}

// keepInputs writes the best inputs to a new directory.
func (s *searchRun) keepInputs(out *outputs, found *warpbound.Found) error {
	dir, err := makeNewDirectory(keptDir)
	if err != nil {
		return err
	}
	found.Search.File = filepath.Join(dir, worstStem+".toml")
	return s.inputs(out, dir, found.Best)
}

// write writes the best inputs, the plots and the page.
func (s *searchRun) write(c *cobra.Command, found *warpbound.Found) error {
	var out outputs
	defer out.discard()
	if s.flags.out == "" && len(found.Search.Strategies) > 0 && (found.Interrupted || s.flags.time > 0) { // else another search would find the same
		if err := s.keepInputs(&out, found); err != nil { // which is no reason to lose what else is known
			fmt.Fprintf(c.ErrOrStderr(), "warpbound: the best inputs could not be kept: %v\n", err)
		}
	}
	if err := s.page(c, &out, found); err != nil {
		return err
	}
	plot := report.BestPlot(found.Analysis, found.Search)
	plots := map[string]string{"--plot": s.flags.plot}
	if s.flags.out != "" {
		if err := s.inputs(&out, s.flags.out, found.Best); err != nil {
			return err
		}
		plots["--out"] = filepath.Join(s.flags.out, plot.File+".svg")
	}
	for _, flag := range []string{"--out", "--plot"} {
		if plots[flag] == "" {
			continue
		}
		to, err := out.create(flag, plots[flag])
		if err != nil {
			return err
		}
		if err := report.Plot(to, plot); err != nil {
			return err
		}
	}
	return out.commit()
}

// page writes what was found as a page, with a profile of the longest run unless that is one of a device.
func (s *searchRun) page(c *cobra.Command, out *outputs, found *warpbound.Found) error {
	if s.flags.html == "" {
		return nil
	}
	to, err := out.create("--html", s.flags.html)
	if err != nil {
		return err
	}
	a := found.Analysis
	longest := estimate.LongestRun{Inputs: found.Best.File(), Cycles: a.Estimates[len(a.Estimates)-1].Cycles}
	profile, err := warpbound.Profile(c.Context(), s.job, warpbound.ProfileOptions{Run: longest, Inputs: &found.Best, MaxCycles: *s.flags.limit})
	if err != nil && !errors.Is(err, warpbound.ErrDevice) {
		return err
	}
	if b := s.job.Budget(); b.Given() {
		s.job.Check(a, b, estimate.Proven)
	}
	if err := report.HTML(to, a, profile, a.Hz(s.job.ClockHz())); err != nil {
		return fmt.Errorf("--html %s: %w", s.flags.html, err)
	}
	return nil
}
