package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"warpbound/internal/campaign"
	"warpbound/internal/fleet"
	"warpbound/internal/platform"
	"warpbound/internal/study/search"
)

// inputsKind is the kind of work that runs inputs of a job which a search has found. What varies of them is the data of an item.
const inputsKind = "inputs"

func prepareInputs(text []byte) (fleet.Do, error) {
	s, j, err := read(text)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, items []fleet.Item, each func(int, []byte, error) error) error {
		all := make([]search.Inputs, len(items))
		for i := range items {
			if err := json.Unmarshal(items[i].Data, &all[i]); err != nil {
				return err
			}
		}
		return search.Outcomes(ctx, j.Platform, j.Workload, s.MaxCycles, all, func(i int, o search.Outcome) error {
			if o.Fault != "" {
				return each(items[i].Number, nil, errors.New(o.Fault))
			}
			data, err := json.Marshal(o)
			if err != nil {
				return err
			}
			return each(items[i].Number, data, nil)
		})
	}, nil
}

// inputs has inputs run by workers. It implements search.Elsewhere.
type inputs struct {
	to        *fleet.Coordinator
	bundle    *bundle
	job       *platform.Job
	maxCycles int64
	work      *fleet.Assignment // nil before the first run
}

// begin begins the work.
func (x *inputs) begin(ctx context.Context) error {
	of, err := campaign.Identify(x.job.Platform, x.job.Workload, x.maxCycles)
	if err != nil {
		return err
	}
	text, err := json.Marshal(&setup{Bundle: *x.bundle, Of: of, MaxCycles: x.maxCycles})
	if err != nil {
		return err
	}
	x.work, err = x.to.Assign(ctx, inputsKind, text)
	return err
}

// How many inputs are a task: as many as leave so many tasks of a generation, up to a number.
const (
	tasks    = 32
	together = 8
)

// Run implements search.Elsewhere.
func (x *inputs) Run(ctx context.Context, n int, varied func(i int) search.Inputs, take func(i int, o *search.Outcome) error) error {
	if x.work == nil {
		if err := x.begin(ctx); err != nil {
			return err
		}
	}
	data := func(i int) ([]byte, error) { return json.Marshal(varied(i)) }
	return x.work.Each(ctx, n, min(max(n/tasks, 1), together), data, func(i int, record []byte) error {
		if record == nil {
			return take(i, nil)
		}
		var o search.Outcome
		if err := json.Unmarshal(record, &o); err != nil {
			return fmt.Errorf("what inputs gave: %w", err)
		}
		return take(i, &o)
	})
}

// close removes what is left from the server.
func (x *inputs) close() {
	if x.work != nil {
		x.work.Close()
	}
}
