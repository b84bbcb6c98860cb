package check

import (
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/certify"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/premise"
	"warpbound/internal/stream"
)

// TestAssumptions holds the assumptions of claims against those that method, job and machine give.
func TestAssumptions(t *testing.T) {
	static := []string{premise.Timing, premise.Alone, premise.NoHost, premise.Aligned, premise.Terminates}
	integrated := []string{premise.Timing, premise.AloneOfCPU, premise.NoHost, premise.Aligned, premise.Terminates}
	run := []string{premise.Timing, premise.Alone, premise.NoHost, premise.RunAddresses, premise.Zeros}
	and := func(list []string, more ...string) []string { return slices.Concat(list, more) }
	fixed := func(buffer string) string { return premise.Contents(buffer, premise.Unwritten) }
	read := func(buffer string) string { return premise.Contents(buffer, premise.ReadOnly) }
	const z3 = "z3 4.8"
	for _, c := range []struct {
		method   string
		machine  string
		evidence estimate.Evidence
		list     []string
		trusted  int // assumptions
		want     string
	}{
		{"static/cta", "", estimate.Proven, static, 0, ""},
		{"static/cta", "", estimate.Proven, static[:4], 0, "does not begin with the assumptions of static/cta"},
		{"static/cta", "", estimate.Proven, static[1:], 0, "does not begin with"},
		{"static/cta", "", estimate.Proven, and(static[1:], static[0]), 0, "does not begin with"},
		{"static/cta", "", estimate.Proven, integrated, 0, "does not begin with"},
		{"static/llc-interval", "", estimate.Proven, integrated, 0, ""},
		{"static/llc-simple", "", estimate.Proven, static, 0, "does not begin with"},
		{"static/cta", "", estimate.Proven, and(static, premise.Timing), 0, "stands there twice"},
		{"static/cta", "", estimate.Proven, and(static, "it is fast"), 0, `nothing in the job is a ground for the assumption "it is fast"`},
		{"static/cta", "", estimate.Proven, and(static, fixed("table")), 1, ""},
		{"static/cta", "", estimate.Proven, and(static, fixed("table"), fixed("table")), 0, "stands there twice"},
		{"static/cta", "", estimate.Proven, and(static, fixed("in")), 0, "nothing in the job is a ground"},
		{"static/cta", "", estimate.Proven, and(static, fixed("n")), 0, "nothing in the job is a ground"},
		{"static/cta", "", estimate.Proven, and(static, fixed("other")), 0, "nothing in the job is a ground"},
		{"static/cta", "", estimate.Annotated, and(static, read("list")), 1, ""},
		{"static/cta", "", estimate.Proven, and(static, read("list")), 0, "is called proven, and by its assumptions it is annotated"},
		{"static/cta", "", estimate.Annotated, and(static, read("table")), 0, "nothing in the job is a ground"},
		{"static/cta", "", estimate.Annotated, static, 0, "is called annotated, and by its assumptions it is proven"},
		{"static/cta", "", estimate.Observed, static, 0, "is called observed"},
		{"static/cta", "", estimate.Annotated, and(static, premise.Loop("L", 4)), 1, ""},
		{"static/cta", "", estimate.Annotated, and(static, premise.Loop("L+3", 4), premise.Loop("entry", 4)), 2, ""},
		{"static/cta", "", estimate.Annotated, and(static, premise.Loop("M", 4)), 0, "nothing in the job is a ground"},
		{"static/cta", "", estimate.Proven, and(static, premise.Solved(z3, "L", 65, "%y is halved")), 1, ""},
		{"static/cta", "", estimate.Proven, and(static, premise.Solved(z3, "M", 65, "%y is halved")), 0, "nothing in the job is a ground"},
		{"static/greedy", "", estimate.Proven, and(static, premise.LaunchAddresses), 0, ""},
		{"static/greedy", "", estimate.Proven, static, 0, "it lacks the assumption"},
		{"static/cta", "", estimate.Proven, and(static, premise.LaunchAddresses), 0, "nothing in the job is a ground"},
		{"split/dws", "", estimate.Proven, and(static, premise.RaceFree, premise.Races+"none"), 1, ""},
		{"split/pws", "", estimate.Annotated, and(static, fixed("table"), premise.RaceFree, premise.Loop("L", 1)), 2, ""},
		{"split/pws", "", estimate.Proven, and(static, premise.Races+"none"), 0, "it lacks the assumption"},
		{"split/none", "", estimate.Proven, static, 0, ""},
		{"split/none", "", estimate.Proven, and(static, premise.Races+"none"), 0, "nothing in the job is a ground"},
		{"static/oblivious", "fermi-c2050", estimate.Proven, and(run, premise.Cold), 0, ""},
		{"static/oblivious", "fermi-c2050", estimate.Proven, and(run, premise.WarmCopies), 0, "does not begin with"},
		{"static/oblivious", "h100", estimate.Proven, and(run, premise.WarmCopies), 0, ""},
		{"static/oblivious", "fermi-c2050", estimate.Proven, and(run, premise.Cold, premise.Seed), 0, "nothing in the job is a ground"},
		{"static/oblivious", "any", estimate.Proven, and(run, premise.Cold, premise.Seed), 0, ""},
		{"static/oblivious", "any", estimate.Proven, and(run, premise.Cold), 0, "does not begin with"},
		{"static/oblivious", "integrated-fermi", estimate.Proven, and(run, premise.Cold, premise.CPU), 0, ""},
		{"static/oblivious", "integrated-fermi", estimate.Proven, and(run, premise.Cold), 0, "does not begin with"},
		{"hybrid/waves", "", estimate.Observed, []string{"whatever"}, 0, ""},
	} {
		m := &machine.Machine{}
		if c.machine == "any" {
			m.SM.Policy.Value = machine.AnyWarp
		} else if c.machine != "" {
			var err error
			if m, err = machine.Builtin(c.machine); err != nil {
				t.Fatal(err)
			}
		}
		values := job.Content{Kind: job.Fixed}
		s := &Subject{
			Kernel: &isa.Kernel{Labels: []isa.Label{{Name: "L"}}}, Machine: m,
			Bound: &job.Bound{Job: &job.Job{CPU: job.CPU{Stream: &stream.Stream{}}, Params: []job.Param{
				{Name: "in", Kind: job.Buffer, Content: job.Content{Kind: job.Uniform}},
				{Name: "table", Kind: job.Buffer, Content: values},
				{Name: "list", Kind: job.Buffer, Content: values, Access: job.ReadOnly},
				{Name: "n", Kind: job.Scalar, Content: values},
				{Name: "other", Kind: job.Buffer, Content: job.Content{Kind: job.Unset}},
			}}},
		}
		claim := certify.Claim{Method: c.method, Evidence: c.evidence, Assumptions: c.list}
		k := &checking{Certificate: &certify.Certificate{Claim: claim}, verdict: &Verdict{}}
		err := k.assumptions(s)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s under %q, %s: %v, and not %q", c.method, c.list, c.evidence, err, c.want)
		case err == nil && len(k.verdict.Trusted) != c.trusted:
			t.Errorf("%s under %q: %v is trusted", c.method, c.list, k.verdict.Trusted)
		}
	}
}
