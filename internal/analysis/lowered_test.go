package analysis_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/budget"
	"warpbound/internal/campaign"
	"warpbound/internal/method"
	"warpbound/internal/method/cta"
	"warpbound/internal/platform"
	"warpbound/internal/report"
	"warpbound/internal/study/check"
	"warpbound/internal/study/compare"
	"warpbound/internal/test/effort"
	"warpbound/kernels"
)

// lowered is a static method whose bounds are too low by so many cycles.
type lowered struct {
	method.Static
	by int64
}

func (l lowered) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	answer, err := l.Static.Bound(ctx, p)
	lower(answer, l.by)
	return answer, err
}

// concluding is the same of a method that concludes from a run.
type concluding struct {
	method.Followed
	by int64
}

func (c concluding) Conclude(r *method.Run) (*method.Answer, error) {
	answer, err := c.Followed.Conclude(r)
	lower(answer, c.by)
	return answer, err
}

func lower(answer *method.Answer, by int64) {
	if answer == nil {
		return
	}
	for i := range answer.Estimates {
		answer.Estimates[i].Cycles -= by
		answer.Estimates[i].ByLine = nil // which would not add up
	}
}

// TestWrongCharges: a bound that charges lines more than it is is an internal error.
func TestWrongCharges(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "bitonicSort/job.toml", "predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	list := analysis.Methods()
	for i := range list {
		if m, ok := list[i].Method.(method.Static); ok {
			list[i].Method = charging{m}
		}
	}
	_, err = list.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{cta.ID}, Campaign: campaign.Spec{Vectors: 1}})
	if err == nil || !strings.Contains(err.Error(), "internal error: static/cta: lines and the remainder are charged ") {
		t.Errorf("error %v", err)
	}
}

// charging is a static method that charges lines one cycle too many.
type charging struct{ method.Static }

func (c charging) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	answer, err := c.Static.Bound(ctx, p)
	if answer != nil {
		answer.Estimates[0].Cycles--
	}
	return answer, err
}

// loweredMethods are all methods, the bounds of static ones lower by so many cycles.
func loweredMethods(by int64) analysis.List {
	list := analysis.Methods()
	for i := range list {
		switch m := list[i].Method.(type) {
		case method.Static:
			list[i].Method = lowered{m, by}
		case method.Followed:
			list[i].Method = concluding{m, by}
		}
	}
	return list
}

// TestLoweredBoundsAreVoid lowers static bounds of drawn kernels until they are one cycle below the
// longest run: analyses, checks with the runs and with the one that they make themselves, and
// comparisons of saved results must all say so.
func TestLoweredBoundsAreVoid(t *testing.T) {
	type pair struct{ kernel, machine string }
	var pairs []pair
	for _, kernel := range []string{
		"vectorAdd", "gaussianFactor", "gaussianUpdate", "petriSmall", "ludDiagonal", "blendImages", "bitonicSort",
		"sradUpdate", "ludInternal", "cfdAdvance",
	} {
		for _, machine := range []string{"predictable-rr", "fermi-c2050", "integrated-fermi", "h100"} {
			pairs = append(pairs, pair{kernel, machine})
		}
	}
	rng := rand.New(rand.NewPCG(47, 20))
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	exact, err := compare.ParseThreshold("0")
	if err != nil {
		t.Fatal(err)
	}
	caught := 0
	for _, p := range effort.Some(t, pairs[:20], 6) {
		j, err := platform.LoadFS(kernels.Suite(), p.kernel+"/job.toml", p.machine)
		if err != nil {
			t.Fatal(err)
		}
		one := analysis.Request{Campaign: campaign.Spec{Vectors: 1}}
		right, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, one)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		for i := range right.Estimates {
			e := &right.Estimates[i]
			if _, other := right.OtherMode(e); e.Evidence != estimate.Proven || !e.Bounds() || other {
				continue
			}
			wrong := loweredMethods(e.Cycles - right.Observed.Max + 1)
			for _, req := range []analysis.Request{
				{Campaign: one.Campaign, Methods: []string{e.Method}, Observe: true},
				{Campaign: one.Campaign, Methods: []string{e.Method}, Try: 1 << 40},
			} {
				a, err := wrong.Analyze(t.Context(), j.Platform, j.Workload, req)
				if !errors.As(err, new(*diag.VoidBoundError)) || a == nil || a.VoidProof() == nil || a.Answer != nil {
					t.Errorf("%+v, %s, %+v: %v", p, e.Method, req, err)
					continue
				}
				generous := check.Limits{Budget: budget.OfCycles(1 << 40), Hz: 1e9, Requires: estimate.Proven}
				if c := check.Job(a.Analysis, diag.Pos{}, generous); !c.Failed || c.Bound != nil {
					t.Errorf("%+v, %s: the check says %+v", p, e.Method, c.Verdict)
				}
			}
			unseen, err := wrong.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{e.Method}})
			if err != nil {
				t.Fatal(err)
			}
			var files [2]compare.File
			for i, a := range []*estimate.Analysis{right.Analysis, unseen.Analysis} {
				var text bytes.Buffer
				if err := report.JSON(&text, a); err != nil {
					t.Fatal(err)
				}
				files[i] = compare.File{Name: []string{"a", "b"}[i], Text: text.Bytes()}
			}
			c, err := compare.Files(files[0], files[1], exact)
			if err != nil || len(c.Void) != 1 || c.Void[0].Method != e.Method {
				t.Errorf("%+v, %s: the comparison says %v, %v", p, e.Method, c.Void, err)
			}
			caught++
		}
	}
	t.Logf("%d lowered bounds", caught)
	if caught == 0 {
		t.Error("no bound was lowered")
	}
}
