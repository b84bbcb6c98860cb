package hybrid_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"warpbound/estimate"
	"warpbound/internal/graph"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

// TestListTerms has CTAs of one warp that take slots. Where the longest run is the bound no term can be left out.
func TestListTerms(t *testing.T) {
	one := hybrid.Launch{SMs: 1, Resident: 1}
	two := hybrid.Launch{SMs: 1, Resident: 2}
	tests := []struct {
		name   string
		launch hybrid.Launch
		spans  []span
		want   estimate.HybridList
		cycles int64
		exact  bool
	}{
		{"one CTA", one, []span{{0, 5, 15}},
			estimate.HybridList{Warp: 10, FirstStart: 5, CTAs: 1, Slots: 1, Rounds: 1, Longest: 10}, 15, true},
		{"gaps", one, []span{{0, 5, 15}, {0, 17, 27}, {0, 29, 39}},
			estimate.HybridList{Warp: 10, FirstStart: 5, Gap: 2, CTAs: 3, Slots: 1, Rounds: 3, Longest: 10, Total: 20, ByRounds: 24, BySum: 24}, 39, true},
		{"the shortest CTA first", one, []span{{0, 0, 4}, {0, 4, 14}, {0, 14, 24}},
			estimate.HybridList{Warp: 10, CTAs: 3, Slots: 1, Rounds: 3, Longest: 10, Total: 20, ByRounds: 20, BySum: 20}, 30, false},
		{"two slots in two rounds", two, []span{{0, 0, 10}, {0, 1, 11}, {0, 10, 20}, {0, 12, 22}},
			estimate.HybridList{Warp: 10, FirstStart: 1, Gap: 1, CTAs: 4, Slots: 2, Rounds: 2, Longest: 10, Total: 30, ByRounds: 11, BySum: 16}, 22, true},
		{"one long CTA among short ones", two, []span{{0, 0, 9}, {0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 4}},
			estimate.HybridList{Warp: 9, CTAs: 5, Slots: 2, Rounds: 3, Longest: 9, Total: 12, ByRounds: 18, BySum: 6}, 15, false},
		{"a slot that has no CTA", hybrid.Launch{SMs: 2, Resident: 1}, []span{{0, 0, 10}, {0, 10, 20}},
			estimate.HybridList{Warp: 10, FirstStart: 10, CTAs: 2, Slots: 2, Rounds: 1, Longest: 10, Total: 10, BySum: 5}, 20, true},
		{"a slot that has no further CTA", two, []span{{0, 0, 10}, {0, 0, 1}, {0, 10, 20}, {0, 20, 30}},
			estimate.HybridList{Warp: 10, Gap: 10, CTAs: 4, Slots: 2, Rounds: 2, Longest: 10, Total: 30, ByRounds: 20, BySum: 30}, 30, true},
		{"more CTAs at a time than slots", one, []span{{0, 0, 10}, {0, 3, 13}, {0, 10, 20}},
			estimate.HybridList{Warp: 10, CTAs: 3, Slots: 1, Rounds: 3, Longest: 10, Total: 20, ByRounds: 20, BySum: 20}, 30, false},
		{"more multiprocessors than the machine has", one, []span{{0, 0, 10}, {7, 1, 11}},
			estimate.HybridList{Warp: 10, FirstStart: 1, CTAs: 2, Slots: 1, Rounds: 2, Longest: 10, Total: 10, ByRounds: 10, BySum: 10}, 21, false},
		{"CTAs of no time", one, []span{{0, 4, 4}, {0, 4, 4}},
			estimate.HybridList{FirstStart: 4, CTAs: 2, Slots: 1, Rounds: 2}, 4, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := analyzeLaunch(t, tt.spans, tt.launch)
			if err != nil {
				t.Fatal(err)
			}
			if got := *r.List.Detail.(*estimate.HybridList); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			if r.List.Cycles != tt.cycles || tt.exact && r.Observed.Max != tt.cycles {
				t.Errorf("hybrid/list is %d, observed %d, want %d", r.List.Cycles, r.Observed.Max, tt.cycles)
			}
		})
	}
}

