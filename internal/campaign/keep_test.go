package campaign_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"warpbound/internal/campaign"
	"warpbound/internal/campaign/store"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/kernels"
)

// notebook keeps records as bytes in memory.
type notebook struct {
	campaign.Keeper // of everything else
	codec           store.Codec

	mu    sync.Mutex
	pages map[campaign.Key][]byte
	full  error // of what cannot be kept
}

func newNotebook() *notebook { return &notebook{pages: make(map[campaign.Key][]byte)} }

func (n *notebook) Load(of campaign.Key) (*campaign.Record, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.pages[of] == nil {
		return nil, nil
	}
	return n.codec.Decode(n.pages[of])
}

func (n *notebook) Save(of campaign.Key, r *campaign.Record) error {
	text, err := n.codec.Encode(r)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.full != nil {
		return n.full
	}
	n.pages[of] = text
	return err
}

// TestKept stops campaigns after each of their vectors and goes on with what was kept: no vector that was kept is run again,
// and the end is that of a campaign which was not stopped.
func TestKept(t *testing.T) {
	j := prepare(t, random)
	whole := campaign.Spec{Vectors: 12, Inputs: saved("a.toml", "b.toml")}
	outcome := func(result *campaign.Result, sinks [][]trace.Sink) string {
		return fmt.Sprintf("%+v %v", *result, tracesOf(sinks[0]))
	}
	record := runner.Options{Record: []*runner.Record{{}}}
	sink := func(int) trace.Sink { return new(learner) }
	for _, follow := range []*bool{nil, new(bool)} {
		want := ""
		for _, n := range []int{1, 3} {
			for stop := range 15 {
				p := newScript(j, n, whole)
				p.follow = follow
				ctx, cancel := context.WithCancel(t.Context())
				spec := whole
				keep := newNotebook()
				spec.Keep = keep
				spec.Progress = func(done, _ int) {
					if done == stop {
						cancel()
					}
				}
				if _, _, err := campaign.Run(ctx, p, j.Workload, spec, record, sink); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				kept := len(keep.pages)
				p = newScript(j, n, whole)
				p.follow = follow
				spec.Progress = nil
				result, sinks, err := campaign.Run(t.Context(), p, j.Workload, spec, record, sink)
				if err != nil {
					t.Fatal(err)
				}
				if want == "" {
					want = outcome(result, sinks)
				}
				if got := outcome(result, sinks); got != want {
					t.Errorf("%d workers, stopped after %d vectors: %s, want %s", n, stop, got, want)
				}
				if len(p.begun) != 14-kept || len(keep.pages) != 14 {
					t.Errorf("%d workers: %d of 14 vectors were kept, and then %d run", n, kept, len(p.begun))
				}
				p.check(t)
				cancel()
			}
		}
	}
}

// TestKeptInputs changes where saved inputs are in a campaign, and finds them again. The first vector is run again if it was
// not followed, and has to be.
func TestKeptInputs(t *testing.T) {
	j := prepare(t, random)
	keep := newNotebook()
	record := runner.Options{Record: []*runner.Record{{}}}
	for _, c := range []struct {
		vectors int
		inputs  []string
		begun   int
	}{{4, []string{"a.toml", "b.toml"}, 6}, {2, []string{"a.toml", "b.toml"}, 0}, {12, []string{"a.toml"}, 9}, {20, nil, 8}, {5, nil, 0}} {
		spec := campaign.Spec{Vectors: c.vectors, Inputs: saved(c.inputs...), Keep: keep}
		p := newScript(j, 2, spec)
		p.follow = new(bool)
		result, sinks, err := campaign.Run(t.Context(), p, j.Workload, spec, record, func(int) trace.Sink { return new(learner) })
		if err != nil {
			t.Fatal(err)
		}
		if runs := tracesOf(sinks[0]); len(p.begun) != c.begun || result.Runs != c.vectors+len(c.inputs) || len(runs) != result.Runs || runs[len(runs)-1] != len(runs)-1 {
			t.Errorf("%+v: %d runs, and %+v with the traces of %v", c, len(p.begun), result, runs)
		}
	}
}

