package reproduce

import (
	"context"
	"reflect"
	"slices"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/internal/method/split"
	"warpbound/internal/platform"
	study "warpbound/internal/study/search"
	"warpbound/kernels"
)

// searchTitle is the paper.
const searchTitle = "Horga, Chattopadhyay, Eles and Peng, Measurement Based Execution Time Analysis of GPGPU Programs via SE+GA, DSD 2018"

// Search reproduces Horga and others: the worked examples, Tables II to IV and Fig. 5 on our simulator
// with our kernels, and what holds of every search: its times are those of runs, so none is above
// the true worst case nor above a proven bound.
func Search(ctx context.Context, opts Options) (*estimate.Reproduction, error) {
	r := &estimate.Reproduction{Paper: searchTitle}
	var err error
	if r.Examples, err = searchFigures(ctx); err != nil {
		return nil, err
	}
	if opts.ExamplesOnly {
		return r, nil
	}
	s := newSeeker(opts)
	if opts.Progress != nil {
		s.progress = func(done, total int) { opts.Progress("searches", done, total) }
	}
	if err := s.seek(ctx); err != nil {
		return r, err
	}
	s.report(r)
	return r, nil
}

// seeker searches for the worst inputs of benchmarks.
type seeker struct {
	lab
	runs, small int // of each strategy
	seeds       int
	found       []sought
	tiny        []tiny
	held        []held
	same        bool // a search again finds the same
}

// sought is what searches found of a benchmark.
type sought struct {
	kernels.SearchBenchmark
	*estimate.Search                         // by all strategies, on the benchmark's launch
	alone            []*estimate.Exploration // of its kernels that follow
	ratios           []float64               // longest time of the full method by that of random testing, ascending; of each seed
	worst            int64                   // cycles of the worst inputs known; 0 if there are none
}

// tiny is a launch of a benchmark that has few inputs.
type tiny struct {
	kernels.SearchBenchmark
	longest int64 // cycles, of all of them
	inputs  int
	runs    int // of a search
	exact   int // seeds with which a search found a longest one
	beyond  int // with which it gave a longer time
}

// held is a search on a machine for which there is a proven bound.
type held struct {
	kernel, machine, method string
	bound, found            int64 // cycles
}

// bounded are the searches that are held against proven bounds: of these kernels, each on these machines.
var (
	boundedKernels  = []string{"artificial", "insertionSort", "petriSmall", "substringSearch"}
	boundedMachines = []struct{ machine, method string }{{"gcn3-split", split.Method(machine.PWS).ID()}, {"integrated-fermi", llc.Interval.ID()}}
)

// repeated is the kernel whose search is made again.
const repeated = "petriSmall"

func newSeeker(opts Options) *seeker {
	s := &seeker{runs: opts.SearchRuns, small: opts.SmallRuns, seeds: opts.SearchSeeds}
	for _, b := range kernels.SearchBenchmarks() {
		if b.Program != "" || opts.SearchOwn {
			s.found = append(s.found, sought{SearchBenchmark: b})
		}
		if b.Tiny != "" {
			s.tiny = append(s.tiny, tiny{SearchBenchmark: b})
		}
	}
	for _, kernel := range boundedKernels {
		for _, m := range boundedMachines {
			s.held = append(s.held, held{kernel: kernel, machine: m.machine, method: m.method})
		}
	}
	return s
}

// seek makes all searches.
func (s *seeker) seek(ctx context.Context) error {
	var work []func(context.Context) error
	for i := range s.found {
		work = append(work, func(ctx context.Context) error { return s.benchmark(ctx, &s.found[i]) })
	}
	for i := range s.tiny {
		work = append(work, func(ctx context.Context) error { return s.exact(ctx, &s.tiny[i]) })
	}
	for i := range s.held {
		work = append(work, func(ctx context.Context) error { return s.hold(ctx, &s.held[i]) })
	}
	work = append(work, s.again)
	return s.each(ctx, len(work), func(i int) error { return work[i](ctx) })
}

// searchOptions are those of a search by some strategies, all of which make the same number of runs.
func searchOptions(runs int, strategies []string) warpbound.SearchOptions {
	opts := warpbound.SearchOptions{
		Strategies: strategies, Settings: warpbound.DefaultSearchSettings(), Explore: warpbound.DefaultExploreOptions(),
	}
	opts.Settings.Runs, opts.Settings.Patience = runs, 0
	return opts
}

// search searches in a job of the suite.
func search(ctx context.Context, job string, load warpbound.LoadOptions, opts warpbound.SearchOptions) (*warpbound.Found, error) {
	j, err := warpbound.LoadFS(kernels.Suite(), job, load)
	if err != nil {
		return nil, err
	}
	return j.Search(ctx, opts)
}

