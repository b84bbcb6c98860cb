package warpbound

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/study/quota"
	"warpbound/internal/study/splits"
	"warpbound/internal/workload"
)

// SplitOptions say how wavefronts split other than the job and its machine do.
type SplitOptions struct {
	Mode  string // none, dws, dws-idle or pws; empty for the job's, or else the machine's
	SIMDs *int   // split SIMDs of each SIMD; nil for the job's number, or else the machine's
	// Branches are labels and lines of the branches that split in mode pws, or only "all" for
	// every one that can; nil for those that module and job mark, empty for none.
	Branches []string
}

// Split returns the job with its wavefronts splitting in another way. It is an error if the job's machine has no split cores, if
// branches are chosen although a run has several launches, or if a branch that is marked cannot be split.
func (j *Job) Split(opts SplitOptions) (*Job, error) {
	w, err := j.on.Workload.Split(workload.SplitOptions{Mode: machine.SplitMode(opts.Mode), SIMDs: opts.SIMDs, Branches: opts.Branches})
	if err != nil {
		return nil, err
	}
	return j.with(w), nil
}

// Mode returns how the job's wavefronts split: none, dws or pws; empty if its machine has no split cores.
func (j *Job) Mode() string { return string(j.on.Mode()) }

// Modes returns the modes in which the job's wavefronts can split: none of them if its machine has no split cores.
func (j *Job) Modes() []string {
	var names []string
	for _, m := range j.on.Modes() {
		names = append(names, string(m))
	}
	return names
}

// CompareSplitsOptions say what CompareSplits does.
type CompareSplitsOptions struct {
	Vectors   int                   // random test vectors in each mode; 0 for the job's number
	MaxCycles int64                 // give up a run after so many cycles; 0 for 2^30
	Choose    bool                  // look for the branches that are best to split
	Measure   bool                  // compose measured times of blocks, too
	Progress  func(done, total int) // called after each run or bound; may be nil
	Begin     func(atOnce int)      // as in Runs, for each mode; may be nil
}

// CompareSplits bounds and runs the job in all modes and tells what each branch that splits gains. Where Choose is set it finds the
// branches to split for which the bound is least. It is an error if the job's machine has no split cores.
func (j *Job) CompareSplits(ctx context.Context, opts CompareSplitsOptions) (*estimate.Splitting, error) {
	return splits.Compare(ctx, j.on.Platform, j.on.Workload, splits.Options(opts))
}

// LLCOptions are what a job's shared last-level cache has other than the job and its machine say; nil for what they say.
type LLCOptions struct {
	KiB       *int64 // size
	Quota     *int64 // accesses of a core in an interval
	Regulated *bool  // whether accesses are regulated
}

// LLC returns the job with another shared cache. It is an error if the job's machine has none or cannot have that one.
func (j *Job) LLC(opts LLCOptions) (*Job, error) {
	w, err := j.on.WithLLC(machine.LLCOptions(opts))
	if err != nil {
		return nil, err
	}
	return j.with(w), nil
}

// QuotaOptions say which quotas BestQuota tries. If First and Last are 0, these are powers of two
// and then ever closer neighbours of the best so far; else all from First to Last.
type QuotaOptions struct {
	First, Last int64
	Progress    func(done, total int) // called after each quota, total as far as it is known; may be nil
}

// BestQuota searches for the quota of regulated accesses with which the bounds of jobs by static/llc-interval have the least sum.
// Accesses are regulated, whatever the jobs and their machines say. Quotas beyond the most accesses of an SM to the shared cache are not
// tried, since none is better than that: all is one interval then, in which the CPU may send ever more.
//
// It is an error if a job has no such bound. If ctx ends, the error is that of ctx, and the result, unless nil, is that
// of the quotas until then.
func BestQuota(ctx context.Context, jobs []*Job, opts QuotaOptions) (*estimate.Quotas, error) {
	var all []*workload.Workload
	for _, j := range jobs {
		all = append(all, j.on.Workload)
	}
	return quota.Best(ctx, all, quota.Options(opts))
}
