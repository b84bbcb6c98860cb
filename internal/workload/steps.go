package workload

import (
	"context"
	"fmt"
	"io"

	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/promote"
	"warpbound/internal/flow/value"
)

// analysis returns a stage that shows in which steps an analysis of each kernel comes to what it finds. Stages are
// not cut short.
func analysis(name, what string, analyse func(*Kernel, constraint.Trace) error) Stage {
	return Stage{Name: name, What: what, aside: true, run: traced(analyse), dump: dumpSteps}
}

// traced returns what a stage does that keeps the steps of an analysis of each kernel.
func traced(analyse func(*Kernel, constraint.Trace) error) func(state) (state, error) {
	return func(s state) (state, error) {
		for _, k := range s.kernels {
			steps := []constraint.Step{}
			if err := analyse(k, func(step constraint.Step) { steps = append(steps, step) }); err != nil {
				return s, err
			}
			s.steps = append(s.steps, steps)
		}
		return s, nil
	}
}

// dumpSteps writes the steps in which the facts of each kernel grow.
func dumpSteps(w io.Writer, s *state) error {
	for i, k := range s.kernels {
		if _, err := fmt.Fprintf(w, "kernel %s\n", k.Graph.Kernel.Readable()); err != nil {
			return err
		}
		for _, step := range s.steps[i] {
			if _, err := fmt.Fprintln(w, step); err != nil {
				return err
			}
		}
	}
	return nil
}

func traceLiveness(k *Kernel, trace constraint.Trace) error {
	cfg.TraceLiveness(k.Graph, trace)
	return nil
}

func tracePromotion(k *Kernel, trace constraint.Trace) error {
	_, _, err := promote.TraceSlots(context.Background(), k.Graph, launchOf(k), trace)
	return err
}

func traceDivergence(k *Kernel, trace constraint.Trace) error {
	ctx := context.Background()
	g, _, err := promote.Slots(ctx, k.Graph, launchOf(k))
	if err != nil {
		return err
	}
	_, err = findVerdicts(ctx, g, shapeOf(k), trace)
	return err
}

func traceValues(k *Kernel, trace constraint.Trace) error {
	ctx, launch := context.Background(), launchOf(k)
	g, _, err := promote.Slots(ctx, k.Graph, launch)
	if err != nil {
		return err
	}
	return value.TraceAnalysis(ctx, g, launch, trace)
}

func traceDecisive(k *Kernel, trace constraint.Trace) error {
	k.Code.TraceDeciding(trace)
	return nil
}

// launchOf returns what is known of the launch of a kernel, which is nothing without a job.
func launchOf(k *Kernel) launchfacts.Launch {
	if k.Bound == nil {
		return launchfacts.Launch{}
	}
	return k.Launch()
}
