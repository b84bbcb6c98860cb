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
		Met:        1, Missed: 1, NotShown: 2, Failed: 1,
		Jobs: []estimate.CheckedJob{
			{Job: "a.toml", Kernel: "a", Machine: "m", Pos: "a.ptx:3:1", Budget: budget, Bound: bound(990), Verdict: verdict(estimate.Met, bound(990), nil, "")},
			{Job: "jobs/b.toml", Kernel: "b<int>", Machine: "m", Pos: "/home/me/b.ptx:3:1", Budget: budget, Bound: bound(1001), Verdict: verdict(estimate.NotShown, bound(1001), new(int64(9)), "it lies between"), Reasons: []estimate.Remark{{Text: "it lies between"}}},
			{Job: "c.toml", Kernel: "c", Machine: "m", Pos: "c.ptx", Budget: budget, Bound: bound(900), Verdict: verdict(estimate.Missed, bound(900), new(int64(1234)), "a run takes longer"), Reasons: []estimate.Remark{{Text: "a run exceeds a bound"}}},
			{Job: "d.toml", Kernel: "d", Machine: "m", Pos: "d.ptx:3:1", Budget: budget, Verdict: verdict(estimate.NotShown, nil, nil, "nothing counts"), Reasons: []estimate.Remark{{Text: "nothing counts"}, {Pos: "d.ptx:9:2", Text: "no bound of LOOP"}}},
			{Job: "e.toml", Pos: "e.toml:2:7", Failed: true, Verdict: &estimate.Verdict{Status: estimate.NotShown}, Reasons: []estimate.Remark{{Pos: "e.toml:2:7", Text: "e.toml:2:7: \x1b \"key\" & <more>"}}},
		},
	}
}

// verdict is one on a budget of 1000 cycles, which is stated as a time.
func verdict(status estimate.Status, bound *estimate.Estimate, run *int64, because string) *estimate.Verdict {
	v := &estimate.Verdict{Status: status, Budget: 1000, BudgetText: "1µs", Longest: run, Because: because}
	if bound != nil {
		v.Bound, v.Method, v.Evidence, v.Margin = new(bound.Cycles), bound.Method, bound.Evidence, new(1000-bound.Cycles)
	}
	return v
}

func TestCheckedLines(t *testing.T) {
	var lines []string
	c := checked()
	for i := range c.Jobs {
		lines = append(lines, Checked(&c.Jobs[i], c.Jobs[i].Kernel))
	}
	want := []string{
		"MET  a on m: at most 0.99 of 1.00 us, margin 1 % (990 cycles of static/cta, proven)",
		"NOT SHOWN  b<int> on m: it lies between (at most 1.01 of 1.00 us, proven)",
		"MISSED  c on m: a run takes 1.24 of 1.00 us\n  a run exceeds a bound",
		"NOT SHOWN  d on m: nothing counts\n  no bound of LOOP",
		"e.toml:2:7: \x1b \"key\" & <more>",
	}
	if diff := gocmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := CheckSummary(c); got != "5 jobs: 1 missed, 1 failed, 2 not shown, 1 met" {
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
	if d := run.Tool.Driver; *d.Name != "warpbound" || *d.Version != "v1.2.3" || len(d.Rules) != 4 {
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
		got = append(got, *r.RuleID+" "+r.Kind+" "+r.Level+" "+*r.Message.Text, "  "+place(r.Locations[0]))
		for i, l := range r.RelatedLocations {
			got = append(got, "  "+place(l))
			if l.ID != i+1 {
				t.Errorf("related location %d has the number %d", i, l.ID)
			}
		}
	}
	want := []string{
		"met-deadline pass none MET  a on m: at most 0.99 of 1.00 us, margin 1 % (990 cycles of static/cta, proven) (a.toml)",
		"  a.ptx |||",
		"  src%20dir/k.cu |||||||||||| $L2 carries 75.8 % of static/cta.",
		"not-shown open none NOT SHOWN  b<int> on m: it lies between (at most 1.01 of 1.00 us, proven) (jobs/b.toml)",
		"  file:///home/me/b.ptx |||",
		"  src%20dir/k.cu |||||||||||| $L2 carries 74.9 % of static/cta.",
		"missed-deadline fail error MISSED  c on m: a run takes 1.24 of 1.00 us\n  a run exceeds a bound (c.toml)",
		"  c.ptx |",
		"  src%20dir/k.cu |||||||||||| $L2 carries 83.3 % of static/cta.",
		"not-shown open none NOT SHOWN  d on m: nothing counts\n  no bound of LOOP (d.toml)",
		"  d.ptx |||",
		"  d.ptx ||||||||| no bound of LOOP",
		"failed-job fail error e.toml:2:7: \x1b \"key\" & <more> (e.toml)",
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
  <testsuite name="warpbound check" tests="5" failures="3" errors="1" skipped="0" time="1.250">
    <testcase name="a.toml" classname="warpbound.check" time="1.000">
      <system-out>MET  a on m: at most 0.99 of 1.00 us, margin 1 % (990 cycles of static/cta, proven)</system-out>
    </testcase>
    <testcase name="jobs/b.toml" classname="warpbound.check" time="0.250">
      <failure message="NOT SHOWN  b&lt;int&gt; on m: it lies between (at most 1.01 of 1.00 us, proven)" type="not_shown">NOT SHOWN  b&lt;int&gt; on m: it lies between (at most 1.01 of 1.00 us, proven)</failure>
    </testcase>
    <testcase name="c.toml" classname="warpbound.check" time="0.000">
      <failure message="MISSED  c on m: a run takes 1.24 of 1.00 us" type="missed">MISSED  c on m: a run takes 1.24 of 1.00 us&#xA;  a run exceeds a bound</failure>
    </testcase>
    <testcase name="d.toml" classname="warpbound.check" time="0.000">
      <failure message="NOT SHOWN  d on m: nothing counts" type="not_shown">NOT SHOWN  d on m: nothing counts&#xA;  no bound of LOOP</failure>
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
