package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/phases"
	"warpbound/internal/platform"
	"warpbound/internal/report"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// toy is a method that no other package knows: it bounds a launch by its instructions, one after the other.
type toy struct{}

func (toy) Names() []method.Name {
	return []method.Name{{ID: "toy/serial", Explain: "all instructions of all threads, one after the other"}}
}

func (toy) Applies(m *machine.Machine) error {
	if m.Core != machine.Scoreboard {
		return &diag.UnsupportedError{Methods: []string{"toy/serial"}, Err: fmt.Errorf("%s is no toy", m.Name)}
	}
	return nil
}

func (toy) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	instrs := int64(len(p.Graph.Kernel.Instrs))
	return &method.Answer{
		Estimates: []estimate.Estimate{{
			Method: "toy/serial", Cycles: 1_000_000 * instrs, Evidence: estimate.Proven, Assumptions: []string{"a million cycles are enough"},
			Detail: &estimate.Figures{Figures: []estimate.Figure{
				{Name: "instructions", Value: instrs}, {Name: "resident_ctas", Value: int64(p.Resident)}, {Name: "instruction_time", Value: 1_000_000, Unit: "cycles"},
			}},
			Breakdown: []estimate.Share{{Name: "all of it", Pos: p.Graph.Kernel.Instrs[0].Pos.String(), Count: instrs, Cycles: 1_000_000 * instrs}},
		}},
		Warnings: []diag.Warning{{Pos: p.Graph.Kernel.Instrs[0].Pos, ID: "toy", Text: "this is a toy"}},
	}, ctx.Err()
}

// TestOneLineAddsAMethod adds a method to the list of those there are: analyses ask it, and reports
// render what it says, of which neither knows.
func TestOneLineAddsAMethod(t *testing.T) {
	all := append(Methods(), Method{Method: toy{}})
	j, err := platform.LoadFS(kernels.Suite(), "bfs/job.toml", "fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	if ids := all.IDs(); ids[len(ids)-1] != "toy/serial" || all.Find("toy/serial") == nil || Methods().Find("toy/serial") != nil {
		t.Errorf("methods %v", ids)
	}
	if !all.Supports(j.Workload, "toy/serial") || Methods().Supports(j.Workload, "toy/serial") {
		t.Error("only the longer list supports it")
	}
	for _, asked := range [][]string{nil, {"toy/serial"}} {
		a, err := all.Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: asked, Campaign: campaign.Spec{Vectors: 1}})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, e := range a.Estimates {
			ids = append(ids, e.Method)
		}
		want := []string{"hybrid/phases", "hybrid/warp", "hybrid/dynamic", "hybrid/waves", "hybrid/list", "hybrid/placements", "static/greedy", "toy/serial"}
		if asked != nil {
			want = asked
		}
		if !slices.Equal(ids, want) || (a.Runs == 0) != (asked != nil) {
			t.Errorf("%v in %d runs, want %v", ids, a.Runs, want)
		}
		if !slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "toy" }) {
			t.Errorf("warnings %+v", a.Warnings)
		}
		checkToy(t, a.Analysis)
	}

	barrel, err := platform.LoadFS(kernels.Suite(), "bfs/job.toml", "predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	_, err = all.Analyze(t.Context(), barrel.Platform, barrel.Workload, Request{Methods: []string{"toy/serial"}})
	if _, ok := errors.AsType[*diag.UnsupportedError](err); !ok || all.Supports(barrel.Workload, "toy/serial") {
		t.Errorf("on other cores: %v", err)
	}
}