// TestKeeperFails has what keeps fail, which is not about a vector.
func TestKeeperFails(t *testing.T) {
	j := prepare(t, random)
	keep := newNotebook()
	keep.full = errors.New("no space is left")
	spec := campaign.Spec{Vectors: 3, Keep: keep}
	p := newScript(j, 1, spec)
	if _, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil); err == nil || err.Error() != keep.full.Error() {
		t.Error(err)
	}
	keep.full = nil
	keep.pages["0"] = []byte{1, 2, 3}
	if _, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil); err == nil || strings.Contains(err.Error(), "test vector") {
		t.Error(err)
	}
}

// TestKeptPlacement records every block of kernels and bounds them by fewer Ipoints, which is as if only these had been recorded;
// and again by what was kept.
func TestKeptPlacement(t *testing.T) {
	for _, name := range []string{"bfs", "reduction"} {
		j, err := platform.LoadFS(kernels.Suite(), name+"/job.toml", "")
		if err != nil {
			t.Fatal(err)
		}
		headers, err := method.ParsePlacement("headers")
		if err != nil {
			t.Fatal(err)
		}
		g := j.First().Graph
		recording := func(at method.Placement) method.Recording {
			r, err := hybrid.Method{}.Record(&method.Problem{Graph: g, Machine: j.Machine}, at)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		all := recording(method.EveryBlock())
		bound := func(spec campaign.Spec, recorded, of method.Recording) string {
			opts := runner.Options{Record: []*runner.Record{{Chosen: slices.Repeat([]bool{true}, len(g.Blocks)), Points: recorded.Points(), Graph: recorded}}}
			spec.Vectors = 5
			_, sinks, err := campaign.Run(t.Context(), j.Platform, j.Workload, spec, opts, func(int) trace.Sink { return of.Sink(trace.Common) })
			if err != nil {
				t.Fatal(err)
			}
			answer, err := of.Bound(t.Context(), sinks[0])
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(answer.Estimates)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		few := recording(headers)
		want := bound(campaign.Spec{}, few, few)
		keep := newNotebook()
		for range 2 {
			few := recording(headers)
			from := trace.Header{Ipoints: all.Ipoints()}
			to, err := from.Translate(few.Ipoints())
			if err != nil {
				t.Fatal(err)
			}
			if got := bound(campaign.Spec{Keep: keep, Translate: [][]trace.Ipoint{to}}, all, few); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		if got, want := bound(campaign.Spec{Keep: keep}, all, all), bound(campaign.Spec{}, all, all); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestKeptMemory keeps ten thousand vectors, and goes through what was kept: neither takes memory for each vector.
func TestKeptMemory(t *testing.T) {
	j := prepare(t, random)
	const n = 10_000
	more := int64(n) * 64 // less than what is known of a vector, and more than all else that comes and goes
	p := newScript(j, 2, campaign.Spec{})
	p.any = true
	dir, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	first := int64(0)
	for range 2 {
		spec := campaign.Spec{Vectors: n, Keep: dir, Progress: func(done, _ int) {
			switch {
			case done == n/10 && first == 0:
				first = held()
			case done%(n/4) == 0:
				if now := held(); now > first+more {
					t.Errorf("after %d vectors %d bytes are held, and %d before", done, now, first)
				}
			}
		}}
		opts := runner.Options{Record: []*runner.Record{{}}}
		result, _, err := campaign.Run(t.Context(), p, j.Workload, spec, opts, func(int) trace.Sink { return new(forgetful) })
		if err != nil || result.Runs != n {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	if got := p.runs.Load(); got != int64(n) {
		t.Errorf("%d runs of %d vectors", got, n)
	}
}

// forgetful is a sink that keeps nothing.
type forgetful struct{ counter }

func (f *forgetful) BeginRun(int) error      { return nil }
func (f *forgetful) Absorb(trace.Sink) error { return nil }
