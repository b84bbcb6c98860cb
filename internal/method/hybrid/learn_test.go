package hybrid_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

// TestLearn learns runs, each twice: the first one is new, no repetition is, and what is not new changes neither an
// estimate nor the longest time.
func TestLearn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProgram(rt, t, true)
		g, err := hybrid.NewIPG(p, method.EveryBlock())
		if err != nil {
			rt.Fatal(err)
		}
		w := newWalker(rt, p.Flow, true)
		learnt, whole := hybrid.NewProfile(g), hybrid.NewProfile(g)
		var before []int64
		for number := range 4 {
			run := drawRun(rt, w, g, number)
			if err := run.Replay(whole); err != nil {
				rt.Fatal(err)
			}
			for again := range 2 {
				news := learn(rt, g, learnt, &run)
				if number == 0 && again == 0 && !news || again == 1 && news {
					rt.Errorf("run %d, seen %d times before: new is %v", number, again, news)
				}
				after := figures(rt, learnt)
				if !news && !slices.Equal(before, after) {
					rt.Errorf("run %d shows nothing new, and %v become %v", number, before, after)
				}
				before = after
			}
		}
		if want := figures(rt, whole); !slices.Equal(before, want) {
			rt.Errorf("%v were learnt, want %v", before, want)
		}
	})
}

// learn learns a run.
func learn(t *rapid.T, g *hybrid.IPG, p *hybrid.Profile, run *trace.Run) bool {
	one := hybrid.NewProfile(g)
	if err := run.Replay(one); err != nil {
		t.Fatal(err)
	}
	news, err := p.Learn(one)
	if err != nil {
		t.Fatal(err)
	}
	return news
}

// figures returns the longest time of a run and the estimates, in cycles.
func figures(t *rapid.T, p *hybrid.Profile) []int64 {
	r, err := hybrid.Analyze(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := []int64{r.Observed.Max}
	for _, e := range r.Estimates() {
		list = append(list, e.Cycles)
	}
	return list
}

// TestNews has runs of a loop that iterates once after runs in which it iterated twice: what is new in each.
func TestNews(t *testing.T) {
	once, twice := loopRun(0, 1), loopRun(1, 2)
	slow := loopRun(2, 1)
	slow.Records = slices.Clone(slow.Records)
	for i := range slow.Records[2:] {
		slow.Records[2+i].Cycle++
	}
	slow.End++
	for _, c := range []struct {
		name string
		seen []trace.Run
		run  trace.Run
		want bool
	}{
		{"first", nil, once, true},
		{"same", []trace.Run{once}, once, false},
		{"another iteration", []trace.Run{once}, twice, true},
		{"fewer iterations", []trace.Run{twice}, once, false},
		{"slower", []trace.Run{once}, slow, true},
		{"one edge slower than in longer runs", []trace.Run{twice}, slow, true},
		{"nothing left", []trace.Run{twice, slow}, once, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := whileIPG(t)
			p := hybrid.NewProfile(g)
			for i := range c.seen {
				one := hybrid.NewProfile(g)
				if err := c.seen[i].Replay(one); err != nil {
					t.Fatal(err)
				}
				if _, err := p.Learn(one); err != nil {
					t.Fatal(err)
				}
			}
			one := hybrid.NewProfile(g)
			if err := c.run.Replay(one); err != nil {
				t.Fatal(err)
			}
			if news, err := p.Learn(one); err != nil || news != c.want {
				t.Errorf("new is %v, want %v; %v", news, c.want, err)
			}
		})
	}
	if _, err := hybrid.NewProfile(whileIPG(t)).Learn(nil); err == nil {
		t.Error("a profile learns from what is none")
	}
}
