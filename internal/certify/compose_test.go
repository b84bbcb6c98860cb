package certify

import (
	"encoding/json"
	"slices"
	"testing"

	"warpbound/estimate"
)

// TestArithmetic holds claims against figures.
func TestArithmetic(t *testing.T) {
	type figures map[string]int64
	for _, c := range []struct {
		method  string
		figures figures
		path    int64
		want    int64
	}{
		{"hybrid/warp", figures{"unobserved": 3}, 70, 70},
		{"hybrid/dynamic", figures{"warp": 70, "jitter": 5}, 70, 75},
		{"hybrid/waves", figures{"warp": 70, "waves": 3, "warps_per_wave": 4, "delta": 2, "gap": 10, "first_start": 1}, 70, 3*(70+3*2) + 2*10 + 1},
		{"hybrid/list", figures{"warp": 70, "spread": 1, "first_start": 2, "gap": 3, "ctas": 9, "slots": 4, "rounds": 3, "longest": 50, "total": 300, "by_rounds": 2 * 53, "by_sum": 324 / 4}, 70, 2 + 81 + 1 + 70},
		{"hybrid/list", figures{"warp": 70, "spread": 1, "first_start": 2, "gap": 3, "ctas": 8, "slots": 4, "rounds": 2, "longest": 50, "total": 300, "by_rounds": 53, "by_sum": 321 / 4}, 70, 2 + 53 + 1 + 70},
		{"static/cta", figures{"dispatch": 4, "waves[0].times": 2, "waves[0].cycles": 9, "waves[0].issue": 5, "waves[0].stall": 4}, 0, 22},
		{"static/greedy", figures{"chain": 1, "dispatch": 2, "issue": 4, "pipelines": 8, "unit": 16, "stalls": 32, "crossbar": 64, "caches": 128, "tags": 256, "blocked": 512, "dram": 1024, "waits": 9}, 0, 2047},
		{"static/oblivious", figures{"executions": 1}, 0, 12},
		{"static/llc-simple", figures{"issue": 4, "stall": 2, "dispatch": 9}, 0, 15},
		{"split/pws", figures{"rounds": 3, "dispatch": 2, "service": 7, "passes": 1, "last.cycles": 10, "full.cycles": 20}, 0, 6 + 8 + 10 + 40},
		{"split/none", figures{"rounds": 1, "dispatch": 2, "service": 7, "passes": 1, "last.cycles": 10}, 0, 20},
		{"split/dws", figures{"rounds": 1, "dispatch": 2, "service": 7, "passes": 1, "last.cycles": 10, "schedule.rounds": 1, "schedule.wavefronts": 11}, 0, 13},
	} {
		make := func(cycles int64, evidence estimate.Evidence) *Certificate {
			out := &Certificate{Claim: Claim{Method: c.method, Cycles: cycles, Evidence: evidence}}
			if c.method == "static/oblivious" {
				out.Replay = &Replay{Cycles: c.want}
			}
			if c.path != 0 {
				out.Runs, out.Path = &Runs{}, json.RawMessage("{}")
			}
			for name, n := range c.figures {
				out.Facts = append(out.Facts, Fact{Kind: Figure, At: name, Value: n, Evidence: estimate.Observed})
			}
			return out
		}
		if err := Arithmetic(make(c.want, estimate.Observed), c.path, nil); err != nil {
			t.Errorf("%s: %v", c.method, err)
		}
		for _, wrong := range []int64{c.want - 1, c.want + 1} {
			if Arithmetic(make(wrong, estimate.Observed), c.path, nil) == nil {
				t.Errorf("%s: %d cycles are accepted", c.method, wrong)
			}
		}
		if Arithmetic(make(c.want, estimate.Proven), c.path, nil) == nil {
			t.Errorf("%s: what was observed is accepted as proven", c.method)
		}
		twice := make(c.want, estimate.Observed)
		twice.Facts = append(twice.Facts, twice.Facts[0])
		if Arithmetic(twice, c.path, nil) == nil {
			t.Errorf("%s: a figure that stands there twice is accepted", c.method)
		}
		for _, change := range []func(*Certificate){
			func(out *Certificate) { out.Runs = map[bool]*Runs{true: {}}[out.Runs == nil] },
			func(out *Certificate) {
				out.Path = map[bool]json.RawMessage{true: json.RawMessage("{}")}[out.Path == nil]
			},
			func(out *Certificate) { out.Replay = map[bool]*Replay{true: {Cycles: c.want}}[out.Replay == nil] },
		} {
			other := make(c.want, estimate.Observed)
			change(other)
			if Arithmetic(other, c.path, nil) == nil {
				t.Errorf("%s: runs %v and path %s are accepted", c.method, other.Runs, other.Path)
			}
		}
	}
	list := []Fact{{Kind: Figure, At: "ctas", Value: 9, Evidence: estimate.Observed}}
	for name, n := range map[string]int64{"warp": 70, "spread": 1, "first_start": 2, "gap": 3, "slots": 4, "rounds": 3, "longest": 50, "total": 300, "by_rounds": 106, "by_sum": 81} {
		list = append(list, Fact{Kind: Figure, At: name, Value: n, Evidence: estimate.Observed})
	}
	for _, c := range []struct {
		figure string
		value  int64
		ctas   int64 // of the launch
		ok     bool
	}{
		{"ctas", 9, 9, true}, {"ctas", 9, 64, true}, {"ctas", 9, 8, false}, {"rounds", 2, 9, false}, {"by_rounds", 81, 9, false}, {"by_sum", 106, 9, false}, {"slots", 0, 9, false},
	} {
		facts := slices.Clone(list)
		for i := range facts {
			if facts[i].At == c.figure {
				facts[i].Value = c.value
			}
		}
		out := &Certificate{Claim: Claim{Method: "hybrid/list", Cycles: 154, Evidence: estimate.Observed}, Runs: &Runs{}, Path: json.RawMessage("{}"), Facts: facts}
		if err := Arithmetic(out, 70, &Machine{CTAs: c.ctas}); (err == nil) != c.ok {
			t.Errorf("%s of %d in a launch of %d CTAs: %v", c.figure, c.value, c.ctas, err)
		}
	}
	cta := []Fact{
		{Kind: Figure, At: "dispatch", Value: 6}, {Kind: Figure, At: "sm", Value: 1},
		{Kind: Figure, At: "waves[0].times", Value: 3}, {Kind: Figure, At: "waves[0].ctas", Value: 2},
		{Kind: Figure, At: "waves[0].cycles", Value: 9}, {Kind: Figure, At: "waves[0].issue", Value: 9}, {Kind: Figure, At: "waves[0].stall", Value: 0},
	}
	for _, c := range []struct {
		on Machine
		ok bool
	}{
		{Machine{CTAs: 17, SMs: 3, Dispatch: 2}, true}, // SM 1 has CTAs 1, 4, 7, 10, 13 and 16
		{Machine{CTAs: 16, SMs: 3, Dispatch: 2}, false},
		{Machine{CTAs: 20, SMs: 3, Dispatch: 2}, false},
		{Machine{CTAs: 17, SMs: 3, Dispatch: 3}, false},
	} {
		for i := range cta {
			cta[i].Evidence = estimate.Proven
		}
		err := Arithmetic(&Certificate{Claim: Claim{Method: "static/cta", Cycles: 33, Evidence: estimate.Proven}, Facts: cta}, 0, &c.on)
		if (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.on, err)
		}
	}
	if Arithmetic(&Certificate{Claim: Claim{Method: "static/guess"}}, 0, nil) == nil {
		t.Error("a method that there is not is accepted")
	}
}
