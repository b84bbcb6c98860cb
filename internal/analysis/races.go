package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/flow/racefree"
	"warpbound/internal/flow/value"
	"warpbound/internal/inspect"
	"warpbound/internal/premise"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// watch runs the first test vector once more and looks for what says that times and results may not
// be those of other runs: data races, also in other orders of warps, reads of what nothing has
// written, barriers that only some threads reach. On a platform that does not simulate nothing is
// looked for, and the races are nil.
func watch(ctx context.Context, p runner.Platform, w *workload.Workload, maxCycles int64) (races []estimate.Race, warnings []diag.Warning, err error) {
	r, err := p.Open(w, runner.Options{MaxCycles: maxCycles, Repeats: 1, Checked: true, Races: true})
	if errors.Is(err, runner.ErrRaces) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := r.Run(ctx, w.First().Bound.Vector(0), nil)
	if err != nil {
		return nil, nil, err
	}
	return out.Statistics.Races(), out.Statistics.Warnings(), nil
}

// watched is watch, unless a vector of the campaign was watched as it ran: then found is what that
// showed. The outcome is kept.
func watched(ctx context.Context, p runner.Platform, w *workload.Workload, req *Request, found *campaign.Watched) (
	[]estimate.Race, []diag.Warning, error) {
	out, err := noted(req.Campaign.Keep, partRaces, func() (campaign.Watched, error) {
		if found != nil {
			return *found, nil
		}
		races, warnings, err := watch(ctx, p, w, req.MaxCycles)
		return campaign.Watched{Races: races, Warnings: warnings}, err
	})
	return out.Races, out.Warnings, err
}

// valuesOf returns what is known of the values of a workload's kernel; nil if that is nothing, and if it has several launches
// in a run. The error is that of ctx.
func valuesOf(ctx context.Context, w *workload.Workload) (*value.Result, error) {
	if w.Several() {
		return nil, nil
	}
	return w.First().Values(ctx)
}

// raceVerdict returns what is known of the data races of a workload for all inputs; nil if the values of its kernel
// are not known. The error is that of ctx.
func raceVerdict(ctx context.Context, w *workload.Workload, values *value.Result) (*estimate.RaceVerdict, error) {
	if values == nil {
		return nil, nil
	}
	k := w.First()
	d, err := k.Divergence(ctx)
	if err != nil {
		d = nil
	}
	return inspect.Races(ctx, values, d, k.Machine == nil || k.Machine.LockStep())
}

// qualify says of the estimates that suppose the absence of races what is known of it.
func qualify(a *estimate.Analysis) {
	known := "not looked for"
	switch {
	case a.RaceVerdict != nil && a.RaceVerdict.Verdict == racefree.Free.String():
		known = "none for any input (proven)"
	case len(a.Races) > 0:
		known = fmt.Sprintf("%d pairs of instructions race with the first test vector", len(a.Races))
	case a.Races != nil:
		known = "none in the run of the first test vector"
	}
	all := [][]estimate.Estimate{a.Estimates}
	for i := range a.Launches {
		all = append(all, a.Launches[i].Estimates)
	}
	for _, list := range all {
		for i := range list {
			if slices.Contains(list[i].Assumptions, premise.RaceFree) {
				list[i].Assumptions = append(list[i].Assumptions, premise.Races+known)
			}
		}
	}
}
