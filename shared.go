package warpbound

import (
	"fmt"

	"warpbound/internal/machine"
)

// LLCOptions are what a job's shared last-level cache has other than the job and its machine
// say: size, quota, and whether accesses are regulated.
type LLCOptions = machine.LLCOptions

// LLC returns the job with another shared cache. It is an error if the job's machine has none
// or cannot have that one.
func (j *Job) LLC(opts LLCOptions) (*Job, error) {
	m, err := j.machine.WithLLC(opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Name(), err)
	}
	spec, bound, other := *j.bound.Job, *j.bound, *j
	if opts.KiB != nil {
		spec.LLC.KiB = opts.KiB
	}
	if opts.Quota != nil {
		spec.LLC.Quota = opts.Quota
	}
	if opts.Regulated != nil {
		spec.LLC.Regulated = opts.Regulated
	}
	bound.Job, other.bound, other.machine = &spec, &bound, m
	other.then = make([]*Job, len(j.then))
	for i, next := range j.then {
		if other.then[i], err = next.LLC(opts); err != nil {
			return nil, err
		}
	}
	return &other, nil
}
