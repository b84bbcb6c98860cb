package runs

import (
	"context"
	"encoding/json"
	"fmt"

	"warpbound/internal/campaign"
	"warpbound/internal/campaign/store"
	"warpbound/internal/fleet"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
)

// record is runner.Record for machines that are simulated, which need no graph.
type record struct {
	Chosen []bool         `json:"chosen"`
	Points []trace.Ipoint `json:"points"`
}

// options are those of the runs.
func (s *setup) options() runner.Options {
	opts := runner.Options{MaxCycles: s.MaxCycles}
	for _, r := range s.Record {
		opts.Record = append(opts.Record, &runner.Record{Chosen: r.Chosen, Points: r.Points})
	}
	return opts
}

// vectorKind is the kind of work that runs test vectors of a job. The number of an item is that of its vector.
const vectorKind = "vector"

func prepareVectors(text []byte) (fleet.Do, error) {
	s, j, err := read(text)
	if err != nil {
		return nil, err
	}
	var codec store.Codec
	return func(ctx context.Context, items []fleet.Item, each func(int, []byte, error) error) error {
		numbers := make([]int, len(items))
		for i := range items {
			numbers[i] = items[i].Number
		}
		return campaign.Records(ctx, j.Platform, j.Workload, s.options(), numbers, func(vector int, r *campaign.Record, failed error) error {
			if failed != nil {
				return each(vector, nil, failed)
			}
			data, err := codec.Encode(r)
			if err != nil {
				return err
			}
			return each(vector, data, nil)
		})
	}, nil
}

// vectors has test vectors run by workers. It implements campaign.Elsewhere.
type vectors struct {
	to     *fleet.Coordinator
	bundle *bundle
	codec  store.Codec
	of     campaign.Identity
	work   *fleet.Assignment // nil before the first campaign
}

// Open implements campaign.Elsewhere.
func (v *vectors) Open(of campaign.Identity) error {
	v.of = of
	return nil
}

// Begin implements campaign.Elsewhere.
func (v *vectors) Begin(ctx context.Context, opts runner.Options) error {
	v.close()
	s := &setup{Bundle: *v.bundle, Of: v.of, MaxCycles: opts.MaxCycles}
	s.Bundle.Seed = v.of.Seed // held-out vectors have another one than the job
	for _, r := range opts.Record {
		s.Record = append(s.Record, &record{Chosen: r.Chosen, Points: r.Points})
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	v.work, err = v.to.Assign(ctx, vectorKind, text)
	return err
}

// Ask implements campaign.Elsewhere.
func (v *vectors) Ask(ctx context.Context, numbers []int) error {
	items := make([]fleet.Item, len(numbers))
	for i, number := range numbers {
		items[i].Number = number
	}
	return v.work.Ask(ctx, items)
}

// Await implements campaign.Elsewhere.
func (v *vectors) Await(ctx context.Context, vector int) (*campaign.Record, error) {
	data, err := v.work.Await(ctx, vector)
	if data == nil {
		return nil, err
	}
	r, err := v.codec.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("the record of vector %d: %w", vector, err)
	}
	return r, nil
}

// close removes what is left from the server.
func (v *vectors) close() {
	if v.work != nil {
		v.work.Close()
	}
}
