package reuse_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/method/llc/reuse"
)

// served is one access that the cache serves in a run.
type served struct {
	reuse.Ref
	line uint64
	unit int64
}

// run is a sequence of accesses of all cores, in the order in which the cache serves them.
type run []served

// happens draws what an element of a sequence turns out to be: the lines it touches.
func happens(random *rand.Rand, a reuse.Access) []uint64 {
	lines := make([]uint64, a.Min+random.Int64N(a.Max-a.Min+1))
	for i := range lines {
		lines[i] = a.First + random.Uint64N(a.Last-a.First+1)
	}
	return lines
}

// perCore draws what each core does.
func perCore(random *rand.Rand, sequences [][]reuse.Access) [][]served {
	cores := make([][]served, len(sequences))
	for c, accesses := range sequences {
		for i, a := range accesses {
			for _, line := range happens(random, a) {
				cores[c] = append(cores[c], served{Ref: reuse.Ref{Core: c, At: i}, line: line})
			}
		}
	}
	return cores
}

// interleave makes a run of what the cores do, in bursts. In each unit every core but the free
// ones makes quota accesses, as long as it has any, and the free ones make at most as
// many.
func interleave(random *rand.Rand, cores [][]served, free []bool, quota int) run {
	var r run
	for unit := int64(0); ; unit++ {
		sent := make([]int, len(cores))
		for {
			var able []int
			waits := false
			for c := range cores {
				if len(cores[c]) > 0 && sent[c] < quota {
					able = append(able, c)
					waits = waits || !free[c]
				}
			}
			if len(able) == 0 || !waits && random.IntN(3) == 0 {
				break
			}
			c := able[random.IntN(len(able))]
			for burst := 1 + random.IntN(6); burst > 0 && len(cores[c]) > 0 && sent[c] < quota; burst-- {
				next := cores[c][0]
				next.unit = unit
				r, cores[c] = append(r, next), cores[c][1:]
				sent[c]++
			}
		}
		left := 0
		for c := range cores {
			left += len(cores[c])
		}
		if left == 0 {
			return r
		}
	}
}

// check plays a run on a cache and compares it with what was predicted.
func check(t *rapid.T, d *generated, settle int64, sequences []reuse.Core, r run, result *reuse.Result) {
	t.Helper()
	lru := newLRU(d.cache.Sets, d.cache.Ways)
	for _, line := range d.before {
		lru.access(line)
	}
	filled := make(map[uint64]int64) // the unit of the last miss
	used := make(map[reuse.Ref]bool)
	misses := make([]int64, len(sequences))
	total := int64(0)
	for i, a := range r {
		outcome := result.Cores[a.Core][a.At]
		hit := lru.access(a.line) >= 0
		if !hit {
			filled[a.line] = a.unit
			misses[a.Core]++
			total++
		}
		since, fetched := filled[a.line]
		switch {
		case outcome.Class == reuse.Hit && !hit:
			t.Fatalf("%+v, access %d, is said to hit and misses in\n%v", a, i, r)
		case outcome.Class == reuse.First && hit && !used[a.Ref]:
			t.Fatalf("%+v, access %d, is said to be the first and hits in\n%v", a, i, r)
		case outcome.Filled && fetched && since+settle >= a.unit:
			t.Fatalf("the fill for %+v, access %d, is said to be over but began in unit %d in\n%v", a, i, since, r)
		}
		used[a.Ref] = true
	}
	main := int64(0)
	for c, n := range misses {
		if !sequences[c].Aside {
			main += n
		}
	}
	for _, bound := range []reuse.Misses{result.Counted, result.Grouped} {
		if main > bound.Main {
			t.Fatalf("%d misses of the main cores, bound %d, in\n%v", main, bound.Main, r)
		}
		if total > bound.Total {
			t.Fatalf("%d misses, bound %d, in\n%v", total, bound.Total, r)
		}
		for c := range misses {
			if misses[c] > bound.Cores[c] {
				t.Fatalf("%d misses of core %d, bound %d, in\n%v", misses[c], c, bound.Cores[c], r)
			}
		}
	}
	if !d.cache.Warm && total < result.Lines {
		t.Fatalf("%d misses of at least %d", total, result.Lines)
	}
}

// generated are the sequences of a few cores that share a small cache.
type generated struct {
	cache     reuse.Cache
	before    []uint64 // accesses before, if the cache is warm
	sequences [][]reuse.Access
	random    *rand.Rand
}

func draw(t *rapid.T) generated {
	d := generated{
		cache:     reuse.Cache{Sets: rapid.IntRange(1, 2).Draw(t, "sets"), Ways: rapid.IntRange(1, 5).Draw(t, "ways")},
		sequences: make([][]reuse.Access, rapid.IntRange(1, 4).Draw(t, "cores")),
		random:    rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)),
	}
	lines := rapid.IntRange(1, 10).Draw(t, "lines")
	certain := rapid.Bool().Draw(t, "certain")
	for c := range d.sequences {
		d.sequences[c] = randomAccesses(t, lines, 14, certain)
	}
	if d.cache.Warm = rapid.Bool().Draw(t, "warm"); d.cache.Warm {
		d.before = rapid.SliceOfN(rapid.Uint64Range(0, uint64(lines)), 0, 8).Draw(t, "before")
		d.cache.Held = d.held()
	}
	return d
}

