package reproduce

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/machine"
	"warpbound/internal/method/split"
	"warpbound/internal/platform"
	"warpbound/internal/study/splits"
	"warpbound/internal/synthetic"
	"warpbound/internal/workload"
)

// setting is how wavefronts split in a run: the mode, the split SIMDs of each SIMD, and at which branches.
type setting struct {
	mode  machine.SplitMode
	simds int
	marks marks
}

// bounded reports whether there is a bound: no method of splitting knows of parts that execute on idle SIMDs.
func (s setting) bounded() bool { return s.mode != machine.DWSIdle }

// marks are branches at which wavefronts are to split.
type marks uint8

const (
	asMarked marks = iota // those that the module marks
	every                 // all that can be split
	ifElse                // those of them that ofIfElse returns
)

// options say which branches they are in a kernel.
func (m marks) options(k *workload.Kernel) workload.SplitOptions {
	switch m {
	case every:
		return workload.SplitOptions{Branches: []string{workload.EveryBranch}}
	case ifElse:
		return workload.SplitOptions{Blocks: ofIfElse(k)}
	}
	return workload.SplitOptions{}
}

// point is what was found of a job in a setting, in cycles.
type point struct {
	observed int64 // the longest run
	mean     int64 // of all runs
	estimate int64 // of the method; 0 if there is none
	bound    int64 // that of its composition, as the paper's: where nothing splits the estimate may be exact, which would be no comparison
	detail   *estimate.Split

	// measured is what the paper's method gives: its equations, from measured times of blocks.
	// It is no bound.
	measured int64
}

// trial is a job in a setting.
type trial struct {
	job  *platform.Job
	in   setting
	runs int // on other inputs; none if 0

	measure bool // whether to measure blocks
}

// lab runs trials and keeps count of them.
type lab struct {
	progress func(done, total int) // may be nil

	count  int // runs so far of what has a bound
	beyond int // of them in trials whose longest run took longer than the bound
}

// all runs trials. Points are in the order of trials.
func (l *lab) all(ctx context.Context, trials []trial) ([]point, error) {
	points := make([]point, len(trials))
	err := l.each(ctx, len(trials), func(i int) (err error) {
		points[i], err = trials[i].run(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, p := range points {
		if !trials[i].in.bounded() {
			continue
		}
		l.count += trials[i].runs
		if p.observed > p.estimate {
			l.beyond += trials[i].runs
		}
	}
	return points, nil
}

// each calls work for 0 to n-1 on all processors.
func (l *lab) each(ctx context.Context, n int, work func(i int) error) error {
	failures := make([]error, n)
	var next, done int
	var mu sync.Mutex
	take := func(finished int) int {
		mu.Lock()
		defer mu.Unlock()
		if done += finished; l.progress != nil && finished > 0 {
			l.progress(done, n)
		}
		next++
		return next - 1
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := take(0); i < n && ctx.Err() == nil; i = take(1) {
				failures[i] = work(i)
			}
		})
	}
	group.Wait()
	return errors.Join(append(failures, ctx.Err())...)
}

// run finds the bound of a trial and runs it.
func (t trial) run(ctx context.Context) (point, error) {
	opts := t.in.marks.options(t.job.Whole().First())
	opts.Mode, opts.SIMDs = t.in.mode, &t.in.simds
	job, err := t.job.Split(opts)
	if err != nil {
		return point{}, err
	}
	var p point
	if t.in.bounded() {
		a, err := analysis.Analyze(ctx, job.Platform, job.Workload, analysis.Request{Methods: []string{split.Method(t.in.mode).ID()}})
		if err != nil {
			return point{}, err
		}
		p.detail = a.Estimates[0].Detail.(*estimate.Split)
		p.estimate, p.bound = a.Estimates[0].Cycles, p.detail.Composed()
	}
	for vector := range t.runs {
		run, err := analysis.Simulate(ctx, job.Platform, job.Workload, analysis.SimulateRequest{Vector: vector})
		if err != nil {
			return point{}, err
		}
		p.observed = max(p.observed, run.Cycles)
		p.mean += run.Cycles
	}
	p.mean /= max(int64(t.runs), 1)
	if t.measure {
		_, d, err := splits.Measure(ctx, job.Platform, job.Workload, campaign.Spec{Vectors: t.runs}, 0)
		if err != nil {
			return point{}, err
		}
		p.measured = d.Published
	}
	return p, nil
}

// splitMachine is gcn3-split with another number of SIMDs in each compute unit, which bring
// their contexts and registers.
func splitMachine(simds int) (*machine.Machine, error) {
	m, err := machine.Builtin("gcn3-split")
	if err != nil {
		return nil, err
	}
	with := *m.WithoutBasis()
	before := m.SM.Schedulers.Value
	for _, n := range []*machine.Number{&with.SM.Schedulers, &with.SM.Warps, &with.SM.Threads, &with.SM.Registers} {
		n.Value = n.Value / before * int64(simds)
	}
	with.SM.CTAThreads.Value = min(m.SM.CTAThreads.Value, with.SM.Threads.Value)
	return &with, nil
}

// withL1 returns splitMachine's machine with the vector data cache of GCN before the memory of each compute unit: 16 KiB, of which a
// hit takes what gem5 has between compute unit and cache, there and back.
func withL1(simds int) (*machine.Machine, error) {
	m, err := splitMachine(simds)
	if err != nil {
		return nil, err
	}
	m.L1 = machine.L1{
		Sets: machine.Number{Value: 64, Unit: "sets per SM", Source: "GCN: 16 KiB of lines of 64 bytes"},
		Ways: machine.Number{Value: 4, Unit: "lines per set", Source: "GCN"},
		Hit:  machine.Number{Value: 100, Unit: "core cycles", Source: "GEM5: 50 cycles to the cache and 50 back"},
	}
	return m, nil
}

// overlay is a file system with some files more.
type overlay struct {
	fs.FS
	files map[string][]byte
}

// ReadFile implements fs.ReadFileFS.
func (o overlay) ReadFile(name string) ([]byte, error) {
	if text, ok := o.files[name]; ok {
		return text, nil
	}
	return fs.ReadFile(o.FS, name)
}

// machineFile is the name of a machine among the files of a job.
const machineFile = "machine.toml"

// load loads a job on a machine.
func load(files fs.FS, job string, m *machine.Machine) (*platform.Job, error) {
	with := overlay{files, map[string][]byte{machineFile: m.Format()}}
	return platform.LoadFS(with, job, machineFile)
}

// makeSynthetic makes the job of a synthetic benchmark on a machine.
func makeSynthetic(c synthetic.Config, m *machine.Machine) (*platform.Job, error) {
	c.Machine = machineFile
	b, err := synthetic.New(c)
	if err != nil {
		return nil, fmt.Errorf("synthetic benchmark: %w", err)
	}
	return load(overlay{embed.FS{}, map[string][]byte{
		synthetic.ModuleFile: []byte(b.Module), synthetic.JobFile: []byte(b.Job),
	}}, synthetic.JobFile, m)
}

// reduction is by how many per cent to is less than from.
func reduction(from, to int64) float64 { return 100 * (1 - float64(to)/float64(from)) }
