package estimate

import (
	"encoding/json"
	"testing"

	"warpbound/diag"
)

func TestWeakest(t *testing.T) {
	for _, c := range []struct {
		in   []Evidence
		want Evidence
	}{
		{nil, Proven},
		{[]Evidence{Proven, Proven}, Proven},
		{[]Evidence{Proven, Annotated}, Annotated},
		{[]Evidence{Annotated, Observed, Proven}, Observed},
		{[]Evidence{Proven, "hearsay"}, Observed},
	} {
		if got := Weakest(c.in...); got != c.want {
			t.Errorf("Weakest(%v) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestAnalysisJSONNames(t *testing.T) {
	a := Analysis{
		Provenance: Provenance{Schema: 1, Tool: Tool{Name: "t", Version: "v", Commit: "c"}},
		Job:        "j", Kernel: "k", Machine: "m", MachineHash: "h", ModuleHash: "mh", JobHash: "jh",
		Launch: Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}}, Seed: 1, Runs: 3,
		Observed:  &Observation{Min: 1, Mean: 1.5, Max: 2},
		Estimates: []Estimate{{Method: "hybrid/warp", Cycles: 9, Evidence: Observed, Assumptions: []string{"a"}, Detail: &SplitMeasured{}}},
		Warnings: Warnings([]diag.Warning{
			{Pos: diag.Pos{File: "f", Line: 9}, ID: "b", Text: "later"},
			{Pos: diag.Pos{File: "f", Line: 2, Col: 1}, ID: "a", Text: "first"},
		}),
	}
	got, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"tool":{"name":"t","version":"v","commit":"c"},"job":"j","kernel":"k",` +
		`"machine":"m","machine_hash":"h","module_hash":"mh","job_hash":"jh",` +
		`"launch":{"grid":[2,1,1],"block":[32,1,1]},"seed":1,"runs":3,` +
		`"observed":{"min":1,"mean":1.5,"max":2},` +
		`"verdict":null,"answer":null,"estimates":[{"method":"hybrid/warp","cycles":9,"evidence":"observed","assumptions":["a"],"detail":{"wavefront":0,"delay":0,"rounds":0,"blocks":null,"published":0}}],"refused":null,` +
		`"warnings":[{"pos":"f:2:1","id":"a","text":"first"},{"pos":"f:9","id":"b","text":"later"}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTightest(t *testing.T) {
	of := func(estimates ...Estimate) string {
		if e := (&Analysis{Estimates: estimates}).Tightest(); e != nil {
			return e.Method
		}
		return "none"
	}
	warp := Estimate{Method: "hybrid/warp", Cycles: 1, Evidence: Observed}
	dynamic := Estimate{Method: "hybrid/dynamic", Cycles: 5, Evidence: Observed}
	waves := Estimate{Method: "hybrid/waves", Cycles: 4, Evidence: Observed}
	found := Estimate{Method: SearchMethod, Cycles: 1, Evidence: Observed}
	static := Estimate{Method: "static/cta", Cycles: 9, Evidence: Proven}
	for _, c := range []struct {
		in   []Estimate
		want string
	}{
		{nil, "none"},
		{[]Estimate{warp}, "none"},
		{[]Estimate{warp, dynamic, waves}, "hybrid/waves"},
		{[]Estimate{waves, static, dynamic}, "static/cta"},
		{[]Estimate{found}, "none"},
		{[]Estimate{found, waves}, "hybrid/waves"},
	} {
		if got := of(c.in...); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