// checkToy renders an analysis in all formats, of which the last estimate is the toy's.
func checkToy(t *testing.T, a *estimate.Analysis) {
	t.Helper()
	e := &a.Estimates[len(a.Estimates)-1]
	var text, page, object bytes.Buffer
	if err := errors.Join(report.Details(&text, a, nil, 1e9), report.HTML(&page, a, nil, 1e9), report.JSON(&object, a)); err != nil {
		t.Fatal(err)
	}
	for _, format := range []struct{ name, text string }{{"text", text.String()}, {"HTML", page.String()}, {"JSON", object.String()}} {
		for _, want := range []string{"toy/serial", "a million cycles are enough", "all of it"} {
			if want == "all of it" && format.name != "JSON" && a.Tightest() != e {
				continue // pages break the tightest estimate down
			}
			if !strings.Contains(format.text, want) {
				t.Errorf("%s lacks %q:\n%s", format.name, want, format.text)
			}
		}
		if figures := strings.Contains(format.text, "instruction_time 1,000,000 cycles"); figures != (format.name != "JSON") {
			t.Errorf("%s shows the figures of the method: %v", format.name, figures)
		}
		if explained := strings.Contains(format.text, "one after the other"); explained != (format.name != "JSON") {
			t.Errorf("%s explains the estimate: %v", format.name, explained)
		}
	}
	var read struct {
		Estimates []struct {
			Detail struct{ Figures []estimate.Figure }
		}
	}
	if err := json.Unmarshal(object.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	figures := read.Estimates[len(read.Estimates)-1].Detail.Figures
	if !slices.Equal(figures, e.Detail.(*estimate.Figures).Figures) || len(figures) != 3 {
		t.Errorf("%+v", figures)
	}
}

// TestVariant asks a method about another workload than the one that is analysed.
func TestVariant(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "bfs/job.toml", "fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	other, err := platform.LoadFS(kernels.Suite(), "vectorAdd/job.toml", "fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("there is no variant")
	for _, want := range []error{nil, broken} {
		all := List{{Method: toy{}, Variant: func(w *workload.Workload) (*workload.Workload, error) {
			if w.Spec != j.Workload.Spec {
				t.Errorf("the variant of %s", w.Name())
			}
			return other.Workload, want
		}}}
		a, err := all.Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"toy/serial"}})
		if !errors.Is(err, want) {
			t.Fatalf("%v, want %v", err, want)
		}
		if n := int64(len(other.First().Graph.Kernel.Instrs)); want == nil && a.Estimates[0].Cycles != 1_000_000*n {
			t.Errorf("%d cycles of %d instructions", a.Estimates[0].Cycles, n)
		}
	}
}

// liar bounds every launch by so many cycles.
type liar struct {
	toy
	evidence estimate.Evidence
	cycles   int64
}

func (l liar) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	answer, err := l.toy.Bound(ctx, p)
	answer.Estimates[0].Cycles, answer.Estimates[0].Evidence = l.cycles, l.evidence
	return answer, err
}

