package selfcheck

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"slices"

	"warpbound/internal/analysis"
	"warpbound/internal/fleet"
	"warpbound/internal/machine"
)

// setup is what workers need to know of a run.
type setup struct {
	Seed     uint64        `json:"seed"`
	First    int           `json:"first"` // number of the kernel that is item 0
	Methods  []string      `json:"methods"`
	Machines []description `json:"machines"`
}

// description is a machine that machines are sampled from.
type description struct {
	Text []byte `json:"text"`
	Hash string `json:"sha256"`
}

// Kind is the kind of work that checks kernels.
func Kind() fleet.Kind { return kind(nil) }

// kind is Kind for a function that is checked.
func kind(analyze Analyze) fleet.Kind {
	return fleet.Kind{Name: "kernel", Prepare: func(text []byte) (fleet.Do, error) {
		var s setup
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
		cfg, err := s.config()
		if err != nil {
			return nil, err
		}
		cfg.Analyze = analyze
		return newRunner(cfg).items, nil
	}}
}

// config is what a setup says. It is an error if that is something else here than where it was written.
func (s *setup) config() (Config, error) {
	cfg := Config{Seed: s.Seed, First: s.First, Methods: s.Methods}
	known := analysis.Methods().IDs()
	for _, m := range s.Methods {
		if !slices.Contains(known, m) {
			return cfg, fmt.Errorf("there is no method %s here", m)
		}
	}
	for i, d := range s.Machines {
		m, err := machine.Parse(fmt.Sprintf("machine %d", i+1), d.Text)
		if err != nil {
			return cfg, err
		}
		if own := m.Hash(); own != d.Hash {
			return cfg, fmt.Errorf("the hash of the machine %s is %.12s there and %.12s here", m.Name, d.Hash, own)
		}
		cfg.Machines = append(cfg.Machines, m)
	}
	return cfg, nil
}

// items checks the kernels of items, one after the other.
func (r *runner) items(ctx context.Context, items []fleet.Item, each func(int, []byte, error) error) error {
	for _, item := range items {
		out, err := r.kernel(ctx, r.First+item.Number)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			if err := each(item.Number, nil, err); err != nil { // whoever asked has the same error
				return err
			}
			continue
		}
		var record bytes.Buffer
		if err := gob.NewEncoder(&record).Encode(out); err != nil {
			return err
		}
		if err := each(item.Number, record.Bytes(), nil); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere has workers check all kernels and hands on what each gave, in their order. A kernel that could not be checked there is
// checked here.
func (r *runner) elsewhere(ctx context.Context, take func(*outcome) error) error {
	s := setup{Seed: r.Seed, First: r.First, Methods: r.Methods}
	for _, m := range r.Machines {
		s.Machines = append(s.Machines, description{m.Format(), m.Hash()})
	}
	text, err := json.Marshal(&s)
	if err != nil {
		return err
	}
	work, err := r.Workers.Assign(ctx, Kind().Name, text)
	if err != nil {
		return err
	}
	defer work.Close()
	none := func(int) ([]byte, error) { return nil, nil }
	return work.Each(ctx, r.Kernels, 1, none, func(i int, record []byte) error {
		out := new(outcome)
		if record == nil {
			if out, err = r.kernel(ctx, r.First+i); err != nil {
				return err
			}
		} else if err := gob.NewDecoder(bytes.NewReader(record)).Decode(out); err != nil {
			return fmt.Errorf("what the check of kernel %d gave: %w", r.First+i, err)
		}
		return take(out)
	})
}
