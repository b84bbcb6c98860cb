package campaign_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/job"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// oneNumber is a job whose test vectors are a number each.
const oneNumber = `module = "k.ptx"
grid = [1]
block = [1]
vectors = 6
[[param]]
name = "p"
type = "u32"
count = 1
`

const module = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) { ret; }
`

// prepare makes a job with more text at its end ready.
func prepare(t *testing.T, more string) *platform.Job {
	t.Helper()
	files := fstest.MapFS{"job.toml": {Data: []byte(oneNumber + more)}, "k.ptx": {Data: []byte(module)}}
	j, err := platform.LoadFS(files, "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

const random = "init = \"uniform(0, 1073741823)\"\n"

// saved returns inputs by their names, of which each holds another number than all test vectors.
func saved(names ...string) []workload.SavedInputs {
	var all []workload.SavedInputs
	for i, name := range names {
		data := binary.LittleEndian.AppendUint32(nil, 1<<31+uint32(i))
		all = append(all, workload.SavedInputs{File: name, Inputs: &job.Inputs{Scalars: [][]byte{nil}, Buffers: [][]byte{data}}})
	}
	return all
}

// script is a platform whose runs do what a test says.
type script struct {
	runner.Platform // of everything else
	workers         int
	repeats         int
	run             func(ctx context.Context, input int) (cycles int64, err error)

	follow  *bool          // nil if inputs cannot be followed, else whether they reach nothing
	races   bool           // are looked for where they are to be
	numbers map[string]int // of inputs by contents
	any     bool           // inputs are not told apart
	runs    atomic.Int64   // if they are not

	mu     sync.Mutex
	opened int
	closed int
	cores  int   // of the last that was opened
	begun  []int // numbers of inputs
	broken error // of opening runners
	watch  []int // numbers of inputs whose runs were watched
}

// newScript is the platform of runs with the inputs of a specification.
func newScript(j *platform.Job, workers int, spec campaign.Spec) *script {
	p := &script{Platform: j.Platform, workers: workers, repeats: 1, numbers: make(map[string]int)}
	p.run = func(_ context.Context, input int) (int64, error) { return int64(100 + input), nil }
	random := spec.Vectors
	for i := range random {
		p.numbers[string(j.First().Bound.Inputs(i).Buffers[0])] = i
	}
	for i, s := range spec.Inputs {
		p.numbers[string(s.Inputs.Buffers[0])] = random + i
	}
	return p
}

func (p *script) Workers(n int, _ runner.Options) int { return min(p.workers, n) }
func (p *script) Repeats(int) int                     { return p.repeats }

func (p *script) Open(_ *workload.Workload, opts runner.Options) (runner.Runner, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cores = opts.Cores
	if p.broken != nil {
		return nil, p.broken
	}
	if opts.Follow && p.follow == nil {
		return nil, runner.ErrFollow
	}
	if opts.Races && !p.races {
		return nil, runner.ErrRaces
	}
	p.opened++
	return &scripted{on: p, follows: opts.Follow, watches: opts.Races && opts.Checked}, nil
}

type scripted struct {
	on      *script
	follows bool
	watches bool
	busy    sync.Mutex
}

func (r *scripted) Run(ctx context.Context, in *job.Inputs, rec *runner.Recorder) (*runner.Outcome, error) {
	if !r.busy.TryLock() {
		return nil, errors.New("two goroutines use one runner")
	}
	defer r.busy.Unlock()
	p := r.on
	if p.any {
		p.runs.Add(1)
		rec.Begin().End = 1
		return &runner.Outcome{Cycles: 1}, rec.End(0)
	}
	p.mu.Lock()
	input, known := p.numbers[string(in.Contents(0, nil))]
	p.begun = append(p.begun, input)
	if r.watches {
		p.watch = append(p.watch, input)
	}
	p.mu.Unlock()
	if !known {
		return nil, fmt.Errorf("unknown inputs %v", in.Contents(0, nil))
	}
	cycles, err := p.run(ctx, input)
	if rec != nil && err == nil {
		rec.Begin().End = cycles
		err = rec.End(0)
	}
	out := &runner.Outcome{Cycles: cycles}
	if r.follows {
		out.Invariant = *p.follow
	}
	if r.watches {
		out.Statistics = raced{}
	}
	return out, err
}

// raced are statistics of a run with a race and a warning.
type raced struct{ runner.Statistics }

func (raced) Races() []estimate.Race   { return []estimate.Race{{Buffer: "a"}} }
func (raced) Warnings() []diag.Warning { return []diag.Warning{{ID: "b"}} }

func (r *scripted) Report() runner.Report { return runner.Report{} }

func (r *scripted) Close() error {
	r.on.mu.Lock()
	defer r.on.mu.Unlock()
	r.on.closed++
	return nil
}

// check fails if a runner was not closed.
func (p *script) check(t *testing.T) {
	t.Helper()
	if p.opened != p.closed {
		t.Errorf("%d runners were opened, %d closed", p.opened, p.closed)
	}
}

// workers are the numbers of runners that are tested.
var workers = []int{1, 2, 3, 8, 40}

// TestLowestErrorWins lets inputs fail, those with lower numbers after others and before them.
func TestLowestErrorWins(t *testing.T) {
	j := prepare(t, random)
	spec := campaign.Spec{Vectors: 12, Inputs: saved("a.toml", "b.toml", "c.toml", "d.toml")}
	for _, c := range []struct {
		failing []int // ascending
		want    string
	}{
		{[]int{0}, "test vector 0: input 0 fails"},
		{[]int{4, 5, 6, 9, 13}, "test vector 4: input 4 fails"},
		{[]int{11, 12}, "test vector 11: input 11 fails"},
		{[]int{13, 14, 15}, "b.toml: input 13 fails"},
	} {
		for trial := range 2 * len(workers) {
			n := workers[trial/2]
			p := newScript(j, n, spec)
			p.run = func(_ context.Context, input int) (int64, error) {
				at := slices.Index(c.failing, input)
				if at < 0 {
					return 1, nil
				}
				if trial%2 == 0 {
					at = len(c.failing) - at
				}
				time.Sleep(time.Duration(at) * time.Millisecond)
				return 0, fmt.Errorf("input %d fails", input)
			}
			result, sinks, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil)
			if err == nil || err.Error() != c.want || result != nil || sinks != nil {
				t.Errorf("%d workers: %v, want %s", n, err, c.want)
			}
			if n == 1 && len(p.begun) != c.failing[0]+1 {
				t.Errorf("inputs %v were begun although %d fails", p.begun, c.failing[0])
			}
			p.check(t)
		}
	}
}

// TestCores lets a run have several cores if there is no other beside it.
func TestCores(t *testing.T) {
	j := prepare(t, random)
	for _, c := range []struct{ workers, vectors, want int }{{1, 1, 4}, {3, 1, 4}, {1, 3, 4}, {3, 2, 0}, {3, 5, 0}} {
		spec := campaign.Spec{Vectors: c.vectors, Cores: 4}
		p := newScript(j, c.workers, spec)
		if _, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil); err != nil || p.cores != c.want {
			t.Errorf("%d vectors, at most %d at a time: %d cores, want %d; %v", c.vectors, c.workers, p.cores, c.want, err)
		}
	}
}

// TestErrorsWithoutInput checks that errors which are not about inputs name none.
func TestErrorsWithoutInput(t *testing.T) {
	j := prepare(t, random)
	spec := campaign.Spec{Vectors: 3}
	gone := errors.New("the device is gone")
	p := newScript(j, 2, spec)
	p.run = func(context.Context, int) (int64, error) { return 0, &runner.UnusableError{Err: gone} }
	_, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil)
	if !errors.Is(err, gone) || err.Error() != gone.Error() {
		t.Errorf("%v", err)
	}
	p.check(t)
	p = newScript(j, 2, spec)
	p.broken = gone
	_, _, err = campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil)
	if unusable, ok := errors.AsType[*runner.UnusableError](err); !ok || unusable.Err != gone || len(p.begun) > 0 {
		t.Errorf("%v", err)
	}
	full := errors.New("run 0: no space is left")
	p = newScript(j, 1, spec)
	_, _, err = campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, func(int) trace.Sink { return &counter{err: full} })
	if !errors.Is(err, full) || err.Error() != full.Error() {
		t.Errorf("%v", err)
	}
	p.check(t)
}

// TestCancellation ends the context before runs, during them, and between them.
func TestCancellation(t *testing.T) {
	j := prepare(t, random)
	spec := campaign.Spec{Vectors: 30}
	for _, n := range workers {
		ctx, cancel := context.WithCancel(t.Context())
		p := newScript(j, n, spec)
		cancel()
		if _, _, err := campaign.Run(ctx, p, j.Workload, spec, runner.Options{}, nil); !errors.Is(err, context.Canceled) || len(p.begun) > 0 {
			t.Errorf("%d workers, before: %v after %d runs", n, err, len(p.begun))
		}
		p.check(t)

		for _, notices := range []bool{false, true} { // runs that begin before the end
			ctx, cancel := context.WithCancel(t.Context())
			p := newScript(j, n, spec)
			p.run = func(ctx context.Context, input int) (int64, error) {
				if input == 3 {
					cancel()
				}
				if !notices || ctx.Err() == nil {
					return 1, nil
				}
				return 0, ctx.Err()
			}
			_, _, err := campaign.Run(ctx, p, j.Workload, spec, runner.Options{}, nil)
			// What the other workers began until then may have been all there was.
			all := len(p.begun) == spec.Vectors
			if !errors.Is(err, context.Canceled) && !(all && !notices && err == nil) || n == 1 && len(p.begun) != 4 {
				t.Errorf("%d workers, runs that notice: %v: %v after %d runs", n, notices, err, len(p.begun))
			}
			p.check(t)
			cancel()
		}
	}
}

// TestOrder checks that saved inputs follow the test vectors, how often each is run, and what is summed up.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		more          string
		vectors, want int // that are asked for, and run
	}{
		{random, 4, 4}, {random, 0, 6}, {"", 4, 1}, {"", 0, 1},
	} {
		j := prepare(t, c.more)
		for _, n := range workers {
			for _, repeats := range []int{1, 3} {
				var progress []int
				spec := campaign.Spec{Vectors: c.want, Inputs: saved("x.toml", "y.toml", "z.toml")}
				total := c.want + 3
				p := newScript(j, n, spec)
				spec.Vectors = c.vectors
				spec.Progress = func(done, all int) {
					if all != total {
						t.Errorf("progress of %d, want %d", all, total)
					}
					progress = append(progress, done)
				}
				p.repeats = repeats
				shown := make(map[int]int) // runs by input
				var mu sync.Mutex
				p.run = func(_ context.Context, input int) (int64, error) {
					mu.Lock()
					defer mu.Unlock()
					shown[input]++
					return int64(100*input + 10 - shown[input]), nil // the first takes longest
				}
				var sinks []*counter
				result, all, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, func(int) trace.Sink {
					sinks = append(sinks, &counter{})
					return sinks[len(sinks)-1]
				})
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%q, %d workers, %d repeats", c.more, n, repeats)
				var runs []int
				for _, s := range sinks {
					runs = append(runs, s.runs...)
				}
				slices.Sort(runs)
				for i := range max(len(runs), repeats*total) {
					if i >= len(runs) || runs[i] != i {
						t.Fatalf("%s: traces of the runs %v", name, runs)
					}
				}
				if len(all[0]) != len(sinks) || len(sinks) != min(n, total) || p.opened != len(sinks) {
					t.Errorf("%s: %d sinks of %d, and %d runners", name, len(all[0]), len(sinks), p.opened)
				}
				if n == 1 {
					for i, input := range p.begun {
						if input != i/repeats {
							t.Fatalf("%s: order %v", name, p.begun)
						}
					}
				}
				for i, done := range progress {
					if done != i+1 {
						t.Fatalf("%s: progress %v", name, progress)
					}
				}
				want := []estimate.InputRun{
					{File: "x.toml", Cycles: int64(100*c.want + 9)}, {File: "y.toml", Cycles: int64(100*c.want + 109)}, {File: "z.toml", Cycles: int64(100*c.want + 209)},
				}
				times := estimate.Observation{Min: 9, Max: int64(100*total - 91), Mean: float64(50*(total-1) + 9)}
				if result.Runs != total || result.Observed != times || !slices.Equal(result.Inputs, want) || len(progress) != total {
					t.Errorf("%s: %+v, want %+v and %+v", name, result, times, want)
				}
				p.check(t)
			}
		}
	}
}

// counter is a sink that notes which runs it got.
type counter struct {
	runs []int
	err  error
}

func (c *counter) BeginRun(number int) error {
	c.runs = append(c.runs, number)
	return c.err
}
func (c *counter) Record(trace.Record) error { return nil }
func (c *counter) EndRun(int64) error        { return nil }

// TestPoolIsReused checks that a pool opens no more runners than the largest campaign needs.
func TestPoolIsReused(t *testing.T) {
	j := prepare(t, random)
	spec := campaign.Spec{Vectors: 9}
	p := newScript(j, 4, spec)
	pool := campaign.NewPool(p, j.Workload, runner.Options{})
	for round, want := range []int{2, 4, 4} {
		n := []int{2, 9, 1}[round]
		sum, mu := 0, sync.Mutex{}
		err := pool.Each(t.Context(), n, func(i int, own *job.Inputs) *job.Inputs {
			j.First().Bound.Fill(i, own)
			return own
		}, func(slot int, r runner.Runner, i int, in *job.Inputs) error {
			out, err := r.Run(t.Context(), in, nil)
			mu.Lock()
			defer mu.Unlock()
			if sum += i; slot >= want || out.Cycles != int64(100+i) {
				t.Errorf("input %d on slot %d takes %d cycles", i, slot, out.Cycles)
			}
			return err
		})
		if err != nil || p.opened != want || sum != n*(n-1)/2 {
			t.Errorf("%d inputs: %d runners, the numbers add up to %d: %v", n, p.opened, sum, err)
		}
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	p.check(t)
}

// TestConcurrentProcessors bounds a kernel by what the sinks of one, two and eight workers took.
func TestConcurrentProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, name := range []string{"bfs", "histogram64", "reduction"} {
		j, err := platform.LoadFS(kernels.Suite(), name+"/job.toml", "")
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for _, n := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(n)
			g := j.First().Graph
			recording, err := hybrid.Method{}.Record(&method.Problem{Graph: g, Machine: j.Machine}, method.EveryBlock())
			if err != nil {
				t.Fatal(err)
			}
			opts := runner.Options{Record: []*runner.Record{{Chosen: slices.Repeat([]bool{true}, len(g.Blocks)), Points: recording.Points(), Graph: recording}}}
			spec := campaign.Spec{Vectors: 10}
			result, sinks, err := campaign.Run(t.Context(), j.Platform, j.Workload, spec, opts, func(int) trace.Sink { return recording.Sink(trace.Common) })
			if err != nil {
				t.Fatal(err)
			}
			if len(sinks[0]) != n {
				t.Errorf("%s: %d sinks of %d workers", name, len(sinks[0]), n)
			}
			answer, err := recording.Bound(t.Context(), sinks[0])
			if err != nil {
				t.Fatal(err)
			}
			if *answer.Observed != result.Observed || answer.Runs != result.Runs {
				t.Errorf("%s: the sinks observed %+v in %d runs, the campaign %+v in %d", name, *answer.Observed, answer.Runs, result.Observed, result.Runs)
			}
			var text strings.Builder
			if err := errors.Join(json.NewEncoder(&text).Encode(answer.Estimates), json.NewEncoder(&text).Encode(answer.Warnings)); err != nil {
				t.Fatal(err)
			}
			if got := text.String(); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s: one worker gives %s, %d give %s", name, want, n, got)
			}
		}
	}
}
