package guided

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/method/search"
	"warpbound/internal/method/search/genetic"
	"warpbound/internal/symexec"
)

// kernel takes a time that depends on its inputs, as search.Fitness with some workers.
type kernel struct {
	cycles  func(in search.Inputs) int64 // 0 for a run that fails
	workers int
	stop    func() // called after each batch; may be nil
}

func (k kernel) Run(ctx context.Context, n int, inputs func(i int) search.Inputs) ([]search.Outcome, error) {
	all := make([]search.Outcome, n)
	var wait sync.WaitGroup
	for w := range max(1, k.workers) {
		wait.Go(func() {
			for i := w; i < n; i += max(1, k.workers) {
				all[i].Cycles = k.cycles(inputs(i))
				if all[i].Cycles == 0 {
					all[i].Fault = "no end"
				}
			}
		})
	}
	wait.Wait()
	if k.stop != nil {
		k.stop()
	}
	return all, ctx.Err()
}

// plan returns a plan of parameters with so many elements of two bytes from low to high each.
func plan(t testing.TB, low, high uint64, counts ...int) *search.Plan {
	t.Helper()
	s := search.Space{Params: []search.Param{{Name: "fixed"}}}
	for _, n := range counts {
		s.Params = append(s.Params, search.Param{Name: "x", Count: n, Element: symexec.Element{Bytes: 2, Low: low, High: high}})
	}
	p, err := search.NewPlan(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sum is the sum of all elements.
func sum(in search.Inputs) int64 {
	n := int64(1)
	for _, x := range in {
		for ; len(x) > 0; x = x[2:] {
			n += int64(binary.LittleEndian.Uint16(x))
		}
	}
	return n
}

func config(p *search.Plan, runs int, k kernel) Config {
	return Config{Settings: Settings{Seed: 1, Runs: runs}, Plan: p, Threads: 8, Fitness: k}
}

func run(t testing.TB, c Config) *State {
	t.Helper()
	s, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Evolution goes where sampling does not, and the best inputs take as long as it says.
func TestEvolution(t *testing.T) {
	c := config(plan(t, 3, 1000, 32, 1), 1500, kernel{cycles: sum})
	s := run(t, c)
	if s.Runs != 1500 || s.Stop != genetic.OutOfRuns || s.Best.Outcome.Cycles < 32000 || sum(s.Best.Inputs) != s.Best.Outcome.Cycles {
		t.Errorf("%d runs, stop %q, best %d of 33001", s.Runs, s.Stop, s.Best.Outcome.Cycles)
	}
	if last := s.History[len(s.History)-1]; last.Cycles != s.Best.Outcome.Cycles || last.Runs > s.Runs {
		t.Errorf("history ends with %+v", last)
	}
	if !slices.IsSortedFunc(s.Elites, func(x, y Member) int { return int(y.Outcome.Cycles - x.Outcome.Cycles) }) || len(s.Elites) != elites {
		t.Errorf("%d of the elite, not in order", len(s.Elites))
	}
}

// A search runs the same inputs with the same seed as before. If it is to run others, measure the figures of docs/results/search.md
// again, which are of seeds.
func TestSameSearch(t *testing.T) {
	views := plan(t, 0, 65535, 24)
	views.Threads = 8
	views.Views = []search.View{{Param: 1, Own: true, Elements: []int32{0, 1, 2, 3, 4, 5, 6, 7}}, {Param: 1, Own: true, Elements: []int32{8, 9, 10, 11, 12, 13, 14, 15}}}
	views.Atoms = []search.Atom{
		{Threads: 1, Values: []search.Value{{Bits: 7}, {Bits: 300}}}, {Threads: 2, Values: []search.Value{{Bits: 1}, {Bits: 2}, {Bits: 3}, {Bits: 4}}},
	}
	for _, c := range []struct {
		plan *search.Plan
		runs int
		want string
	}{
		{plan(t, 3, 1000, 32, 1), 700, "33001 ea4c9188"},
		{plan(t, 0, 1, 300), 500, "301 fe5ebb39"},
		{views, 500, "1572841 74b4f5a8"},
	} {
		all := sha256.New()
		s := run(t, config(c.plan, c.runs, kernel{cycles: func(in search.Inputs) int64 {
			for _, x := range in {
				all.Write(x)
			}
			return sum(in)
		}}))
		if got := fmt.Sprintf("%d %x", s.Best.Outcome.Cycles, all.Sum(nil)[:4]); got != c.want {
			t.Errorf("best and inputs: %s, want %s", got, c.want)
		}
	}
}

// No input is run twice, all elements are in their ranges, and what relations settle is settled.
func TestInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Uint64Range(0, 9).Draw(t, "low")
		high := low + rapid.Uint64Range(0, 3).Draw(t, "span")
		counts := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 3).Draw(t, "counts")
		s := search.Space{}
		for _, n := range counts {
			s.Params = append(s.Params, search.Param{Count: n, Element: symexec.Element{Bytes: 2, Low: low, High: high}})
		}
		s.Settle = func(in search.Inputs) { copy(in[0][:2], in[len(in)-1][:2]) }
		p, err := search.NewPlan(s)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		c := config(p, 200, kernel{cycles: func(in search.Inputs) int64 {
			text := string(bytes.Join(in, nil))
			if seen[text] {
				t.Errorf("%x is run again", text)
			}
			seen[text] = true
			for i, x := range in {
				if len(x) != 2*counts[i] {
					t.Errorf("parameter %d has %d bytes", i, len(x))
				}
				for at := 0; at < len(x); at += 2 {
					if v := uint64(binary.LittleEndian.Uint16(x[at:])); v < low || v > high {
						t.Errorf("an element is %d, not %d to %d", v, low, high)
					}
				}
			}
			if !bytes.Equal(in[0][:2], in[len(in)-1][:2]) {
				t.Error("inputs are not settled")
			}
			return sum(in)
		}})
		c.Seed, c.Threads = rapid.Int64().Draw(t, "seed"), rapid.IntRange(1, 40).Draw(t, "threads")
		if state := run2(t, c); state.Runs != len(seen) || state.Runs < 200 && state.Stop != genetic.Exhausted {
			t.Errorf("%d runs of %d inputs, stop %q", state.Runs, len(seen), state.Stop)
		}
	})
}

