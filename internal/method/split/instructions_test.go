package split_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/internal/machine"
)

// TestInstructions runs sequences of one instruction on a machine whose addresses take 16
// passes: no bound is below the run.
func TestInstructions(t *testing.T) {
	m, err := machine.Builtin("gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	slow := *m
	slow.Split.Address.Value = 16 * m.Split.Pass.Value
	for _, instr := range []string{
		"add.u32 %r2, %r1, 1;", "div.u32 %r2, %r1, 7;", "bar.sync 0;", "membar.gl;",
		"ld.global.u32 %r2, [%rd1];", "st.global.u32 [%rd1], %r1;", "red.global.add.u32 [%rd1], 1;",
		"atom.global.add.u32 %r2, [%rd1], 1;", "ld.shared.u32 %r2, [sh];", "ld.param.u32 %r2, [k_param_0];",
		"prefetch.global.L1 [%rd1];", "@%p1 ld.global.u32 %r2, [%rd1];", "@%p1 st.global.u32 [%rd1], %r1;",
	} {
		t.Run(instr, func(t *testing.T) {
			j, err := warpbound.LoadFS(fstest.MapFS{
				"job.toml": {Data: []byte(`module = "k.ptx"
kernel = "k"
machine = "slow.toml"
grid = [8, 1, 1]
block = [1024, 1, 1]
[[param]]
name = "p"
type = "u32"
count = 1024
init = "zeros"
`)},
				"k.ptx": {Data: fmt.Appendf(nil, `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.reg .pred %%p<2>; .reg .b32 %%r<3>; .reg .b64 %%rd<2>;
	.shared .align 4 .b8 sh[4];
	ld.param.u64 %%rd1, [k_param_0];
	mov.u32 %%r1, %%tid.x;
	st.shared.u32 [sh], 0;
	setp.gt.u32 %%p1, %%r1, 2000;
	%s
	ret;
}
`, strings.Repeat(instr+"\n\t", 20))},
				"slow.toml": {Data: slow.Format()},
			}, "job.toml", warpbound.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range j.Modes() {
				j, err := j.Split(warpbound.SplitOptions{Mode: mode})
				if err != nil {
					t.Fatal(err)
				}
				a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}, Runs: warpbound.Runs{Observe: true, Vectors: 1}})
				if err != nil {
					t.Fatal(err)
				}
				if e := a.Estimates[0]; e.Cycles < a.Observed.Max {
					t.Errorf("%s: bound %d, simulated %d", mode, e.Cycles, a.Observed.Max)
				}
			}
		})
	}
}
