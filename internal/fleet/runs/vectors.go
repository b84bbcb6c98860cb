package runs

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"

	"warpbound/internal/analysis"
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

// wanted is campaign.How but for what is recorded.
type wanted struct {
	Sinks     json.RawMessage  `json:"sinks,omitempty"`
	Translate [][]trace.Ipoint `json:"translate,omitempty"`
	Each      bool             `json:"each,omitempty"`
	Traces    bool             `json:"traces,omitempty"`
	Confirm   int              `json:"confirm,omitempty"`
}

// how says how the runs are made.
func (s *setup) how() *campaign.How {
	h := &campaign.How{Options: runner.Options{MaxCycles: s.MaxCycles}, Sinks: s.Sinks, Translate: s.Translate, Each: s.Each, Traces: s.Traces, Confirm: s.Confirm}
	for _, r := range s.Record {
		h.Record = append(h.Record, &runner.Record{Chosen: r.Chosen, Points: r.Points})
	}
	return h
}

// vectorKind is the kind of work that runs test vectors of a job. An item is a batch of them, by the number of the first, and its
// data are the numbers of all.
const vectorKind = "vector"

func prepareVectors(text []byte) (fleet.Do, error) {
	s, j, err := read(text)
	if err != nil {
		return nil, err
	}
	how := s.how()
	var sink func(launch int) trace.Sink
	if how.Sinks != nil {
		if sink, err = analysis.Methods().Sinks(context.Background(), j.Platform, j.Workload, how.Sinks); err != nil {
			return nil, err
		}
	}
	var codec store.Codec
	return func(ctx context.Context, items []fleet.Item, each func(int, []byte, error) error) error {
		for i := range items {
			var numbers []int
			if err := json.Unmarshal(items[i].Data, &numbers); err != nil {
				return err
			}
			b, failed := how.Run(ctx, j.Platform, j.Workload, numbers, sink)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			var data []byte
			if failed == nil {
				if data, err = encode(&codec, b); err != nil {
					return err
				}
			}
			if err := each(items[i].Number, data, failed); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// batch is campaign.Batch as bytes.
type batch struct{ Records, Sinks [][]byte }

func encode(codec *store.Codec, b *campaign.Batch) ([]byte, error) {
	out := &batch{Sinks: b.Sinks}
	for _, r := range b.Records {
		text, err := codec.Encode(r)
		if err != nil {
			return nil, err
		}
		out.Records = append(out.Records, text)
	}
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(out)
	return text.Bytes(), err
}

func decode(codec *store.Codec, text []byte) (*campaign.Batch, error) {
	var in batch
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&in); err != nil {
		return nil, err
	}
	b := &campaign.Batch{Sinks: in.Sinks}
	for _, text := range in.Records {
		r, err := codec.Decode(text)
		if err != nil {
			return nil, err
		}
		b.Records = append(b.Records, r)
	}
	return b, nil
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
func (v *vectors) Begin(ctx context.Context, how *campaign.How) error {
	v.close()
	s := &setup{
		Bundle: *v.bundle, Of: v.of, MaxCycles: how.MaxCycles,
		wanted: wanted{Sinks: how.Sinks, Translate: how.Translate, Each: how.Each, Traces: how.Traces, Confirm: how.Confirm},
	}
	s.Bundle.Seed = v.of.Seed // held-out vectors have another one than the job
	for _, r := range how.Record {
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
	data, err := json.Marshal(numbers)
	if err != nil {
		return err
	}
	return v.work.Ask(ctx, []fleet.Item{{Number: numbers[0], Data: data}})
}

// Await implements campaign.Elsewhere.
func (v *vectors) Await(ctx context.Context, first int) (*campaign.Batch, error) {
	data, err := v.work.Await(ctx, first)
	if data == nil {
		return nil, err
	}
	b, err := decode(&v.codec, data)
	if err != nil {
		return nil, fmt.Errorf("what vectors from %d on gave: %w", first, err)
	}
	return b, nil
}

// close removes what is left from the server.
func (v *vectors) close() {
	if v.work != nil {
		v.work.Close()
	}
}