// TestListPerSM: without a common clock each multiprocessor has its own slots, and the largest figures of any count.
func TestListPerSM(t *testing.T) {
	g, err := hybrid.NewIPG(makeProgram(t, 1, []graph.Edge{{From: 0, To: 1}}, nil), method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	p := hybrid.NewProfileOf(g, hybrid.Options{Clocks: trace.PerSM, Launch: hybrid.Launch{CTAs: 3, SMs: 2, Resident: 1}})
	run := runOf([]span{{0, 100, 110}, {0, 112, 122}, {1, 5, 14}})
	if err := run.Replay(p); err != nil {
		t.Fatal(err)
	}
	r, err := hybrid.Analyze(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := estimate.HybridList{Warp: 10, Gap: 2, CTAs: 2, Slots: 1, Rounds: 2, Longest: 10, Total: 20, ByRounds: 12, BySum: 22}
	if got := *r.List.Detail.(*estimate.HybridList); got != want || r.List.Cycles != 22 || r.Observed.Max != 22 {
		t.Errorf("hybrid/list is %d, observed %d\ngot  %+v\nwant %+v", r.List.Cycles, r.Observed.Max, got, want)
	}
	if g := r.Waves.Detail.(*estimate.HybridWaves).Geometry; g != nil {
		t.Errorf("waves from the launch: %+v", g)
	}
}

// TestSpread has a CTA whose second warp starts later, and one that starts on another multiprocessor, which cannot be.
func TestSpread(t *testing.T) {
	g, err := hybrid.NewIPG(makeProgram(t, 1, []graph.Edge{{From: 0, To: 1}}, nil), method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	run := func(sm int32) trace.Run {
		first, second := trace.Record{}, trace.Record{SM: sm, Warp: 1}
		r := trace.Run{End: 14}
		for _, s := range []struct {
			id    trace.Record
			at    trace.Ipoint
			cycle int64
		}{{first, trace.Start, 0}, {first, 0, 0}, {second, trace.Start, 4}, {second, 0, 4}, {first, trace.Exit, 10}, {second, trace.Exit, 14}} {
			s.id.Ipoint, s.id.Cycle = s.at, s.cycle
			r.Records = append(r.Records, s.id)
		}
		return r
	}
	p, together := hybrid.NewProfile(g), run(0)
	if err := together.Replay(p); err != nil {
		t.Fatal(err)
	}
	r, err := hybrid.Analyze(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := r.List.Detail.(*estimate.HybridList); d.Spread != 4 || d.Longest != 14 || r.List.Cycles != 14 {
		t.Errorf("hybrid/list is %d: %+v", r.List.Cycles, d)
	}
	divided := run(1)
	if err := divided.Replay(hybrid.NewProfile(g)); !contains(err, "the CTA started on SM 0") {
		t.Errorf("error %v", err)
	}
}

// TestListBounds: however CTAs come and go, also in runs of which each has others, and whatever is known of the launch, no run
// exceeds the bound, and no last start of a warp with a path behind it.
func TestListBounds(t *testing.T) {
	g, err := hybrid.NewIPG(makeProgram(t, 1, []graph.Edge{{From: 0, To: 1}}, nil), method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		l := hybrid.Launch{SMs: rapid.IntRange(0, 3).Draw(rt, "SMs"), Resident: rapid.IntRange(0, 4).Draw(rt, "resident")}
		clocks := rapid.SampledFrom([]trace.Clocks{trace.Common, trace.PerSM}).Draw(rt, "clocks")
		p := hybrid.NewProfileOf(g, hybrid.Options{Launch: l, Clocks: clocks})
		for number := range rapid.IntRange(1, 3).Draw(rt, "runs") {
			run := drawCTAs(rt, number)
			if err := run.Replay(p); err != nil {
				rt.Fatal(err)
			}
		}
		r, err := hybrid.Analyze(t.Context(), p, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if r.List.Cycles < r.Observed.Max || r.List.Cycles < r.Dynamic.Cycles {
			rt.Errorf("hybrid/list is %d, hybrid/dynamic %d, observed %d", r.List.Cycles, r.Dynamic.Cycles, r.Observed.Max)
		}
	})
}

// drawCTAs draws a run of CTAs of one or two warps. Slots take the next CTA soon or late, and some have a break.
func drawCTAs(t *rapid.T, number int) trace.Run {
	run := trace.Run{Number: number}
	sms, perSM := rapid.IntRange(1, 3).Draw(t, "SMs of the run"), rapid.IntRange(1, 3).Draw(t, "slots of an SM")
	free := make([]int64, sms*perSM)
	for cta := range rapid.IntRange(1, 20).Draw(t, "CTAs") {
		slot := rapid.IntRange(0, len(free)-1).Draw(t, "slot")
		start := free[slot] + rapid.Int64Range(0, 5).Draw(t, "gap")
		for warp := range rapid.IntRange(1, 2).Draw(t, "warps") {
			id := trace.Record{SM: int32(slot % sms), CTA: int32(cta), Warp: int32(warp)}
			at := start + int64(warp)*rapid.Int64Range(0, 4).Draw(t, "delay")
			end := at + rapid.Int64Range(0, 20).Draw(t, "time")
			for _, r := range []struct {
				at    trace.Ipoint
				cycle int64
			}{{trace.Start, at}, {0, at}, {trace.Exit, end}} {
				id.Ipoint, id.Cycle = r.at, r.cycle
				run.Records = append(run.Records, id)
			}
			free[slot] = max(free[slot], end)
			run.End = max(run.End, end)
		}
	}
	sortRecords(run.Records)
	return run
}

// TestGeometry counts waves from the launch, as section VI-D does for MatrixTranspose-1; without a launch there are none.
func TestGeometry(t *testing.T) {
	spans := []span{{0, 0, 10}, {0, 3, 13}}
	for _, c := range []struct {
		launch hybrid.Launch
		want   string
	}{
		{hybrid.Launch{CTAs: 1024, Warps: 8, SMs: 14, Resident: 8}, "10 waves of 64 warps, 1990 cycles"}, // 10 * (10 + 63*3)
		{hybrid.Launch{CTAs: 112, Warps: 1, SMs: 14, Resident: 8}, "1 waves of 8 warps, 31 cycles"},
		{hybrid.Launch{SMs: 14, Resident: 8}, "none"},
		{hybrid.Launch{CTAs: 1024, SMs: 14, Resident: 8}, "none"},
	} {
		r, err := analyzeLaunch(t, spans, c.launch)
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if g := r.Waves.Detail.(*estimate.HybridWaves).Geometry; g != nil {
			got = fmt.Sprintf("%d waves of %d warps, %d cycles", g.Waves, g.WarpsPerWave, g.Cycles)
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.launch, got, c.want)
		}
	}
}
