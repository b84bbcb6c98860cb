package analysis

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/flow/value"
	"warpbound/internal/job"
	"warpbound/internal/workload"
)

// declared returns what a job says of its inputs.
func declared(w *workload.Workload) []estimate.Contract {
	all := []estimate.Contract{}
	for _, d := range w.Spec.Contract() {
		all = append(all, estimate.Contract{Input: d.Input, Text: d.Text, Pos: d.Pos.String(), Fixed: d.Fixed})
	}
	return all
}

// used says which of what a job declares the analysis of values counts on. values is what is known of its kernel, if there is
// one launch in a run. Nothing is said of the rest if ctx ends.
func used(ctx context.Context, w *workload.Workload, values *value.Result, contract []estimate.Contract) {
	for _, one := range launches(ctx, w) {
		k := one.First()
		found := values
		if w.Several() {
			found, _ = value.Analyze(ctx, k.Graph, k.Launch())
		}
		if found == nil {
			continue
		}
		loaded := k.Loaded(found)
		writes, err := k.Writers(ctx, found)
		if err != nil {
			return
		}
		for i, d := range w.Spec.Contract() {
			c := &contract[i]
			switch {
			case d.Param < 0 || w.Spec.Params[d.Param].Kind != job.Buffer:
				c.Used = true
			case loaded[d.Param]:
				c.Used, c.Reason = true, ""
			case writes[d.Param] != nil && !c.Used:
				c.Reason = fmt.Sprintf("the kernel may write to it at %s", writes[d.Param])
			}
		}
	}
}
