package reproduce

import (
	"context"
	"fmt"
	"path"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/kernels"
)

// llcTitle is the paper.
const llcTitle = "Huangfu and Zhang, WCET Analysis of the Shared Data Cache in Integrated CPU-GPU Architectures, 2017"

// LLC reproduces Huangfu and Zhang: the worked examples and the tables whose numbers are legible, and
// Section VI on our simulator with our bounds, while the CPU reads memory of its own.
func LLC(ctx context.Context, opts Options) (*estimate.Reproduction, error) {
	r := &estimate.Reproduction{Paper: llcTitle}
	var err error
	if r.Examples, err = sharedFigures(); err != nil {
		return nil, err
	}
	if opts.ExamplesOnly {
		return r, nil
	}
	s, err := newShared(r)
	if err != nil {
		return nil, err
	}
	if opts.Progress != nil {
		s.progress = func(done, total int) { opts.Progress("Section VI", done, total) }
	}
	return r, s.sectionVI(ctx, opts.Quotas)
}

// paperSizes are the sizes of the shared cache in the paper, in KiB.
var paperSizes = []int64{256, 512, 1024}

// cpus are what the CPU does beside a kernel: nothing, or a stream of figures.
var cpus = []string{"idle", "reads", "stores"}

// sharing says how a job shares the cache.
type sharing struct {
	job   string
	cpu   string
	kib   int64 // size of the cache
	quota int64 // accesses of a core in an interval; 0 if they are not regulated
}

// shared is what was found of a job, or of several together.
type shared struct {
	cycles           int64 // of the run
	accesses, misses int64 // of all SMs in it
	cpu              int64 // accesses of the CPU in it
	simple, interval sharedBound
}

// sharedBound is what a method bounds. single counts the accesses that are not known to hit, each on its own, as published; of those
// to one line misses counts only as many as can miss together.
type sharedBound struct{ cycles, misses, single int64 }

func (s shared) plus(t shared) shared {
	return shared{
		s.cycles + t.cycles, s.accesses + t.accesses, s.misses + t.misses, s.cpu + t.cpu,
		s.simple.plus(t.simple), s.interval.plus(t.interval),
	}
}

func (b sharedBound) plus(c sharedBound) sharedBound {
	return sharedBound{b.cycles + c.cycles, b.misses + c.misses, b.single + c.single}
}

// sharer runs jobs that share a cache.
type sharer struct {
	lab
	machine *machine.Machine
	suite   overlay // its jobs have a CPU that works
	cpu     string  // what it does in what is shown
	sizes   []int64 // of the cache, in KiB, ascending
	found   map[sharing]shared

	warm, cold map[string]shared // benchmarks of Table II by name, as programs
	out        *estimate.Reproduction
}

// newShared prepares the kernels of Table IV, beside which the CPU reads.
func newShared(out *estimate.Reproduction) (*sharer, error) {
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		return nil, err
	}
	s := &sharer{
		machine: m, cpu: "reads", sizes: paperSizes, out: out,
		suite: overlay{kernels.Suite(), make(map[string][]byte)}, found: make(map[sharing]shared),
	}
	for _, b := range kernels.LLCBenchmarks() {
		for _, job := range b.Jobs {
			for _, cpu := range cpus {
				if err := s.add(job, cpu); err != nil {
					return nil, err
				}
			}
		}
	}
	return s, nil
}

// add adds a job with what the CPU does beside it.
func (s *sharer) add(job, cpu string) error {
	text, err := s.suite.ReadFile(job)
	if err != nil {
		return err
	}
	if cpu != "idle" {
		stream := cpu + ".stream"
		program, err := figures.ReadFile(path.Join("figures", stream))
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, "\n[cpu]\nprogram = %q\n", stream)
		s.suite.files[path.Join(path.Dir(job), stream)] = program
	}
	s.suite.files[beside(job, cpu)] = text
	return nil
}

// beside is the name of a job with what the CPU does.
func beside(job, cpu string) string { return path.Join(path.Dir(job), cpu+"-"+path.Base(job)) }

// quota is that of the machine.
func (s *sharer) quota() int64 { return s.machine.Regulator.Quota.Value }

// find runs and bounds all jobs of Table IV with caches of some sizes and with some quotas, as
// far as that was not done.
func (s *sharer) find(ctx context.Context, sizes, quotas []int64) error {
	var list []sharing
	for _, b := range kernels.LLCBenchmarks() {
		for _, job := range b.Jobs {
			for _, kib := range sizes {
				for _, quota := range quotas {
					how := sharing{job, s.cpu, kib, quota}
					if _, known := s.found[how]; !known {
						list = append(list, how)
					}
				}
			}
		}
	}
	results := make([]shared, len(list))
	err := s.each(ctx, len(list), func(i int) (err error) {
		results[i], err = s.try(ctx, list[i])
		return err
	})
	if err != nil {
		return err
	}
	for i, how := range list {
		s.found[how] = results[i]
	}
	return nil
}

// try runs a job beside the CPU and bounds it.
func (s *sharer) try(ctx context.Context, how sharing) (shared, error) {
	return s.tryFile(ctx, beside(how.job, how.cpu), how)
}

// tryFile runs the job of a file and bounds it, by Interval only if its accesses are regulated.
func (s *sharer) tryFile(ctx context.Context, file string, how sharing) (shared, error) {
	on := how.quota > 0
	opts := machine.LLCOptions{KiB: &how.kib, Regulated: &on}
	if on {
		opts.Quota = &how.quota
	}
	m, err := s.machine.WithLLC(opts)
	if err != nil {
		return shared{}, err
	}
	job, err := load(s.suite, file, m)
	if err != nil {
		return shared{}, err
	}
	run, err := analysis.Simulate(ctx, job.Platform, job.Workload, analysis.SimulateRequest{})
	if err != nil {
		return shared{}, err
	}
	r := shared{cycles: run.Cycles}
	cpu := len(run.Cores) - 1
	for _, c := range run.Cores[:cpu] {
		r.accesses += c["llc_accesses"]
		r.misses += c["llc_misses"]
	}
	r.cpu = run.Cores[cpu]["llc_accesses"]
	methods, bounds := []string{llc.Simple.ID()}, []*sharedBound{&r.simple}
	if on {
		methods, bounds = append(methods, llc.Interval.ID()), append(bounds, &r.interval)
	}
	a, err := analysis.Analyze(ctx, job.Platform, job.Workload, analysis.Request{Methods: methods})
	if err != nil {
		return shared{}, err
	}
	for i, b := range bounds {
		add := func(e *estimate.Estimate) {
			d := e.Detail.(*estimate.LLC)
			*b = b.plus(sharedBound{e.Cycles, d.Misses, d.Accesses - d.Hits})
		}
		if a.Launches == nil {
			add(&a.Estimates[i])
		}
		for l := range a.Launches { // each executed once
			add(&a.Launches[l].Estimates[i])
		}
	}
	return r, nil
}

// of sums up what was found of the kernels of a program.
func (s *sharer) of(b kernels.Benchmark, kib, quota int64) shared {
	var sum shared
	for _, job := range b.Jobs {
		sum = sum.plus(s.found[sharing{job, s.cpu, kib, quota}])
	}
	return sum
}
