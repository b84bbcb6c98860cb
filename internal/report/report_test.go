package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warpbound/estimate"
	"warpbound/internal/test/goldentest"
)

func analysis() *estimate.Analysis {
	return &estimate.Analysis{
		Provenance: estimate.Provenance{Schema: 1, Tool: estimate.Tool{Name: "warpbound", Version: "v1.2.3", Commit: "abc+modified"}},
		Job:        "j.toml", Kernel: "k<1>", Machine: "m", MachineHash: "c0ffee", ModuleHash: "feed", JobHash: "beef",
		Launch: estimate.Launch{Grid: [3]int{4, 2, 1}, Block: [3]int{64, 1, 1}}, Seed: 3, Runs: 1200,
		Observed: &estimate.Observation{Min: 900, Mean: 1234.5, Max: 2000},
		Estimates: []estimate.Estimate{
			{Method: "hybrid/warp", Cycles: 1000, Evidence: estimate.Observed, Assumptions: []string{"alone", "PTX"},
				Explain: "longest path of one warp, from dispatch to retirement; not a bound of the kernel",
				Breakdown: []estimate.Share{
					{Name: "entry -> loop", Pos: "k.cl:3:1", Count: 1, Cycles: 400},
					{Name: "loop -> loop", Pos: "k.cl:4:9", Count: 12, Cycles: 600},
				}},
			{Method: "hybrid/dynamic", Cycles: 2500, Evidence: estimate.Observed, Assumptions: []string{"alone", "PTX", "jitter"},
				Explain: "longest path of one warp after the latest observed start of any warp (Eq. 1)"},
			{Method: "static/cta", Cycles: 1234567, Evidence: estimate.Proven, Assumptions: []string{"alone"},
				Explain:   "static, all inputs: issue time of each warp, and an upper bound of the time in which all warps stall",
				Partition: &estimate.Partition{Inputs: "n = 64, m in [1, 4]", Parts: 13, Bounded: 25},
				Breakdown: []estimate.Share{
					{Name: "loop", Pos: "k.cl:4:9", Count: 12, Cycles: 1234000},
					{Name: "stalls", Count: 1, Cycles: 567},
				}},
		},
		Answer: &estimate.Answer{Method: "static/cta", Cycles: 1234567, Evidence: estimate.Proven},
		Refused: []estimate.MethodRefusal{
			{Method: "static/llc-simple", Pos: "k.ptx:9:1", Reason: "a loop has <no> bound"},
			{Method: "split/none", Pos: "j.toml:3:1", Reason: "no split cores", Machine: true},
			{Method: "split/dws", Pos: "j.toml:3:1", Reason: "no split cores", Machine: true},
		},
		Warnings: []estimate.Warning{
			{Pos: "k.ptx:7:2", ID: "some-id", Text: "something is odd"},
			{Pos: "k.ptx:9:1", ID: "no-static-bound", Text: "static/llc-simple has no bound: a loop has <no> bound"},
		},
	}
}

// application is an analysis of three launches in a run, of which one did not run.
func application() *estimate.Analysis {
	a := analysis()
	cta := func(cycles int64) []estimate.Estimate {
		return []estimate.Estimate{{Method: "static/cta", Cycles: cycles, Evidence: estimate.Proven}}
	}
	a.Launches = []estimate.LaunchAnalysis{
		{Kernel: "k<1>", Launch: a.Launch, Executions: estimate.Executions{Bound: new(int64(1)), Min: 1, Max: 1}, Observed: &estimate.Observation{Max: 1200}},
		{Kernel: "l", Launch: estimate.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{8, 1, 1}}, Executions: estimate.Executions{Bound: new(int64(9)), Min: 2, Max: 5},
			Observed: &estimate.Observation{Max: 300}, Estimates: cta(400)},
		{Kernel: "l", Launch: a.Launch, Estimates: cta(1000)},
	}
	return a
}

