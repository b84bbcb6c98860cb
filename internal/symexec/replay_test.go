package symexec_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/symexec"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
	"warpbound/kernels"
)

// explorable returns the kernels of the suite that have paths of a few threads: lanes of the others
// compute products of matrices together.
func explorable() []string {
	return slices.DeleteFunc(flowtest.Kernels(), func(name string) bool {
		return slices.ContainsFunc(kernels.Tensor(), func(r kernels.Reference) bool { return r.Kernel == name })
	})
}

// TestMatricesAreRefused explores a kernel whose lanes compute together.
func TestMatricesAreRefused(t *testing.T) {
	for _, r := range kernels.Tensor() {
		s := read(t, 1, func(file string) ([]byte, error) { return fs.ReadFile(kernels.Suite(), path.Join(r.Kernel, file)) })
		_, err := symexec.Explore(context.Background(), s.options)
		if err == nil || !strings.Contains(err.Error(), ".ptx:157:2: ldmatrix") || !strings.Contains(err.Error(), "has no meaning as a formula") {
			t.Errorf("%s: %v", r.Kernel, err)
		}
	}
}

// TestSuite replays paths of the suite's kernels.
func TestSuite(t *testing.T) {
	for _, name := range explorable() {
		for threads := 1; threads <= 3; threads++ {
			t.Run(fmt.Sprint(name, threads), func(t *testing.T) {
				s := read(t, threads, func(file string) ([]byte, error) {
					text, err := fs.ReadFile(kernels.Suite(), path.Join(name, file))
					if file == "job.toml" {
						text = count.ReplaceAll(text, []byte("value = 16$1"))
					}
					return text, err
				}).concrete().limited(t, 20_000)
				s.options.MaxPaths, s.options.MaxSteps, s.options.MaxQueries = 3, 1<<16, 6/threads
				res := s.explore(t)
				if len(res.Paths) == 0 {
					t.Error("there is no path")
				}
				s.replay(t, res)
				s.partition(t, rand.New(rand.NewPCG(1, 2)), res)
			})
		}
	}
}

// count is the number of elements that the threads of a launch share out between them, where it
// is large: too much for the few threads of these tests.
var count = regexp.MustCompile(`value = \d{5,}(\n)`)

// TestManySuccessors replays paths through 252 branches in a row, which are too many for what
// other tests do with the kernels of the suite.
func TestManySuccessors(t *testing.T) {
	s := read(t, 1, func(file string) ([]byte, error) { return fs.ReadFile(kernels.Suite(), path.Join("petri", file)) }).concrete().limited(t, 20_000)
	s.options.MaxPaths, s.options.MaxSteps, s.options.MaxQueries = 30, 1<<14, 60
	res := s.explore(t)
	if len(res.Paths) != s.options.MaxPaths {
		t.Errorf("%d paths are found of %d", len(res.Paths), s.options.MaxPaths)
	}
	s.replay(t, res)
}

// TestRandomKernels replays paths of random kernels, whose threads do not race: they take the same paths in
// one warp.
func TestRandomKernels(t *testing.T) {
	for _, seed := range effort.Draw(t, 180) {
		threads := 1 + int(seed%3)
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 0)), kernelgen.Options{Statements: 12, Depth: 3, Trips: 4, Threads: 1, CTAs: 1})
		s := together(t, threads, c.Job, c.Module).concrete().limited(t, 20_000)
		s.options.MaxPaths, s.options.MaxSteps = 5, 3000
		res := s.explore(t)
		s.replay(t, res)
		if !slices.ContainsFunc(res.Paths, func(p symexec.Path) bool { return p.Fault != nil }) {
			s.replayIn(t, s.Grid.Width(), res)
		}
		s.partition(t, rand.New(rand.NewPCG(seed, 1)), res)
	}
}

// TestAnyThread explores kernels for any thread: the thread that a model names takes the path.
func TestAnyThread(t *testing.T) {
	for _, name := range explorable() {
		t.Run(name, func(t *testing.T) {
			s := read(t, 0, func(file string) ([]byte, error) { return fs.ReadFile(kernels.Suite(), path.Join(name, file)) }).concrete().limited(t, 20_000)
			block := s.Grid.Launch().Block
			s.options.Indices = symexec.AllIndices(s.Semantics.Grid(), block)
			s.options.MaxPaths, s.options.MaxSteps, s.options.MaxQueries = 4, 2000, 6
			res := s.explore(t)
			for i, p := range res.Paths {
				at := func(r isa.Special) int { return int(p.Model.Numbers[symexec.Index{Register: r}.Name()]) }
				linear := at(isa.TidX) + block[0]*(at(isa.TidY)+block[1]*at(isa.TidZ))
				o := s.options
				o.Indices = nil
				o.Threads = []symexec.Thread{{
					CTA:  [3]int{at(isa.CtaidX), at(isa.CtaidY), at(isa.CtaidZ)},
					Warp: linear / s.Grid.Width(), Lane: linear % s.Grid.Width(),
				}}
				alone, err := symexec.Follow(context.Background(), o, p.Model)
				if err != nil {
					t.Fatal(err)
				}
				if !same(alone.Threads, p.Threads) {
					t.Errorf("path %d is %v; %v alone takes %v", i, p.Threads, o.Threads, alone.Threads)
				}
			}
		})
	}
}
