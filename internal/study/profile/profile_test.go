package profile

import (
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/kernels"
)

// load loads a job of the suite on a machine.
func load(t *testing.T, name, machine string) *platform.Job {
	t.Helper()
	j, err := platform.LoadFS(kernels.Suite(), name+"/job.toml", machine)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// simulate runs a vector, without a profile.
func simulate(t *testing.T, j *platform.Job, vector int) *analysis.Run {
	t.Helper()
	run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{Vector: vector})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestProfile: what lines add up to is what the simulator counts, on every core, and the waits of warps are those between their issues.
func TestProfile(t *testing.T) {
	for _, name := range []string{"bfs", "bitonicSort", "histogram64", "reduction", "vectorAdd", "cfdStep", "bfsExpand"} {
		for _, machine := range []string{"fermi-c2050", "h100", "predictable-rr", "integrated-fermi", "gcn3-split"} {
			t.Run(name+"/"+machine, func(t *testing.T) {
				j := load(t, name, machine)
				run := simulate(t, j, 3)
				issued := make(map[[4]int]int64) // by warp: its last issue
				waited := int64(0)
				p, err := Of(t.Context(), j.Platform, j.Workload, Options{Run: estimate.LongestRun{Vector: new(3), Cycles: run.Cycles}, Issue: func(i *estimate.WarpIssue) {
					who := [4]int{i.SM, i.CTA, i.Warp, i.Split}
					last, ok := issued[who]
					if ok && i.Since != last || !ok && i.Since != i.Cycle || i.Line == "" {
						t.Fatalf("%v after %d", *i, last)
					}
					if i.Wait == "" || i.Wait == "other" && i.Cycle > i.Since+1 {
						t.Fatalf("nothing explains %v", *i)
					}
					issued[who] = i.Cycle
					waited += i.Cycle - i.Since
				}})
				if err != nil {
					t.Fatal(err)
				}
				var sum estimate.ProfiledLine
				for _, k := range p.Kernels {
					for i := range k.Lines {
						l := &k.Lines[i]
						sum.Issues, sum.Lanes, sum.Transactions, sum.Cycles = sum.Issues+l.Issues, sum.Lanes+l.Lanes, sum.Transactions+l.Transactions, sum.Cycles+l.Cycles
						waits := int64(0)
						for _, n := range l.Waits {
							waits += n
						}
						if waits != l.Cycles {
							t.Errorf("%s: waits are %d cycles, not %d", l.Line, waits, l.Cycles)
						}
						if l.Diverged > l.Issues {
							t.Errorf("%s: %d of %d issues are of diverged warps", l.Line, l.Diverged, l.Issues)
						}
					}
					blocks := int64(0)
					for _, b := range k.Blocks {
						blocks += b.Cycles
					}
					if !j.Several() && blocks != sum.Cycles {
						t.Errorf("blocks have %d cycles, and lines %d", blocks, sum.Cycles)
					}
				}
				for what, got := range map[string]int64{"warp_instructions": sum.Issues, "thread_instructions": sum.Lanes, "transactions": sum.Transactions} {
					if want := run.Counters[what]; got != want {
						t.Errorf("%s: %d by lines, %d as counted", what, got, want)
					}
				}
				if p.Timeline == nil {
					return
				}
				if waited != sum.Cycles {
					t.Errorf("warps wait %d cycles, and lines have %d", waited, sum.Cycles)
				}
				checkTimeline(t, p, run.Cycles)
			})
		}
	}
}

// checkTimeline checks that a timeline covers a run.
func checkTimeline(t *testing.T, p *estimate.Profile, cycles int64) {
	t.Helper()
	l := p.Timeline
	bins := int((cycles + l.Width - 1) / l.Width)
	if len(l.Rows) == 0 || len(l.Rows) > maxRows && l.Rows[0].CTA >= 0 || bins > maxBins {
		t.Errorf("%d rows of %d bins", len(l.Rows), bins)
	}
	longest := 0
	for _, r := range l.Rows {
		longest = max(longest, len(r.Bins))
		if len(r.Bins) > bins || strings.Trim(r.Bins, "abcdefghijklmnopqrstuvwxyz ") != "" {
			t.Errorf("a row %q of %d bins", r.Bins, bins)
		}
	}
	if last := p.Chain.Segments[len(p.Chain.Segments)-1]; last.To != cycles || longest == 0 {
		t.Errorf("the chain ends at %d, and the run at %d", last.To, cycles)
	}
}

// TestExecutions: what a warp waits begins anew in each execution of a launch, whatever the cycle of its last issue before.
func TestExecutions(t *testing.T) {
	j := load(t, "bfsExpand", "fermi-c2050")
	b := newBuilder(j.Workload, &Options{})
	for _, i := range []runner.Issue{
		{Cycle: 10}, {Cycle: 30, PC: 1, Transactions: 4}, {Execution: 1, Cycle: 150}, {Execution: 1, Cycle: 155, PC: 1, Transactions: 9}, {Execution: 1, Cycle: 156, PC: 2, Transactions: 9},
	} {
		b.issue(&i)
	}
	for pc, want := range []counts{{issues: 2, transactions: 13}, {issues: 2, cycles: 25}, {issues: 1, cycles: 1}} {
		got := b.launches[0].instrs[pc]
		if got.issues != want.issues || got.cycles != want.cycles || got.transactions != want.transactions {
			t.Errorf("instruction %d: %+v, want %+v", pc, got, want)
		}
	}
}

// TestTimeline: a bin shows what most of its cycles are.
func TestTimeline(t *testing.T) {
	l := newTimeline(load(t, "vectorAdd", "fermi-c2050").Workload, 20)
	l.width, l.bins, l.by = 5, 4, byWarp
	for _, i := range []estimate.WarpIssue{
		{Cycle: 0}, {Since: 0, Cycle: 9, Wait: "memory"}, {Since: 9, Cycle: 10, Wait: "alu"}, {Since: 10, Cycle: 11, Wait: "alu"}, {Since: 11, Cycle: 12, Wait: "alu"}, {Warp: 1, Since: 0, Cycle: 30, Wait: "alu"},
	} {
		l.add(&i)
	}
	rows := l.result().Rows
	if len(rows) != 2 || rows[0].Bins != "bba" || rows[1].Bins != "cccc" {
		t.Errorf("%v, kinds %v", rows, l.kinds)
	}
}

// TestOtherTime: a run that takes another time than it did is an error.
func TestOtherTime(t *testing.T) {
	j := load(t, "vectorAdd", "")
	_, err := Of(t.Context(), j.Platform, j.Workload, Options{Run: estimate.LongestRun{Vector: new(0), Cycles: 7}})
	if err == nil || !strings.Contains(err.Error(), "the run that took 7 cycles takes") {
		t.Error(err)
	}
}
