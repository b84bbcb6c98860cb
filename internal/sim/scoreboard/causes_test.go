package scoreboard

import (
	"reflect"
	"slices"
	"testing"

	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
)

// newChain makes a simulation that finds chains of causes.
func newChain(t testing.TB, m *machine.Machine, code *emu.Code) *Sim {
	t.Helper()
	cfg := newSim(t, m, code).cfg
	cfg.Chain = true
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkChain runs a launch with its chain of causes: all else must be as it is without, in o, and the chain must tile the run. It
// must be the same in used storage and if the log of events is small.
func checkChain(t testing.TB, m *machine.Machine, code *emu.Code, o *observation, ctas, threads int) {
	t.Helper()
	s := newChain(t, m, code)
	first := observe(t, s, ctas, threads)
	chain := slices.Clone(first.Chain)
	same(t, "with the chain of causes", o, first)
	simtest.Tiles(t, first.Result)
	s.log.Limit = 1
	if again := observe(t, s, ctas, threads); !reflect.DeepEqual(chain, again.Chain) {
		t.Errorf("the chain of causes is %v, and %v with a small log", chain, again.Chain)
	}
}

// link is a segment of a chain as a test states it: what it is spent on, on which warp of which CTA, and for how long.
type link struct {
	kind      causes.Kind
	cta, warp int
	cycles    int64
}

// chainOf returns the chain of a body.
func chainOf(t testing.TB, m *machine.Machine, body string, ctas, threads int) []sim.Segment {
	t.Helper()
	o := observe(t, newChain(t, m, compile(t, body)), ctas, threads)
	simtest.Tiles(t, o.Result)
	return o.Chain
}

// TestLinks works chains out by hand: each wait goes on at the event that ended it, on whatever warp that was.
func TestLinks(t *testing.T) {
	const issue, dispatch = sim.CauseIssue, sim.CauseDispatch
	begin := []link{{dispatch, 0, -1, 1}, {issue, 0, 0, 1}, {issue, 0, 0, 1}}
	for _, c := range []struct {
		name, body    string
		ctas, threads int
		want          []link
	}{
		// Warp 1 divides, and warp 0 waits for it and divides then. The unit takes the load of warp 0 first.
		{"barrier", "setp.lt.u32 %p1, %t, 32; @%p1 bra W; div.u32 %r1, %t, 7; add.u32 %r2, %r1, 1; W: bar.sync 0; @!%p1 bra X; div.u32 %r3, %t, 7; add.u32 %r4, %r3, 1; X: ret;", 1, 64, []link{
			{byLSU, 0, 0, 1}, {byMemory, 0, 1, 32}, {issue, 0, 1, 1}, {issue, 0, 1, 1}, {byALU, 0, 1, 11}, {byBranch, 0, 1, 4}, {byALU, 0, 1, 151},
			{issue, 0, 1, 1}, {byBarrier, 0, 1, 1}, {byBranch, 0, 0, 4}, {byALU, 0, 0, 151}, {issue, 0, 0, 1}, {byDrain, 0, 0, 4},
		}},
		// The line of the copy is in the L1 by then, which has it after a time that is known when the warp begins to wait.
		{"copy", "ld.global.u32 %r1, [%buf]; add.u32 %r1, %r1, 1; cp.async.ca.shared.global [sh], [%buf], 4; cp.async.commit_group; cp.async.wait_group 0; mov.u32 %r1, 1; ret;", 1, 32, []link{
			{byMemory, 0, 0, 32}, {byALU, 0, 0, 11}, {byMemory, 0, 0, 40}, {sim.CauseInterconnect, 0, 0, 9}, {sim.CauseL2, 0, 0, 120},
			{sim.CauseDRAM, 0, 0, 122}, {sim.CauseInterconnect, 0, 0, 11}, {issue, 0, 0, 1}, {byMemory, 0, 0, 40}, {issue, 0, 0, 1}, {byDrain, 0, 0, 4},
		}},
		// Both warps store to one line, for which that of warp 0 has asked. The answer of warp 1 leaves behind that of warp 0.
		{"fence", "st.global.u32 [%buf], %t; membar.gl; ret;", 1, 64, []link{
			{byMemory, 0, 0, 32}, {byALU, 0, 0, 11}, {byMemory, 0, 0, 40}, {sim.CauseInterconnect, 0, 0, 9}, {sim.CauseL2, 0, 0, 120},
			{sim.CauseDRAM, 0, 0, 122}, {sim.CausePort, 0, 0, 1}, {sim.CauseInterconnect, 0, 1, 9}, {byDrain, 0, 1, 4},
		}},
	} {
		var got []link
		for _, s := range chainOf(t, fermi(t), c.body, c.ctas, c.threads) {
			got = append(got, link{s.Kind, s.CTA, s.Warp, s.To - s.From})
		}
		if want := slices.Concat(begin, c.want); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

// TestLinkOfCTAs: where there is room for one CTA, each begins when the one before has ended. The dispatcher sees that in the next round.
func TestLinkOfCTAs(t *testing.T) {
	m := fermi(t)
	m.SM.Count.Value, m.SM.CTAs.Value = 1, 1
	waits, began := map[int]int64{}, -1
	for _, s := range chainOf(t, m, "div.u32 %r1, %t, 7; add.u32 %r1, %r1, 1; ret;", 3, 32) {
		if s.CTA < began {
			t.Errorf("CTA %d behind CTA %d", s.CTA, began)
		}
		began = s.CTA
		if s.Kind == sim.CauseDispatch && s.Warp == 0 { // from the last retirement
			waits[s.CTA] += s.To - s.From
		}
	}
	if began != 2 || len(waits) != 2 || waits[0] >= newSim(t, m, compile(t, "ret;")).round {
		t.Errorf("the chain ends in CTA %d, and CTAs wait %v cycles", began, waits)
	}
}

// TestLinksOfLaterCTAs: a warp waits for no result of the warp whose place it takes, also if that is still under way.
func TestLinksOfLaterCTAs(t *testing.T) {
	m := fermi(t)
	m.SM.Count.Value, m.SM.CTAs.Value = 1, 1
	kinds := map[int][]causes.Kind{}
	for _, s := range chainOf(t, m, "mov.u32 %r1, %t; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; div.u32 %r1, %r1, 7; ret;", 3, 32) {
		if s.Kind != sim.CauseDispatch {
			kinds[s.CTA] = append(kinds[s.CTA], s.Kind)
		}
	}
	if len(kinds) != 3 || !slices.Equal(kinds[0], kinds[1]) || !slices.Equal(kinds[0], kinds[2]) {
		t.Errorf("the CTAs wait for %v", kinds)
	}
}

// TestChainOfNoCopy waits for a copy that reads nothing, which is over at once.
func TestChainOfNoCopy(t *testing.T) {
	chainOf(t, fermi(t), "cp.async.ca.shared.global [sh], [%buf], 4, 0; cp.async.wait_all; ret;", 1, 32)
}
