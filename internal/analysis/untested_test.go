package analysis

import (
	"fmt"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/platform"
	"warpbound/internal/test/jobtest"
)

// triedJob runs 64 threads on as many numbers.
const triedJob = `module = "match.ptx"
grid = [2]
block = [64]
seed = 3
[[param]]
name = "in"
type = "u32"
count = 128
init = "uniform(0, 1000000)"
[[param]]
name = "out"
type = "u32"
count = 4096
init = "iota"
`

const triedHead = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .pred %p<9>;
	.reg .b32 %r<19>;
	.reg .b64 %d<19>;
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 64, %r1;
	mul.wide.u32 %d3, %r3, 4;
	add.u64 %d4, %d1, %d3;
	add.u64 %d5, %d2, %d3;
	ld.global.u32 %r4, [%d4];
`

// rare is a path that takes long, taken if %p1 holds.
const rare = `	@!%p1 bra DONE;
	mov.u32 %r9, 0;
L:
	ld.global.u32 %r10, [%d5];
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p2, %r9, 32;
	@%p2 bra L;
DONE:
	st.global.u32 [%d5], %r9;
	ret;
}
`

// decisions is so many branches that inputs decide, with an access behind each.
func decisions(n int) string {
	body := ""
	for i := range n {
		body += fmt.Sprintf("	setp.lt.u32 %%p%d, %%r4, %d;\n	@%%p%[1]d bra L%[1]d;\n	st.global.u32 [%%d5], %%r4;\nL%[1]d:\n", i+1, 900000*(i+1)/n)
	}
	return body + "	ret;\n}\n"
}

func tried(t *testing.T, body string, req Request) (*platform.Job, *Answer) {
	t.Helper()
	j := jobtest.Text(t, triedJob, triedHead+body)
	req.Methods = []string{"hybrid/phases"}
	a, err := Analyze(t.Context(), j.Platform, j.Workload, req)
	if err != nil {
		t.Fatal(err)
	}
	return j, a
}

// TestUntested: what inputs reach and no run has exercised is named with its place, and the
// estimate decides nothing then.
func TestUntested(t *testing.T) {
	for _, c := range []struct {
		name, body string
		vectors    int
		status     estimate.PredictionStatus
		because    string
	}{
		{"no input matters", "	st.global.u32 [%d5], %r4;\n	ret;\n}\n", 40, estimate.NotRefuted, ""},
		{"a maximum", "	setp.ge.u32 %p1, %r4, 999999;\n" + rare, 40, estimate.NotRefuted, ""},
		{"a constant", "	setp.eq.u32 %p1, %r4, 4711;\n" + rare, 60, estimate.NotRefuted, ""},
		{"a constant of something that is computed", "	mul.lo.u32 %r5, %r4, 3;\n	setp.eq.u32 %p1, %r5, 30030;\n" + rare, 40, estimate.Untested,
			"match.ptx:20:2: inputs decide a branch that was never taken to match.ptx:21:2"},
		{"too few runs", "	setp.eq.u32 %p1, %r4, 4711;\n" + rare, 12, estimate.Untested, "too few, of 10 and 20 in all"},
		{"iterations", `	and.b32 %r5, %r4, 63;
	mov.u32 %r9, 0;
