package reuse_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/method/llc/reuse"
)

func TestAnalyzeRefuses(t *testing.T) {
	accesses := []reuse.Access{reuse.Line(1), reuse.Line(2)}
	windows := func(w ...reuse.Window) reuse.Core { return reuse.Core{Accesses: accesses, Windows: w} }
	cache := reuse.Cache{Sets: 1, Ways: 1}
	for _, test := range []struct {
		cache  reuse.Cache
		settle int64
		core   reuse.Core
		want   string
	}{
		{reuse.Cache{Ways: 1}, 0, reuse.Core{}, "0 sets"},
		{reuse.Cache{Sets: 1}, 0, reuse.Core{}, "0 ways"},
		{reuse.Cache{Sets: 1, Ways: math.MaxInt}, 0, reuse.Core{}, "ways"},
		{cache, -1, reuse.Core{}, "-1 units"},
		{cache, 0, windows(reuse.Window{}), "core 0: 2 accesses with 1 windows"},
		{cache, 0, windows(reuse.Window{From: 1, To: 0}, reuse.Window{From: 1, To: 1}), "access 0: units 1 to 0"},
		{cache, 0, windows(reuse.Window{From: -1, To: 0}, reuse.Window{From: 1, To: 1}), "access 0: units -1 to 0"},
		{cache, 0, windows(reuse.Window{From: 1, To: 2}, reuse.Window{From: 0, To: 2}), "access 1: units 0 to 2 after an access in units 1 to 2"},
		{cache, 0, windows(reuse.Window{From: 1, To: 2}, reuse.Window{From: 1, To: 1}), "access 1: units 1 to 1 after an access in units 1 to 2"},
		{cache, 0, reuse.Core{Rate: reuse.Rate{Accesses: 1}}, "1 accesses in 0 units"},
		{cache, 0, reuse.Unordered([]reuse.Access{{First: 2, Last: 1, Min: 1, Max: 1}}), "lines 2 to 1"},
		{cache, 0, reuse.Unordered([]reuse.Access{{Min: 2, Max: 1}}), "2 to 1 times"},
		{cache, 0, reuse.Unordered([]reuse.Access{{}}), "0 to 0 times"},
		{cache, 0, reuse.Unordered([]reuse.Access{{Max: math.MaxInt64}}), "at most"},
	} {
		result, err := reuse.Analyze(t.Context(), test.cache, test.settle, []reuse.Core{test.core})
		if err == nil || result != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, %v; want an error with %q", test.core, result, err, test.want)
		}
	}
}

// stencil are the sequences of cores that work at the rows of a matrix in turn, and read the
// neighbouring rows too.
func stencil(cores, rows, width int) [][]reuse.Access {
	sequences := make([][]reuse.Access, cores)
	for row := range rows {
		c := row % cores
		for column := range width {
			for _, at := range []int{row - 1, row, row + 1} {
				if at >= 0 && at < rows {
					sequences[c] = append(sequences[c], reuse.Line(uint64(at*width+column)))
				}
			}
			sequences[c] = append(sequences[c], reuse.Line(uint64((rows+row)*width+column)))
		}
	}
	return sequences
}

// A million accesses of 15 cores, and as many of a free one.
func BenchmarkAnalyze(b *testing.B) {
	sequences := stencil(15, 2000, 128)
	random := rand.New(rand.NewPCG(1, 2))
	var free []reuse.Access
	for range 1_000_000 {
		free = append(free, reuse.Line(uint64(random.IntN(100_000))))
	}
	for _, test := range []struct {
		name string
		core func([]reuse.Access) reuse.Core
		free func([]reuse.Access) reuse.Core
	}{
		{"simple", reuse.Unordered, reuse.Unordered},
		{"intervals", func(a []reuse.Access) reuse.Core { return reuse.Regulated(a, 64) }, func(a []reuse.Access) reuse.Core { return reuse.Limited(a, 64) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			cores := []reuse.Core{test.free(free)}
			for _, accesses := range sequences {
				cores = append(cores, test.core(accesses))
			}
			for b.Loop() {
				result, err := reuse.Analyze(b.Context(), reuse.Cache{Sets: 128, Ways: 32}, 0, cores)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(result.Counted.Total), "counted")
				b.ReportMetric(float64(result.Grouped.Total), "grouped")
				b.ReportMetric(float64(result.Lines), "lines")
			}
		})
	}
}

// Nothing is predicted within a context that has ended.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result, err := reuse.Analyze(ctx, reuse.Cache{Sets: 1, Ways: 4}, 0, []reuse.Core{reuse.Unordered(nil)})
	if result != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", result, err)
	}
}
