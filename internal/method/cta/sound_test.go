package cta_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/kernelgen"
	"warpbound/internal/method/cta"
	"warpbound/internal/test/effort"
)

// randomMachine makes a small and odd machine file of that of predictable-rr.
func randomMachine(t testing.TB, src kernelgen.Source) []byte {
	t.Helper()
	text, err := os.ReadFile("../../machine/predictable-rr.toml")
	if err != nil {
		t.Fatal(err)
	}
	pick := func(values ...int) int { return values[src.IntN(len(values))] }
	width := pick(4, 8, 32)
	numbers := map[string]int{
		"count": pick(1, 2, 5), "ctas": pick(1, 2, 8), "warp_size": width, "threads": 48 * width, "cta_threads": 64, "dispatch": pick(1, 8, 30),
		"barrier": pick(4, 20), "segment": pick(32, 128, 1024), "banks": pick(1, 4, 32, 64), "bank_width": pick(4, 8, 16),
	}
	text = regexp.MustCompile(`(?m)^(\w+)( *= \{ value = )\d+`).ReplaceAllFunc(text, func(m []byte) []byte {
		name, _, _ := strings.Cut(string(m), " ")
		n, ok := numbers[name]
		if !ok {
			return m
		}
		return fmt.Appendf(nil, "%s = { value = %d", name, n)
	})
	text = regexp.MustCompile(`latency = \d+, initiation = \d+`).ReplaceAllFunc(text, func([]byte) []byte {
		initiation := 1 + src.IntN(4)
		return fmt.Appendf(nil, "latency = %d, initiation = %d", initiation+src.IntN(30)*src.IntN(2), initiation)
	})
	if src.IntN(4) == 0 {
		text = []byte(strings.Replace(string(text), `value = "segment"`, `value = "access"`, 1))
	}
	return text
}

// bounded loads a job and bounds it. Loops that depend on data get a bound that they
// surely keep.
func bounded(t testing.TB, fsys fstest.MapFS, maximum int) (*warpbound.Job, *estimate.Estimate) {
	t.Helper()
	text := string(fsys["job.toml"].Data) + "\n[loop]\n"
	for {
		fsys["job.toml"] = &fstest.MapFile{Data: []byte(text)}
		job, err := warpbound.LoadFS(fsys, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{cta.ID}})
		var loop *absexec.UnboundedLoop
		switch {
		case errors.As(err, &loop):
			text += fmt.Sprintf("%q = %d\n", loop.Place(), maximum)
		case err != nil && strings.Contains(err.Error(), "executes more than"):
			return nil, nil
		case err != nil:
			t.Fatal(err)
		default:
			return job, &a.Estimates[0]
		}
	}
}

// TestRandomKernels bounds random kernels on random machines, and simulates them on some
// inputs. No run may take longer, and if all paths are known, none shorter.
func TestRandomKernels(t *testing.T) {
	bound, hit, certain, sum := 0, 0, 0, 0.0
	for _, seed := range effort.Draw(t, 400) {
		src := rand.New(rand.NewPCG(seed, 2))
		opts := kernelgen.Options{
			Statements: 4 + src.IntN(10), Depth: 1 + src.IntN(3), Trips: 1 + src.IntN(3),
			Threads: 60, CTAs: 9, Irreducible: src.IntN(4) == 0,
		}
		c := kernelgen.New(src, opts)
		fsys := fstest.MapFS{
			"job.toml":           {Data: []byte(regexp.MustCompile(`machine *=.*`).ReplaceAllString(c.Job, `machine = "m.toml"`))},
			kernelgen.ModuleFile: {Data: []byte(c.Module)},
			"m.toml":             {Data: randomMachine(t, src)},
		}
		job, e := bounded(t, fsys, 2*opts.Trips)
		if job == nil {
			continue
		}
		all := e.Exact() && e.Partition == nil // else of the inputs of one part
		if all {
			certain++
		}
		maximum := int64(0)
		for vector := range 3 {
			run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			maximum = max(maximum, run.Cycles)
			if run.Cycles > e.Cycles || all && run.Cycles != e.Cycles {
				t.Errorf("seed %d, vector %d: %d cycles, bound %d, exact %t\n%s\n%s\n%s", seed, vector, run.Cycles, e.Cycles, all,
					fsys["job.toml"].Data, c.Module, fsys["m.toml"].Data)
			}
		}
		if maximum == e.Cycles {
			hit++
		}
		bound++
		sum += float64(e.Cycles) / float64(maximum)
	}
	t.Logf("%d bounds; %d are certain, %d bounds exact; mean of bound/simulation %.3f", bound, certain, hit, sum/float64(bound))
}
