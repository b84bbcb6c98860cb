package genetic_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"warpbound/internal/method/search/genetic"
	"warpbound/internal/test/effort"
)

// digits is a problem of digits in some base: atom a stands for the digit a, and seeds draw one.
type digits struct {
	genome genetic.Genome
	base   uint64
	cycles func(digits []uint64) int64

	counters func(digits []uint64) []int64 // nil for none
	workers  int                           // that run individuals at a time; 0 for one
	runs     int                           // made
	keys     map[uint64]bool               // of them
	stop     context.CancelFunc            // called after some runs
	after    int
}

func (d *digits) decode(ind genetic.Individual) []uint64 {
	var all []uint64
	for _, g := range d.genome.Genes(ind) {
		digit := g.Seed % d.base
		switch {
		case g.Atom != genetic.Raw:
			digit = uint64(g.Atom)
		case g.Seed == genetic.Low:
			digit = 0
		case g.Seed == genetic.High:
			digit = d.base - 1
		}
		all = append(all, digit)
	}
	return all
}

func (d *digits) Key(ind genetic.Individual) uint64 {
	var key uint64
	for _, digit := range d.decode(ind) {
		key = genetic.Mix(key, digit)
	}
	return key
}

func (d *digits) Run(ctx context.Context, all []genetic.Individual) ([]genetic.Outcome, error) {
	if d.keys == nil {
		d.keys = make(map[uint64]bool)
	}
	outcomes := make([]genetic.Outcome, len(all))
	var wait sync.WaitGroup
	for w := range max(1, d.workers) {
		wait.Go(func() {
			for i := len(all) - 1 - w; i >= 0 && d.workers > 1; i -= d.workers {
				outcomes[i] = d.run(all[i])
			}
		})
	}
	wait.Wait()
	for i, ind := range all {
		if key := d.Key(ind); d.keys[key] {
			return nil, fmt.Errorf("%v is run again", d.decode(ind))
		} else {
			d.keys[key] = true
		}
		if d.runs++; d.stop != nil && d.runs >= d.after {
			d.stop()
			return outcomes, ctx.Err()
		}
		outcomes[i] = d.run(ind)
	}
	return outcomes, nil
}

func (d *digits) run(ind genetic.Individual) genetic.Outcome {
	all := d.decode(ind)
	o := genetic.Outcome{Cycles: d.cycles(all)}
	if o.Cycles == 0 {
		o.Fault = "no time"
	}
	if d.counters != nil {
		o.Counters = d.counters(all)
	}
	return o
}

