package hybrid_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/trace"
)

// chain is a run of one warp that passes the blocks of a kernel without a loop, each so many cycles after the one before.
func chain(times ...int64) trace.Run {
	run := trace.Run{Records: []trace.Record{{Ipoint: trace.Start}}}
	for i, t := range times {
		run.End += t
		at := trace.Ipoint(i)
		if i == len(times)-1 {
			at = trace.Exit
		}
		run.Records = append(run.Records, trace.Record{Ipoint: at, Cycle: run.End})
	}
	return run
}

// placementsOf returns the estimate of hybrid/placements from runs, of which each has a sink of its own.
func placementsOf(t *testing.T, p *method.Problem, runs ...trace.Run) *estimate.Estimate {
	t.Helper()
	r, err := hybrid.Placements{}.Record(p, method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	var sinks []trace.Sink
	learned := r.Sink(trace.Common)
	for i := range runs {
		sink := r.Sink(trace.Common)
		if err := runs[i].Replay(sink); err != nil {
			t.Fatal(err)
		}
		sinks = append(sinks, sink)
		if _, err := learned.(interface {
			Learn(trace.Sink) (bool, error)
		}).Learn(sink); err != nil {
			t.Fatal(err)
		}
	}
	a, err := r.Bound(t.Context(), sinks)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Bound(t.Context(), []trace.Sink{learned})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, again); diff != "" {
		t.Errorf("learned one after the other (-all at once +learned):\n%s", diff)
	}
	return &a.Estimates[0]
}

// skips is a kernel of five blocks, of which each second one may be skipped.
const skips = `.version 7.0
.target sm_20
.address_size 64
.visible .entry skips(.param .u32 n) {
	.reg .pred %p<3>;
	.reg .u32 %r<4>;
	ld.param.u32 %r1, [n];
	setp.eq.u32 %p1, %r1, 1;
	@%p1 bra B;
	add.u32 %r2, %r1, 1;
B:
	setp.eq.u32 %p2, %r1, 2;
	@%p2 bra C;
	add.u32 %r2, %r1, 2;
C:
	ret;
}
`

// TestPlacements: times of blocks that no run had together are not added where one edge spans them.
func TestPlacements(t *testing.T) {
	p := &method.Problem{Graph: flowtest.Graph(t, "skips.ptx", skips)}
	e := placementsOf(t, p, chain(0, 100, 10, 10, 10, 10), chain(0, 10, 100, 10, 10, 10))
	want := &estimate.HybridPlacements{
		Placement: "every:2", Warp: 140,
		Placements: []estimate.HybridPlacement{
			{Placement: "recorded", Ipoints: 5, Warp: 230}, {Placement: "every:2", Ipoints: 3, Warp: 140},
			{Placement: "every:3", Ipoints: 2, Warp: 140}, {Placement: "every:4", Ipoints: 2, Warp: 140},
		},
	}
	if diff := cmp.Diff(want, e.Detail); diff != "" || e.Method != hybrid.Placed || e.Cycles != 140 || e.Relied() {
		t.Errorf("%s is %d (-want +got):\n%s", e.Method, e.Cycles, diff)
	}
	if want := "Ipoints are where --ipoints every:2 puts them"; e.Assumptions[0] != want {
		t.Errorf("assumptions %q, want %q first", e.Assumptions, want)
	}
}
