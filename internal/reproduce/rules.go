package reproduce

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/halt"
	"warpbound/internal/machine"
	"warpbound/internal/method/cta"
	"warpbound/internal/method/llc"
	"warpbound/internal/method/split"
	"warpbound/internal/platform"
	"warpbound/internal/provenance"
	study "warpbound/internal/study/search"
	"warpbound/internal/study/splits"
	"warpbound/internal/suggest"
	"warpbound/internal/workload"
)

// rules are what a paper published, to be applied to any job.
type rules struct {
	title  string
	needs  string // a method that supports the machines that the rules are about; "" if any machine will do
	stands string // for the machine of a job that is none of these
	// apply applies them. If ctx ends, the table has what was known until then.
	apply func(ctx context.Context, j *platform.Job, opts Options) (*estimate.Table, error)
}

// papersRules are the rules of the papers that have some.
var papersRules = map[string]rules{
	"cta":    {ctaTitle, cta.ID, "predictable-rr", ctaRules},
	"hybrid": {hybridTitle, "", "", hybridRules},
	"llc":    {llcTitle, llc.Simple.ID(), "integrated-fermi", llcRules},
	"search": {searchTitle, "", "", searchRules},
	"split":  {splitTitle, split.Method(machine.SplitNone).ID(), "gcn3-split", splitRules},
}

// Rules applies the published rules of a paper to the job of a file, on the machine that is named, or else the job's, and sets
// what they give beside our estimates and the longest of opts.Vectors runs (of a search, opts.SearchRuns). A job whose machine
// the rules are not about is taken to one that they are. Only a run can show that a published rule is no bound; none shows that
// it is one. The job must have one launch. If ctx ends, the error is that of ctx, and the result, unless nil, is what was known until then.
func Rules(ctx context.Context, paper, file, on string, opts Options) (*estimate.Reproduction, error) {
	r, ok := papersRules[paper]
	if !ok {
		return nil, fmt.Errorf("no paper %q with rules for a job%s", paper, suggest.Hint(paper, slices.Sorted(maps.Keys(papersRules))))
	}
	src, err := workload.Read(file)
	if err != nil {
		return nil, err
	}
	job, err := platform.Load(src, on)
	if err == nil && on == "" && r.needs != "" && !analysis.Methods().Supports(job.Workload, r.needs) {
		job, err = platform.Load(src, r.stands)
	}
	if err != nil {
		return nil, err
	}
	if err := job.OneLaunch("the published rules are about"); err != nil {
		return nil, err
	}
	t, err := r.apply(ctx, job, opts)
	if t == nil || err != nil && !halt.Ended(ctx, err) {
		return nil, err
	}
	t.Name = fmt.Sprintf("The published rules and ours on %s, %s", job.Name(), job.MachineName) + t.Name
	t.Label = estimate.LabelNoTarget
	out := &estimate.Reproduction{Provenance: provenance.Of(), Paper: r.title, Examples: []estimate.Example{}, Tables: []estimate.Table{*t}}
	if err != nil {
		out.Interrupted = interruption(ctx)
	}
	return out, err
}

// against is a table of times beside the longest of some runs.
type against struct {
	estimate.Table
	longest int64 // cycles
}

// newAgainst begins a table with the longest of some runs. Columns are those between its name and the times.
func newAgainst(runs int, longest int64) *against {
	t := &against{longest: longest}
	t.Columns = []string{"", "cycles", "/ longest run", "what it is"}
	t.add(fmt.Sprintf("longest of %s", count(runs, "run")), longest, "observed")
	return t
}

// add adds a row.
func (t *against) add(name string, cycles int64, what string) {
	t.Rows = append(t.Rows, cells(name, cycles, thousandths(quotient(cycles, t.longest)), what))
}

// ours adds our estimates.
func (t *against) ours(all []estimate.Estimate) {
	for i := range all {
		t.add(all[i].Method, all[i].Cycles, string(all[i].Evidence))
	}
}

// without says why a rule gives no time, behind the name of a table.
func without(rule string, why error) string {
	return fmt.Sprintf(".\n%s cannot be applied: %v", rule, why)
}

