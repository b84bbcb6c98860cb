package report

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"warpbound/estimate"
)

// checked has a job of each verdict.
func checked() *estimate.Check {
	budget := &estimate.TimeBudget{Text: "1µs", Cycles: 1000, ClockHz: 1e9}
	bound := func(cycles int64) *estimate.Estimate {
		return &estimate.Estimate{Method: "static/cta", Cycles: cycles, Evidence: estimate.Proven, Breakdown: []estimate.Share{
			{Name: "$L2", Pos: "src dir/k.cu:12:5", Count: 3, Cycles: 750}, {Name: "entry", Pos: "k.ptx:4:1", Count: 1, Cycles: 250},
		}}
	}
	return &estimate.Check{
		Provenance: estimate.Provenance{Schema: 1, Tool: estimate.Tool{Name: "warpbound", Version: "v1.2.3"}},
		Verdict:    estimate.Over, Within: 1, Over: 2, Unknown: 1, Failed: 1,
		Jobs: []estimate.CheckedJob{
			{Job: "a.toml", Kernel: "a", Pos: "a.ptx:3:1", Verdict: estimate.Within, Budget: budget, Bound: bound(1000), Margin: new(int64(0))},
			{Job: "jobs/b.toml", Kernel: "b<int>", Pos: "/home/me/b.ptx:3:1", Verdict: estimate.Over, Budget: budget, Bound: bound(1001), Margin: new(int64(-1))},
			{Job: "c.toml", Kernel: "c", Pos: "c.ptx", Verdict: estimate.Over, Budget: budget, Bound: bound(900), Margin: new(int64(100)), Observed: &estimate.Observation{Max: 1234}},
			{Job: "d.toml", Kernel: "d", Pos: "d.ptx:3:1", Verdict: estimate.Unknown, Budget: budget, Reasons: []estimate.Remark{{Text: "nothing counts"}, {Pos: "d.ptx:9:2", Text: "no bound of LOOP"}}},
			{Job: "e.toml", Pos: "e.toml:2:7", Verdict: estimate.Failed, Reasons: []estimate.Remark{{Pos: "e.toml:2:7", Text: "e.toml:2:7: \x1b \"key\" & <more>"}}},
		},
	}
}

func TestCheckedLines(t *testing.T) {
	var lines []string
	c := checked()
	for i := range c.Jobs {
		lines = append(lines, Checked(&c.Jobs[i], c.Jobs[i].Kernel))
	}
	want := []string{
		"a: static/cta of 1µs (1000 cycles, evidence: proven) is within the budget of 1µs",
		"b<int>: static/cta of 1.001µs (1001 cycles, evidence: proven) is over the budget of 1µs",
		"c: a run of 1.234µs (1234 cycles) is over the budget of 1µs",
		"unknown: nothing counts\n  no bound of LOOP",
		"e.toml:2:7: \x1b \"key\" & <more>",
	}
	if diff := gocmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	void := c.Jobs[2] // only the run that voided its bound is known, which a reason tells
	void.Observed, void.Reasons = nil, []estimate.Remark{{Text: "a run takes 1,234 cycles"}}
	if got, want := Checked(&void, "c"), "c: a run is over the budget of 1µs\n  a run takes 1,234 cycles"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := CheckSummary(c); got != "5 jobs: 2 over, 1 unknown, 1 failed, 1 within" {
		t.Error(got)
	}
}

