// Package jobtest loads jobs, with the platform that runs them, for the tests of what runs and bounds jobs.
//
// jobtest is imported by tests alone. It must not import methods or what analyses.
package jobtest

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"warpbound/internal/job"
	"warpbound/internal/kernelgen"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
)

// Load loads a job within a file system. machine overrides that of the job unless it is empty.
func Load(t testing.TB, fsys fs.FS, name, machine string) *platform.Job {
	t.Helper()
	j, err := platform.LoadFS(fsys, name, machine)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Text loads the texts of a job file and of its module, which the job file names as MatchFile.
func Text(t testing.TB, text, module string) *platform.Job {
	t.Helper()
	return Load(t, fstest.MapFS{"job.toml": {Data: []byte(text)}, MatchFile: {Data: []byte(module)}}, "job.toml", "")
}

// Random makes the random kernel of a seed.
func Random(seed uint64, opts kernelgen.Options) *kernelgen.Case {
	return kernelgen.New(rand.New(rand.NewPCG(seed, 0)), opts)
}

// RandomOptions returns options for a seed, so that kernels of all kinds are made.
func RandomOptions(seed uint64) kernelgen.Options {
	return kernelgen.Options{
		Statements: 8 + int(seed%5)*8, Depth: 1 + int(seed%4), Trips: 2 + int(seed%11),
		Threads: 100, CTAs: 12, Irreducible: seed%3 == 0,
	}
}

// Case returns the files of a random kernel, whose job is job.toml.
func Case(c *kernelgen.Case) fs.FS {
	return fstest.MapFS{"job.toml": {Data: []byte(c.Job)}, c.File: {Data: []byte(c.Module)}}
}

// Run runs a job once on some inputs, on a runner of its own.
func Run(ctx context.Context, j *platform.Job, in *job.Inputs) (out *runner.Outcome, err error) {
	r, err := j.Platform.Open(j.Workload, runner.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.Run(ctx, in, nil)
}