// publishedRule is what a published rule is.
const publishedRule = "published rule, no bound"

// count is a number of things.
func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// ctaRules applies those of abstract CTA simulation.
func ctaRules(ctx context.Context, j *platform.Job, opts Options) (*estimate.Table, error) {
	a, err := analysis.Analyze(ctx, j.Platform, j.Workload, analysis.Request{Methods: []string{cta.ID}, Observe: true, Campaign: vectors(opts, "runs")})
	if a == nil || a.Runs == 0 {
		return nil, err
	}
	t := newAgainst(a.Runs, a.Observed.Max)
	switch p, failed := applyPublishedCTA(ctx, j.Workload); {
	case ctx.Err() != nil:
	case failed != nil:
		t.Name += without("T_WCET, Section 5.3", failed)
	default:
		t.add("T_WCET, Section 5.3", p.Cycles, publishedRule)
	}
	t.ours(a.Estimates)
	return &t.Table, ctx.Err()
}

// hybridRules applies those of hybrid analysis.
func hybridRules(ctx context.Context, j *platform.Job, opts Options) (*estimate.Table, error) {
	ask := analysis.Request{Methods: []string{"hybrid/dynamic", "hybrid/waves"}, Campaign: vectors(opts, "runs")}
	ours, err := analysis.Analyze(ctx, j.Platform, j.Workload, ask)
	if ours == nil || ours.Runs == 0 {
		return nil, err
	}
	t := newAgainst(ours.Runs, ours.Observed.Max)
	ask.PublishedEdges, ask.Campaign = true, vectors(opts, "runs again")
	switch a, failed := analysis.Analyze(ctx, j.Platform, j.Workload, ask); {
	case ctx.Err() != nil:
	case failed != nil:
		t.Name += without("Eqs. 1 and 2, with the edges of Fig. 3", failed)
	default:
		t.add("Eq. 1, with the edges of Fig. 3", a.Estimates[0].Detail.(*estimate.HybridDynamic).Published.Cycles, publishedRule)
		w := a.Estimates[1].Detail.(*estimate.HybridWaves)
		t.add("Eq. 2, waves as traces show them", w.Published, publishedRule)
		if w.Geometry != nil {
			t.add("Eq. 2, waves from the launch", w.Geometry.Cycles, publishedRule)
		}
	}
	t.ours(ours.Estimates)
	return &t.Table, ctx.Err()
}

// llcRules applies those of shared cache analysis. Of runs, that with most misses counts for these.
func llcRules(ctx context.Context, j *platform.Job, opts Options) (*estimate.Table, error) {
	ask, runs, cycles, misses := 1, 0, int64(0), int64(0)
	if j.Workload.Spec.Varies() {
		ask = opts.Vectors
	}
	for ; runs < ask; runs++ {
		run, err := analysis.Simulate(ctx, j.Platform, j.Workload, analysis.SimulateRequest{Vector: runs})
		if halt.Ended(ctx, err) && runs > 0 {
			break
		} else if err != nil {
			return nil, err
		}
		of := int64(0)
		for _, c := range run.Cores[:len(run.Cores)-1] { // the CPU is the last
			of += c["llc_misses"]
		}
		cycles, misses = max(cycles, run.Cycles), max(misses, of)
		if opts.Progress != nil {
			opts.Progress("runs", runs+1, ask)
		}
	}
	t := &estimate.Table{Columns: []string{"", "accesses", "misses", "/ most of a run", "cycles", "/ longest run", "what it is"}}
	t.Rows = append(t.Rows, cells(fmt.Sprintf("most of %s", count(runs, "run")), "", misses, "1.000", cycles, "1.000", "observed"))
	rate := func(bound, actual int64) string {
		if actual == 0 {
			return "-"
		}
		return thousandths(quotient(bound, actual))
	}
	problem, err := analysis.Problem(ctx, j.Workload)
	if halt.Ended(ctx, err) {
		return t, err
	} else if err != nil {
		return nil, err
	}
	for _, m := range []llc.Method{llc.Simple, llc.Interval} {
		if !analysis.Methods().Supports(j.Workload, m.ID()) {
			continue
		}
		a, err := analysis.Analyze(ctx, j.Platform, j.Workload, analysis.Request{Methods: []string{m.ID()}})
		switch {
		case ctx.Err() != nil:
			return t, ctx.Err()
		case err != nil:
			return nil, err
		}
		e := &a.Estimates[0]
		d := e.Detail.(*estimate.LLC)
		single := d.Accesses - d.Hits
		t.Rows = append(t.Rows, cells(e.Method+" as published, each access on its own", d.Accesses, single, rate(single, misses), "-", "-", "published rule, with our access bounds"))
		switch by, failed := m.Published(ctx, problem); {
		case ctx.Err() != nil:
		case failed != nil:
			t.Name += without("Eqs. 1 to 3 with "+e.Method, failed)
		default:
			for _, of := range []struct {
				what string
				time int64
			}{{"accesses alone", by.Alone}, {"accesses in a full queue", by.Queued}} {
				t.Rows = append(t.Rows, cells("Eqs. 1 to 3 with "+e.Method+", "+of.what, "-", "-", "-", of.time, thousandths(quotient(of.time, cycles)), publishedRule))
			}
		}
		t.Rows = append(t.Rows, cells(e.Method, d.Accesses, d.Misses, rate(d.Misses, misses), e.Cycles, thousandths(quotient(e.Cycles, cycles)), e.Evidence))
	}
	return t, ctx.Err()
}

