package search

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"warpbound/internal/method/search/genetic"
	"warpbound/internal/symexec"
	"warpbound/internal/test/effort"
)

// bytes are elements from 0 to high.
func bytes(high uint64) symexec.Element { return symexec.Element{Bytes: 1, High: high} }

// scaled is a plan of threads of which each has an element of a buffer of its own, and an atom for
// each of some values of it.
func scaled(threads int, element symexec.Element, values ...uint64) *Plan {
	p := &Plan{Space: Space{Params: []Param{{Name: "n"}, {Name: "x", Count: threads, Element: element}}}, Threads: threads, Group: 1}
	v := View{Param: 1, Own: true}
	for t := range threads {
		v.Elements = append(v.Elements, int32(t))
	}
	p.Views = []View{v}
	for i, bits := range values {
		p.Atoms = append(p.Atoms, Atom{Threads: 1, Values: []Value{{Bits: bits}}, Instructions: 10 + i})
	}
	p.share()
	return p
}

// kernel takes a time that depends on its inputs, as Fitness with some workers.
type kernel struct {
	cycles  func(in Inputs) Outcome
	workers int
	mutex   sync.Mutex
	runs    int
}

func (k *kernel) Run(ctx context.Context, n int, inputs func(i int) Inputs) ([]Outcome, error) {
	all := make([]Outcome, n)
	var wait sync.WaitGroup
	for w := range max(1, k.workers) {
		wait.Go(func() {
			for i := w; i < n; i += max(1, k.workers) {
				all[i] = k.cycles(inputs(i))
			}
		})
	}
	wait.Wait()
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.runs += n
	return all, ctx.Err()
}

func settings(seed int64, runs int) genetic.Settings {
	s := genetic.Defaults()
	s.Seed, s.Runs, s.Patience = seed, runs, 0
	return s
}

