package scoreboard

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestReserve compares a group of pipelines with a list of them: the one that is free first is taken.
func TestReserve(t *testing.T) {
	for pipelines := 2; pipelines <= 6; pipelines++ {
		m := &sm{many: pipelines > 2, others: [][]int64{make([]int64, pipelines-2)}}
		list := make([]int64, pipelines)
		random := rand.New(rand.NewPCG(uint64(pipelines), 0))
		for now := int64(0); now < 200; now++ {
			free := slices.Min(list)
			if m.accepts[0] != free {
				t.Fatalf("%d pipelines, cycle %d: the first is free in %d, not in %d", pipelines, now, m.accepts[0], free)
			}
			if free > now {
				continue
			}
			until := now + 1 + random.Int64N(20)
			m.reserve(0, until)
			list[slices.Index(list, free)] = until
		}
	}
}
