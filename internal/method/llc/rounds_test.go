package llc

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/method/charge"
	"warpbound/internal/saturating"
)

// issuing draws what a warp issues, tells a recorder of all that it may issue, and returns what it does issue in one execution.
type issuing struct {
	t *rapid.T
	r *recorder
}

func (d *issuing) bool(name string) bool { return rapid.Bool().Draw(d.t, name) }

// statements draws some of them. The warp executes them if runs is set.
func (d *issuing) statements(depth int, runs bool) (issued []extent) {
	for range rapid.IntRange(0, 4).Draw(d.t, "statements") {
		switch kind := rapid.IntRange(0, 5).Draw(d.t, "kind"); {
		case kind == 0 && depth > 0: // alternatives
			d.r.Fork(0)
			chosen := rapid.IntRange(0, 1).Draw(d.t, "chosen")
			for i := range 2 {
				d.r.Alternative()
				issued = append(issued, d.statements(depth-1, runs && i == chosen)...)
			}
			d.r.Join()
		case kind == 1 && depth > 0: // iterations that are summarised: all of them, as they may go different ways
			times := rapid.IntRange(1, 3).Draw(d.t, "times")
			d.r.Repeat(times)
			e := extent{service: 1, reads: 1, sent: 2}
			for range rapid.IntRange(0, 3).Draw(d.t, "instructions") {
				d.r.path.progress.issue(&e, true)
				for range times {
					if runs {
						issued = append(issued, e)
					}
				}
			}
			d.r.Repeated()
		default:
			e := extent{reads: saturating.Of(kind % 2), sent: saturating.Of(kind % 3)}
			e.service = saturating.Of(rapid.Int64Range(1, 3).Draw(d.t, "service"))
			certain := d.bool("certain")
			if certain && len(d.r.forks) == 0 {
				e.surely = e.sent
			}
			d.r.path.progress.issue(&e, certain)
			if runs && (certain || d.bool("issued")) {
				issued = append(issued, e)
			}
		}
	}
	return issued
}

// TestRounds compares what warps may have done in their turns with what they do in one execution.
func TestRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c course
		var done []turnOf // the turn of each access
		var costs [][]int64
		for range rapid.IntRange(1, 3).Draw(t, "waves") {
			w := &wave{}
			var paths []*path
			var warps [][]extent
			turns := 0
			for range rapid.IntRange(1, 3).Draw(t, "warps") {
				r := &recorder{analysis: &analysis{tails: []saturating.Int{0}}, trace: charge.NewTracer(nil)}
				r.path = path{turns: []saturating.Int{0}, sums: r.noSums()}
				d := &issuing{t, r}
				issued := d.statements(3, true)
				if n := saturating.Of(len(issued)); n < r.path.progress.min || n > r.path.progress.max {
					t.Fatalf("%d instructions are issued, not from %d to %d", n, r.path.progress.min, r.path.progress.max)
				}
				w.turns, turns = max(w.turns, r.path.progress.max), max(turns, len(issued))
				paths, warps = append(paths, &r.path), append(warps, issued)
			}
			w.rounds = newRounds(paths)
			cost := make([]int64, w.turns.Add(1))
			misses := saturating.Int(0)
			for turn := range turns {
				for _, issued := range warps {
					if turn >= len(issued) {
						continue
					}
					e := &issued[turn]
					cost[turn+1] += e.service.Int64()
					made := e.sent.Int64()
					if e.surely == 0 && made > 0 && rapid.Bool().Draw(t, "not made") {
						made--
					}
					if e.reads > 0 && rapid.Bool().Draw(t, "miss") {
						made++
						misses = misses.Add(1)
					}
					for range made {
						done = append(done, turnOf{len(c.stages), saturating.Of(turn + 1)})
					}
				}
			}
			costs = append(costs, cost)
			c.add(w, misses)
		}
		if n := saturating.Of(len(done)); n > c.accesses() {
			t.Fatalf("%d accesses, at most %d", n, c.accesses())
		}
		for i, at := range done {
			early, late := c.earliest(saturating.Of(i+1)), c.latest(saturating.Of(i+1))
			if at.stage < early.stage || at.stage == early.stage && at.turn < early.turn || at.stage > late.stage || at.stage == late.stage && at.turn > late.turn {
				t.Fatalf("access %d is made in turn %v, not from %v to %v", i, at, early, late)
			}
		}
		for i, cost := range costs {
			for begin := 1; begin < len(cost); begin++ {
				sum := int64(0)
				for end := begin; end < len(cost); end++ {
					bound := c.stages[i].within(saturating.Of(begin), saturating.Of(end)).service
					if sum += cost[end]; sum > bound.Int64() {
						t.Fatalf("turns %d to %d of wave %d need %d cycles, at most %d", begin, end, i, sum, bound)
					}
				}
			}
		}
	})
}

// TestStretches has more instructions than are told apart: what is merged stays between its bounds.
func TestStretches(t *testing.T) {
	var p progress
	const n = 5 * maxStretches
	for range n {
		p.issue(&extent{service: 1, sent: 1, surely: 1}, true)
	}
	r := newRounds([]*path{{progress: p}})
	if len(p.stretches) > maxStretches || r.all().service != n {
		t.Fatalf("%d stretches of %d cycles", len(p.stretches), r.all().service)
	}
	for turn := int64(0); turn <= n; turn += 97 {
		at := by(r.early, saturating.Of(turn)).service.Int64()
		if late := by(r.late, saturating.Of(turn)).surely.Int64(); at < turn || at > turn+8 || late > turn || late < turn-8 {
			t.Errorf("by turn %d from %d to %d", turn, late, at)
		}
	}
}

// TestInTurns has two SMs that make all accesses at known times: each interval takes what it takes on the slower one.
func TestInTurns(t *testing.T) {
	sm := func(service saturating.Int) *course {
		r := &progress{}
		for range 100 {
			r.issue(&extent{service: service, sent: 1, surely: 1}, true)
		}
		c := &course{}
		c.add(&wave{turns: 100, rounds: newRounds([]*path{{progress: *r}})}, 0)
		return c
	}
	got, ok := inTurns([]*course{sm(3), sm(5), {}}, 11, 10, &turnTimes{})
	// The two turns before each interval, in which instructions may be for which its first one waits, are part of it.
	if want := saturating.Int(10*10*5 + 9*2*5 + 2*5); !ok || got != want {
		t.Errorf("%d cycles, want %d", got, want)
	}
}
