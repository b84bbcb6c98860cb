// Package changes finds what the user of a job may change so that its bound becomes less, and by how much: it bounds the job as it would
// be with each change.
package changes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// maxShown is how many changes are found, at most.
const maxShown = 3

// maxFixed is how many buffers at most are tried with fixed contents, one by one.
const maxFixed = 4

// With makes a job ready as it would be with something changed in a copy of what its file states.
type With func(change func(*job.Job)) (runner.Platform, *workload.Workload, error)

// candidate is something that may lower the bound.
type candidate struct {
	text     string
	contract bool // the kernel is asked to do less then
	change   func(*job.Job)
}

// Find returns the changes after which static methods bound the job by less than a does, with evidence that is annotated at least, the
// best first, and at most three. A change that is no job for the machine, or that has no bound, is none of them. The error is that of ctx.
func Find(ctx context.Context, w *workload.Workload, a *estimate.Analysis, with With) ([]estimate.Change, error) {
	found := []estimate.Change{}
	now, methods := a.Strong(estimate.Annotated), askedMethods(a)
	for _, c := range candidates(w, a) {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		p, other, err := with(c.change)
		if err != nil {
			continue
		}
		then, _, err := analysis.Static(ctx, p, other, analysis.Request{Methods: methods, Refusals: true})
		if err != nil {
			continue
		}
		if e := then.Strong(estimate.Annotated); e != nil && (now == nil || e.Cycles < now.Cycles) {
			found = append(found, estimate.Change{Change: c.text, Cycles: e.Cycles, Evidence: e.Evidence, ChangesContract: c.contract})
		}
	}
	slices.SortStableFunc(found, func(a, b estimate.Change) int { return cmp.Compare(a.Cycles, b.Cycles) })
	return found[:min(maxShown, len(found))], ctx.Err()
}

// askedMethods returns the methods that an analysis asked: others would show what they gain, and not what the change does.
func askedMethods(a *estimate.Analysis) []string {
	names := []string{}
	for i := range a.Estimates {
		names = append(names, a.Estimates[i].Method)
	}
	for i := range a.Refused {
		names = append(names, a.Refused[i].Method)
	}
	return names
}

// candidates returns what may lower the bound of a job: bounds of loops that have none, fixed contents of what is sampled, and a
// launch whose CTAs are all resident at a time.
func candidates(w *workload.Workload, a *estimate.Analysis) []candidate {
	if w.Several() {
		return nil
	}
	var all []candidate
	if c := boundLoops(a.Coverage); c != nil {
		all = append(all, *c)
	}
	all = append(all, fixContents(w)...)
	if c := launchOneWave(w); c != nil {
		all = append(all, *c)
	}
	return all
}

// boundLoops states of all loops that have no bound that they iterate no more often than in the runs; nil if there are none.
func boundLoops(c *estimate.Coverage) *candidate {
	if c == nil {
		return nil
	}
	var texts []string
	var loops []job.Loop
	for _, l := range c.Loops {
		if !l.Entered || l.Possible != nil {
			continue
		}
		place, err := job.ParsePlace(l.Header)
		if err != nil {
			return nil
		}
		texts = append(texts, fmt.Sprintf("%q = %d", l.Header, l.Observed))
		loops = append(loops, job.Loop{Place: place, Bound: l.Observed})
	}
	if loops == nil {
		return nil
	}
	return &candidate{text: "[loop] " + strings.Join(texts, ", "), change: func(spec *job.Job) {
		spec.Loops = slices.Concat(spec.Loops, loops)
	}}
}

// fixContents states of what is sampled that it is as in the first test vector: of each buffer by itself, and of all there is.
func fixContents(w *workload.Workload) []candidate {
	contents := w.Inputs(0)
	fix := func(params ...int) func(*job.Job) {
		return func(spec *job.Job) {
			spec.Params = slices.Clone(spec.Params)
			for _, i := range params {
				spec.Params[i].Content = job.Content{Kind: job.Fixed, Data: contents[spec.Params[i].Name]}
			}
		}
	}
	var all []candidate
	var sampled []int
	var names []string
	for i := range w.Spec.Params {
		p := &w.Spec.Params[i]
		if p.Content.Kind != job.Uniform {
			continue
		}
		sampled, names = append(sampled, i), append(names, p.Name)
		if p.Kind == job.Buffer && len(all) < maxFixed {
			all = append(all, candidate{"fixed contents of " + p.Name, true, fix(i)})
		}
	}
	if len(sampled) > 1 || len(all) == 0 && len(sampled) == 1 {
		all = append(all, candidate{"fixed " + strings.Join(names, ", "), true, fix(sampled...)})
	}
	return all
}

// launchOneWave reduces the grid to as many CTAs as are resident at a time; nil if all are.
func launchOneWave(w *workload.Workload) *candidate {
	occupancy, err := w.First().Occupancy()
	if err != nil {
		return nil
	}
	resident := occupancy.CTAs * int(w.Machine.SM.Count.Value)
	grid := w.Spec.Grid
	if resident <= 0 || grid[0]*grid[1]*grid[2] <= resident {
		return nil
	}
	for axis := 2; axis >= 0; axis-- { // whole rows stay as they are, as far as they fit
		others := grid[0] * grid[1] * grid[2] / grid[axis]
		grid[axis] = min(grid[axis], max(resident/others, 1))
	}
	text := fmt.Sprintf("launches of one wave, such as grid = [%d, %d, %d]", grid[0], grid[1], grid[2])
	return &candidate{text, true, func(spec *job.Job) { spec.Grid = grid }}
}
