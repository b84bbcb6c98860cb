package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/estimate"
)

func save(t interface{ Fatal(...any) }, v any) File {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return File{"r.json", text}
}

func threshold(t interface{ Fatal(...any) }, text string) Threshold {
	by, err := ParseThreshold(text)
	if err != nil {
		t.Fatal(err)
	}
	return by
}

func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		text     string
		a, b     int64
		exceeded bool
	}{
		{"0", 100, 100, false}, {"0", 100, 101, true}, {"0", 100, 99, false}, {"0%", 0, 1, true}, {"5%", 0, 0, false}, {"5%", 0, 1, true},
		{"5%", 100, 105, false}, {"5%", 100, 106, true}, {"2.5%", 1000, 1025, false}, {"2.5%", 1000, 1026, true},
		{"5%", math.MaxInt64 - 1, math.MaxInt64, false}, {"0", math.MaxInt64 - 1, math.MaxInt64, true}, {"100%", math.MaxInt64, math.MaxInt64, false},
	} {
		if got := threshold(t, c.text).exceeded(c.a, c.b); got != c.exceeded {
			t.Errorf("%s of %d, %d: %t", c.text, c.a, c.b, got)
		}
	}
	for _, text := range []string{"", "5", "0.05", "-5%", "%", "5 %", ".5%", "1e3%", "5%%", "NaN%", "12345678901%"} {
		if _, err := ParseThreshold(text); err == nil || err.Error() != "want a percentage such as 5%, or 0 for any growth" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func figured(method string, cycles int64, e estimate.Evidence) estimate.Estimate {
	return estimate.Estimate{Method: method, Cycles: cycles, Evidence: e}
}

func observed(highest int64) *estimate.Observation {
	return &estimate.Observation{Min: 1, Mean: 2, Max: highest}
}

func TestRegressions(t *testing.T) {
	const proven, annotated, seen = estimate.Proven, estimate.Annotated, estimate.Observed
	type whole = estimate.Analysis
	bounds := func(list ...estimate.Estimate) whole { return whole{Estimates: list} }
	early := &estimate.Interruption{Reason: estimate.ByTimeout, Missing: []string{"runs"}}
	for _, c := range []struct {
		name string
		a, b whole
		want []string // what, kind and a part of the text
	}{
		{"incomplete", whole{}, whole{Interrupted: early}, []string{"result missing B is incomplete (timeout), and A is not"}},
		{"complete again", whole{Interrupted: early}, whole{}, nil},
		{"both incomplete", whole{Interrupted: early}, whole{Interrupted: early}, nil},
		{"same", bounds(figured("m", 100, proven)), bounds(figured("m", 100, proven)), nil},
		{"within", bounds(figured("m", 100, proven)), bounds(figured("m", 105, proven)), nil},
		{"above", bounds(figured("m", 100, proven)), bounds(figured("m", 106, proven)), []string{"m cycles m grew by 6.0 %, from 100 to 106 cycles"}},
		{"from nothing", bounds(figured("m", 0, proven)), bounds(figured("m", 1, proven)), []string{"m cycles m grew from 0 to 1 cycles"}},
		{"less", bounds(figured("m", 100, proven)), bounds(figured("m", 1, proven)), nil},
		{"stronger", bounds(figured("m", 100, seen)), bounds(figured("m", 100, annotated)), nil},
		{"weaker", bounds(figured("hybrid/warp", 100, proven)), bounds(figured("hybrid/warp", 10, annotated)), []string{"hybrid/warp evidence hybrid/warp was proven and is only annotated"}},
		{"weaker answer", bounds(figured("m", 100, annotated), figured("n", 90, seen)), bounds(figured("m", 100, seen), figured("n", 90, seen)),
			[]string{"answer evidence the answer was annotated (m) and is only observed (n)", "m evidence m was annotated and is only observed"}},
		{"new", bounds(), bounds(figured("m", 100, seen)), nil},
		{"missing", bounds(figured("hybrid/warp", 1, seen)), bounds(), []string{"hybrid/warp missing hybrid/warp is missing in B"}},
		{"high-water mark", whole{Observed: observed(100)}, whole{Observed: observed(106)}, []string{"high-water mark cycles the high-water mark grew by 6.0 %, from 100 to 106 cycles"}},
		{"within high-water mark", whole{Observed: observed(100)}, whole{Observed: observed(105)}, nil},
		{"no runs", whole{Observed: observed(100)}, whole{}, []string{"high-water mark missing nothing ran for B"}},
		{"first runs", whole{}, whole{Observed: observed(100)}, nil},
		{"worst first", whole{Observed: observed(10), Estimates: []estimate.Estimate{figured("hybrid/warp", 100, proven), figured("n", 100, seen), figured("o", 0, seen), figured("p", 1, seen)}},
			whole{Observed: observed(12), Estimates: []estimate.Estimate{figured("hybrid/warp", 110, seen), figured("n", 150, seen), figured("o", 1, seen)}},
			[]string{"p missing p is", "hybrid/warp evidence hybrid/warp was", "o cycles o grew from 0", "n cycles n grew by 50.0 %", "high-water mark cycles", "hybrid/warp cycles hybrid/warp grew by 10.0 %"}},
		{"launch of a sum", whole{Estimates: []estimate.Estimate{figured("m", 100, proven)}, Launches: []estimate.LaunchAnalysis{{Kernel: "k", Estimates: []estimate.Estimate{figured("m", 1, proven)}}}},
			whole{Estimates: []estimate.Estimate{figured("m", 101, proven)}, Launches: []estimate.LaunchAnalysis{{Kernel: "k", Estimates: []estimate.Estimate{figured("m", 2, proven)}}}}, nil},
		{"launch alone", whole{Launches: []estimate.LaunchAnalysis{{Kernel: "k", Estimates: []estimate.Estimate{figured("m", 1, proven)}}}},
			whole{Launches: []estimate.LaunchAnalysis{{Kernel: "k", Estimates: []estimate.Estimate{figured("m", 2, proven)}}}}, []string{"m of k cycles m of k grew by 100.0 %"}},
	} {
		got, err := Files(save(t, c.a), save(t, c.b), threshold(t, "5%"))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(got.Regressions) != len(c.want) {
			t.Errorf("%s: got %v", c.name, got.Regressions)
			continue
		}
		for i, r := range got.Regressions {
			if text := r.What + " " + r.Kind + " " + r.Text; !strings.HasPrefix(text, c.want[i]) {
				t.Errorf("%s: regression %d is %q, want %q", c.name, i, text, c.want[i])
			}
		}
	}
}

// details are details of every type, with loops where methods have them.
func details() []estimate.Detail {
	return []estimate.Detail{
		nil,
		&estimate.HybridWarp{Edges: []estimate.HybridEdge{{From: "a"}}, Loops: []estimate.HybridLoop{{Header: "$L", Pos: "k:1:2", Bound: 3, Evidence: estimate.Annotated}}},
		&estimate.HybridDynamic{SMs: []estimate.HybridSM{{SM: 1}}}, &estimate.HybridWaves{Warp: 1},
		&estimate.CTA{Loops: []estimate.CTALoop{{Name: "$L", Pos: "k:1:2", Iterations: 3, Evidence: estimate.Annotated}}},
		&estimate.LLC{Cores: []estimate.LLCCore{{Accesses: 1}}},
		&estimate.Split{Loops: []estimate.SplitLoop{{Name: "$L", Pos: "k:1:2", Iterations: 3, Evidence: estimate.Annotated}}},
		&estimate.SplitMeasured{}, &estimate.Search{}, &estimate.Sum{Launches: []estimate.SumPart{{Kernel: "k"}}}, &estimate.Figures{},
	}
}

// TestRead reads what analyses with all kinds of details are saved as.
func TestRead(t *testing.T) {
	for _, d := range details() {
		e := estimate.Estimate{Method: "m", Cycles: 7, Evidence: estimate.Annotated, Assumptions: []string{"x"}, Detail: d, Breakdown: []estimate.Share{{Name: "b", Pos: "p", Count: 1, Cycles: 7}}}
		a := estimate.Analysis{
			Provenance: estimate.Provenance{Schema: 1, Tool: estimate.Tool{Name: "warpbound", Version: "v1"}},
			Job:        "j", Kernel: "k", Machine: "m", MachineHash: "mh", ModuleHash: "oh", JobHash: "jh", Launch: estimate.Launch{Grid: [3]int{1, 2, 3}, Block: [3]int{4, 5, 6}},
			SplitMode: "dws", Seed: 8, Runs: 9, Observed: observed(5), Estimates: []estimate.Estimate{e}, Warnings: []estimate.Warning{{Pos: "p", ID: "i", Text: "t"}},
			Launches:    []estimate.LaunchAnalysis{{Kernel: "l", Pos: "lp", Executions: estimate.Executions{Bound: new(int64(3)), Evidence: estimate.Proven, Max: 2}, Estimates: []estimate.Estimate{e}}},
			Interrupted: &estimate.Interruption{Reason: estimate.ByTimeout},
		}
		got, err := read(save(t, a).Text)
		if err != nil {
			t.Fatalf("%T: %v", d, err)
		}
		want := bound{Figured: estimate.Figured{Method: "m", Cycles: 7, Evidence: estimate.Annotated}, Assumptions: e.Assumptions, Breakdown: e.Breakdown}
		if strings.Contains(string(save(t, d).Text), "$L") {
			if len(got.Estimates[0].Detail.Loops) != 1 {
				t.Fatalf("%T: loops %v", d, got.Estimates[0].Detail.Loops)
			}
			l := got.Estimates[0].Detail.Loops[0]
			if l.name() != "$L" || l.Pos != "k:1:2" || *l.limit() != (estimate.LoopBound{Bound: 3, Evidence: estimate.Annotated}) {
				t.Errorf("%T: loop %+v", d, l)
			}
			want.Detail.Loops = got.Estimates[0].Detail.Loops
		}
		whole := &result{
			Provenance: a.Provenance, Job: a.Job, Kernel: a.Kernel, Machine: a.Machine, MachineHash: a.MachineHash, ModuleHash: a.ModuleHash, JobHash: a.JobHash,
			Launch: a.Launch, SplitMode: a.SplitMode, Seed: a.Seed, Runs: a.Runs, Observed: a.Observed, Estimates: []bound{want}, Warnings: a.Warnings,
			Launches:    []launch{{Kernel: "l", LaunchFigures: estimate.LaunchFigures{Pos: "lp", Executions: a.Launches[0].Executions}, Estimates: []bound{want}}},
			Interrupted: a.Interrupted,
		}
		if diff := gocmp.Diff(whole, got, gocmp.AllowUnexported(result{}, bound{}, launch{}, loop{})); diff != "" {
			t.Errorf("%T: (-want +got)\n%s", d, diff)
		}
	}
}

func TestReadOthers(t *testing.T) {
	sim, err := read(save(t, estimate.Simulation{Kernel: "k", Cycles: 42, Counters: map[string]int64{"x": 1}, Launches: []estimate.LaunchTime{{Kernel: "k"}}}).Text)
	if err != nil || sim.Runs != 1 || *sim.Observed != (estimate.Observation{Min: 42, Mean: 42, Max: 42}) || sim.Launches != nil {
		t.Errorf("sim: %+v, %v", sim, err)
	}
	split, err := read(save(t, estimate.Splitting{Kernel: "k", Mode: "dws", Modes: []estimate.SplitMode{
		{Mode: "none", Estimate: figured("split/none", 9, estimate.Proven), Observed: observed(8)}, {Mode: "dws", Estimate: figured("split/dws", 7, estimate.Proven), Observed: observed(6)},
	}}).Text)
	if err != nil || split.Observed.Max != 6 || len(split.Estimates) != 2 || answer(split).Method != "split/dws" {
		t.Errorf("split: %+v, %v", split, err)
	}
	const good = `{"kernel": "k", "machine": "m", "estimates": `
	if _, err := read([]byte(good + `[]}`)); err != nil {
		t.Errorf("without a schema: %v", err)
	}
	for text, want := range map[string]string{
		"":                                 "no result in JSON",
		"kernel bfs on":                    "save it with --format json",
		"[]":                               "no result in JSON",
		"null":                             "no result of analyze",
		`{"schema": 1, "tool": {}}`:        "no result of analyze, search, sim or split",
		`{"schema": 99, "estimates": []}`:  "the result has schema 99; this build reads 1 to 1",
		`{"schema": -1, "estimates": []}`:  "the result has schema -1; this build reads 1 to 1",
		`{"schema": "x", "estimates": []}`: `the result has schema "x"`,
		good + `[]} trailing`:              "no result in JSON",
		good + `7}`:                        "the result is damaged",
		good + `[{}]}`:                     `the estimate of "" has 0 cycles and evidence ""`,
		good + `[{"method": "m", "cycles": -1, "evidence": "proven"}]}`:                                                    `the estimate of "m" has -1 cycles`,
		good + `[{"method": "m", "cycles": 1, "evidence": "sure"}]}`:                                                       `evidence "sure"`,
		good + `[{"method": "m", "cycles": 1, "evidence": "proven"}, {"method": "m", "cycles": 1, "evidence": "proven"}]}`: "it has m twice",
		good + `[], "launches": [{"kernel": "l", "estimates": [{"method": "m", "cycles": 1, "evidence": ""}]}]}`:           `evidence ""`,
		good + `[], "observed": {"min": 1, "max": -5}}`:                                                                    "its runs took from 1 to -5 cycles",
		good + `[{"method": "m", "cycles": 1.5, "evidence": "proven"}]}`:                                                   "the result is damaged",
	} {
		r := File{"r.json", []byte(good + "[]}")}
		for _, files := range [][2]File{{{"x.json", []byte(text)}, r}, {r, {"x.json", []byte(text)}}} {
			if _, err := Files(files[0], files[1], threshold(t, "0")); err == nil || !strings.HasPrefix(err.Error(), "x.json: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", text, err, want)
			}
		}
	}
}