// held reports of a line whether it was accessed before, and all lines of its set that ever are fit into that.
func (d *generated) held() func(line uint64) bool {
	lines := make(map[uint64]bool)
	for _, line := range d.before {
		lines[line] = true
	}
	for _, accesses := range d.sequences {
		for _, a := range accesses {
			for line := a.First; line <= a.Last; line++ {
				lines[line] = true
			}
		}
	}
	inSet := make([]int, d.cache.Sets)
	for line := range lines {
		inSet[line%uint64(d.cache.Sets)]++
	}
	return func(line uint64) bool {
		return slices.Contains(d.before, line) && inSet[line%uint64(d.cache.Sets)] <= d.cache.Ways
	}
}

func (d *generated) analyze(t *rapid.T, settle int64, cores []reuse.Core) *reuse.Result {
	result, err := reuse.Analyze(t.Context(), d.cache, settle, cores)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Nothing that is said of regulated cores is wrong in any run of them.
func TestRegulatedCoresInRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		quota := rapid.IntRange(1, 5).Draw(t, "quota")
		free := make([]bool, len(d.sequences))
		cores := make([]reuse.Core, len(d.sequences))
		for c := range cores {
			if free[c] = rapid.IntRange(0, 3).Draw(t, "free") == 0; free[c] {
				cores[c] = reuse.Limited(d.sequences[c], int64(quota))
			} else {
				cores[c] = reuse.Regulated(d.sequences[c], int64(quota))
			}
		}
		result := d.analyze(t, 0, cores)
		for range 20 {
			check(t, &d, 0, cores, interleave(d.random, perCore(d.random, d.sequences), free, quota), result)
		}
	})
}

// Nothing that is said of cores of which only the order is known is wrong in any run.
func TestUnorderedCoresInRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		cores := make([]reuse.Core, len(d.sequences))
		for c := range cores {
			cores[c] = reuse.Unordered(d.sequences[c])
			cores[c].Aside = rapid.IntRange(0, 3).Draw(t, "aside") == 0
		}
		result := d.analyze(t, 0, cores)
		for range 20 {
			const unlimited = 1 << 20
			check(t, &d, 0, cores, interleave(d.random, perCore(d.random, d.sequences), make([]bool, len(cores)), unlimited), result)
		}
	})
}

// Nothing that is said of cores with windows of times is wrong in runs that keep to them. Each
// core has every so-many-th cycle; some have their rate instead of ends of windows.
func TestTimedCoresInRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		settle := int64(rapid.IntRange(0, 6).Draw(t, "settle"))
		slack := int64(rapid.IntRange(0, 30).Draw(t, "slack"))
		period := int64(len(d.sequences))
		var runs []run
		cores := make([]reuse.Core, len(d.sequences))
		for c := range cores {
			cores[c].Accesses = d.sequences[c]
			for range d.sequences[c] {
				cores[c].Windows = append(cores[c].Windows, reuse.Window{From: reuse.Forever, To: 0})
			}
		}
		for range 10 {
			r := inSlots(d.random, perCore(d.random, d.sequences), period)
			runs = append(runs, r)
			for _, a := range r {
				w := &cores[a.Core].Windows[a.At]
				w.From, w.To = min(w.From, max(0, a.unit-slack)), max(w.To, a.unit+slack)
			}
		}
		for c := range cores {
			endless := rapid.IntRange(0, 3).Draw(t, "endless") == 0
			if endless {
				cores[c].Rate = reuse.Rate{Accesses: 1, Units: period}
			}
			windows := cores[c].Windows
			to := int64(0)
			for i := range windows {
				to = max(to, windows[i].To)
				windows[i].To = to
				if endless {
					windows[i].To = reuse.Forever
				}
			}
			from := to
			for i := len(windows) - 1; i >= 0; i-- {
				from = min(from, windows[i].From)
				windows[i].From = from
				windows[i].To = max(windows[i].To, from) // of one that never happened
			}
		}
		result := d.analyze(t, settle, cores)
		for _, r := range runs {
			check(t, &d, settle, cores, r, result)
		}
	})
}

// inSlots makes a run of what the cores do, each in cycles that are its own: every period-th one.
func inSlots(random *rand.Rand, cores [][]served, period int64) run {
	var r run
	pace := random.IntN(4)
	for cycle, left := int64(0), len(cores); left > 0; cycle++ {
		left = 0
		c := int(cycle % period)
		if len(cores[c]) > 0 && random.IntN(pace+1) == 0 {
			next := cores[c][0]
			next.unit = cycle
			r, cores[c] = append(r, next), cores[c][1:]
		}
		for _, todo := range cores {
			left += len(todo)
		}
	}
	return r
}