L:
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p2, %r9, %r5;
	@%p2 bra L;
	st.global.u32 [%d5], %r9;
	ret;
}
`, 12, estimate.Untested, "too few"},
		{"an address", `	and.b32 %r5, %r4, 255;
	mul.wide.u32 %d6, %r5, 4;
	add.u64 %d7, %d1, %d6;
	and.b64 %d7, %d7, -4;
	ld.global.u32 %r6, [%d4];
	and.b32 %r6, %r6, 127;
	mul.wide.u32 %d8, %r6, 4;
	add.u64 %d9, %d1, %d8;
	ld.global.u32 %r7, [%d9];
	and.b32 %r7, %r7, 1023;
	mul.wide.u32 %d10, %r7, 4;
	add.u64 %d11, %d2, %d10;
	ld.global.u32 %r8, [%d11];
	st.global.u32 [%d5], %r8;
	ret;
}
`, 40, estimate.Untested, "an address depends on what lies where inputs decide"},
		{"many decisions", decisions(4), 60, estimate.Untested, "match.ptx:19:2: inputs decide 4 branches one after the other"},
		{"few decisions", decisions(3), 60, estimate.NotRefuted, ""},
		{"a guard", "	setp.eq.u32 %p1, %r4, 4711;\n	@%p1 st.global.u32 [%d5], %r4;\n	ret;\n}\n", 40, estimate.Untested, "inputs decide whether an access is made"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, a := tried(t, c.body, Request{Adversarial: true, Campaign: campaign.Spec{Vectors: c.vectors}})
			e := &a.Estimates[0]
			p := e.Prediction
			if p.Status != c.status || !strings.Contains(strings.Join(p.Because, "\n"), c.because) || e.Relied() != (c.status == estimate.NotRefuted) {
				t.Errorf("%+v, %d cycles, longest run %+v, want %s: %s", p, e.Cycles, a.Longest, c.status, c.because)
			}
			if e.Cycles < a.Observed.Max {
				t.Errorf("the estimate is %d, and a run takes %d", e.Cycles, a.Observed.Max)
			}
		})
	}
}

// TestAdversarial: a third of the runs is of adversarial inputs, each of which can be made again
// and takes as long then; the number of runs is that asked for; and none are made if none are
// wanted.
func TestAdversarial(t *testing.T) {
	body := "	setp.eq.u32 %p1, %r4, 4711;\n" + rare
	times := map[estimate.RunSet]int{}
	j, a := tried(t, body, Request{Adversarial: true, Campaign: campaign.Spec{Vectors: 60, Taken: func(r estimate.RunTime) { times[r.Set]++ }}})
	if a.Runs != 60 || len(a.Adversarial) != 20 || times[estimate.Training] != 40 || times[estimate.Adversarial] != 20 {
		t.Errorf("%d runs, %d adversarial, times %v", a.Runs, len(a.Adversarial), times)
	}
	if a.Longest.Adversarial == "" || a.Longest.Cycles != a.Observed.Max {
		t.Errorf("the longest run is %+v", a.Longest)
	}
	for _, r := range a.Adversarial {
		run, err := Simulate(t.Context(), j.Platform, j.Workload, SimulateRequest{Name: r.Name})
		if err != nil || run.Cycles != r.Cycles || run.Adversarial != r.Name || r.Fault != "" {
			t.Errorf("%+v: %d cycles, %v", r, run.Cycles, err)
		}
	}
	p := a.Estimates[0].Prediction
	if c := p.Confirmed; p.Random != 40 || p.Adversarial != 20 || c == nil || c.Runs != 13 || c.Exceeded != 0 || fmt.Sprintf("%.4f", c.Chance) != "0.2058" {
		t.Errorf("%+v, confirmed %+v", p, p.Confirmed)
	}
	_, plain := tried(t, body, Request{Campaign: campaign.Spec{Vectors: 60}})
	if plain.Runs != 60 || plain.Adversarial != nil || plain.Estimates[0].Prediction.Confirmed != nil || plain.Observed.Max >= a.Observed.Max {
		t.Errorf("%d runs, adversarial %v, longest %d", plain.Runs, plain.Adversarial, plain.Observed.Max)
	}
	_, stable := tried(t, body, Request{Adversarial: true, Campaign: campaign.Spec{Vectors: 60, UntilStable: true}})
	if stable.Estimates[0].Prediction.Confirmed != nil {
		t.Error("something is said of further inputs although the number of runs was not fixed")
	}
}

// TestAdversarialFaults: inputs that make a run fail are a warning, and count for nothing else;
// those whose run goes on for long refute the estimate.
func TestAdversarialFaults(t *testing.T) {
	_, a := tried(t, "	setp.eq.u32 %p1, %r4, 1000000;\n	@!%p1 bra DONE;\n	trap;\nDONE:\n	st.global.u32 [%d5], %r4;\n	ret;\n}\n",
		Request{Adversarial: true, Campaign: campaign.Spec{Vectors: 40}})
	warned, failed := 0, 0
	for _, r := range a.Adversarial {
		if r.Fault != "" {
			failed++
		}
	}
	for _, w := range a.Warnings {
		if w.ID == "adversarial-fault" && strings.Contains(w.Text, "sim --adversarial maximum") {
			warned++
		}
	}
	if warned != 1 || a.Runs+failed != 40 || a.Adversarial[0].Name != "maximum" || a.Adversarial[0].Fault == "" || a.Adversarial[0].Cycles != 0 {
		t.Errorf("%d warnings, %d runs, %+v", warned, a.Runs, a.Adversarial[:2])
	}
	_, a = tried(t, "	setp.eq.u32 %p1, %r4, 1000000;\n	mov.u32 %r9, 0;\n	@!%p1 bra DONE;\nL:\n	add.u32 %r9, %r9, 1;\n	setp.lt.u32 %p2, %r9, 1000000;\n	@%p2 bra L;\nDONE:\n	st.global.u32 [%d5], %r4;\n	ret;\n}\n",
		Request{Adversarial: true, Campaign: campaign.Spec{Vectors: 40}})
	p := a.Estimates[0].Prediction
	if a.Stopped == nil || p.Status != estimate.Refuted || !strings.Contains(p.Because[0], "5 runs of adversarial inputs were given up, of maximum after 262144 cycles") {
		t.Errorf("stopped after %v, %+v, %+v", a.Stopped, p, a.Adversarial)
	}
}