// measured is a GPU of which some things are not known.
func measured() *estimate.Device {
	one := 1
	return &estimate.Device{
		Name: "A GPU", Capability: "8.6", CUDA: "12.4", SMs: 28, ClockKHz: 1777000, WarmUps: 3, Repeats: 1,
		Plain: estimate.DeviceCode{Registers: 18, CTAsPerSM: 6, Events: estimate.Times{Runs: 9, Min: 9000, Mean: 10000.5, Median: 9900, Max: 12000}},
		Recorded: &estimate.DeviceCode{Registers: 32, CTAsPerSM: 4, Events: estimate.Times{Runs: 9, Min: 11000, Mean: 12000.5, Median: 11500, Max: 13000},
			Timer: &estimate.Times{Runs: 9, Min: 8000, Mean: 9000, Median: 9000, Max: 10000}},
		Overhead: &estimate.Overhead{Percent: 20, Records: 40, PerRecord: 50},
		Before:   estimate.Conditions{Driver: "550.54.14", ClockKHz: 1700000, MemoryKHz: 6000000, Celsius: 50, Milliwatts: 90500, Slowed: []string{"power limit"}, Others: &one},
		After:    estimate.Conditions{Unknown: []string{"no answer"}},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	goldentest.Check(t, filepath.Join("testdata", name), string(got))
}

// selfchecked is a report with everything that one can have.
func selfchecked() *estimate.Selfcheck {
	return &estimate.Selfcheck{
		Seed: 3, First: 1000, Next: 3500, Machines: []string{"predictable-rr", "mini-simt"}, Runs: 15000, Invariant: 12,
		Methods: []estimate.MethodCheck{
			{Method: "static/cta", Checked: 2400, Refused: 100, Violations: 1, MeanRatio: 1.25, MinRatio: 0.95, HighRatio: 4.5, WorstRatio: 18, Worst: 1571, Refusal: "the loop has no bound"},
			{Method: "static/none", Refused: 2500, Refusal: "the machine is another"},
		},
		Results: 1,
		Findings: []estimate.Violation{{
			Kernel: 1234, Kind: "bound", Method: "static/cta", Job: "job.toml", Bound: 95, Cycles: 100,
			Text: "static/cta says at most 95 cycles (proven); test vector 0 of job.toml takes 100", Lines: 12, Path: "out/bound-seed3-kernel1234",
		}},
	}
}

// summarised has an analysis for each form of a summary.
func summarised() map[string]*estimate.Analysis {
	judged := func(budget int64, text, pos string, requires estimate.Evidence) *estimate.Analysis {
		a := analysis()
		a.Verdict = a.Judge(budget, requires)
		a.Verdict.BudgetText, a.Verdict.BudgetPos = text, pos
		return a
	}
	long := judged(10, "10 cycles", "", estimate.Proven)
	e := &long.Estimates[len(long.Estimates)-1]
	e.Numbers = &estimate.Numbers{Assumed: 7, Published: 9}
	for i := range 30 {
		text := strings.Repeat("very ", 30) + fmt.Sprint(i)
		e.Assumptions = append(e.Assumptions, text)
		long.Warnings = append(long.Warnings, estimate.Warning{Pos: "k.ptx:7:2", ID: "odd", Text: text})
	}
	shown := judged(3000, "3000 cycles", "j.toml:3:1", estimate.Proven)
	shown.Verdict.Next = []estimate.Change{{Change: `[loop] "L" = 7`, Cycles: 2500, Evidence: estimate.Annotated}, {Change: "fixed contents of x", Cycles: 2900, Evidence: estimate.Proven, ChangesContract: true}}
	observed := analysis()
	observed.Estimates = observed.Estimates[:2]
	observed.Answer = observed.Tightest().Brief()
	none := analysis()
	none.Estimates, none.Answer = nil, nil
	return map[string]*estimate.Analysis{
		"summary.txt": analysis(), "summary-met.txt": judged(2_000_000, "2ms", "j.toml:3:1", estimate.Proven), "summary-not-shown.txt": shown,
		"summary-met-observed.txt": judged(3000, "3µs", "", estimate.Observed), "summary-missed.txt": judged(1999, "1999 cycles", "", estimate.Proven), "summary-long.txt": long, "summary-none.txt": none, "summary-observed.txt": observed,
	}
}

func TestGolden(t *testing.T) {
	var text, html, bare bytes.Buffer
	if err := Details(&text, analysis(), nil, 1e9); err != nil {
		t.Fatal(err)
	}
	golden(t, "analysis.txt", text.Bytes())
	if err := HTML(&html, analysis(), nil, 1e9); err != nil {
		t.Fatal(err)
	}
	golden(t, "analysis.html", html.Bytes())
	for name, a := range summarised() {
		var text bytes.Buffer
		if err := Summary(&text, a, nil, 1e9); err != nil {
			t.Fatal(err)
		}
		golden(t, name, text.Bytes())
		lines := strings.Split(text.String(), "\n")
		if len(lines) > 40 {
			t.Errorf("%s has %d lines", name, len(lines))
		}
		for _, line := range lines[1:] {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
	a := analysis()
	a.Observed, a.Runs, a.Estimates, a.Warnings = nil, 0, nil, nil
	if err := Details(&bare, a, nil, 1e9); err != nil {
		t.Fatal(err)
	}
	golden(t, "bare.txt", bare.Bytes())
	var onDevice, page bytes.Buffer
	a = analysis()
	a.Device = measured()
	if err := Details(&onDevice, a, nil, a.Hz(1)); err != nil {
		t.Fatal(err)
	}
	golden(t, "device.txt", onDevice.Bytes())
	if err := HTML(&page, a, nil, a.Hz(1)); err != nil {
		t.Fatal(err)
	}
	if want := "first start to last exit on one SM, with instrumentation: minimum"; !strings.Contains(page.String(), want) || !strings.Contains(page.String(), "compute capability 8.6") {
		t.Errorf("no device in the page:\n%s", page.String())
	}
	var several bytes.Buffer
	if err := Details(&several, application(), nil, 1e9); err != nil {
		t.Fatal(err)
	}
	golden(t, "launches.txt", several.Bytes())
	page.Reset()
	if err := HTML(&page, application(), nil, 1e9); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kernels k&lt;1&gt;, l; 3 launches in a run", "<tr><td>l</td><td>1 x 1 x 1</td><td>8 x 1 x 1</td><td>2 to 5, at most 9</td><td>300</td><td>-</td><td>-</td><td>400</td></tr>"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %s in the page:\n%s", want, page.String())
		}
	}
	var check bytes.Buffer
	if err := Selfcheck(&check, selfchecked()); err != nil {
		t.Fatal(err)
	}
	golden(t, "selfcheck.txt", check.Bytes())
}