func search(t *testing.T, c genetic.Config, d *digits) *genetic.State {
	t.Helper()
	c.Genome = d.genome
	s, err := genetic.Run(context.Background(), c, d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func settings(seed int64, runs int) genetic.Settings {
	s := genetic.Defaults()
	s.Seed, s.Runs, s.Patience = seed, runs, 0
	return s
}

// divergence is a cost like that of lanes that diverge: the outcomes that some digit takes are
// executed one after the other.
func divergence(all []uint64) int64 {
	cost := int64(1)
	for i, x := range all {
		if !slices.Contains(all[:i], x) {
			cost += []int64{3, 7, 1, 12, 5, 2, 9, 4}[x%8]
		}
	}
	return cost
}

// trap is longest for all digits at their greatest, and otherwise the longer the less of them are.
func trap(all []uint64) int64 {
	high := int64(0)
	for _, x := range all {
		if x == 3 {
			high++
		}
	}
	if high == int64(len(all)) {
		return 2 * high
	}
	return 1 + int64(len(all)) - high
}

// locks needs each digit to fit the one before it.
func locks(all []uint64) int64 {
	n := int64(1)
	for i, x := range all {
		if x == uint64(i*5+2)%8 {
			n += 10
		} else if i > 0 && x > all[i-1] {
			n++
		}
	}
	return n
}

// TestSameSearch: a search tries the same individuals with the same seed as before. If it is to try others, measure the figures of
// docs/results/search.md again, which are of seeds.
func TestSameSearch(t *testing.T) {
	for _, c := range []struct {
		genome  genetic.Genome
		special []genetic.Individual
		want    string
	}{
		{genetic.Genome{{Loci: 40}}, nil, "190 3741c023"},
		{genetic.Genome{{Loci: 10, Alleles: []int32{1, 4, 7}}, {Loci: 20, Alleles: []int32{2}}}, []genetic.Individual{{{End: 10, Atoms: []int32{1}}, {End: 30, Atoms: []int32{2}}}}, "149 e0e4f44b"},
	} {
		all := sha256.New()
		d := &digits{genome: c.genome, base: 8, cycles: func(digits []uint64) int64 {
			fmt.Fprintln(all, digits)
			return locks(digits)
		}}
		how := genetic.Config{Settings: settings(5, 600), Special: c.special}
		s := search(t, how, d)
		if got := fmt.Sprintf("%d %x", s.Best.Outcome.Cycles, all.Sum(nil)[:4]); got != c.want {
			t.Errorf("best and individuals: %s, want %s", got, c.want)
		}
	}
}

func TestFindsTheWorstCase(t *testing.T) {
	for _, test := range []struct {
		name    string
		genome  genetic.Genome
		base    uint64
		cycles  func([]uint64) int64
		special []int32
		runs    int
	}{
		{"divergence", genetic.Genome{{Loci: 4, Alleles: []int32{0, 1, 2, 3, 4, 5, 6, 7}}}, 8, divergence, nil, 1500},
		{"divergence of raw values", genetic.Genome{{Loci: 4}}, 8, divergence, nil, 2500},
		{"a trap with its path as special", genetic.Genome{{Loci: 12, Alleles: []int32{0, 3}}}, 4, trap, []int32{3}, 300},
		{"two blocks", genetic.Genome{{Loci: 3, Alleles: []int32{1, 7}}, {Loci: 2, Alleles: []int32{2}}}, 8, locks, nil, 4000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := &digits{genome: test.genome, base: test.base, cycles: test.cycles}
			worst, digit := int64(0), make([]uint64, d.genome.Len())
			var all func(i int)
			all = func(i int) {
				if i == len(digit) {
					worst = max(worst, test.cycles(digit))
					return
				}
				for digit[i] = range test.base {
					all(i + 1)
				}
			}
			if all(0); test.special == nil && test.runs >= pow(test.base, len(digit)) {
				t.Fatalf("%d runs try everything", test.runs)
			}
			missed, seeds := 0, effort.Draw(t, 400)
			for _, seed := range seeds {
				d.keys = nil
				c := genetic.Config{Settings: settings(int64(seed), test.runs)}
				for _, g := range test.special {
					c.Special = append(c.Special, genetic.Individual{{End: d.genome.Len(), Atoms: []int32{g}}})
				}
				if s := search(t, c, d); s.Best.Outcome.Cycles != worst {
					missed++
					t.Logf("seed %d finds %d, the worst case is %d", seed, s.Best.Outcome.Cycles, worst)
				}
			}
			if missed > max(1, len(seeds)/20) {
				t.Errorf("%d of %d seeds do not find the worst case of %d", missed, len(seeds), worst)
			}
		})
	}
}

func pow(base uint64, n int) int {
	p := 1
	for range n {
		p *= int(base)
	}
	return p
}

func hard() *digits {
	return &digits{genome: genetic.Genome{{Loci: 40, Alleles: []int32{1, 5}}, {Loci: 3}}, base: 8, cycles: func(all []uint64) int64 {
		return locks(all) + divergence(all[:20])
	}}
}

func TestParallelRunsChangeNothing(t *testing.T) {
	one := search(t, genetic.Config{Settings: settings(3, 1000)}, hard())
	d := hard()
	d.workers = 7
	many := search(t, genetic.Config{Settings: settings(3, 1000)}, d)
	same(t, many, one)
	if other := search(t, genetic.Config{Settings: settings(4, 1000)}, hard()); slices.Equal(one.Seen, other.Seen) {
		t.Error("another seed makes the same individuals")
	}
}

// same compares states as they are written.
func same(t *testing.T, got, want *genetic.State) {
	t.Helper()
	x, y := written(t, got), written(t, want)
	if x != y {
		t.Errorf("the state is\n%.2000s\ninstead of\n%.2000s", x, y)
	}
}

func written(t *testing.T, s *genetic.State) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestResumeIsAsIfUninterrupted(t *testing.T) {
	set := settings(5, 1500)
	set.Novelty = 3
	problem := func() *digits {
		d := hard()
		d.counters = func(all []uint64) []int64 { return []int64{int64(all[0]), int64(all[1] + all[2])} }
		return d
	}
	var states []string
	whole := search(t, genetic.Config{Settings: set, OnGeneration: func(s *genetic.State) error {
		states = append(states, written(t, s))
		return nil
	}}, problem())
	if len(states) < 10 {
		t.Fatalf("only %d generations", len(states))
	}
	for i, text := range states {
		saved := new(genetic.State)
		if err := json.Unmarshal([]byte(text), saved); err != nil {
			t.Fatal(err)
		}
		d := problem()
		same(t, search(t, genetic.Config{Settings: set, Resume: saved}, d), whole)
		if d.runs != whole.Runs-saved.Runs {
			t.Errorf("generation %d: %d runs are made to resume %d of %d", i, d.runs, saved.Runs, whole.Runs)
		}
		if written(t, saved) != text {
			t.Errorf("generation %d: resuming changes the state", i)
		}
	}
}

func TestMoreRunsContinue(t *testing.T) {
	set := settings(6, 460)
	short := search(t, genetic.Config{Settings: set}, hard())
	if short.Runs != 460 || short.Stop != genetic.OutOfRuns {
		t.Fatalf("%d runs, %q", short.Runs, short.Stop)
	}
	set.Runs = 1000
	long := search(t, genetic.Config{Settings: set, Resume: short}, hard())
	if long.Runs != 1000 || long.Best.Outcome.Cycles < short.Best.Outcome.Cycles {
		t.Errorf("%d runs to %d after %d to %d", long.Runs, long.Best.Outcome.Cycles, short.Runs, short.Best.Outcome.Cycles)
	}
}

func TestInterruptedKeepsTheBest(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	d := hard()
	d.stop, d.after = stop, 330
	var last *genetic.State
	longest := int64(0)
	cycles := d.cycles
	d.cycles = func(all []uint64) int64 {
		n := cycles(all)
		longest = max(longest, n)
		return n
	}
	s, err := genetic.Run(ctx, genetic.Config{Settings: settings(7, 1000), Genome: d.genome, OnGeneration: func(s *genetic.State) error {
		last = s
		return nil
	}}, d)
	if err != nil {
		t.Fatal(err)
	}
	if s.Stop != genetic.Interrupted || s.Runs != 329 || s.Best.Outcome.Cycles != longest {
		t.Errorf("%q after %d runs with %d, want interrupted after 329 with %d", s.Stop, s.Runs, s.Best.Outcome.Cycles, longest)
	}
	if _, err := genetic.Run(context.Background(), genetic.Config{Settings: settings(7, 1000), Genome: d.genome, Resume: s}, d); err == nil {
		t.Error("a state from within a generation is resumed")
	}
	whole := search(t, genetic.Config{Settings: settings(7, 1000)}, hard())
	same(t, search(t, genetic.Config{Settings: settings(7, 1000), Resume: last}, hard()), whole)
}

func TestEliteStays(t *testing.T) {
	set := settings(8, 2000)
	best := int64(0)
	c := genetic.Config{Settings: set, OnGeneration: func(s *genetic.State) error {
		if s.Population[0].Outcome.Cycles != s.Best.Outcome.Cycles || s.Best.Outcome.Cycles < best {
			t.Errorf("generation %d: the population has %d, the best is %d after %d",
				s.Generation, s.Population[0].Outcome.Cycles, s.Best.Outcome.Cycles, best)
		}
		best = s.Best.Outcome.Cycles
		if len(s.Population) > set.Population {
			t.Errorf("generation %d has %d individuals", s.Generation, len(s.Population))
		}
		if !slices.IsSortedFunc(s.Population, func(x, y genetic.Member) int { return int(y.Outcome.Cycles - x.Outcome.Cycles) }) {
			t.Errorf("generation %d is not sorted", s.Generation)
		}
		return nil
	}}
	s := search(t, c, hard())
	for i, p := range s.History {
		if i > 0 && (p.Cycles <= s.History[i-1].Cycles || p.Runs <= s.History[i-1].Runs) {
			t.Errorf("the history is %v", s.History)
		}
	}
	if last := s.History[len(s.History)-1]; last.Cycles != s.Best.Outcome.Cycles {
		t.Errorf("the history ends at %d, the best is %d", last.Cycles, s.Best.Outcome.Cycles)
	}
}

func TestStrategiesMakeTheSameNumberOfRuns(t *testing.T) {
	set := settings(9, 777)
	for name, c := range map[string]genetic.Config{
		"evolving": {Settings: set},
		"random": {Settings: func() genetic.Settings {
			s := set
			s.Evolve = false
			return s
		}()},
	} {
		d := hard()
		if s := search(t, c, d); s.Runs != 777 || d.runs != 777 || s.Stop != genetic.OutOfRuns {
			t.Errorf("%s: %d runs made, %d counted, %q", name, d.runs, s.Runs, s.Stop)
		}
	}
}

// TestRandomIsUniform counts the digits of random individuals, which no special seed nor parent may
// favour.
func TestRandomIsUniform(t *testing.T) {
	count := make([]int, 8)
	d := &digits{genome: genetic.Genome{{Loci: 20}}, base: 8, cycles: func(all []uint64) int64 {
		for _, x := range all {
			count[x]++
		}
		return int64(1 + all[0])
	}}
	s := settings(10, 2000)
	s.Evolve = false
	search(t, genetic.Config{Settings: s}, d)
	for digit, n := range count { // of 40000, with a standard deviation of 66
		if n < 4700 || n > 5300 {
			t.Errorf("digit %d is sampled %d times of 40000", digit, n)
		}
	}
}

func TestStopRules(t *testing.T) {
	s := settings(11, 100000)
	s.Patience = 4
	flat := &digits{genome: genetic.Genome{{Loci: 10}}, base: 8, cycles: func([]uint64) int64 { return 5 }}
	if got := search(t, genetic.Config{Settings: s}, flat); got.Stop != genetic.Settled || got.Generation != 5 {
		t.Errorf("%q after %d generations of the same time", got.Stop, got.Generation)
	}
	s.Patience = 0
	few := &digits{genome: genetic.Genome{{Loci: 2}}, base: 8, cycles: divergence}
	if got := search(t, genetic.Config{Settings: s}, few); got.Stop != genetic.Exhausted || got.Runs != 64 {
		t.Errorf("%q after %d runs of 64 inputs", got.Stop, got.Runs)
	}
	failing := &digits{genome: genetic.Genome{{Loci: 2}}, base: 8, cycles: func([]uint64) int64 { return 0 }}
	if got := search(t, genetic.Config{Settings: s}, failing); got.Best != nil || got.Faults != 64 || got.FirstFault == "" {
		t.Errorf("the best of runs that all fail is %v, with %d faults", got.Best, got.Faults)
	}
}

// TestNovelty climbs a counter where times are flat.
func TestNovelty(t *testing.T) {
	problem := func() *digits {
		sum := func(all []uint64) (n int64) {
			for _, x := range all {
				n += int64(x)
			}
			return n
		}
		return &digits{genome: genetic.Genome{{Loci: 16}}, base: 8,
			cycles:   func(all []uint64) int64 { return 1 + max(0, sum(all)-95)*1000 },
			counters: func(all []uint64) []int64 { return []int64{sum(all)} },
		}
	}
	s := settings(12, 1500)
	without := search(t, genetic.Config{Settings: s}, problem())
	s.Novelty = 5
	with := search(t, genetic.Config{Settings: s}, problem())
	if with.Best.Outcome.Cycles <= without.Best.Outcome.Cycles {
		t.Errorf("%d cycles with novelty, %d without", with.Best.Outcome.Cycles, without.Best.Outcome.Cycles)
	}
}

func TestRefusals(t *testing.T) {
	d := hard()
	good := settings(1, 100)
	state := search(t, genetic.Config{Settings: good}, hard())
	for name, change := range map[string]func(*genetic.Config){
		"no runs":        func(c *genetic.Config) { c.Runs = 0 },
		"no population":  func(c *genetic.Config) { c.Population = 1 },
		"all elite":      func(c *genetic.Config) { c.Elite = 1 },
		"a share over 1": func(c *genetic.Config) { c.Mutation = 1.5 },
		"bad patience":   func(c *genetic.Config) { c.Patience = -1 },
		"bad tolerance":  func(c *genetic.Config) { c.Tolerance = -0.1 },
		"no tolerance":   func(c *genetic.Config) { c.Tolerance = math.NaN() },
		"all novel":      func(c *genetic.Config) { c.Novelty = 90 },
		"other seed":     func(c *genetic.Config) { c.Resume, c.Seed = state, 2 },
		"other genes":    func(c *genetic.Config) { c.Resume, c.Genome = state, genetic.Genome{{Loci: 2}} },
		"no genes":       func(c *genetic.Config) { c.Genome = nil },
		"bad source":     func(c *genetic.Config) { s := *state; s.Source, s.Runs, s.Stop = nil, 1, ""; c.Resume = &s },
		"own error":      func(c *genetic.Config) { c.OnGeneration = func(*genetic.State) error { return errors.New("full") } },
	} {
		c := genetic.Config{Settings: good, Genome: d.genome}
		change(&c)
		if s, err := genetic.Run(context.Background(), c, hard()); err == nil || s != nil {
			t.Errorf("%s: state %v, error %v", name, s, err)
		}
	}
}

// TestZeroes: patience, tolerance and novelty may be zero.
func TestZeroes(t *testing.T) {
	c := genetic.Config{Settings: settings(1, 100), Genome: hard().genome}
	c.Patience, c.Tolerance, c.Novelty = 0, 0, 0
	if _, err := genetic.Run(context.Background(), c, hard()); err != nil {
		t.Error(err)
	}
}

func TestSpans(t *testing.T) {
	g := genetic.Genome{{Loci: 3, Alleles: []int32{4, 6, 9}}, {Loci: 2}}
	ind := genetic.Individual{{End: 1, Atoms: []int32{7}, Seed: 5}, {End: 5, Seed: 9, Each: true, Of: 2}}
	genes := g.Genes(ind)
	if genes[0] != (genetic.Gene{Atom: 7, Seed: 5}) {
		t.Errorf("the first gene is %v", genes[0])
	}
	for i, gene := range genes[1:] {
		if raw := i >= 2; raw != (gene.Atom == genetic.Raw) || !raw && !slices.Contains(g[0].Alleles, gene.Atom) {
			t.Errorf("gene %d is %v", i+1, gene)
		}
		if slices.ContainsFunc(genes[:i+1], func(other genetic.Gene) bool { return other.Seed == gene.Seed }) {
			t.Errorf("two genes have one seed: %v", genes)
		}
	}
	inTurn := g.Genes(genetic.Individual{{End: 5, Atoms: []int32{4, 6}, Seed: 8}})
	if want := []genetic.Gene{{Atom: 4, Seed: 8}, {Atom: 6, Seed: 8}, {Atom: 4, Seed: 8}, {Atom: 6, Seed: 8}, {Atom: 4, Seed: 8}}; !slices.Equal(inTurn, want) {
		t.Errorf("two atoms in turn are %v", inTurn)
	}
}
