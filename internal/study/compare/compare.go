// Package compare puts two results side by side: what changed, where, and whether the second is worse.
//
// It reads results as they are saved, and imports nothing that makes them.
package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/provenance"
)

// File is a saved result.
type File struct {
	Name string
	Text []byte
}

// Files compares two results, of which a is the one before. It is an error if a file is no result that can be compared.
func Files(a, b File, by Threshold) (*estimate.Comparison, error) {
	ra, err := read(a.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	rb, err := read(b.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	c := &estimate.Comparison{
		Provenance: provenance.Of(), Threshold: by.text,
		A: ra.compared(a.Name), B: rb.compared(b.Name),
		Differences: differences(ra, rb), Observed: times(ra.Observed, rb.Observed),
		Answer:    estimate.ComparedAnswer{A: answer(ra), B: answer(rb)},
		Estimates: estimates(ra.Estimates, rb.Estimates), Launches: launches(ra.Launches, rb.Launches),
		Notes: notes(ra, rb),
	}
	c.GoneWarnings, c.NewWarnings = warnings(ra.Warnings, rb.Warnings)
	c.Regressions, c.Void = regressions(c, by), findVoid(ra, rb)
	if rb.Interrupted != nil && ra.Interrupted == nil { // what it lacks may be worse
		text := fmt.Sprintf("B is incomplete (%s), and A is not", rb.Interrupted.Reason)
		c.Regressions = slices.Insert(c.Regressions, 0, estimate.Regression{What: "result", Kind: estimate.RegressionMissing, Text: text})
	}
	return c, nil
}

func (r *result) compared(file string) estimate.ComparedResult {
	return estimate.ComparedResult{
		File: file, Tool: r.Tool, Job: r.Job, Kernel: r.Kernel, Machine: r.Machine, MachineHash: r.MachineHash,
		ModuleHash: r.ModuleHash, JobHash: r.JobHash, Launch: r.Launch, Seed: r.Seed, Runs: r.Runs,
	}
}

// findVoid returns the bounds of both results that a run of the same job exceeds, in whichever of
// them.
func findVoid(a, b *result) []estimate.VoidBound {
	same := a.ModuleHash == b.ModuleHash && a.MachineHash == b.MachineHash && a.JobHash == b.JobHash &&
		a.Launch == b.Launch && a.SplitMode == b.SplitMode
	list := []estimate.VoidBound{}
	for i, r := range []*result{a, b} {
		of := r.analysis()
		of.Exceed(r.longestRun())
		if same {
			of.Exceed([]*result{b, a}[i].longestRun())
		}
		list = append(list, of.Void...)
	}
	return list
}

// longestRun is how many cycles the longest run of a result takes; 0 if there is none.
func (r *result) longestRun() int64 {
	switch {
	case r.Observed != nil:
		return r.Observed.Max
	case r.Cycles != nil:
		return *r.Cycles
	}
	return 0
}

// differences says what the results are not both of.
func differences(a, b *result) []estimate.Difference {
	list := []estimate.Difference{}
	add := func(what, a, b string) {
		if a != b {
			list = append(list, estimate.Difference{What: what, A: a, B: b})
		}
	}
	add("kernel", a.Kernel, b.Kernel)
	add("module", a.ModuleHash, b.ModuleHash)
	add("machine", a.Machine, b.Machine)
	add("machine description", a.MachineHash, b.MachineHash)
	add("split mode", a.SplitMode, b.SplitMode)
	add("grid", size(a.Launch.Grid), size(b.Launch.Grid))
	add("block", size(a.Launch.Block), size(b.Launch.Block))
	add("seed", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed))
	add("runs", fmt.Sprint(a.Runs), fmt.Sprint(b.Runs))
	add("job", a.JobHash, b.JobHash)
	add("tool", a.Tool.String(), b.Tool.String())
	return list
}

func size(n [3]int) string { return fmt.Sprintf("%d x %d x %d", n[0], n[1], n[2]) }

// notes says why figures may differ for other reasons than the kernel.
func notes(a, b *result) []string {
	list := []string{}
	if a.Kernel != b.Kernel {
		list = append(list, "the results are of different kernels")
	}
	if a.MachineHash != b.MachineHash {
		list = append(list, "the machines differ: as many cycles need not be as much time")
	}
	if a.Launch != b.Launch {
		list = append(list, "the launches differ")
	}
	if one := b.Convergence != nil && b.Convergence.Stopped == estimate.StoppedInvariant; b.Runs < a.Runs && !one {
		list = append(list, fmt.Sprintf("B rests on fewer runs (%d, A on %d): what is only observed may be lower for that alone", b.Runs, a.Runs))
	}
	for _, r := range []struct {
		name string
		*result
	}{{"A", a}, {"B", b}} {
		if r.Interrupted != nil {
			list = append(list, fmt.Sprintf("%s is incomplete (%s)", r.name, r.Interrupted.Reason))
		}
	}
	return list
}

func times(a, b *estimate.Observation) *estimate.ComparedTimes {
	if a == nil && b == nil {
		return nil
	}
	t := &estimate.ComparedTimes{A: a, B: b}
	if a != nil && b != nil {
		t.Percent = growth(a.Max, b.Max)
	}
	return t
}

func answer(r *result) *estimate.Figured {
	e := r.analysis().Tightest()
	if e == nil {
		return nil
	}
	return &estimate.Figured{Method: e.Method, Cycles: e.Cycles, Evidence: e.Evidence, Numbers: e.Numbers}
}

// estimates compares what methods say, in the order of a, then those of b alone.
func estimates(a, b []bound) []estimate.ComparedEstimate {
	list := []estimate.ComparedEstimate{}
	for i := range a {
		at := slices.IndexFunc(b, func(e bound) bool { return e.Method == a[i].Method })
		if at < 0 {
			list = append(list, compared(&a[i], nil))
		} else {
			list = append(list, compared(&a[i], &b[at]))
		}
	}
	for i := range b {
		if !slices.ContainsFunc(a, func(e bound) bool { return e.Method == b[i].Method }) {
			list = append(list, compared(nil, &b[i]))
		}
	}
	return list
}

// compared compares what a method says; one side may be nil.
func compared(a, b *bound) estimate.ComparedEstimate {
	c := estimate.ComparedEstimate{Blocks: []estimate.ComparedShare{}, Loops: []estimate.ComparedLoop{}, NewAssumptions: []string{}, GoneAssumptions: []string{}}
	if a != nil {
		c.Method, c.A = a.Method, &a.Figured
	}
	if b != nil {
		c.Method, c.B = b.Method, &b.Figured
	}
	if a == nil || b == nil {
		return c
	}
	c.Percent = growth(a.Cycles, b.Cycles)
	c.Blocks, c.Loops = blocks(a.Breakdown, b.Breakdown), loops(a.Detail.Loops, b.Detail.Loops)
	c.GoneAssumptions, c.NewAssumptions = unshared(a.Assumptions, b.Assumptions)
	return c
}

// blocks compares breakdowns, the greatest growth first.
func blocks(a, b []estimate.Share) []estimate.ComparedShare {
	list := []estimate.ComparedShare{}
	pairs := placed(a, b, func(s estimate.Share) string { return s.Name }, func(s estimate.Share) string { return s.Pos })
	for _, p := range pairs {
		var c estimate.ComparedShare
		if p.a >= 0 {
			c.Name, c.Pos, c.A = a[p.a].Name, a[p.a].Pos, &a[p.a].Cycles
			c.Growth -= a[p.a].Cycles
		}
		if p.b >= 0 {
			c.Name, c.Pos, c.B = b[p.b].Name, b[p.b].Pos, &b[p.b].Cycles
			c.Growth += b[p.b].Cycles
		}
		if c.Growth != 0 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(x, y estimate.ComparedShare) int {
		return cmp.Or(cmp.Compare(y.Growth, x.Growth), strings.Compare(x.Name, y.Name))
	})
	return list
}

// loops compares the bounds of loops.
func loops(a, b []loop) []estimate.ComparedLoop {
	list := []estimate.ComparedLoop{}
	for _, p := range placed(a, b, loop.name, func(l loop) string { return l.Pos }) {
		var c estimate.ComparedLoop
		if p.a >= 0 {
			c.Name, c.Pos, c.A = a[p.a].name(), a[p.a].Pos, a[p.a].limit()
		}
		if p.b >= 0 {
			c.Name, c.Pos, c.B = b[p.b].name(), b[p.b].Pos, b[p.b].limit()
		}
		if c.A == nil || c.B == nil || *c.A != *c.B {
			list = append(list, c)
		}
	}
	return list
}

func (l loop) name() string { return cmp.Or(l.Header, l.Name) }

func (l loop) limit() *estimate.LoopBound {
	return &estimate.LoopBound{Bound: cmp.Or(l.Bound, l.Iterations), Evidence: l.Evidence}
}

// launches compares the launches of runs: the n-th of a kernel with the n-th of it.
func launches(a, b []launch) []estimate.ComparedLaunch {
	list := []estimate.ComparedLaunch{}
	of := [2][]launch{a, b}
	for _, p := range match(len(a), len(b), func(list, i int) string { return of[list][i].Kernel }) {
		var c estimate.ComparedLaunch
		var ea, eb []bound
		if p.a >= 0 {
			c.Kernel, c.A, ea = a[p.a].Kernel, &a[p.a].LaunchFigures, a[p.a].Estimates
		}
		if p.b >= 0 {
			c.Kernel, c.B, eb = b[p.b].Kernel, &b[p.b].LaunchFigures, b[p.b].Estimates
		}
		c.Estimates = estimates(ea, eb)
		list = append(list, c)
	}
	return list
}

// warnings returns those that only one side has, wherever they stand.
func warnings(a, b []estimate.Warning) (gone, added []estimate.Warning) {
	gone, added = []estimate.Warning{}, []estimate.Warning{}
	of := func(list, i int) *estimate.Warning { return &[2][]estimate.Warning{a, b}[list][i] }
	what := func(list, i int) string { return of(list, i).ID + "\x00" + of(list, i).Text }
	for _, p := range match(len(a), len(b), func(list, i int) string { return of(list, i).Pos + what(list, i) }, what) {
		switch {
		case p.a < 0:
			added = append(added, b[p.b])
		case p.b < 0:
			gone = append(gone, a[p.a])
		}
	}
	return gone, added
}

// regressions says what is worse in B, the worst first.
func regressions(c *estimate.Comparison, by Threshold) []estimate.Regression {
	list := []estimate.Regression{}
	add := func(what, kind string, percent *float64, format string, args ...any) {
		list = append(list, estimate.Regression{What: what, Kind: kind, Percent: percent, Text: fmt.Sprintf(format, args...)})
	}
	if a, b := c.Answer.A, c.Answer.B; a != nil && b != nil && weaker(b.Evidence, a.Evidence) {
		add("answer", estimate.RegressionEvidence, nil, "the answer was %s (%s) and is only %s (%s)", a.Evidence, a.Method, b.Evidence, b.Method)
	}
	if o := c.Observed; o != nil && o.A != nil {
		const mark = "high-water mark"
		switch {
		case o.B == nil:
			add(mark, estimate.RegressionMissing, nil, "nothing ran for B, so that there is no high-water mark")
		case by.exceeded(o.A.Max, o.B.Max):
			add(mark, estimate.RegressionCycles, o.Percent, "the high-water mark grew %s", grown(o.A.Max, o.B.Max, o.Percent))
		}
	}
	judged := slices.Clone(c.Estimates)
	for _, l := range c.Launches {
		for _, e := range l.Estimates {
			if !slices.ContainsFunc(c.Estimates, func(whole estimate.ComparedEstimate) bool { return whole.Method == e.Method }) {
				e.Method += " of " + l.Kernel
				judged = append(judged, e)
			}
		}
	}
	for _, e := range judged {
		switch {
		case e.A == nil:
		case e.B == nil:
			add(e.Method, estimate.RegressionMissing, nil, "%s is missing in B", e.Method)
		default:
			if weaker(e.B.Evidence, e.A.Evidence) {
				add(e.Method, estimate.RegressionEvidence, nil, "%s was %s and is only %s", e.Method, e.A.Evidence, e.B.Evidence)
			}
			if by.exceeded(e.A.Cycles, e.B.Cycles) {
				add(e.Method, estimate.RegressionCycles, e.Percent, "%s grew %s", e.Method, grown(e.A.Cycles, e.B.Cycles, e.Percent))
			}
		}
	}
	order := []string{estimate.RegressionMissing, estimate.RegressionEvidence, estimate.RegressionCycles}
	slices.SortStableFunc(list, func(x, y estimate.Regression) int {
		return cmp.Or(cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind)), cmp.Compare(rate(y), rate(x)))
	})
	return list
}

// rate orders regressions of the same kind: growth from nothing is above all.
func rate(r estimate.Regression) float64 {
	if r.Percent == nil {
		return math.Inf(1)
	}
	return *r.Percent
}

// weaker reports whether one evidence is weaker than another.
func weaker(e, than estimate.Evidence) bool { return e != than && estimate.Weakest(e, than) == e }

func grown(a, b int64, percent *float64) string {
	if percent == nil {
		return fmt.Sprintf("from %d to %d cycles", a, b)
	}
	return fmt.Sprintf("by %.1f %%, from %d to %d cycles", *percent, a, b)
}
