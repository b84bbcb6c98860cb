package selfcheck

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/fleet"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
)

// Config says what is checked.
type Config struct {
	Seed     uint64
	First    int // number of the first kernel
	Kernels  int
	Methods  []string           // those of analysis.Methods
	Machines []*machine.Machine // that machines are sampled from; at least one

	Workers  *fleet.Coordinator            // check kernels, if there are any; nil for none
	Analyze  Analyze                       // nil for warpbound's own
	Progress func(done, total int)         // may be nil
	Found    func(Finding) (string, error) // saves one of the first MaxFindings findings and returns where
}

// MaxFindings is how many violations are reduced and handed on; others are counted.
const MaxFindings = 10

// Finding is a violation on a small instance.
type Finding struct {
	estimate.Violation
	Seed  uint64
	Files Files
}

// batch is how many kernels are checked before their results are added up in order.
const batch = 32

// runner is the state of a run.
type runner struct {
	Config
	checker checker
}

// analyze asks all methods that there are. A bound that a run exceeds is no error here: the checker
// compares the two itself.
func analyze(ctx context.Context, j *platform.Job, req analysis.Request) (*estimate.Analysis, error) {
	a, err := analysis.Analyze(ctx, j.Platform, j.Workload, req)
	if err != nil && (a == nil || a.Void == nil) {
		return nil, err
	}
	return a.Analysis, nil
}

func newRunner(cfg Config) *runner {
	if cfg.Analyze == nil {
		cfg.Analyze = analyze
	}
	return &runner{Config: cfg, checker: checker{methods: cfg.Methods, analyze: cfg.Analyze}}
}

// Run checks kernels First to First+Kernels-1 of a seed. The report does not depend on the
// number of processors or workers. If ctx ends before, the report covers the kernels before Next, and
// the error is that of ctx. Other errors are those of Found and of what reaches workers.
func Run(ctx context.Context, cfg Config) (*estimate.Selfcheck, error) {
	r := newRunner(cfg)
	sum := newTally(&cfg)
	take := func(out *outcome) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.add(ctx, sum, sum.Next, out); err != nil {
			return fmt.Errorf("kernel %d: %w", sum.Next, err)
		}
		sum.Next++
		if done := sum.Next - cfg.First; cfg.Progress != nil && (done%batch == 0 || done == cfg.Kernels) {
			cfg.Progress(done, cfg.Kernels)
		}
		return nil
	}
	each := r.here
	if cfg.Workers != nil {
		each = r.elsewhere
	}
	if err := each(ctx, take); err != nil {
		return sum.report(), err
	}
	sum.Complete = true
	return sum.report(), nil
}

// here checks all kernels and hands on what each gave, in their order.
func (r *runner) here(ctx context.Context, take func(*outcome) error) error {
	for done := 0; done < r.Kernels; done += batch {
		for _, out := range r.batch(ctx, r.First+done, min(batch, r.Kernels-done)) {
			if out == nil {
				return ctx.Err()
			}
			if err := take(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch checks count kernels on all processors. Those that ctx kept from being checked are
// nil.
func (r *runner) batch(ctx context.Context, first, count int) []*outcome {
	outcomes := make([]*outcome, count)
	next := make(chan int)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		group.Go(func() {
			for i := range next {
				if out, err := r.kernel(ctx, first+i); err == nil {
					outcomes[i] = out
				}
			}
		})
	}
	for i := range outcomes {
		next <- i
	}
	close(next)
	group.Wait()
	return outcomes
}

// kernel checks a kernel. The error is that of ctx.
func (r *runner) kernel(ctx context.Context, number int) (*outcome, error) {
	files := r.draw(r.source(number))
	return r.checker.check(ctx, files, files.narrower())
}

// source draws the numbers of a kernel.
func (r *runner) source(kernel int) *recorder {
	return &recorder{src: rand.New(rand.NewPCG(r.Seed, uint64(kernel)))}
}

func (r *runner) draw(src kernelgen.Source) Files { return instance(src, r.Machines) }

// add adds the outcome of a kernel to what is known.
func (r *runner) add(ctx context.Context, sum *tally, kernel int, out *outcome) error {
	sum.count(kernel, out)
	if out.Violation == nil || len(sum.Findings) == MaxFindings {
		return nil
	}
	src := r.source(kernel)
	r.draw(src)
	files, v := r.reduce(ctx, src.drew, out.Violation)
	v.Kernel, v.Lines = kernel, strings.Count(files[files.module()], "\n")
	var err error
	if v.Path, err = r.Found(Finding{Violation: v.Violation, Seed: r.Seed, Files: files}); err != nil {
		return err
	}
	sum.Findings = append(sum.Findings, v.Violation)
	return nil
}

// Replay checks a saved finding: the job file and those with narrower inputs in fsys. It
// returns nil if nothing is violated.
func Replay(ctx context.Context, fsys fs.FS, narrower, methods []string) (*estimate.Violation, error) {
	r := newRunner(Config{Methods: methods})
	out, err := r.checker.check(ctx, fsys, narrower)
	if err != nil || out.Violation == nil {
		return nil, err
	}
	return &out.Violation.Violation, nil
}
