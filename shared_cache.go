package warpbound

import (
	"context"

	"warpbound/internal/method/llc"
)

// boundShared is the estimate of static/llc-simple or static/llc-interval.
func (j *Job) boundShared(ctx context.Context, method string) (*Estimate, error) {
	c, err := j.abstract()
	if err != nil {
		return nil, err
	}
	return llc.Analyze(ctx, llc.Config{
		Launch: c.Launch, Graph: c.Graph, Machine: c.Machine, CTAs: c.CTAs,
		Inputs: c.Inputs, Fixed: c.Fixed, Uniform: c.Uniform, Bounds: c.Bounds, Counted: c.Counted,
	}, method)
}
