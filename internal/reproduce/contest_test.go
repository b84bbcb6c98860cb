package reproduce

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"warpbound/internal/platform"
	study "warpbound/internal/study/search"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// saturated are kernels of which earlier searches had shown that random testing finds the longest times at once. They were named before
// strategies were compared, and do not count.
var saturated = []string{"bitonicSort", "insertionSort"}

// contest says which strategies are compared, and how.
type contest struct {
	kernels []string // jobs KERNEL/job.toml of the suite
	first   string   // the strategy that is held against second
	second  string
	seeds   int64         // from 1
	runs    int           // of each search; 0 for any number in time
	time    time.Duration // of each search, with its symbolic execution; 0 for any
}

// score is what two strategies found of a kernel.
type score struct {
	kernel        string
	first, second []int64 // longest times in cycles, ascending
	counts        bool    // random testing does not find the longest time at once
	p, adjusted   float64 // probability of times so much greater by chance, and by Holm's method among the kernels that count
}

// hold searches with all seeds.
func (c *contest) hold(ctx context.Context) ([]score, error) {
	var all []score
	for _, kernel := range c.kernels {
		s := score{kernel: kernel, counts: !slices.Contains(saturated, kernel)}
		var err error
		if s.first, err = c.times(ctx, kernel, c.first); err != nil {
			return nil, fmt.Errorf("%s: %w", kernel, err)
		}
		if s.second, err = c.times(ctx, kernel, c.second); err != nil {
			return nil, fmt.Errorf("%s: %w", kernel, err)
		}
		s.p = mannWhitney(s.first, s.second)
		all = append(all, s)
	}
	var counted []*score
	var ps []float64
	for i := range all {
		if all[i].adjusted = all[i].p; all[i].counts {
			counted, ps = append(counted, &all[i]), append(ps, all[i].p)
		}
	}
	for i, p := range holm(ps) {
		counted[i].adjusted = p
	}
	return all, nil
}

// times returns the longest times that a strategy finds in a kernel, ascending. Where runs are counted the kernel is executed
// symbolically once for all seeds.
func (c *contest) times(ctx context.Context, kernel, strategy string) ([]int64, error) {
	var found []int64
	var explored *study.State
	for seed := int64(1); seed <= c.seeds; seed++ {
		src, err := workload.ReadFS(kernels.Suite(), kernel+"/job.toml")
		if err != nil {
			return nil, err
		}
		j, err := platform.Load(src.WithSeed(seed), "")
		if err != nil {
			return nil, err
		}
		opts := study.Options{
			Strategies: []string{strategy}, Settings: study.DefaultSettings(), Explore: study.DefaultExploreOptions(), Time: c.time, Before: explored,
			Save: func(s *study.State, _ *workload.SavedInputs) error {
				if c.time == 0 {
					explored = s
				}
				return nil
			},
		}
		opts.Settings.Runs, opts.Settings.Patience = c.runs, 0
		f, err := study.Run(ctx, j.Platform, j.Workload, opts)
		if err != nil {
			return nil, err
		}
		found = append(found, f.Search.Strategies[0].Cycles)
	}
	slices.Sort(found)
	return found, nil
}

// write writes scores as a table.
func (c *contest) write(w io.Writer, all []score) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "kernel\t%s\tfrom\tto\t%s\tfrom\tto\tratio\tp\tHolm\tcounts\t\n", c.first, c.second)
	for _, s := range all {
		x, y := median(s.first), median(s.second)
		a, b := interval(s.first)
		d, e := interval(s.second)
		fmt.Fprintf(t, "%s\t%g\t%d\t%d\t%g\t%d\t%d\t%.3f\t%.4f\t%.4f\t%t\t\n", s.kernel, x, a, b, y, d, e, x/y, s.p, s.adjusted, s.counts)
	}
	return t.Flush()
}

// median is that of ascending numbers.
func median(x []int64) float64 {
	n := len(x)
	return (float64(x[(n-1)/2]) + float64(x[n/2])) / 2
}

// interval returns the narrowest of the intervals from the k-th smallest to the k-th greatest of ascending numbers that have the
// median of their distribution with a probability of 95 % at least; all of them if they are fewer than six.
func interval(x []int64) (low, high int64) {
	n := len(x)
	outside, binomial := 1.0, 1.0 // of 2^n in a tail, and the next one
	k := 0
	for ; 2*(k+1) < n; k++ {
		binomial *= float64(n-k) / float64(k+1)
		if (outside+binomial)*2 > 0.05*pow2(n) {
			break
		}
		outside += binomial
	}
	return x[k], x[n-1-k]
}

func pow2(n int) float64 {
	x := 1.0
	for range n {
		x *= 2
	}
	return x
}

// mannWhitney returns the probability that the ranks of x are at least as great as they are if x and y are of one distribution: the
// one-sided test of Mann and Whitney, exact for numbers that are equal, too, by counting all ways to choose x from both.
func mannWhitney(x, y []int64) float64 {
	both := slices.Concat(x, y)
	slices.Sort(both)
	rank := func(v int64) int { // doubled, as ranks of equal numbers are their mean
		low, _ := slices.BinarySearch(both, v)
		high, _ := slices.BinarySearch(both, v+1)
		return low + high + 1
	}
	sum, maximum := 0, 0
	for _, v := range x {
		sum += rank(v)
	}
	for _, v := range both {
		maximum += rank(v)
	}
	ways := make([][]float64, len(x)+1) // by how many are chosen, and the sum of their ranks
	for i := range ways {
		ways[i] = make([]float64, maximum+1)
	}
	ways[0][0] = 1
	for _, v := range both {
		r := rank(v)
		for n := len(x); n > 0; n-- {
			for s := r; s <= maximum; s++ {
				ways[n][s] += ways[n-1][s-r]
			}
		}
	}
	above, all := 0.0, 0.0
	for s, n := range ways[len(x)] {
		all += n
		if s >= sum {
			above += n
		}
	}
	return above / all
}

// holm returns probabilities of several tests together (Holm, "A simple sequentially rejective multiple test procedure", 1979).
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	adjusted, before := make([]float64, len(p)), 0.0
	for rank, i := range order {
		before = min(1, max(before, p[i]*float64(len(p)-rank)))
		adjusted[i] = before
	}
	return adjusted
}
