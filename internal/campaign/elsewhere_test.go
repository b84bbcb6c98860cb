package campaign_test

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"warpbound/internal/campaign"
	"warpbound/internal/runner"
	"warpbound/internal/test/effort"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

func (l *learner) Save(to *gob.Encoder) error      { return to.Encode(l.runs) }
func (l *learner) Restore(from *gob.Decoder) error { return from.Decode(&l.runs) }

// other is another process, in this one.
type other struct {
	platform runner.Platform
	workload *workload.Workload
	sink     func(launch int) trace.Sink
	cannot   []int                 // vectors with which a batch fails
	change   func(*campaign.Batch) // makes a batch another one; may be nil

	how   *campaign.How
	mu    sync.Mutex
	asked map[int][]int // batches by their first vector
	sizes []int
}

func (o *other) Open(campaign.Identity) error { return nil }

func (o *other) Begin(_ context.Context, how *campaign.How) error {
	o.how, o.asked = how, map[int][]int{}
	return nil
}

func (o *other) Ask(_ context.Context, vectors []int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked[vectors[0]] = vectors
	o.sizes = append(o.sizes, len(vectors))
	return nil
}

func (o *other) Await(ctx context.Context, first int) (*campaign.Batch, error) {
	o.mu.Lock()
	vectors := o.asked[first]
	delete(o.asked, first)
	o.mu.Unlock()
	if slices.ContainsFunc(vectors, func(v int) bool { return slices.Contains(o.cannot, v) }) {
		return nil, nil
	}
	var sink func(int) trace.Sink
	if o.how.Sinks != nil {
		sink = o.sink
	}
	b, err := o.how.Run(ctx, o.platform, o.workload, vectors, sink)
	if err == nil && o.change != nil {
		o.change(b)
	}
	return b, err
}

// away is a campaign whose random vectors are run by another process.
type away struct {
	*testing.T
	spec campaign.Spec
	sink func(launch int) trace.Sink
}

// run runs it, elsewhere if there is another process, and tells all that it gave: reviews, too.
func (a *away) run(ctx context.Context, there *other) (outcome string, begun []int, err error) {
	j := prepare(a.T, random)
	slow := func(_ context.Context, input int) (int64, error) { return int64(100 + input*7%40), nil }
	here := newScript(j, 2, a.spec)
	here.run = slow
	spec := a.spec
	if there != nil {
		p := newScript(j, 3, a.spec)
		p.run = slow
		there.platform, there.workload, there.sink = p, j.Workload, a.sink
		spec.Elsewhere = there
	}
	var reviews []string
	spec.Review = func(soFar *campaign.Result, sinks [][]trace.Sink) {
		reviews = append(reviews, fmt.Sprint(soFar.Vectors, soFar.Observed, tracesOf(sinks[0])))
	}
	result, sinks, err := campaign.Run(ctx, here, j.Workload, spec, runner.Options{Record: []*runner.Record{{}}}, a.sink)
	if result == nil {
		return "", here.begun, err
	}
	text, marshal := json.Marshal(result)
	if marshal != nil {
		a.Fatal(marshal)
	}
	return fmt.Sprintf("%s %v %s", text, tracesOf(sinks[0]), strings.Join(reviews, "\n")), here.begun, err
}

// newest are vectors with news in their traces.
var newest = []int{3, 49, 98}

// TestElsewhere: what another process gives of vectors, as traces or in sinks, of which some are
// kept or cannot be run there, gives what runs here do.
func TestElsewhere(t *testing.T) {
	for how := range 8 {
		for _, cannot := range [][]int{nil, {0}, {17, 40}} {
			elsewhere(t, how&1 > 0, how&2 > 0, how&4 > 0, cannot)
		}
	}
}

// elsewhere has vectors run by another process, which cannot run some, and holds what that gives
// against runs here.
func elsewhere(t *testing.T, stable, described, keeps bool, cannot []int) {
	name := fmt.Sprintf("until stable: %v, sinks described: %v, kept: %v, not there: %v", stable, described, keeps, cannot)
	a := &away{t, campaign.Spec{Vectors: 514, UntilStable: stable, Inputs: saved("x.toml")}, func(int) trace.Sink { return &learner{newest: newest} }}
	want, _, err := a.run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if described {
		a.spec.Sinks = json.RawMessage("{}")
	}
	var keep *notebook
	if keeps {
		keep = newNotebook()
		a.spec.Keep = keep
	}
	there := &other{cannot: cannot}
	got, begun, err := a.run(t.Context(), there)
	if err != nil || got != want {
		t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
	}
	if slices.Max(there.sizes) != 16 {
		t.Errorf("%s: batches of %d", name, there.sizes)
	}
	if none := len(begun) == 1; none != (cannot == nil) {
		t.Errorf("%s: %v were run here", name, begun)
	}
	if !keeps {
		return
	}
	for i := range 20 {
		delete(keep.pages, campaign.VectorKey(3*i))
	}
	if again, begun, err := a.run(t.Context(), &other{}); err != nil || again != want || len(begun) != 0 {
		t.Errorf("%s, some of them: %v, %v were run here\n%s\nwant\n%s", name, err, begun, again, want)
	}
}

// TestConcurrentElsewhere interrupts campaigns whose vectors other processes run: sinks have the
// vectors that were taken.
func TestConcurrentElsewhere(t *testing.T) {
	for _, item := range effort.Draw(t, 600) { // each ten times, since goroutines take turns in many ways
		stop := int(item) % 60
		ctx, cancel := context.WithCancel(t.Context())
		a := &away{t, campaign.Spec{Vectors: 64, Sinks: json.RawMessage("{}")}, func(int) trace.Sink { return new(learner) }}
		a.spec.Progress = func(done, _ int) {
			if done == stop {
				cancel()
			}
		}
		got, _, err := a.run(ctx, &other{change: func(*campaign.Batch) {
			if stop == 0 {
				cancel()
			}
		}})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		if got == "" {
			continue
		}
		var r campaign.Result
		if err := json.NewDecoder(strings.NewReader(got)).Decode(&r); err != nil {
			t.Fatal(err)
		}
		a.spec.Vectors, a.spec.Progress = r.Vectors, nil
		want, _, err := a.run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if want = strings.Replace(want, fmt.Sprintf(`"Planned":%d`, r.Vectors), `"Planned":64`, 1); !strings.HasPrefix(got, want) {
			t.Errorf("stopped after %d:\n%s\nwant\n%s", stop, got, want)
		}
	}
}

// TestElsewhereDamaged: what another process gives must be of the vectors that were asked for.
func TestElsewhereDamaged(t *testing.T) {
	for want, change := range map[string]func(*campaign.Batch){
		"gave 9 records":              func(b *campaign.Batch) { b.Records = b.Records[:min(len(b.Records), 9)] },
		"0 sinks in place of 1":       func(b *campaign.Batch) { b.Sinks = nil },
		"what sinks took from vector": func(b *campaign.Batch) { b.Sinks[0] = b.Sinks[0][:1] },
		"is of 0 launches, not of 1":  func(b *campaign.Batch) { b.Records[0].Launches = nil },
	} {
		a := &away{t, campaign.Spec{Vectors: 600, Sinks: json.RawMessage("{}")}, func(int) trace.Sink { return new(learner) }}
		_, _, err := a.run(t.Context(), &other{change: change})
		if _, unusable := errors.AsType[*runner.UnusableError](err); !unusable || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