func run2(t *rapid.T, c Config) *State {
	s, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A search that is resumed from any generation ends as one that was not interrupted, whatever the workers.
func TestResume(t *testing.T) {
	p := plan(t, 0, 500, 24, 3)
	want := run(t, config(p, 150, kernel{cycles: sum}))
	var saved [][]byte
	c := config(p, 150, kernel{cycles: sum, workers: 3})
	c.OnGeneration = func(s *State) error {
		text, err := json.Marshal(s)
		saved = append(saved, text)
		return err
	}
	run(t, c)
	if len(saved) != want.Generation || len(saved) < 6 {
		t.Fatalf("saved %d times of %d generations", len(saved), want.Generation)
	}
	for i, text := range saved {
		c := config(p, 150, kernel{cycles: sum, workers: 1 + i%4})
		c.Resume = new(State)
		if err := json.Unmarshal(text, c.Resume); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, run(t, c)); diff != "" {
			t.Errorf("resumed after %d: %s", i+1, diff)
		}
	}
	if other := run(t, Config{Settings: Settings{Seed: 2, Runs: 150}, Plan: p, Threads: 8, Fitness: kernel{cycles: sum}}); cmp.Equal(want.Elites, other.Elites) {
		t.Error("another seed finds the same")
	}
}

// A search that is interrupted tells of what was run until then.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	generations := 0
	s, err := Run(ctx, config(plan(t, 0, 500, 24), 500, kernel{cycles: sum, stop: func() {
		if generations++; generations == 3 {
			cancel()
		}
	}}))
	if err != nil || s.Stop != genetic.Interrupted || s.Generation != 2 || s.Runs != first+2*children || s.Best == nil {
		t.Errorf("%+v, %v", s, err)
	}
	c := config(plan(t, 0, 500, 24), 500, kernel{cycles: sum})
	if c.Resume = s; mustFail(t, c) != "the search to resume was saved within a generation" {
		t.Error("resumed within a generation")
	}
}

func mustFail(t *testing.T, c Config) string {
	t.Helper()
	_, err := Run(context.Background(), c)
	if err == nil {
		t.Fatal("no error")
	}
	return err.Error()
}

func TestStops(t *testing.T) {
	constant := kernel{cycles: func(search.Inputs) int64 { return 7 }}
	for _, c := range []struct {
		name   string
		plan   *search.Plan
		kernel kernel
		change func(*Config)
		want   genetic.Stop
		runs   int
	}{
		{"budget", plan(t, 0, 500, 24), kernel{cycles: sum}, func(c *Config) { c.Runs = 35 }, genetic.OutOfRuns, 35},
		{"patience", plan(t, 0, 500, 24), constant, func(c *Config) { c.Patience = 50 }, genetic.Settled, 70},
		{"bound", plan(t, 0, 500, 24), constant, func(c *Config) { c.Enough = 7 }, genetic.Proven, 10},
		{"all", plan(t, 0, 2, 2), constant, nil, genetic.Exhausted, 9},
		{"faults", plan(t, 0, 500, 24), kernel{cycles: func(search.Inputs) int64 { return 0 }}, nil, genetic.OutOfRuns, 100},
	} {
		conf := config(c.plan, 100, c.kernel)
		if c.change != nil {
			c.change(&conf)
		}
		if s := run(t, conf); s.Stop != c.want || s.Runs != c.runs || (s.Best == nil) != (c.name == "faults") {
			t.Errorf("%s: stop %q after %d runs, best %v", c.name, s.Stop, s.Runs, s.Best)
		}
	}
}

