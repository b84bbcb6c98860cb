package search

import (
	"context"
	"flag"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/method/search/guided"
	"warpbound/internal/platform"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

var (
	ablationRuns   = flag.Int("ablation", 0, "runs of each search of TestAblation")
	ablationSeeds  = flag.Int64("ablation-seeds", 3, "its seeds, from 1")
	ablationJobs   = flag.String("ablation-kernels", "knapsack,bfsExpand,bitonicSort,histogram64,substringSearch,insertionSort,petriSmall,lbm", "its kernels, jobs job.toml of the suite, or other jobs as KERNEL/FILE.toml")
	ablationSolver = flag.String("ablation-solver", "z3", "its solver; one that is not installed for none")
	ablationParts  = flag.String("ablation-parts", "", "ingredients to leave out, one at a time; empty for each of them")
)

// TestAblation leaves out one ingredient of guided after the other. It prints the median of the longest times that are found, and
// those of random testing beside them.
func TestAblation(t *testing.T) {
	if *ablationRuns == 0 {
		t.Skip("measures: -ablation RUNS")
	}
	for _, kernel := range strings.Split(*ablationJobs, ",") {
		var explored *State // once for all seeds
		measure := func(name, strategy string, without guided.Ingredients) {
			var found []int64
			for seed := int64(1); seed <= *ablationSeeds; seed++ {
				name := kernel
				if path.Ext(name) == "" {
					name += "/job.toml"
				}
				src, err := workload.ReadFS(kernels.Suite(), name)
				if err != nil {
					t.Fatal(err)
				}
				j, err := platform.Load(src.WithSeed(seed), "")
				if err != nil {
					t.Fatal(err)
				}
				opts := searchOptions(*ablationRuns, strategy)
				opts.Settings.Patience, opts.Without, opts.Explore.Solver, opts.Before = 0, without, *ablationSolver, explored
				s, err := newSearching(j.Platform, j.Workload, opts)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.all(context.Background()); err != nil {
					t.Fatal(err)
				}
				if explored == nil && explores(strategy) {
					explored = s.state
				}
				found = append(found, s.best)
				if err := s.fitness.close(); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(found)
			t.Logf("%-16s %-11s %d", kernel, name, found)
		}
		if *ablationParts == "" {
			measure("random", "random", guided.Ingredients{})
		}
		measure("guided", "guided", guided.Ingredients{})
		parts := reflect.TypeFor[guided.Ingredients]()
		for i := range parts.NumField() {
			name := parts.Field(i).Name
			if *ablationParts != "" && !slices.Contains(strings.Split(*ablationParts, ","), name) {
				continue
			}
			var without guided.Ingredients
			reflect.ValueOf(&without).Elem().Field(i).SetBool(true)
			measure("-"+name, "guided", without)
		}
	}
}
