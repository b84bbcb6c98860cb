package changes_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/platform"
	"warpbound/internal/study/changes"
)

const head = `.version 7.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {
	.reg .b64 %x, %y;
	.reg .b32 %r, %i, %n;
	.reg .pred %p;
	ld.param.u64 %x, [x];
	ld.param.u32 %n, [n];
	mov.u32 %r, %tid.x;
	mul.wide.u32 %y, %r, 4;
	add.u64 %y, %x, %y;
	ld.global.u32 %r, [%y];
	mov.u32 %i, 0;
`

// The bodies of kernels whose time depends on the words of a buffer.
const (
	unboundedLoop = head + "LOOP:\n\tadd.u32 %i, %i, 1;\n\tand.b32 %r, %i, 1023;\n\tmul.wide.u32 %y, %r, 4;\n\tadd.u64 %y, %x, %y;\n\tld.global.u32 %r, [%y];\n\tsetp.ne.u32 %p, %r, 0;\n\t@%p bra LOOP;\n\tret;\n}\n"
	branch        = head + "\tsetp.ne.u32 %p, %r, 0;\n\t@%p bra LONG;\n\tret;\nLONG:\n\tst.global.u32 [%y+1024], %i;\n\tst.global.u32 [%y+2048], %i;\n\tst.global.u32 [%y+3072], %i;\n\tret;\n}\n"
	noInputs      = head + "\tst.global.u32 [%y+1024], %i;\n\tret;\n}\n"
)

func load(t *testing.T, kernel, launch string) *platform.Job {
	t.Helper()
	files := fstest.MapFS{"k.ptx": {Data: []byte(kernel)}, "job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"fermi-c2050\"\n" + launch)}}
	j, err := platform.LoadFS(files, "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestFind analyses jobs as their users may change them. Each change that is found gives the bound that it tells.
func TestFind(t *testing.T) {
	const params = "\n[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 1024\ninit = \"uniform(0, 3)\"\n[[param]]\nname = \"n\"\ntype = \"u32\"\n"
	for _, c := range []struct {
		name, kernel, launch string
		want                 []string // beginnings of changes, the best first
	}{
		{"a loop without a bound", unboundedLoop, "grid = [1]\nblock = [32]\nvectors = 3" + params + "value = 1\n", []string{"fixed contents of x", `[loop] "LOOP" = `}},
		{"a branch on inputs", branch, "grid = [1]\nblock = [32]\nvectors = 3" + params + "value = 1\n", []string{"fixed contents of x"}},
		{"two inputs", branch, "grid = [1]\nblock = [32]\nvectors = 3" + params + "range = [1, 2]\n", []string{"fixed contents of x", "fixed x, n"}},
		{"many CTAs", branch, "grid = [70, 10]\nblock = [32]\nvectors = 1" + params + "value = 1\n", []string{"launches of one wave, such as grid = [70, 1, 1]", "fixed contents of x"}},
		{"no inputs", noInputs, "grid = [1]\nblock = [32]\nvectors = 3\n[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 1024\n[[param]]\nname = \"n\"\ntype = \"u32\"\nvalue = 1\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := load(t, c.kernel, c.launch)
			a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{})
			if err != nil {
				t.Fatal(err)
			}
			found, err := changes.Find(t.Context(), j.Workload, a.Analysis, j.WithChange)
			if err != nil || len(found) != len(c.want) {
				t.Fatalf("%+v, %v; want %q", found, err, c.want)
			}
			before := a.Strong(estimate.Annotated)
			for i, f := range found {
				if !strings.HasPrefix(f.Change, c.want[i]) || f.Cycles <= 0 || before != nil && f.Cycles >= before.Cycles || i > 0 && f.Cycles < found[i-1].Cycles {
					t.Errorf("change %d is %+v, want %s", i, f, c.want[i])
				}
				loop := strings.HasPrefix(f.Change, "[loop]")
				if f.ChangesContract == loop || (f.Evidence == estimate.Annotated) != loop {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// TestFindEnds has what was found when ctx ends, and the error.
func TestFindEnds(t *testing.T) {
	j := load(t, branch, "grid = [1]\nblock = [32]\n[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 1024\ninit = \"uniform(0, 3)\"\n[[param]]\nname = \"n\"\ntype = \"u32\"\nvalue = 1\n")
	a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Campaign: campaign.Spec{Vectors: 1}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := changes.Find(ctx, j.Workload, a.Analysis, j.WithChange); found == nil || len(found) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestFindAsksTheSameMethods does not take what another method gains for what a change does.
func TestFindAsksTheSameMethods(t *testing.T) {
	j := load(t, noInputs, "grid = [1]\nblock = [32]\nvectors = 1\n[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 1024\n[[param]]\nname = \"n\"\ntype = \"u32\"\nrange = [1, 2]\n")
	a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{"static/greedy"}})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := changes.Find(t.Context(), j.Workload, a.Analysis, j.WithChange); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
