package fleet

import (
	"context"
	"fmt"

	"warpbound/internal/campaign"
	"warpbound/internal/campaign/store"
	"warpbound/internal/platform"
)

// Share has a campaign of a job keep what its vectors give in a directory, unless that is "", and workers run them, unless
// the URL of their server is "". end gives back what that takes.
func Share(ctx context.Context, spec *campaign.Spec, j *platform.Job, dir string, c Config) (end func(), err error) {
	if on := j.Platform.Name(); platform.IsDevice(on) && (dir != "" || c.URL != "") {
		return nil, fmt.Errorf("%s: runs are kept and made elsewhere on simulated machines, and %s is a device, whose times are not the same again", j.Name(), on)
	}
	unlock := func() {}
	if dir != "" {
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
	workers, err := NewCoordinator(ctx, c, j)
	if err != nil {
		unlock()
		return nil, err
	}
	spec.Elsewhere = workers
	return func() {
		workers.Close()
		unlock()
	}, nil
}
