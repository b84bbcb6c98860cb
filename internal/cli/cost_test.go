package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/halt"
)

// clock is a time that tests let pass.
type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }
func newClock() *clock                { return &clock{time.Unix(1000, 0)} }

func TestCost(t *testing.T) {
	for _, c := range []struct {
		name    string
		first   time.Duration // time of the first run
		total   int
		atOnce  int
		settled bool
		answer  string // that is given, "-" if nobody can be asked
		asked   string
		ended   bool
	}{
		{"short", time.Second, 601, 1, false, "-", "", false},
		{"long", time.Second, 602, 1, false, "-", "", true},
		{"beside each other", time.Second, 1201, 2, false, "-", "", false},
		{"allowed", time.Hour, 1000, 1, true, "-", "", false},
		{"yes", time.Minute, 121, 1, false, "y", "120 more runs take about 2h00m", false},
		{"no", time.Minute, 121, 4, false, "n", "120 more runs take about 30m00s", true},
		{"for ever", time.Hour, 1e15, 1, false, "-", "", true},
		{"a single one", time.Hour, 1, 1, false, "n", "", false},
	} {
		at := newClock()
		ctx, stop := context.WithCancelCause(t.Context())
		asked := ""
		p := &cost{now: at.now, stop: stop, less: "--vectors", settled: c.settled}
		if c.answer != "-" {
			p.ask = func(question string) bool {
				asked = question
				return c.answer == "y"
			}
		}
		p.begin(c.atOnce)
		at.pass(c.first)
		p.step(1, c.total)
		at.pass(time.Hour)
		p.step(2, c.total)
		if asked != c.asked || (ctx.Err() != nil) != c.ended {
			t.Errorf("%s: asked %q, ended: %v", c.name, asked, context.Cause(ctx))
		}
		why := p.why(ctx, ctx.Err())
		cause, ok := errors.AsType[*halt.Cause](why)
		if c.ended && (!ok || cause.Reason != estimate.ByCost || !strings.Contains(cause.Text, "give fewer (--vectors)")) || !c.ended && why != nil {
			t.Errorf("%s: %v", c.name, why)
		}
		stop(nil)
	}
}

// TestCostOfEach looks at the first run of each of several kinds.
func TestCostOfEach(t *testing.T) {
	at := newClock()
	ctx, stop := context.WithCancelCause(t.Context())
	p := &cost{now: at.now, stop: stop}
	p.begin(1)
	p.step(1, 1000)
	at.pass(time.Hour)
	p.step(2, 1000)
	if ctx.Err() != nil {
		t.Error(context.Cause(ctx))
	}
	p.begin(1)
	at.pass(time.Second)
	p.step(1, 1000)
	if ctx.Err() == nil {
		t.Error("it goes on")
	}
}

// TestCostOfWorkers estimates from the second run on, once they were watched for a while.
func TestCostOfWorkers(t *testing.T) {
	for _, c := range []struct {
		name   string
		start  time.Duration // until the first run has ended
		each   time.Duration // of the others
		atOnce int           // that end together
		total  int
		asked  string
	}{
		{"slow start", time.Minute, 175 * time.Millisecond, 1, 400, ""},
		{"two at once", 10 * time.Second, 2 * time.Second, 2, 612, ""},
		{"long", time.Second, time.Second, 1, 1001, "970 more runs take about 16m10s"},
		{"long, two at once", time.Second, 2 * time.Second, 2, 1001, "970 more runs take about 16m10s"},
		{"long ones", time.Hour, time.Hour, 8, 17, "8 more runs take about 1h00m"},
	} {
		at, asked := newClock(), ""
		p := &cost{now: at.now, away: true, ask: func(question string) bool { asked = question; return true }}
		p.begin(1)
		at.pass(c.start)
		for done := 1; done <= c.total; done++ {
			if done > 1 && (done-1)%c.atOnce == 0 {
				at.pass(c.each)
			}
			p.step(done, c.total)
		}
		if asked != c.asked {
			t.Errorf("%s: asked %q, want %q", c.name, asked, c.asked)
		}
	}
}

func TestConcurrentQuestion(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "Yes \r\n": true, "": false, "\n": false, "no\n": false, "y": true} {
		var out strings.Builder
		if got := confirmed(t.Context(), strings.NewReader(answer), &out, "Long"); got != want || out.String() != "Long. Go on? [y/N] " {
			t.Errorf("%q: %t after %q", answer, got, &out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, typed := io.Pipe()
	defer typed.Close()
	if confirmed(ctx, in, io.Discard, "Long") {
		t.Error("the end of the command is no consent")
	}
}

// TestCostOfSearch: that runs of workers wait for solvers is no cost of runs.
func TestCostOfSearch(t *testing.T) {
	for _, c := range []struct {
		name    string
		run     time.Duration
		limited bool
		ended   bool
	}{
		{"short", time.Second, false, false},
		{"long", 10 * time.Second, false, true},
		{"limited", 10 * time.Second, true, false},
	} {
		at := newClock()
		ctx, stop := context.WithCancelCause(t.Context())
		runs := searchCost{cost: &cost{now: at.now, stop: stop, away: true}, limited: c.limited}
		p := warpbound.SearchProgress{Budget: 500, AtOnce: 2}
		runs.step(p, true)
		for ; p.Runs < 100; p.Runs++ {
			if p.Runs == 10 { // the next ones need paths
				for range 3 {
					at.pass(time.Minute)
					p.Paths++
					runs.step(p, false)
				}
			}
			at.pass(c.run)
			runs.step(p, false)
		}
		if (ctx.Err() != nil) != c.ended {
			t.Errorf("%s: %v", c.name, context.Cause(ctx))
		}
		stop(nil)
	}
}