func TestRefusals(t *testing.T) {
	p := plan(t, 0, 500, 24)
	if s := run(t, config(p, 1, kernel{cycles: sum})); s.Runs != 1 {
		t.Errorf("%d runs of 1", s.Runs)
	}
	state := run(t, config(p, 60, kernel{cycles: sum}))
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Runs = 0 }, "budget"},
		{func(c *Config) { c.Patience = -1 }, "patience"},
		{func(c *Config) { c.Threads = 0 }, "0 threads"},
		{func(c *Config) { c.Seed, c.Resume = 9, state }, "other settings"},
		{func(c *Config) { c.Plan, c.Resume = plan(t, 0, 500, 25), state }, "other atoms"},
		{func(c *Config) { c.OnGeneration = func(*State) error { return errors.New("disk full") } }, "disk full"},
	} {
		conf := config(p, 60, kernel{cycles: sum})
		c.change(&conf)
		if got := mustFail(t, conf); !strings.Contains(got, c.want) {
			t.Errorf("%q does not say %q", got, c.want)
		}
	}
}

// An atom of one thread reaches all of them.
func TestAtoms(t *testing.T) {
	const threads = 256
	p := plan(t, 0, 65535, threads)
	p.Threads, p.Shared = threads, nil
	own := search.View{Param: 1, Own: true}
	for i := range int32(threads) {
		own.Elements = append(own.Elements, i)
	}
	p.Views = []search.View{own}
	p.Atoms = []search.Atom{{Threads: 1, Values: []search.Value{{Bits: 7}}}, {Threads: 1, Values: []search.Value{{Bits: 4711}}}}
	serial := kernel{cycles: func(in search.Inputs) int64 {
		n := int64(1)
		for at := 0; at < len(in[1]); at += 2 {
			if binary.LittleEndian.Uint16(in[1][at:]) == 4711 {
				n++
			}
		}
		return n
	}}
	c := config(p, 200, serial)
	c.Threads = threads
	if s := run(t, c); s.Best.Outcome.Cycles != threads+1 {
		t.Errorf("%d cycles of %d", s.Best.Outcome.Cycles, threads+1)
	}
}

// Atoms of another launch are used, too, with as many threads as that has, unless they are left out.
func TestLaterAtoms(t *testing.T) {
	first := plan(t, 0, 65535, 8)
	first.Threads = 8
	first.Views = []search.View{{Param: 1, Elements: []int32{0, 1, 2, 3, search.None, search.None, search.None, search.None}}}
	first.Atoms = []search.Atom{{Threads: 1, Values: []search.Value{{Bits: 7}}}}
	later := plan(t, 0, 65535, 8)
	later.Threads = 4
	later.Views = []search.View{{Param: 1, Elements: []int32{4, 5, 6, 7}}}
	later.Atoms = []search.Atom{{Threads: 1, Values: []search.Value{{Bits: 4711}}}}
	all := []uint16{7, 7, 7, 7, 4711, 4711, 4711, 4711}
	alike := kernel{cycles: func(in search.Inputs) int64 {
		n := int64(1)
		for i, want := range all {
			if binary.LittleEndian.Uint16(in[1][2*i:]) == want {
				n++
			}
		}
		return n
	}}
	for _, without := range []bool{false, true} {
		c := config(plan(t, 0, 65535, 8), 60, alike)
		c.Without.Later = without
		c.Atoms = func(context.Context) ([]*search.Plan, error) { return []*search.Plan{first, later}, nil }
		s := run(t, c)
		if got := s.Best.Outcome.Cycles; !without && got != 9 || without && got > 6 {
			t.Errorf("without atoms of the other launch %t: %d of 9 cycles", without, got)
		}
		a, err := first.Digest()
		if err != nil {
			t.Fatal(err)
		}
		b, err := later.Digest()
		if err != nil || s.Plan != a+" "+b {
			t.Errorf("the plans are %q, error %v", s.Plan, err)
		}
	}
}