func TestPlaces(t *testing.T) {
	share := func(name, pos string, cycles int64) estimate.Share {
		return estimate.Share{Name: name, Pos: pos, Cycles: cycles}
	}
	got := blocks(
		[]estimate.Share{share("$L1", "k:1", 10), share("$L2", "k:2", 20), share("$L3", "k:3", 30), share("start", "", 5), share("gone", "k:9", 4)},
		[]estimate.Share{share("$L1", "k:1", 10), share("$L3", "k:2", 27), share("start", "", 6), share("$L4", "k:3", 29), share("new", "k:7", 3), share("$L2", "k:5", 1)})
	var lines []string
	for _, b := range got {
		lines = append(lines, fmt.Sprint(b.Name, " ", b.Pos, " ", b.Growth))
	}
	want := []string{"$L3 k:2 7", "new k:7 3", "$L2 k:5 1", "start  1", "$L4 k:3 -1", "gone k:9 -4"}
	if diff := gocmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	moved := blocks([]estimate.Share{share("$L1", "k:1", 1)}, []estimate.Share{share("$L1", "k:2", 3)})
	if len(moved) != 1 || *moved[0].A != 1 || *moved[0].B != 3 {
		t.Errorf("a block that moved: %+v", moved)
	}
}

// anyResult draws a result of few methods, blocks, loops and warnings, so that two of them have much in common.
func anyResult(t *rapid.T, label string) estimate.Analysis {
	few := func(label string) int64 { return rapid.Int64Range(0, 120).Draw(t, label) }
	evidence := rapid.SampledFrom([]estimate.Evidence{estimate.Observed, estimate.Annotated, estimate.Proven})
	name := rapid.SampledFrom([]string{"x", "y", "z"})
	a := estimate.Analysis{Kernel: "k", Machine: name.Draw(t, label+" machine"), Seed: few(label + " seed"), Runs: int(few(label + " runs"))}
	if rapid.Bool().Draw(t, label+" ran") {
		a.Observed = observed(few(label + " observed"))
	}
	for _, method := range []string{"hybrid/warp", "hybrid/waves", "static/cta"} {
		if !rapid.Bool().Draw(t, label+" "+method) {
			continue
		}
		e := estimate.Estimate{Method: method, Cycles: few("cycles"), Evidence: evidence.Draw(t, "evidence"), Assumptions: rapid.SliceOfN(name, 0, 3).Draw(t, "assumptions")}
		var loops []estimate.CTALoop
		for range rapid.IntRange(0, 3).Draw(t, "blocks") {
			e.Breakdown = append(e.Breakdown, estimate.Share{Name: name.Draw(t, "name"), Pos: name.Draw(t, "pos"), Cycles: few("share")})
			loops = append(loops, estimate.CTALoop{Name: name.Draw(t, "loop"), Pos: name.Draw(t, "at"), Iterations: int(few("iterations")), Evidence: evidence.Draw(t, "of")})
		}
		e.Detail = &estimate.CTA{Loops: loops}
		a.Estimates = append(a.Estimates, e)
	}
	for range rapid.IntRange(0, 3).Draw(t, "warnings") {
		a.Warnings = append(a.Warnings, estimate.Warning{Pos: name.Draw(t, "pos"), ID: name.Draw(t, "id"), Text: "text"})
	}
	a.Estimates = append([]estimate.Estimate{}, a.Estimates...)
	return a
}

