// Package quota searches for the quota of regulated accesses to a shared cache that bounds jobs best.
//
// It must not import simulators or the command line.
package quota

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/halt"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/internal/provenance"
	"warpbound/internal/symbol"
	"warpbound/internal/workload"
)

// Options say which quotas Best tries. If First and Last are 0, these are powers of two
// and then ever closer neighbours of the best so far; else all from First to Last.
type Options struct {
	First, Last int64
	Progress    func(done, total int) // called after each quota, total as far as it is known; may be nil
}

// Best searches for the quota of regulated accesses with which the bounds of jobs by
// static/llc-interval have the least sum. Accesses are regulated, whatever the jobs and their machines
// say. Quotas beyond the most accesses of an SM to the shared cache are not tried, since none is
// better than that: all is one interval then, in which the CPU may send ever more.
//
// It is an error if a job has no such bound. If ctx ends, the error is that of ctx, and the result, unless nil, is that
// of the quotas until then.
func Best(ctx context.Context, jobs []*workload.Workload, opts Options) (*estimate.Quotas, error) {
	if len(jobs) == 0 {
		return nil, errors.New("no job to search a quota for")
	}
	if all := opts.First != 0 || opts.Last != 0; all && (opts.First < 1 || opts.First > opts.Last) {
		return nil, fmt.Errorf("there is no quota from %d to %d", opts.First, opts.Last)
	}
	s := &quotas{jobs: jobs, opts: opts, out: &estimate.Quotas{Provenance: provenance.Of(), Method: llc.Interval.ID()}}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	var err error
	if opts.Last != 0 {
		err = s.all(ctx)
	} else {
		err = s.search(ctx)
	}
	if halt.Ended(ctx, err) && len(s.out.Tried) > 0 {
		s.out.Interrupted = &estimate.Interruption{Reason: halt.Reason(ctx), Missing: []string{"quotas"}}
		return s.out, err
	} else if err != nil {
		return nil, err
	}
	return s.out, nil
}

// quotas is the state of Best.
type quotas struct {
	jobs    []*workload.Workload
	opts    Options
	maximum int64 // accesses of an SM in any of the jobs
	out     *estimate.Quotas
}

// begin bounds the jobs with the quotas that they have.
func (s *quotas) begin(ctx context.Context) error {
	for _, j := range s.jobs {
		if err := j.OneLaunch("a quota is for"); err != nil {
			return err
		}
		quota := j.Machine.Regulator.Quota.Value
		bounds, err := regulated(ctx, j, quota)
		if err != nil {
			return err
		}
		cores := bounds.Detail.(*estimate.LLC).Cores
		for _, c := range cores[:len(cores)-1] { // the last is the CPU
			s.maximum = max(s.maximum, c.Accesses)
		}
		s.out.Jobs = append(s.out.Jobs, estimate.QuotaJob{
			Job: j.Name(), Kernel: j.Kernel(), KernelDemangled: symbol.Demangled(j.Kernel()), Machine: j.Machine.Name, MachineHash: j.Machine.Hash(),
			ModuleHash: j.Module.Hash, JobHash: workload.Hash(j), Quota: quota, Cycles: bounds.Cycles,
		})
	}
	return nil
}

// regulated bounds a job with a quota.
func regulated(ctx context.Context, w *workload.Workload, quota int64) (*estimate.Estimate, error) {
	on := true
	other, err := w.WithLLC(machine.LLCOptions{Quota: &quota, Regulated: &on})
	if err != nil {
		return nil, err
	}
	e, err := analysis.Bound(ctx, other, llc.Interval)
	if err != nil {
		return nil, fmt.Errorf("%s: quota %d: %w", w.Name(), quota, err)
	}
	return e, nil
}

// all tries a range of quotas.
func (s *quotas) all(ctx context.Context) error {
	s.out.First, s.out.Last, s.out.All = s.opts.First, s.opts.Last, true
	for quota := s.opts.First; quota <= s.opts.Last; quota++ {
		if err := s.try(ctx, quota, int(s.opts.Last-s.opts.First+1)); err != nil {
			return err
		}
	}
	return nil
}

// search tries powers of two up to the first one that is not exceeded, and then quotas in the middle
// between the best so far and its neighbours, until these are next to it.
func (s *quotas) search(ctx context.Context) error {
	s.out.First, s.out.Last = 1, min(max(s.maximum, 1), machine.MaxQuota)
	powers := 1
	for quota := int64(1); quota < s.out.Last; quota *= 2 {
		powers++
	}
	for quota := int64(1); ; quota *= 2 {
		if err := s.try(ctx, min(quota, s.out.Last), 2*powers); err != nil {
			return err
		}
		if quota >= s.out.Last {
			break
		}
	}
	for {
		var between []int64
		best := s.out.Tried[s.out.Best].Quota
		for _, at := range []int{s.out.Best - 1, s.out.Best + 1} {
			if at < 0 || at == len(s.out.Tried) {
				continue
			}
			if quota := (best + s.out.Tried[at].Quota) / 2; quota != best && quota != s.out.Tried[at].Quota {
				between = append(between, quota)
			}
		}
		if len(between) == 0 {
			return nil
		}
		for _, quota := range between {
			if err := s.try(ctx, quota, 2*powers); err != nil {
				return err
			}
		}
	}
}

// try bounds all jobs with a quota that was not tried, and finds out whether it is the best so far.
func (s *quotas) try(ctx context.Context, quota int64, total int) error {
	b := estimate.QuotaBound{Quota: quota, Cycles: make([]int64, len(s.jobs))}
	failures := make([]error, len(s.jobs))
	var group sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, j := range s.jobs {
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			var e *estimate.Estimate
			if e, failures[i] = regulated(ctx, j, quota); failures[i] == nil {
				b.Cycles[i] = e.Cycles
			}
		})
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	for _, cycles := range b.Cycles {
		if b.Sum > math.MaxInt64-cycles {
			return llc.ErrOverflow
		}
		b.Sum += cycles
	}
	at, _ := slices.BinarySearchFunc(s.out.Tried, quota, func(b estimate.QuotaBound, quota int64) int { return int(b.Quota - quota) })
	s.out.Tried = slices.Insert(s.out.Tried, at, b)
	s.out.Best = 0
	for i, b := range s.out.Tried {
		if b.Sum < s.out.Tried[s.out.Best].Sum {
			s.out.Best = i
		}
	}
	if s.opts.Progress != nil {
		s.opts.Progress(len(s.out.Tried), max(total, len(s.out.Tried)))
	}
	return nil
}