// TestSARIF holds the report against the schema of SARIF 2.1.0, and what viewers need of it.
func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := SARIF(&out, checked()); err != nil {
		t.Fatal(err)
	}
	report, err := sarif.FromBytes(out.Bytes(), sarif.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Validate(); err != nil {
		t.Error(err)
	}
	if report.Version != "2.1.0" || len(report.Runs) != 1 {
		t.Fatalf("version %s with %d runs", report.Version, len(report.Runs))
	}
	run := report.Runs[0]
	if d := run.Tool.Driver; *d.Name != "warpbound" || *d.Version != "v1.2.3" || len(d.Rules) != 3 {
		t.Errorf("driver %s %s with %d rules", *d.Name, *d.Version, len(d.Rules))
	}
	place := func(l *sarif.Location) string {
		region := l.PhysicalLocation.Region
		text := *l.PhysicalLocation.ArtifactLocation.URI + " " + strings.Repeat("|", *region.StartLine)
		if l.Message != nil {
			text += " " + *l.Message.Text
		}
		return text
	}
	var got []string
	for _, r := range run.Results {
		if *r.RuleID != *run.Tool.Driver.Rules[r.RuleIndex].ID || len(r.Locations) != 1 {
			t.Errorf("%s: rule %d, %d locations", *r.RuleID, r.RuleIndex, len(r.Locations))
		}
		got = append(got, *r.RuleID+" "+r.Level+" "+*r.Message.Text, "  "+place(r.Locations[0]))
		for i, l := range r.RelatedLocations {
			got = append(got, "  "+place(l))
			if l.ID != i+1 {
				t.Errorf("related location %d has the number %d", i, l.ID)
			}
		}
	}
	want := []string{
		"over-budget error b<int>: static/cta of 1.001µs (1001 cycles, evidence: proven) is over the budget of 1µs (jobs/b.toml)",
		"  file:///home/me/b.ptx |||",
		"  src%20dir/k.cu |||||||||||| $L2 carries 74.9 % of static/cta.",
		"over-budget error c: a run of 1.234µs (1234 cycles) is over the budget of 1µs (c.toml)",
		"  c.ptx |",
		"  src%20dir/k.cu |||||||||||| $L2 carries 83.3 % of static/cta.",
		"unknown-bound warning unknown: nothing counts\n  no bound of LOOP (d.toml)",
		"  d.ptx |||",
		"  d.ptx ||||||||| no bound of LOOP",
		"failed-job error e.toml:2:7: \x1b \"key\" & <more> (e.toml)",
		"  e.toml ||",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFileURI(t *testing.T) {
	for file, want := range map[string]string{
		"k.ptx": "k.ptx", "./a/../k.ptx": "k.ptx", "../k.ptx": "../k.ptx", `a\b.ptx`: "a/b.ptx", "/a b/k.ptx": "file:///a%20b/k.ptx",
		"a:b.ptx": "./a:b.ptx", "100%.ptx": "100%25.ptx",
	} {
		if got := fileURI(file); got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
	}
}

func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := JUnit(&out, checked(), []time.Duration{time.Second, 250 * time.Millisecond, 0, time.Microsecond, 0}); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(out.Bytes(), new(junitSuites)); err != nil {
		t.Error(err)
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="warpbound check" tests="5" failures="2" errors="2" skipped="0" time="1.250">
    <testcase name="a.toml" classname="warpbound.check" time="1.000">
      <system-out>a: static/cta of 1µs (1000 cycles, evidence: proven) is within the budget of 1µs</system-out>
    </testcase>
    <testcase name="jobs/b.toml" classname="warpbound.check" time="0.250">
      <failure message="b&lt;int&gt;: static/cta of 1.001µs (1001 cycles, evidence: proven) is over the budget of 1µs" type="over">b&lt;int&gt;: static/cta of 1.001µs (1001 cycles, evidence: proven) is over the budget of 1µs</failure>
    </testcase>
    <testcase name="c.toml" classname="warpbound.check" time="0.000">
      <failure message="c: a run of 1.234µs (1234 cycles) is over the budget of 1µs" type="over">c: a run of 1.234µs (1234 cycles) is over the budget of 1µs</failure>
    </testcase>
    <testcase name="d.toml" classname="warpbound.check" time="0.000">
      <error message="unknown: nothing counts" type="unknown">unknown: nothing counts&#xA;  no bound of LOOP</error>
    </testcase>
    <testcase name="e.toml" classname="warpbound.check" time="0.000">
      <error message="e.toml:2:7: ` + "\uFFFD" + ` &#34;key&#34; &amp; &lt;more&gt;" type="failed">e.toml:2:7: ` + "\uFFFD" + ` &#34;key&#34; &amp; &lt;more&gt;</error>
    </testcase>
  </testsuite>
</testsuites>
`
	if diff := gocmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
