package analysis

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/fstest"

	"warpbound/internal/campaign"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/runner/simulated"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/jobtest"
)

// vectors that every random kernel runs.
const randomVectors = 2

// small, so that a launch takes several waves and caches are contended.
func randomJob(c *kernelgen.Case, more string) (*platform.Job, error) {
	files := fstest.MapFS{
		"job.toml":           {Data: []byte(c.Job + more)},
		kernelgen.ModuleFile: {Data: []byte(c.Module)},
	}
	j, err := platform.LoadFS(files, "job.toml", "")
	if err != nil {
		return nil, err
	}
	m := *j.Machine
	m.SM.Count.Value = 2
	m.SM.CTAs.Value = 2
	m.L1.Sets.Value = 2
	m.L1.MSHRs.Value = 4
	return on(j, &m), nil
}

// on returns a job as it is on another machine, whose warps are as wide.
func on(j *platform.Job, m *machine.Machine) *platform.Job {
	w := *j.Workload
	w.Machine, w.Kernels = m, nil
	for _, k := range j.Kernels {
		own := *k
		own.Machine = m
		w.Kernels = append(w.Kernels, &own)
	}
	return &platform.Job{Workload: &w, Platform: simulated.New(m)}
}

// TestRandomKernels checks on random kernels what holds for all kernels; see the
// properties.
func TestRandomKernels(t *testing.T) {
	for _, seed := range effort.Draw(t, 480) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			if err := checkRandom(seed, jobtest.RandomOptions(seed)); err != nil {
				reportRandom(t, seed, err)
			}
		})
	}
}

// reportRandom looks for a smaller kernel that fails too and shows it.
func reportRandom(t *testing.T, seed uint64, err error) {
	opts := jobtest.RandomOptions(seed)
	for statements := 1; statements < opts.Statements; statements *= 2 {
		for small := range uint64(40) {
			o := kernelgen.Options{
				Statements: statements, Depth: min(opts.Depth, 2), Trips: 3,
				Threads: 33, CTAs: 3, Irreducible: opts.Irreducible,
			}
			if err := checkRandom(small, o); err != nil {
				c := jobtest.Random(small, o)
				t.Fatalf("seed %d with %+v: %v\n%s\n%s", small, o, err, c.Job, c.Module)
			}
		}
	}
	c := jobtest.Random(seed, opts)
	t.Fatalf("seed %d with %+v: %v\n%s\n%s", seed, opts, err, c.Job, c.Module)
}

// checkRandom checks everything that is known of a random kernel.
func checkRandom(seed uint64, opts kernelgen.Options) error {
	c := jobtest.Random(seed, opts)
	j, err := randomJob(c, "")
	if err != nil {
		return err
	}
	trips, err := checkResults(j)
	if err != nil {
		return err
	}
	m, err := j.Machine.WithPolicy(policies[seed%3])
	if err != nil {
		return err
	}
	j = on(j, m)
	seen, err := observe(j)
	if err != nil {
		return err
	}
	if err := checkBounds(j, seen); err != nil {
		return err
	}
	return checkAnnotations(c, j, trips, seen)
}

// TestRandomKernelsOnProcessors analyses random kernels with one and with two
// processors.
func TestRandomKernelsOnProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, seed := range effort.Draw(t, 60) {
		j, err := randomJob(jobtest.Random(seed, jobtest.RandomOptions(seed)), "")
		if err != nil {
			t.Fatal(err)
		}
		var results [2]string
		for i := range results {
			runtime.GOMAXPROCS(i + 1)
			a, err := Analyze(context.Background(), j.Platform, j.Workload, Request{Campaign: campaign.Spec{Vectors: 5}})
			if err != nil {
				t.Fatal(err)
			}
			results[i] = asJSON(a)
		}
		if results[0] != results[1] {
			t.Errorf("seed %d: one processor gives %s, two give %s", seed, results[0], results[1])
		}
	}
}

// TestRandomKernelsOnBarrelCores checks results, accounts and bounds on a machine
// with barrel cores.
func TestRandomKernelsOnBarrelCores(t *testing.T) {
	barrel, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	small := *barrel
	small.SM.Count.Value, small.SM.CTAs.Value = 2, 2
	for _, seed := range effort.Draw(t, 80) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			j, err := randomJob(jobtest.Random(seed, jobtest.RandomOptions(seed)), "")
			if err != nil {
				t.Fatal(err)
			}
			j = on(j, &small)
			for vector := range randomVectors {
				in := j.First().Bound.Inputs(vector)
				want, counted, err := functional(j, in)
				if err != nil {
					t.Fatal(err)
				}
				out, buffers, err := simulate(j, in, machine.LRR)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(sameBuffers(j, want, buffers), addUp(out, counted)); err != nil {
					t.Error(err)
				}
			}
			seen, err := observe(j)
			if err != nil {
				t.Fatal(err)
			}
			if err := checkBounds(j, seen); err != nil {
				t.Error(err)
			}
		})
	}
}