// TestSame finds nothing between a result and itself, whatever the threshold.
func TestSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := save(t, anyResult(t, "a"))
		c, err := Files(f, f, threshold(t, "0"))
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Regressions)+len(c.Differences)+len(c.Notes)+len(c.NewWarnings)+len(c.GoneWarnings) > 0 {
			t.Errorf("%+v", c)
		}
		for _, e := range c.Estimates {
			if *e.Percent != 0 || len(e.Blocks)+len(e.Loops)+len(e.NewAssumptions)+len(e.GoneAssumptions) > 0 {
				t.Errorf("%+v", e)
			}
		}
	})
}

// TestSwapped compares both ways: what is new one way is gone the other, blocks that grew shrink, and the sums of both
// sides stay what they are. What grew one way is no regression of the other.
func TestSwapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := save(t, anyResult(t, "a")), save(t, anyResult(t, "b"))
		there, err := Files(a, b, threshold(t, "0"))
		if err != nil {
			t.Fatal(err)
		}
		back, err := Files(b, a, threshold(t, "0"))
		if err != nil {
			t.Fatal(err)
		}
		if len(there.NewWarnings) != len(back.GoneWarnings) || len(there.GoneWarnings) != len(back.NewWarnings) || len(there.Differences) != len(back.Differences) {
			t.Errorf("there %+v, back %+v", there, back)
		}
		worse := func(c *estimate.Comparison, what, kind string) bool {
			for _, r := range c.Regressions {
				if r.What == what && r.Kind == kind {
					return true
				}
			}
			return false
		}
		for _, e := range there.Estimates {
			for _, f := range back.Estimates {
				if e.Method != f.Method {
					continue
				}
				if !gocmp.Equal(e.A, f.B) || !gocmp.Equal(e.B, f.A) || len(e.NewAssumptions) != len(f.GoneAssumptions) {
					t.Errorf("there %+v, back %+v", e, f)
				}
				sum := func(list []estimate.ComparedShare) (n int64) {
					for _, s := range list {
						n += s.Growth
					}
					return n
				}
				if sum(e.Blocks) != -sum(f.Blocks) {
					t.Errorf("there %+v, back %+v", e.Blocks, f.Blocks)
				}
			}
			for _, kind := range []string{estimate.RegressionCycles, estimate.RegressionEvidence, estimate.RegressionMissing} {
				if worse(there, e.Method, kind) && worse(back, e.Method, kind) {
					t.Errorf("%s is a regression (%s) both ways", e.Method, kind)
				}
			}
			if e.A != nil && e.B != nil && e.A.Cycles != e.B.Cycles && worse(there, e.Method, "cycles") == worse(back, e.Method, "cycles") {
				t.Errorf("%+v grew neither way", e)
			}
		}
	})
}
