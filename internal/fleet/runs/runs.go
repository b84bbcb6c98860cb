// Package runs has runs of jobs made by the workers of a fleet, and kept in directories.
//
// A worker reads a job from what the coordinator has read, and refuses one that it would not run as the coordinator does.
// runs must not know who asks.
package runs

import (
	"context"
	"fmt"

	"warpbound/internal/campaign"
	"warpbound/internal/campaign/store"
	"warpbound/internal/fleet"
	"warpbound/internal/platform"
	"warpbound/internal/study/search"
)

// Work makes runs of jobs, and does more kinds of work, for whoever asks the workers of a server, until ctx ends.
func Work(ctx context.Context, c fleet.Config, more ...fleet.Kind) error {
	return fleet.Work(ctx, c, append([]fleet.Kind{{Name: vectorKind, Prepare: prepareVectors}, {Name: inputsKind, Prepare: prepareInputs}}, more...)...)
}

// Share has a campaign of a job keep what its vectors give in a directory, unless that is "", and workers run them, unless
// the URL of their server is "". end gives back what that takes.
func Share(ctx context.Context, spec *campaign.Spec, j *platform.Job, dir string, c fleet.Config) (end func(), err error) {
	unlock := func() {}
	if dir != "" {
		if err := simulated(j); err != nil {
			return nil, err
		}
		keep, err := store.Open(dir)
		if err != nil {
			return nil, err
		}
		unlock = func() { keep.Close() }
		spec.Keep = keep
	}
	if c.URL == "" {
		return unlock, nil
	}
	w, err := employ(ctx, j, c)
	if err != nil {
		unlock()
		return nil, err
	}
	spec.Elsewhere = &w.vectors
	return func() {
		w.close()
		unlock()
	}, nil
}

// ShareSearch has workers run what a search of a job runs, unless the URL of their server is "". end gives back what that takes.
func ShareSearch(ctx context.Context, opts *search.Options, j *platform.Job, c fleet.Config) (end func(), err error) {
	if c.URL == "" {
		return func() {}, nil
	}
	w, err := employ(ctx, j, c)
	if err != nil {
		return nil, err
	}
	w.inputs.maxCycles = opts.MaxCycles
	opts.Elsewhere = &w.inputs
	if opts.Bounds != nil {
		opts.Bounds.Campaign.Elsewhere = &w.vectors
	}
	return w.close, nil
}

// simulated is an error if a job runs on a device.
func simulated(j *platform.Job) error {
	if on := j.Platform.Name(); platform.IsDevice(on) {
		return fmt.Errorf("%s: runs are kept and made elsewhere on simulated machines, and %s is a device, whose times are not the same again", j.Name(), on)
	}
	return nil
}

// employed are the workers of a server, which run a job.
type employed struct {
	coordinator *fleet.Coordinator
	vectors     vectors
	inputs      inputs
}

// employ connects to a server, for which it waits until ctx ends.
func employ(ctx context.Context, j *platform.Job, c fleet.Config) (*employed, error) {
	if err := simulated(j); err != nil {
		return nil, err
	}
	b, err := pack(j)
	if err != nil {
		return nil, err
	}
	to, err := fleet.Connect(ctx, c)
	if err != nil {
		return nil, err
	}
	return &employed{to, vectors{to: to, bundle: b}, inputs{to: to, bundle: b, job: j}}, nil
}

// close ends all that workers are to do.
func (e *employed) close() {
	e.vectors.close()
	e.inputs.close()
	e.coordinator.Close()
}