// full is the strategy of the paper.
func full() []string { return study.PaperStrategies()[:1] }

// fewThreads is how many threads a launch may have to be run more often.
const fewThreads = 1024

// budget is how many runs each strategy makes of a benchmark.
func (s *seeker) budget(b *sought) int {
	if b.Threads <= fewThreads {
		return s.small
	}
	return s.runs
}

// benchmark searches by all strategies of the paper.
func (s *seeker) benchmark(ctx context.Context, b *sought) error {
	f, err := search(ctx, b.Kernel+"/job.toml", warpbound.LoadOptions{}, searchOptions(s.budget(b), study.PaperStrategies()))
	if err != nil {
		return err
	}
	b.Search = f.Search
	if err := s.spread(ctx, b); err != nil {
		return err
	}
	for _, job := range b.Alone {
		f, err := search(ctx, b.Kernel+"/"+job, warpbound.LoadOptions{}, searchOptions(1, full()))
		if err != nil {
			return err
		}
		b.alone = append(b.alone, f.Search.Explored)
	}
	if b.Worst == "" {
		return nil
	}
	j, err := warpbound.LoadFS(kernels.Suite(), b.Kernel+"/"+b.Worst, warpbound.LoadOptions{})
	if err != nil {
		return err
	}
	run, err := j.Simulate(ctx, warpbound.SimulateOptions{})
	if err != nil {
		return err
	}
	b.worst = run.Cycles
	return nil
}

// ratioSeeds is with how many seeds the full method is compared with random testing.
const ratioSeeds = 3

// spread compares the full method with random testing: with the seed of the job and, in the paper's kernels, with others.
func (s *seeker) spread(ctx context.Context, b *sought) error {
	all := study.PaperStrategies()
	b.ratios = []float64{gain(b.Search)}
	for seed := int64(2); seed <= ratioSeeds && b.Program != ""; seed++ {
		f, err := search(ctx, b.Kernel+"/job.toml", warpbound.LoadOptions{Seed: &seed}, searchOptions(s.budget(b), []string{all[0], all[len(all)-1]}))
		if err != nil {
			return err
		}
		b.ratios = append(b.ratios, gain(f.Search))
	}
	slices.Sort(b.ratios)
	return nil
}

// gain is the longest time that the first strategy found by that of the last.
func gain(s *estimate.Search) float64 {
	all := s.Strategies
	return float64(all[0].Cycles) / float64(all[len(all)-1].Cycles)
}

// tinyShare is the part of all inputs that a search may run of a launch that has few.
const tinyShare = 4

// exact searches with several seeds in a launch of which all inputs are run.
func (s *seeker) exact(ctx context.Context, t *tiny) error {
	job := t.Kernel + "/" + t.Tiny
	j, err := platform.LoadFS(kernels.Suite(), job, "")
	if err != nil {
		return err
	}
	if t.longest, t.inputs, err = study.SimulateExhaustively(ctx, j.Platform, j.Workload, t.TinyInputs); err != nil {
		return err
	}
	t.runs = t.inputs / tinyShare
	for seed := range int64(s.seeds) {
		f, err := search(ctx, job, warpbound.LoadOptions{Seed: &seed}, searchOptions(t.runs, full()))
		if err != nil {
			return err
		}
		switch found := f.Search.Strategies[0].Cycles; {
		case found == t.longest:
			t.exact++
		case found > t.longest:
			t.beyond++
		}
	}
	return nil
}

// hold searches on a machine that has a proven bound.
func (s *seeker) hold(ctx context.Context, h *held) error {
	opts := searchOptions(s.runs, full())
	opts.Bounds = &warpbound.AnalyzeOptions{Methods: []string{h.method}}
	f, err := search(ctx, h.kernel+"/job.toml", warpbound.LoadOptions{Machine: h.machine}, opts)
	if err != nil {
		return err
	}
	h.found = f.Search.Strategies[0].Cycles
	for _, b := range f.Search.Below {
		if b.Evidence == estimate.Proven {
			h.bound = b.Cycles
		}
	}
	return nil
}

// again makes a search twice.
func (s *seeker) again(ctx context.Context) error {
	var both [2]*estimate.Search
	for i := range both {
		f, err := search(ctx, repeated+"/job.toml", warpbound.LoadOptions{}, searchOptions(s.runs, study.PaperStrategies()))
		if err != nil {
			return err
		}
		both[i] = f.Search
	}
	s.same = reflect.DeepEqual(both[0], both[1])
	return nil
}
