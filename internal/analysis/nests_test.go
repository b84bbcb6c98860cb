package analysis

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/diag"
	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
)

// nest is a kernel of loops within loops, no more than abstract execution summarises. Before and
// behind the header of each are so many instructions.
type nest struct {
	before, behind []int
	ctas           int
}

func drawNest(rnd *rand.Rand) nest {
	depth := 1 + rnd.IntN(3)
	n := nest{make([]int, depth), make([]int, depth), evenGrids[rnd.IntN(len(evenGrids))]}
	for i := range depth {
		n.before[i], n.behind[i] = rnd.IntN(3), rnd.IntN(3)
	}
	return n
}

// evenGrids are numbers of CTAs that the SMs of all machines below have in equal parts, so that nothing
// is rounded.
var evenGrids = []int{1, 336}

// job is the nest with so many iterations of its loops, the outermost first.
func (n nest) job(t *testing.T, machine string, trips []int64) *platform.Job {
	t.Helper()
	var text strings.Builder
	text.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .b64 %r<6>;\n.reg .pred %p<5>;\n")
	work := func(count int) {
		for range count {
			text.WriteString("add.u64 %r5, %r5, 3;\n")
		}
	}
	for i := range trips {
		work(n.before[i])
		fmt.Fprintf(&text, "mov.u64 %%r%d, 0;\nL%d:\n", i, i)
	}
	for i := len(trips) - 1; i >= 0; i-- {
		work(n.behind[i])
		fmt.Fprintf(&text, "add.u64 %%r%d, %%r%d, 1;\nsetp.lt.u64 %%p%d, %%r%d, %d;\n@%%p%d bra L%d;\n",
			i, i, i, i, trips[i], i, i)
	}
	text.WriteString("ret;\n}\n")
	job := fmt.Sprintf("module = \"k.ptx\"\nmachine = %q\ngrid = [%d]\nblock = [32]\n", machine, n.ctas)
	files := fstest.MapFS{"job.toml": {Data: []byte(job)}, "k.ptx": {Data: []byte(text.String())}}
	j, err := platform.LoadFS(files, "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	j.Workload.Spec.Effort = 0.002 // loops are summarised soon
	return j
}

// few is a number of iterations that no method follows one by one, and with which no bound of a
// nest is too large.
func (n nest) few() int64 { return 1 << (44 / max(2, len(n.before))) }

// TestBoundsOfNests compares bounds of loops within loops, which iterate up to 2^130 times in all,
// with what they are in exact arithmetic: a bound of a method grows by the same number of cycles
// with each iteration of a loop, so that its bounds for few iterations tell all others.
func TestBoundsOfNests(t *testing.T) {
	t.Parallel()
	exceeding, close := 0, 0
	seeds := effort.Draw(t, 10_000)
	for _, seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 61))
		n := drawNest(rnd)
		trips := drawTrips(rnd, len(n.before))
		on := boundedNests[rnd.IntN(len(boundedNests))]
		bound := func(trips []int64) (int64, error) {
			j := n.job(t, on.machine, trips)
			a, _, err := Static(t.Context(), j.Platform, j.Workload, Request{Methods: []string{on.method}})
			if err != nil {
				return 0, err
			}
			return a.Estimates[0].Cycles, nil
		}
		exact := extrapolate(func(trips []int64) *big.Int {
			cycles, err := bound(trips)
			if err != nil {
				t.Fatalf("seed %d: %s of few iterations: %v", seed, on.method, err)
			}
			return big.NewInt(cycles)
		}, n.few(), trips)
		cycles, err := bound(trips)
		_, exceeds := errors.AsType[*diag.OverflowError](err)
		switch {
		case exceeds && new(big.Int).Mul(exact, big.NewInt(int64(n.ctas))).BitLen() > 62: // a sum over all CTAs
			exceeding++
		case err != nil:
			t.Errorf("seed %d: %s of %v iterations: %v, want %d", seed, on.method, trips, err, exact)
		case exact.Cmp(big.NewInt(cycles)) != 0:
			t.Errorf("seed %d: %s of %v iterations: %d, want %d", seed, on.method, trips, cycles, exact)
		case exact.BitLen() > 55:
			close++
		}
	}
	t.Logf("%d bounds exceed 2^62, %d that do not are above 2^54", exceeding, close)
	if effort.Many() && (exceeding < len(seeds)/10 || close < len(seeds)/100) {
		t.Errorf("of %d bounds %d exceed 2^62, and %d are above 2^54", len(seeds), exceeding, close)
	}
}

// boundedNests are the static methods that do not run kernels.
var boundedNests = []struct{ method, machine string }{
	{"static/cta", "predictable-rr"},
	{"static/llc-simple", "integrated-fermi"},
	{"static/llc-interval", "integrated-fermi"},
	{"static/greedy", "fermi-c2050"},
	{"split/none", "gcn3-split"},
	{"split/pws", "gcn3-split"},
}

// drawTrips draws numbers of iterations, which together are from 2^40 to 2^130 or what so many loops
// can have at most.
func drawTrips(rnd *rand.Rand, loops int) []int64 {
	trips := make([]int64, loops)
	bits := 40 + rnd.IntN(91)
	for i := range trips {
		of := min(bits/(loops-i), 40)
		trips[i] = 1<<of - rnd.Int64N(1<<(of-1))
		bits -= of
	}
	return trips
}

// extrapolate returns a polynomial of some arguments, each of degree one, of which the values are
// given near few.
func extrapolate(value func(at []int64) *big.Int, few int64, at []int64) *big.Int {
	sum := new(big.Int)
	for corner := range 1 << len(at) {
		point, weight := make([]int64, len(at)), big.NewInt(1)
		for i := range at {
			if corner>>i&1 == 0 {
				point[i] = few
				weight.Mul(weight, big.NewInt(few+1-at[i]))
			} else {
				point[i] = few + 1
				weight.Mul(weight, big.NewInt(at[i]-few))
			}
		}
		sum.Add(sum, weight.Mul(weight, value(point)))
	}
	return sum
}