func run(t *testing.T, c Config) *Result {
	t.Helper()
	r, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// serial is Listing 1 of the paper: threads whose value is a constant take one lock after the other.
func serial(constant uint32) *kernel {
	return &kernel{cycles: func(in Inputs) Outcome {
		cycles := int64(100)
		for at := 0; at < len(in[1]); at += 4 {
			if binary.LittleEndian.Uint32(in[1][at:]) == constant {
				cycles += 50
			}
		}
		return Outcome{Cycles: cycles}
	}}
}

func TestAtomsReachTheWorstCaseOfListing1(t *testing.T) {
	const threads = 1 << 12
	element := symexec.Element{Bytes: 4, High: 1<<32 - 1}
	p := scaled(threads, element, 5, 0xdeadbeef)
	found := map[Strategy]int64{}
	for _, s := range []Strategy{GDivAn, RandomGA, Random} {
		k := serial(0xdeadbeef)
		r := run(t, Config{Plan: p, Strategy: s, Settings: settings(1, 150), Fitness: k})
		if r.Runs != 150 || k.runs != 150 {
			t.Errorf("%s made %d runs and counts %d", s, k.runs, r.Runs)
		}
		found[s] = r.Outcome.Cycles
		if got := k.cycles(r.Best); got.Cycles != r.Outcome.Cycles {
			t.Errorf("%s: the best inputs take %d cycles, not %d", s, got.Cycles, r.Outcome.Cycles)
		}
	}
	if want := int64(100 + 50*threads); found[GDivAn] != want || found[Random] != 100 || found[RandomGA] != 100 {
		t.Errorf("the longest times are %v, the worst is %d", found, want)
	}
}

// TestOnlySpecialIndividualsReach searches for the one path of 40 on which all threads have to be at once,
// the longest one, in fewer runs than mutation needs, and than drawing it takes.
func TestOnlySpecialIndividualsReach(t *testing.T) {
	const threads, paths = 64, 40
	var values []uint64
	for v := range uint64(paths) {
		values = append(values, 100+v)
	}
	p := scaled(threads, bytes(255), values...) // the last one has most instructions
	k := &kernel{cycles: func(in Inputs) Outcome {
		for _, x := range in[1] {
			if x != 100+paths-1 {
				return Outcome{Cycles: 1}
			}
		}
		return Outcome{Cycles: 2}
	}}
	for seed := range int64(10) {
		for _, s := range []Strategy{GDivAn, RandomGA, Random} {
			want := int64(1)
			if s == GDivAn {
				want = 2
			}
			if r := run(t, Config{Plan: p, Strategy: s, Settings: settings(seed, 100), Fitness: k}); r.Outcome.Cycles != want {
				t.Errorf("seed %d: %s finds %d, not %d", seed, s, r.Outcome.Cycles, want)
			}
		}
	}
}

// TestExactOnSmallKernels enumerates all inputs of warps that diverge: each outcome that some
// thread takes costs its own time, and the atom of an outcome stands for several values.
func TestExactOnSmallKernels(t *testing.T) {
	outcome := func(x byte) int {
		switch {
		case x == 13:
			return 0
		case x < 5:
			return 1
		case x%3 == 0:
			return 2
		}
		return 3
	}
	k := &kernel{cycles: func(in Inputs) Outcome {
		var taken [4]bool
		cycles := int64(20)
		for i, x := range in[1] {
			if s := outcome(x); !taken[s] {
				taken[s] = true
				cycles += []int64{40, 11, 9, 3}[s]
			}
			if i > 0 && x == in[1][i-1]+2 { // a conflict of neighbours
				cycles += 7
			}
		}
		return Outcome{Cycles: cycles}
	}}
	worst := int64(0)
	for n := range 1 << 16 {
		in := Inputs{nil, {byte(n & 15), byte(n >> 4 & 15), byte(n >> 8 & 15), byte(n >> 12)}}
		worst = max(worst, k.cycles(in).Cycles)
	}
	missed, seeds := 0, effort.Draw(t, 400)
	p := scaled(4, bytes(15), 13, 2, 6, 7)
	for _, seed := range seeds {
		if r := run(t, Config{Plan: p, Strategy: GDivAn, Settings: settings(int64(seed), 4000), Fitness: k}); r.Outcome.Cycles != worst {
			missed++
			t.Logf("seed %d finds %d, the worst case is %d", seed, r.Outcome.Cycles, worst)
		}
	}
	if missed > max(1, len(seeds)/20) {
		t.Errorf("%d of %d seeds do not find the worst case of %d", missed, len(seeds), worst)
	}
}

func TestSearchesAreReproducedAndResumed(t *testing.T) {
	p := scaled(64, bytes(255), 1, 200, 3)
	fitness := func(workers int) *kernel {
		return &kernel{workers: workers, cycles: func(in Inputs) Outcome {
			cycles := int64(1)
			for i, x := range in[1] {
				cycles += int64(x) * int64(i%7) % 31
			}
			return Outcome{Cycles: cycles}
		}}
	}
	for _, strategy := range []Strategy{GDivAn, RandomGA, Random} {
		var states [][]byte
		c := Config{Plan: p, Strategy: strategy, Settings: settings(4, 600), Fitness: fitness(1), OnGeneration: func(s *State) error {
			text, err := json.Marshal(s)
			states = append(states, text)
			return err
		}}
		whole := run(t, c)
		c.Fitness = fitness(5)
		if again := run(t, c); !reflect.DeepEqual(again, whole) {
			t.Errorf("%s: five runs at a time lead to %v, one to %v", strategy, again, whole)
		}
		c.Resume = new(State)
		if err := json.Unmarshal(states[2], c.Resume); err != nil {
			t.Fatal(err)
		}
		if resumed := run(t, c); !reflect.DeepEqual(resumed, whole) {
			t.Errorf("%s: resumed to %v, without interruption to %v", strategy, resumed, whole)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		c.Plan = new(Plan)
		if err := json.Unmarshal(text, c.Plan); err != nil {
			t.Fatal(err)
		}
		if resumed := run(t, c); !reflect.DeepEqual(resumed, whole) {
			t.Errorf("%s: the saved plan leads to %v instead of %v", strategy, resumed, whole)
		}
		c.Plan = scaled(64, bytes(255), 1, 200, 4)
		if r, err := Run(context.Background(), c); err == nil {
			t.Errorf("%s: a search with other atoms is resumed to %v", strategy, r)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	p := scaled(8, bytes(255), 1)
	k := &kernel{cycles: func(in Inputs) Outcome { return Outcome{Cycles: 1 + int64(in[1][0])} }}
	c := Config{Plan: p, Strategy: GDivAn, Settings: settings(4, 5000), Fitness: k, OnGeneration: func(s *State) error {
		if s.Genetic.Generation == 3 {
			stop()
		}
		return nil
	}}
	r, err := Run(ctx, c)
	if err != nil || r.Stop != genetic.Interrupted || r.Best == nil {
		t.Errorf("interrupted to %v, %v", r, err)
	}
	if r, err := Run(ctx, c); err != nil || r.Best == nil {
		t.Errorf("what ran although it was interrupted is lost: %v, %v", r, err)
	}
}

func TestAllRunsFail(t *testing.T) {
	k := &kernel{cycles: func(Inputs) Outcome { return Outcome{Fault: "out of bounds"} }}
	_, err := Run(context.Background(), Config{Plan: scaled(8, bytes(255), 1), Strategy: GDivAn, Settings: settings(1, 10), Fitness: k})
	if err == nil || !strings.Contains(err.Error(), "out of bounds") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Run(context.Background(), Config{Plan: scaled(8, bytes(255), 1), Strategy: "simulated annealing", Settings: settings(1, 10), Fitness: k}); err == nil {
		t.Error("there is a strategy too much")
	}
}

func TestSpecialIndividuals(t *testing.T) {
	p := scaled(6, bytes(255), 10, 11, 12)
	p.Atoms[0].Divergence = 100
	individuals := p.special(1)
	p.Pairs = [][2]int32{{2, 0}}
	var got []string
	for _, ind := range append(individuals, p.special(1)...) {
		got = append(got, string(p.Decode(ind)[1]))
	}
	for _, want := range []string{
		"\x0c\x0c\x0c\x0c\x0c\x0c", // the longest path
		"\x0a\x0a\x0a\x0a\x0a\x0a", // the most divergent one
		"\x0c\x0a\x0c\x0a\x0c\x0a", // two that diverge
		"\x0c\x0b\x0c\x0b\x0c\x0b", // the two longest in turn
		"\x0c\x0b\x0a\x0c\x0b\x0a",
		"\xff\xff\xff\xff\xff\xff",
		"\x00\x00\x00\x00\x00\x00",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing among %q", want, got)
		}
	}
	if got[0] != "\x0c\x0c\x0c\x0c\x0c\x0c" {
		t.Errorf("the first is %q", got[0])
	}
}

// TestSpecialPrefixes has individuals in which the longest paths alternate, 2, 4, 8, 16 and 32 of them.
func TestSpecialPrefixes(t *testing.T) {
	var values []uint64
	for i := range uint64(80) {
		values = append(values, i)
	}
	p := scaled(200, bytes(255), values...)
	var got []int
	for _, ind := range p.special(1) {
		if n := len(ind[0].Atoms); n > 2 {
			got = append(got, n)
		}
	}
	if want := []int{4, 8, 16, 32}; !slices.Equal(got, want) {
		t.Errorf("%v of the longest paths alternate, want %v", got, want)
	}
}