// TestRunsExceedBounds finds bounds that a run exceeds: those that rest on annotations, and those
// that are proven. Without runs nobody can tell, unless the request wants one; one that is stopped
// above a bound tells, too.
func TestRunsExceedBounds(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "bfs/job.toml", "fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	one := campaign.Spec{Vectors: 1}
	runs, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Campaign: one})
	if err != nil {
		t.Fatal(err)
	}
	longest := runs.Observed.Max
	alone := []string{"toy/serial"}
	for _, c := range []struct {
		evidence estimate.Evidence
		cycles   int64
		req      Request
		run      int64 // that voids the bound; 0 for none
	}{
		{estimate.Annotated, longest - 1, Request{}, longest},
		{estimate.Annotated, longest, Request{}, 0},
		{estimate.Annotated, 1, Request{Methods: alone}, 0},
		{estimate.Annotated, longest - 1, Request{Methods: alone, Try: 1 << 40}, longest},
		{estimate.Proven, longest - 1, Request{}, longest},
		{estimate.Proven, longest, Request{}, 0},
		{estimate.Proven, 1, Request{Methods: alone}, 0},
		{estimate.Proven, longest - 1, Request{Methods: alone, Try: 1 << 40}, longest},
		{estimate.Proven, longest, Request{Methods: alone, Try: 1 << 40}, 0},
		{estimate.Proven, longest - 1, Request{Methods: alone, Holdout: 1}, longest},
		{estimate.Proven, 99, Request{Methods: alone, Try: 1 << 40, MaxCycles: 100}, 100},
		{estimate.Proven, 200, Request{Methods: alone, Try: 1 << 40, MaxCycles: 100}, 0},
	} {
		c.req.Campaign = one
		a, err := List{{Method: liar{evidence: c.evidence, cycles: c.cycles}}}.Analyze(t.Context(), j.Platform, j.Workload, c.req)
		var void *diag.VoidBoundError
		var contradiction *diag.ContradictionError
		if errors.As(err, &void) != (c.run > 0 && c.evidence == estimate.Proven) || errors.As(err, &contradiction) != (c.run > 0 && c.evidence == estimate.Annotated) || a == nil {
			t.Errorf("%s of %d, %+v: %v", c.evidence, c.cycles, c.req, err)
			continue
		}
		if c.run == 0 {
			if a.Void != nil || a.Answer == nil || err != nil {
				t.Errorf("%s of %d, %+v: void %v, answer %v, %v", c.evidence, c.cycles, c.req, a.Void, a.Answer, err)
			}
			continue
		}
		if len(a.Void) != 1 || a.Void[0].Method != "toy/serial" || a.Void[0].Cycles != c.cycles || a.Void[0].Run < c.run || a.Answer != nil && a.Answer.Method == "toy/serial" {
			t.Errorf("%s of %d, %+v: void %+v, answer %v, want a run of %d", c.evidence, c.cycles, c.req, a.Void, a.Answer, c.run)
		}
	}
}

// TestRunsThatDecide makes no run that cannot change the verdict on a budget: one, which may void the bound, and others only if the
// bound is above the budget and no run is.
func TestRunsThatDecide(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "bfs/job.toml", "fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	const vectors = 4
	all, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Campaign: campaign.Spec{Vectors: vectors}})
	if err != nil {
		t.Fatal(err)
	}
	first, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Campaign: campaign.Spec{Vectors: 1}})
	if err != nil {
		t.Fatal(err)
	}
	shortest, longest := first.Observed.Max, all.Observed.Max
	if shortest >= longest {
		t.Fatalf("the first run takes %d of at most %d cycles", shortest, longest)
	}
	bound := 2 * longest
	for _, c := range []struct {
		name              string
		evidence          estimate.Evidence
		budget, max       int64
		runs              int
		observed, stopped int64 // 0 for none
	}{
		{"proven within", estimate.Proven, bound, 0, 1, shortest, 0},
		{"annotated within", estimate.Annotated, bound, 0, vectors, longest, 0},
		{"proven above", estimate.Proven, bound - 1, 0, vectors, longest, 0},
		{"the first run above", estimate.Proven, shortest - 1, 0, 1, shortest, 0},
		{"a later run above", estimate.Proven, shortest, 0, vectors, longest, 0},
		{"given up", estimate.Proven, bound - 1, 100, 0, 0, 100},
		{"few cycles for all", estimate.Proven, bound - 1, 2*longest + 1, 1 + int((2*longest+1)/shortest), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := List{{Method: liar{evidence: c.evidence, cycles: bound}}, {Method: phases.Method{}}}.Analyze(t.Context(), j.Platform, j.Workload,
				Request{Try: c.budget, MaxCycles: c.max, Campaign: campaign.Spec{Vectors: vectors}})
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Estimates) != 1 || a.Runs != min(c.runs, vectors) || (a.Stopped != nil) != (c.stopped > 0) || a.Stopped != nil && *a.Stopped < c.stopped {
				t.Errorf("%d estimates, %d runs, stopped %v", len(a.Estimates), a.Runs, a.Stopped)
			}
			if (a.Observed == nil) != (c.runs == 0) || c.observed > 0 && a.Observed.Max != c.observed {
				t.Errorf("observed %+v, want %d", a.Observed, c.observed)
			}
			untried := slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "bounds-untried" })
			if untried != (c.stopped > 0) {
				t.Errorf("warnings %+v", a.Warnings)
			}
		})
	}
}
