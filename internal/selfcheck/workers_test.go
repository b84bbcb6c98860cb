package selfcheck

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/fleet"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/test/fleettest"
)

// work starts a worker and returns what ends it.
func work(t *testing.T, url string, k fleet.Kind) (end func()) {
	return fleettest.Work(t, func(ctx context.Context) error { return fleet.Work(ctx, fleet.Config{URL: url}, k) })
}

// everything is what a run gives, and what it finds. Workers check the kernels unless their URL is "".
func everything(t *testing.T, cfg Config, url string) string {
	t.Helper()
	if url != "" {
		to, err := fleet.Connect(t.Context(), fleet.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		cfg.Workers = to
	}
	var found []Finding
	cfg.Found = func(f Finding) (string, error) {
		found = append(found, f)
		return f.Kind, nil
	}
	text, err := json.Marshal([]any{run(t, cfg), found})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWorkers has 1 and 3 workers check kernels on machines of all cores.
func TestWorkers(t *testing.T) {
	cfg := config(t, 6)
	cfg.First, cfg.Machines = 3, builtins(t, machine.Names()...)
	want := everything(t, cfg, "")
	for _, n := range []int{1, 3} {
		s := fleettest.New(t)
		for range n {
			work(t, s.URL, Kind())
		}
		if got := everything(t, cfg, s.URL); got != want {
			t.Errorf("%d workers: %s, want %s", n, got, want)
		}
	}
}

// TestWorkersFind has workers find bounds that are too low.
func TestWorkersFind(t *testing.T) {
	cfg := config(t, 6)
	cfg.Methods = []string{"static/cta"}
	cfg.Analyze = wrong(func(*platform.Job) bool { return true })
	s := fleettest.New(t)
	work(t, s.URL, kind(cfg.Analyze))
	var err error
	if cfg.Workers, err = fleet.Connect(t.Context(), fleet.Config{URL: s.URL}); err != nil {
		t.Fatal(err)
	}
	defer cfg.Workers.Close()
	r := newRunner(cfg)
	all := func(each func(context.Context, func(*outcome) error) error) (found []*outcome) {
		if err := each(t.Context(), func(out *outcome) error { found = append(found, out); return nil }); err != nil {
			t.Fatal(err)
		}
		return found
	}
	want := all(r.here)
	if !slices.ContainsFunc(want, func(o *outcome) bool { return o.Violation != nil && o.Violation.Kind == kindBound }) {
		t.Error("nothing is found")
	}
	if diff := cmp.Diff(want, all(r.elsewhere)); diff != "" {
		t.Error(diff)
	}
}

// TestWorkersDie has a worker die in the middle of a kernel, and then the server stop and start again in the middle of another.
func TestWorkersDie(t *testing.T) {
	cfg := config(t, 8)
	want := everything(t, cfg, "")
	s := fleettest.New(t)
	began := make(chan bool)
	var first, second sync.Once
	end := work(t, s.URL, kind(func(ctx context.Context, _ *platform.Job, _ analysis.Request) (*estimate.Analysis, error) {
		first.Do(func() { close(began) })
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	go func() {
		<-began
		end()
		work(t, s.URL, kind(func(ctx context.Context, j *platform.Job, req analysis.Request) (*estimate.Analysis, error) {
			second.Do(func() { s.Restart(t) })
			return analyze(ctx, j, req)
		}))
	}()
	if got := everything(t, cfg, s.URL); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestWorkersFail has workers that can check no kernel.
func TestWorkersFail(t *testing.T) {
	cfg := config(t, 4)
	want := everything(t, cfg, "")
	s := fleettest.New(t)
	work(t, s.URL, fleet.Kind{Name: Kind().Name, Prepare: func([]byte) (fleet.Do, error) {
		return func(_ context.Context, items []fleet.Item, each func(int, []byte, error) error) error {
			return each(items[0].Number, nil, errors.New("no memory is left"))
		}, nil
	}})
	if got := everything(t, cfg, s.URL); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRefusals refuses options that mean something else here.
func TestRefusals(t *testing.T) {
	m := builtins(t, "mini-simt")[0]
	for _, c := range []struct {
		change func(*setup)
		want   string
	}{
		{func(*setup) {}, ""},
		{func(s *setup) { s.Methods = []string{"static/magic"} }, "there is no method static/magic here"},
		{func(s *setup) { s.Machines[0].Hash = "1234" }, "the hash of the machine mini-simt is 1234 there and "},
		{func(s *setup) { s.Machines[0].Text = []byte("name = 7") }, "machine 1:1:"},
	} {
		s := &setup{Seed: 1, Methods: []string{"static/cta"}, Machines: []description{{m.Format(), m.Hash()}}}
		c.change(s)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Kind().Prepare(text); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
