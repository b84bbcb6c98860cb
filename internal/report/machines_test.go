package report

import (
	"bytes"
	"strings"
	"testing"

	"warpbound/estimate"
)

// TestMachines lays out the same answer for a wide and for a narrow terminal.
func TestMachines(t *testing.T) {
	m := &estimate.Machines{
		File: "k.ptx", Target: "sm_87", Kernels: []string{"k"},
		Machines: []estimate.Suiting{
			{
				Machine: "orin", Architecture: "sm_87", Runs: true, Reasons: []string{"what the module targets"},
				Methods: []estimate.OfferedMethod{{Method: "hybrid/waves", Evidence: estimate.Observed}},
			},
			{
				Machine: "predictable", Architecture: "none", Runs: true, Reasons: []string{"like no GPU"},
				Methods: []estimate.OfferedMethod{{Method: "hybrid/waves", Evidence: estimate.Observed}, {Method: "static/cta", Evidence: estimate.Proven}},
			},
			{Machine: "small", Reasons: []string{"a CTA of [64 1 1] threads has more than the 16 that small allows"}},
		},
	}
	for columns, want := range map[int]string{
		80: `k.ptx targets sm_87. Machines for kernel k, best first:

  machine      describes  bounds    why
  orin         sm_87      observed  what the module targets; observed:
                                    hybrid/waves
  predictable  no GPU     proven    like no GPU; proven: static/cta; observed:
                                    hybrid/waves
  small        unsaid     none      does not run it: a CTA of [64 1 1] threads
                                    has more than the 16 that small allows

  proven at best: loops need bounds, from the launch or in the job
`,
		40: `k.ptx targets sm_87. Machines for kernel
k, best first:

  orin (sm_87): observed
    what the module targets; observed:
    hybrid/waves
  predictable (no GPU): proven
    like no GPU; proven: static/cta;
    observed: hybrid/waves
  small (unsaid): none
    does not run it: a CTA of [64 1 1]
    threads has more than the 16 that
    small allows

  proven at best: loops need bounds,
  from the launch or in the job
`,
	} {
		var b bytes.Buffer
		if err := Machines(&b, m, columns); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%d columns:\n%s", columns, &b)
		}
		for line := range strings.Lines(b.String()) {
			if len(line) > columns+1 {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
	}
}
