package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/fleet"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/study/search"
	"warpbound/internal/test/fleettest"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// files are a job whose vectors take different times.
var files = map[string]string{
	"module/loop.ptx": `.version 6.3
.target sm_70
.address_size 64
// as often as n says
.visible .entry loop(.param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
$NEXT:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r1;
	@%p bra $NEXT;
	ret;
}
`,
	"job/job.toml": `module = "../module/loop.ptx"
machine = "fermi-c2050"
grid = [2]
block = [64]
[[param]]
name = "n"
type = "u32"
range = [0, 99]
`,
}

// load reads the job from a directory.
func load(t *testing.T, changes ...string) *platform.Job {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.NewReplacer(changes...).Replace(text)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	src, err := workload.Read(filepath.Join(dir, "job/job.toml"))
	if err != nil {
		t.Fatal(err)
	}
	j, err := platform.Load(src, "")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// work starts a worker and returns what ends it.
func work(t *testing.T, url string) (end func()) {
	return fleettest.Work(t, func(ctx context.Context) error { return Work(ctx, fleet.Config{URL: url}) })
}

// share has the workers of a server run a job until the test ends.
func share(t *testing.T, j *platform.Job, c fleet.Config) *employed {
	t.Helper()
	e, err := employ(t.Context(), j, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	return e
}

// timesSink notes how long runs take.
type timesSink struct {
	run  int
	seen []string
}

func (s *timesSink) BeginRun(number int) error { s.run = number; return nil }
func (s *timesSink) Record(trace.Record) error { return nil }
func (s *timesSink) EndRun(end int64) error {
	s.seen = append(s.seen, fmt.Sprintf("%06d:%d", s.run, end))
	return nil
}
func (s *timesSink) Absorb(other trace.Sink) error {
	s.seen = append(s.seen, other.(*timesSink).seen...)
	return nil
}

// run runs a campaign, whose vectors are run elsewhere unless that is nil, and says all that it gave.
func run(ctx context.Context, t *testing.T, j *platform.Job, away campaign.Elsewhere, vectors int, progress func(int)) string {
	t.Helper()
	spec := campaign.Spec{Vectors: vectors, Progress: func(done, _ int) { progress(done) }}
	if away != nil {
		id, err := campaign.Identify(j.Platform, j.Workload, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := away.Open(id); err != nil {
			t.Fatal(err)
		}
		spec.Elsewhere = away
	}
	points := make([]trace.Ipoint, len(j.First().Graph.Blocks))
	for i := range points {
		points[i] = trace.Ipoint(i)
	}
	opts := runner.Options{Record: []*runner.Record{{Chosen: slices.Repeat([]bool{true}, len(points)), Points: points}}}
	result, sinks, err := campaign.Run(ctx, j.Platform, j.Workload, spec, opts, func(int) trace.Sink { return new(timesSink) })
	if err != nil {
		return err.Error()
	}
	var seen []string
	for _, s := range sinks[0] {
		seen = append(seen, s.(*timesSink).seen...)
	}
	slices.Sort(seen)
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %v", text, seen)
}

func quiet(int) {}

// TestWorkers has 1, 2 and 3 workers run campaigns, which give the same.
func TestWorkers(t *testing.T) {
	j := load(t)
	want := run(t.Context(), t, j, nil, 60, quiet)
	for _, n := range []int{1, 2, 3} {
		s := fleettest.New(t)
		for range n {
			work(t, s.URL)
		}
		away := &share(t, j, fleet.Config{URL: s.URL}).vectors
		for range 2 {
			if got := run(t.Context(), t, j, away, 60, quiet); got != want {
				t.Errorf("%d workers: %s, want %s", n, got, want)
			}
		}
	}
}

// TestFailingVectors has vectors fail elsewhere, which gives the error of a run here: that of the lowest.
func TestFailingVectors(t *testing.T) {
	j := load(t)
	s := fleettest.New(t)
	work(t, s.URL)
	var notes atomic.Int64
	away := &share(t, j, fleet.Config{URL: s.URL, Note: func(string) { notes.Add(1) }}).vectors
	spec := campaign.Spec{Vectors: 9}
	opts := runner.Options{MaxCycles: 700}
	_, _, want := campaign.Run(t.Context(), j.Platform, j.Workload, spec, opts, nil)
	id, err := campaign.Identify(j.Platform, j.Workload, 700)
	if err != nil {
		t.Fatal(err)
	}
	if err := away.Open(id); err != nil {
		t.Fatal(err)
	}
	spec.Elsewhere = away
	_, _, err = campaign.Run(t.Context(), j.Platform, j.Workload, spec, opts, nil)
	if err == nil || want == nil || err.Error() != want.Error() || notes.Load() == 0 {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestRefusals refuses jobs that are others here than at the coordinator.
func TestRefusals(t *testing.T) {
	j := load(t)
	for _, c := range []struct {
		change func(*setup)
		want   string
	}{
		{func(*setup) {}, ""},
		{func(s *setup) { s.Of.Tool = "warpbound v9" }, "the version of the tool is warpbound v9 there and "},
		{func(s *setup) { s.Of.Numbers = "1234" }, "the hash of the machine's numbers is 1234 there and "},
		{func(s *setup) { s.Of.Job = "1234" }, "the hash of the job is 1234 there and "},
		{func(s *setup) { s.MaxCycles = 7 }, "the limit of a run in cycles is 1073741824 there and 7 here"},
		{func(s *setup) { s.Bundle.Files = nil }, "job.toml: file does not exist"},
	} {
		b, err := pack(j)
		if err != nil {
			t.Fatal(err)
		}
		of, err := campaign.Identify(j.Platform, j.Workload, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := &setup{Bundle: *b, Of: of}
		c.change(s)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, prepare := range []func([]byte) (fleet.Do, error){prepareVectors, prepareInputs} {
			if _, err := prepare(text); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		}
	}
}

// TestPack refuses jobs that are not as their files say.
func TestPack(t *testing.T) {
	j := load(t)
	b, err := pack(j)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Files) != 2 {
		t.Errorf("%d files", len(b.Files))
	}
	if err := os.WriteFile(j.Spec.File, []byte(files["job/job.toml"]+"vectors = 7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := pack(j); err == nil {
		t.Error("the file of the job has changed")
	}
}

// TestServerRestarts stops the only server while vectors are run, and starts it again on the same files.
func TestServerRestarts(t *testing.T) {
	j := load(t)
	const n = 60
	want := run(t.Context(), t, j, nil, n, quiet)
	s := fleettest.New(t)
	work(t, s.URL)
	work(t, s.URL)
	restart := func(done int) {
		if done%25 == 10 {
			s.Restart(t)
		}
	}
	if got := run(t.Context(), t, j, &share(t, j, fleet.Config{URL: s.URL}).vectors, n, restart); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// searched is all that a search gives, which tells how many runs were made.
func searched(t *testing.T, j *platform.Job, away search.Elsewhere, maxCycles int64, ran func(runs int)) string {
	t.Helper()
	settings := search.DefaultSettings()
	settings.Runs, settings.Population = 60, 12
	var failed []string
	found, err := search.Run(t.Context(), j.Platform, j.Workload, search.Options{
		Strategies: []string{"random+ga", "random"}, Settings: settings, MaxCycles: maxCycles, Elsewhere: away,
		Failed: func(in workload.SavedInputs, fault string) error {
			failed = append(failed, fmt.Sprint(in.Inputs.Scalars, fault))
			return nil
		},
		Progress: func(p search.Progress) { ran(p.Runs) },
	})
	if err != nil {
		return fmt.Sprint(err, failed)
	}
	text, err := json.Marshal(found.Analysis)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %v %v", text, found.Best.Inputs.Scalars, failed)
}

// TestSearch has 1, 2 and 3 workers run inputs of searches: of all, of some and of none of which a run ends.
func TestSearch(t *testing.T) {
	j := load(t)
	for _, limit := range []int64{0, 700, 100} {
		want := searched(t, j, nil, limit, quiet)
		if failed := strings.Contains(want, "waits for a result"); failed != (limit > 0) {
			t.Fatalf("up to %d cycles: %s", limit, want)
		}
		for _, n := range []int{1, 2, 3} {
			s := fleettest.New(t)
			for range n {
				work(t, s.URL)
			}
			e := share(t, j, fleet.Config{URL: s.URL})
			e.inputs.maxCycles = limit
			if got := searched(t, j, &e.inputs, limit, quiet); got != want {
				t.Errorf("up to %d cycles, %d workers: %s, want %s", limit, n, got, want)
			}
		}
	}
}

// TestSearchGoesOn ends workers and stops the server while inputs are run.
func TestSearchGoesOn(t *testing.T) {
	j := load(t)
	want := searched(t, j, nil, 0, quiet)
	s := fleettest.New(t)
	end := work(t, s.URL)
	ran := func(runs int) {
		switch runs {
		case 5:
			end()
			end = work(t, s.URL)
		case 20:
			s.Restart(t)
		}
	}
	if got := searched(t, j, &share(t, j, fleet.Config{URL: s.URL}).inputs, 0, ran); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestShareSearch has workers run all that a search runs, the vectors of its bounds too.
func TestShareSearch(t *testing.T) {
	j := load(t)
	s := fleettest.New(t)
	work(t, s.URL)
	text := func(url string) string {
		settings := search.DefaultSettings()
		settings.Runs, settings.Population = 20, 10
		opts := search.Options{Strategies: []string{"random"}, Settings: settings, Bounds: &analysis.Request{Campaign: campaign.Spec{Vectors: 20}}}
		end, err := ShareSearch(t.Context(), &opts, j, fleet.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		if away := opts.Elsewhere != nil && opts.Bounds.Campaign.Elsewhere != nil; away != (url != "") {
			t.Errorf("%q: %+v", url, opts)
		}
		found, err := search.Run(t.Context(), j.Platform, j.Workload, opts)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(found.Analysis)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got, want := text(s.URL), text(""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSinks refuses sinks that would be others here than at the coordinator.
func TestSinks(t *testing.T) {
	j := load(t)
	for described, want := range map[string]string{
		`{`:                              "unexpected end of JSON input",
		`{"methods":["hybrid/none"]}`:    "there is no method hybrid/none",
		`{"methods":["hybrid/dynamic"]}`: "the job has 1 launches here and 0 there",
		`{"methods":["hybrid/dynamic"],"launches":[{"chosen":[true,true,true],"points":[0,-1,-1]}]}`: "has other Ipoints here than there",
	} {
		if _, err := analysis.Methods().Sinks(t.Context(), j.Platform, j.Workload, json.RawMessage(described)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", described, err, want)
		}
	}
}
