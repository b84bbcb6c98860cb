package reuse_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/method/llc/reuse"
)

// Table I of the paper.
func TestTableI(t *testing.T) {
	const never = reuse.Never
	want := []int64{never, never, never, never, 3, 2, never, 4}
	s := reuse.NewStack(1)
	for i, line := range "ABCDACEB" {
		if got := s.Access(uint64(line)); got != want[i] {
			t.Errorf("access %d to %c: distance %d, want %d", i, line, got, want[i])
		}
	}
}

// lru is a cache in its most obvious form.
type lru struct {
	ways int
	sets [][]uint64 // most recently used first
}

func newLRU(sets, ways int) *lru { return &lru{ways, make([][]uint64, sets)} }

// access returns the position of the line in its set, or -1.
func (c *lru) access(line uint64) int {
	set := &c.sets[line%uint64(len(c.sets))]
	at := slices.Index(*set, line)
	if at >= 0 {
		*set = slices.Delete(*set, at, at+1)
	}
	*set = slices.Insert(*set, 0, line)
	if c.ways > 0 && len(*set) > c.ways {
		*set = (*set)[:c.ways]
	}
	return at
}

// A stack gives the positions in sets without end, and hits of caches of any number of ways.
func TestStackAgainstCaches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := rapid.IntRange(1, 7).Draw(t, "sets")
		ways := rapid.IntRange(1, 9).Draw(t, "ways")
		lines := rapid.IntRange(1, 300).Draw(t, "lines")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		s, endless, cache := reuse.NewStack(sets), newLRU(sets, 0), newLRU(sets, ways)
		for i := range 1500 {
			line := uint64(random.IntN(lines))
			if random.IntN(3) > 0 {
				line /= 16
			}
			got, want := s.Access(line), int64(endless.access(line))
			if want < 0 {
				want = reuse.Never
			}
			if got != want {
				t.Fatalf("access %d: distance %d, want %d", i, got, want)
			}
			if hit := cache.access(line) >= 0; hit != (got < int64(ways)) {
				t.Fatalf("access %d: distance %d and %d ways, but hit is %t", i, got, ways, hit)
			}
		}
	})
}

// stream has a working set that moves, with lines that come back after long.
func stream(n int) []uint64 {
	random := rand.New(rand.NewPCG(1, 2))
	lines := make([]uint64, n)
	for i := range lines {
		lines[i] = uint64(i/64 + random.IntN(4096))
		if random.IntN(8) == 0 {
			lines[i] = uint64(random.IntN(n/64 + 1))
		}
	}
	return lines
}

func TestStackDoesNotAllocate(t *testing.T) {
	lines := stream(20000)
	s := reuse.NewStack(8)
	pass := func() {
		for _, line := range lines {
			s.Access(line)
		}
	}
	pass()
	if n := testing.AllocsPerRun(3, pass); n != 0 {
		t.Errorf("%v allocations in %d accesses to known lines", n, len(lines))
	}
}

func BenchmarkStack(b *testing.B) {
	lines := stream(10_000_000)
	for b.Loop() {
		s := reuse.NewStack(128)
		for _, line := range lines {
			s.Access(line)
		}
	}
	b.ReportMetric(float64(len(lines))*float64(b.N)/b.Elapsed().Seconds(), "accesses/s")
}
