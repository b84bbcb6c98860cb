package hybrid_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"warpbound/estimate"
	"warpbound/internal/graph"
	"warpbound/internal/ipet"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

// span is the life of a warp on a multiprocessor, in cycles.
type span struct {
	sm          int32
	start, exit int64
}

// analyzeSpans analyses one run of a kernel of one block, in which each warp is a CTA.
func analyzeSpans(t testing.TB, spans []span) (*hybrid.Result, error) {
	t.Helper()
	return analyzeLaunch(t, spans, hybrid.Launch{})
}

// analyzeLaunch is analyzeSpans with what is known of the launch.
func analyzeLaunch(t testing.TB, spans []span, l hybrid.Launch) (*hybrid.Result, error) {
	t.Helper()
	g, err := hybrid.NewIPG(makeProgram(t, 1, []graph.Edge{{From: 0, To: 1}}, nil), method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	run := runOf(spans)
	p := hybrid.NewProfileOf(g, hybrid.Options{Launch: l})
	if err := run.Replay(p); err != nil {
		t.Fatal(err)
	}
	return hybrid.Analyze(context.Background(), p, nil)
}

// runOf is a run of a kernel of one block, in which each warp is a CTA.
func runOf(spans []span) trace.Run {
	var run trace.Run
	for i, s := range spans {
		id := trace.Record{SM: s.sm, CTA: int32(i)}
		for _, at := range []struct {
			ipoint trace.Ipoint
			cycle  int64
		}{{trace.Start, s.start}, {0, s.start}, {trace.Exit, s.exit}} {
			id.Ipoint, id.Cycle = at.ipoint, at.cycle
			run.Records = append(run.Records, id)
		}
		run.End = max(run.End, s.exit)
	}
	sortRecords(run.Records)
	return run
}

// TestWaveTerms has runs that take exactly hybrid/waves, so that no term can be left
// out, and longer than Eq. 2 as published where it has no term.
func TestWaveTerms(t *testing.T) {
	tests := []struct {
		name      string
		spans     []span
		waves     int64 // of hybrid/waves
		published int64
	}{
		{"one warp", []span{{0, 0, 10}}, 10, 10},
		{"first start", []span{{0, 5, 15}}, 15, 10},
		{"gaps", []span{{0, 0, 10}, {0, 12, 22}, {0, 24, 34}}, 34, 30},
		{"first start and gaps", []span{{0, 5, 15}, {0, 17, 27}, {0, 29, 39}}, 39, 30},
		{"delta", []span{{0, 0, 10}, {0, 4, 14}, {0, 8, 18}}, 18, 18},
		{"waves without a gap", []span{{0, 0, 10}, {0, 10, 20}}, 20, 20},
		{"multiprocessors side by side", []span{{0, 0, 10}, {3, 2, 12}}, 12, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := analyzeSpans(t, tt.spans)
			if err != nil {
				t.Fatal(err)
			}
			if r.Waves.Cycles != tt.waves || r.Observed.Max != tt.waves {
				t.Errorf("hybrid/waves is %d, observed %d, want %d", r.Waves.Cycles, r.Observed.Max, tt.waves)
			}
			if got := r.Waves.Detail.(*estimate.HybridWaves).Published; got != tt.published {
				t.Errorf("Eq. 2 as published is %d, want %d", got, tt.published)
			}
		})
	}
}

// TestWaveBounds: however warps come and go, also many at once and in the same cycle,
// Eq. 1 and the extended Eq. 2 cover the run.
func TestWaveBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var spans []span
		for range rapid.IntRange(1, 30).Draw(rt, "warps") {
			start := rapid.Int64Range(0, 60).Draw(rt, "start")
			spans = append(spans, span{
				sm:    rapid.Int32Range(0, 2).Draw(rt, "sm"),
				start: start,
				exit:  start + rapid.Int64Range(0, 20).Draw(rt, "time"),
			})
		}
		r, err := analyzeSpans(t, spans)
		if err != nil {
			rt.Fatal(err)
		}
		if r.Dynamic.Cycles < r.Observed.Max || r.Waves.Cycles < r.Observed.Max {
			rt.Errorf("hybrid/dynamic %d, hybrid/waves %d, observed %d", r.Dynamic.Cycles, r.Waves.Cycles, r.Observed.Max)
		}
	})
}

func TestOverflow(t *testing.T) {
	for name, spans := range map[string][]span{
		"waves":   {{0, 0, math.MaxInt64}, {0, math.MaxInt64, math.MaxInt64}},
		"dynamic": {{0, 1, math.MaxInt64}, {0, 9, 9}},
	} {
		if _, err := analyzeSpans(t, spans); !errors.Is(err, ipet.ErrOverflow) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