// Values beside the minimum and the maximum are tried for all elements at once.
func TestBoundaryValues(t *testing.T) {
	for _, want := range []uint16{0, 1, 0xfffe, 0xffff} {
		c := config(plan(t, 0, 0xffff, 256), 400, kernel{cycles: func(in search.Inputs) int64 {
			n := int64(1)
			for at := 0; at < len(in[1]); at += 2 {
				if binary.LittleEndian.Uint16(in[1][at:]) == want {
					n++
				}
			}
			return n
		}})
		if s := run(t, c); s.Best.Outcome.Cycles != 257 {
			t.Errorf("%#x: %d cycles of 257", want, s.Best.Outcome.Cycles)
		}
	}
}

// The elements of threads are copied by their views, and otherwise by one of two arrangements or by shares.
func TestCopyOfThreads(t *testing.T) {
	p := plan(t, 0, 999, 8, 4, 3, 5)
	views := []int32{0, 2, 1, 3}
	p.Threads, p.Views = 4, []search.View{{Param: 2, Own: true, Elements: views}}
	l := newLayout(p, 4)
	numbers := func(first int) search.Inputs {
		in := p.Space.New()
		for i, x := range p.Space.Params {
			for e := range x.Count {
				p.Space.Put(in, i, e, uint64(first+e))
			}
		}
		return in
	}
	for _, c := range []struct {
		move move
		want [][]uint64
	}{
		{move{1, 1, 2, false}, [][]uint64{{0, 1, 102, 103, 104, 105, 6, 7}, {0, 101, 102, 3}, {100, 101, 2}, {0, 101, 102, 3, 4}}},
		{move{1, 1, 2, true}, [][]uint64{{0, 101, 102, 3, 4, 105, 106, 7}, {0, 101, 102, 3}, {100, 101, 2}, {0, 101, 102, 3, 4}}},
		{move{0, 1, 1, true}, [][]uint64{{0, 100, 2, 3, 4, 104, 6, 7}, {0, 1, 100, 3}, {0, 1, 2}, {0, 100, 2, 3, 4}}},
	} {
		in := numbers(0)
		l.copy(in, numbers(100), c.move)
		var got [][]uint64
		for i, x := range p.Space.Params[1:] {
			var all []uint64
			for e := range x.Count {
				all = append(all, p.Space.Get(in, i+1, e))
			}
			got = append(got, all)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c.move, diff)
		}
	}
}

// TestJoin: atoms that come later are in the first generation after them, and a search that is resumed before or after that
// goes on to the same result.
func TestJoin(t *testing.T) {
	known := plan(t, 0, 60000, 24)
	known.Threads, known.Group = 8, 1
	known.Views = []search.View{{Param: 1, Elements: []int32{0, 1, 2, 3, 4, 5, 6, 7}}}
	known.Atoms = []search.Atom{{Threads: 1, Values: []search.Value{{Bits: 4711}}}}
	for _, at := range []int{1, 4} {
		with := func(resume *State) Config {
			c := config(plan(t, 0, 60000, 24), 200, kernel{cycles: sum})
			generation := 1
			if c.Resume = resume; resume != nil {
				generation = resume.Generation
			}
			c.Atoms = func(context.Context) ([]*search.Plan, error) {
				if generation++; generation <= at {
					return nil, nil
				}
				return []*search.Plan{known}, nil
			}
			return c
		}
		var saved []*State
		c := with(nil)
		c.OnGeneration = func(s *State) error {
			saved = append(saved, s)
			return nil
		}
		want := run(t, c)
		if digest, err := known.Digest(); err != nil || want.Joined != at || want.Plan != digest {
			t.Errorf("atoms since generation %d instead of %d, %v", want.Joined, at, err)
		}
		for i, s := range saved {
			if diff := cmp.Diff(want, run(t, with(s))); diff != "" {
				t.Errorf("resumed after %d: %s", i+1, diff)
			}
		}
		c = with(saved[len(saved)-2])
		c.Atoms = nil
		if got := mustFail(t, c); got != "the search to resume has other atoms or other inputs" {
			t.Error(got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := config(plan(t, 0, 60000, 24), 200, kernel{cycles: sum})
	c.Atoms = func(context.Context) ([]*search.Plan, error) {
		cancel()
		return nil, ctx.Err()
	}
	if s, err := Run(ctx, c); err != nil || s.Stop != genetic.Interrupted || s.Runs != first {
		t.Errorf("while it waits for atoms: %+v, %v", s, err)
	}
	c.Atoms = func(context.Context) ([]*search.Plan, error) { return nil, errors.New("no solver answers") }
	if got := mustFail(t, c); got != "no solver answers" {
		t.Error(got)
	}
}