func TestNoOrphanedGoldenFiles(t *testing.T) {
	known := map[string]bool{"analysis.txt": true, "device.txt": true, "analysis.html": true, "bare.txt": true, "selfcheck.txt": true, "launches.txt": true}
	for name := range summarised() {
		known[name] = true
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f.Name()] {
			t.Errorf("no test reads testdata/%s", f.Name())
		}
	}
}

func TestDurationRoundsUp(t *testing.T) {
	for _, c := range []struct {
		cycles int64
		hz     float64
		want   time.Duration
	}{
		{0, 1e9, 0},
		{1, 1e9, 1},
		{1, 1.15e9, 1},
		{3, 2e9, 2},
		{1150, 1.15e9, 1000},
		{1<<63 - 1, 1, 1<<63 - 1},
	} {
		if got := Duration(c.cycles, c.hz); got != c.want {
			t.Errorf("%d cycles at %g Hz: %d ns, want %d", c.cycles, c.hz, got, c.want)
		}
	}
}

func TestGroup(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := group(n); got != want {
			t.Errorf("group(%d) = %q, want %q", n, got, want)
		}
	}
}

// TestStanding has what is proven with and without assumed numbers.
func TestStanding(t *testing.T) {
	assumed := &estimate.Numbers{Measured: 1, Published: 20, Derived: 300, Assumed: 4000}
	for _, c := range []struct {
		evidence estimate.Evidence
		numbers  *estimate.Numbers
		want     string
	}{
		{estimate.Proven, nil, "proven"},
		{estimate.Proven, &estimate.Numbers{Measured: 3}, "proven"},
		{estimate.Proven, assumed, "proven of the model, 4,000 of 4,321 numbers assumed"},
		{estimate.Proven, &estimate.Numbers{Assumed: 1}, "proven of the model, 1 of 1 number assumed"},
		{estimate.Annotated, assumed, "annotated"},
		{estimate.Observed, assumed, "observed"},
	} {
		if got := Standing(c.evidence, c.numbers); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	proven := estimate.Estimate{Method: "split/pws", Cycles: 7, Evidence: estimate.Proven, Numbers: assumed}
	s := &estimate.Search{Below: []estimate.SearchBelow{{Method: "static/cta", Cycles: 7, Evidence: estimate.Proven, Numbers: assumed}}}
	splitting := &estimate.Splitting{Modes: []estimate.SplitMode{{Mode: "pws", Estimate: proven, Observed: &estimate.Observation{Max: 1}}}}
	for name, write := range map[string]func(*printer){
		"search": func(p *printer) { below(p, s, 1e9) },
		"split":  func(p *printer) { splitModes(p, splitting) },
	} {
		var out bytes.Buffer
		write(&printer{w: &out})
		if !strings.Contains(out.String(), "proven of the model, 4,000 of 4,321 numbers assumed") {
			t.Errorf("%s: %s", name, &out)
		}
	}
}

// TestViolations expects text and page to say which bounds are void, before all else, and that
// there is no answer.
func TestViolations(t *testing.T) {
	a := analysis()
	a.Answer = nil
	a.Void = []estimate.VoidBound{{Method: "static/cta", Evidence: estimate.Proven, Cycles: 5, Run: 6, Text: "a run takes 6 cycles"}}
	var short, long, page bytes.Buffer
	if err := errors.Join(Summary(&short, a, nil, 1e9), Details(&long, a, nil, 1e9)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{short.String(), long.String()} {
		if want := "k<1> on m: at least 2.00 us (1,200 runs), nothing bounds it, since a run takes longer than a bound\n\nVIOLATION: a run takes 6 cycles\n\n"; !strings.HasPrefix(text, want) {
			t.Errorf("the text begins with %q, want %q", text[:min(len(want), len(text))], want)
		}
	}
	if err := HTML(&page, a, nil, 1e9); err != nil {
		t.Fatal(err)
	}
	if want := `<div class="verdict void"><strong>Violation</strong> a run takes 6 cycles</div>`; !strings.Contains(page.String(), want) {
		t.Errorf("no %s in the page", want)
	}
}