// splitRules applies those of wavefront splitting, in each mode.
func splitRules(ctx context.Context, j *platform.Job, opts Options) (*estimate.Table, error) {
	how := splits.Options{Vectors: opts.Vectors, Measure: true}
	if opts.Progress != nil {
		how.Progress = func(done, total int) { opts.Progress("runs", done, total) }
	}
	s, err := splits.Compare(ctx, j.Platform, j.Workload, how)
	if s == nil {
		return nil, err
	}
	t := &estimate.Table{
		Name:    ".\nThe equations of Section 6 get times of blocks that were measured in these runs",
		Columns: []string{"mode", fmt.Sprintf("longest of %s", count(s.Runs, "run")), "published rule, no bound", "/ longest run", "ours", "/ longest run", "evidence"},
	}
	for _, m := range s.Modes {
		longest := m.Observed.Max
		t.Rows = append(t.Rows, cells(m.Mode, longest, m.Published, thousandths(quotient(m.Published, longest)),
			m.Estimate.Cycles, thousandths(quotient(m.Estimate.Cycles, longest)), m.Estimate.Evidence))
	}
	return t, err
}

// searchRules searches by the strategies of the paper, and by ours, with the same number of runs each.
func searchRules(ctx context.Context, j *platform.Job, opts Options) (*estimate.Table, error) {
	how := study.Options{Strategies: study.Strategies(), Settings: study.DefaultSettings(), Explore: study.DefaultExploreOptions()}
	how.Settings.Runs, how.Settings.Patience = opts.SearchRuns, 0
	if opts.Progress != nil {
		how.Progress = func(p study.Progress) { opts.Progress(p.Strategy, p.Runs, p.Budget) }
	}
	f, err := study.Run(ctx, j.Platform, j.Workload, how)
	if err != nil {
		return nil, err
	}
	if f.Interrupted {
		err = ctx.Err()
	}
	all := f.Search.Strategies
	random := all[len(all)-1]
	t := &estimate.Table{Columns: []string{"strategy", "runs", "longest", "/ that of " + random.Strategy}}
	for _, s := range all {
		t.Rows = append(t.Rows, cells(s.Strategy, s.Runs, s.Cycles, thousandths(quotient(s.Cycles, random.Cycles))))
	}
	return t, err
}

// vectors is a campaign of random test vectors.
func vectors(opts Options, what string) campaign.Spec {
	spec := campaign.Spec{Vectors: opts.Vectors}
	if opts.Progress != nil {
		spec.Progress = func(done, total int) { opts.Progress(what, done, total) }
	}
	return spec
}
