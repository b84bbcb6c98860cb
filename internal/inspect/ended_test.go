package inspect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/test/flowtest"
)

const twoKernels = `.version 7.0
.target sm_70
.address_size 64
.visible .entry first(.param .u64 p)
{
	.reg .pred %c;
	.reg .b32 %i;
	.reg .b64 %p;
	ld.param.u64 %p, [p];
	mov.u32 %i, %tid.x;
L:	sub.u32 %i, %i, 1;
	setp.gt.s32 %c, %i, 0;
	@%c bra L;
	st.global.u32 [%p], %i;
	ret;
}
.visible .entry second() { ret; }
`

// lowered is the program of a module.
func lowered(t *testing.T, text string) *isa.Program {
	t.Helper()
	parsed, err := ptx.Parse("k.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	program, err := ptx.Lower(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// TestEnded ends the context before an analysis begins, and while one is made that never ends: the flow graph of each
// kernel is there, and a warning says what was not analysed.
func TestEnded(t *testing.T) {
	program := lowered(t, twoKernels)
	look := func(ctx context.Context, divergent func(*cfg.Graph) ([]graph.Edge, error)) *estimate.Module {
		t.Helper()
		m, err := Inspect(ctx, program, "", divergent, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		if len(m.Kernels) != 2 || len(m.Kernels[0].Blocks) != 3 || len(m.Kernels[0].Loops) != 1 || len(m.Kernels[0].Branches) != 1 || len(m.Kernels[1].Blocks) != 1 {
			t.Errorf("kernels %+v", m.Kernels)
		}
		return m
	}
	said := func(m *estimate.Module, kernel, missing string) {
		t.Helper()
		n := 0
		for _, w := range m.Warnings {
			if w.ID == "not-analysed" && strings.Contains(w.Text, "kernel "+kernel) && strings.HasSuffix(w.Text, "not known: "+missing) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("warnings %+v, want one that %s is not known of %s", m.Warnings, missing, kernel)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(*cfg.Graph) ([]graph.Edge, error) { panic("an analysis begins behind the end") }
	m := look(ctx, never)
	for _, kernel := range []string{"first", "second"} {
		said(m, kernel, "branches, edges added by divergence, bounds of loops, accesses, data races")
	}
	if v := m.Kernels[0].Branches[0].Verdict; v != unknown {
		t.Errorf("the verdict on a branch is %s", v)
	}

	ctx, cancel = context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	m = look(ctx, func(*cfg.Graph) ([]graph.Edge, error) {
		cancel()
		<-release
		return nil, nil
	})
	if n := len(m.Warnings); n == 0 || !strings.Contains(m.Warnings[n-1].Text, "edges added by divergence, bounds of loops") {
		t.Errorf("warnings %+v", m.Warnings)
	}
}

// TestNotEnded analyses the same kernels to the end.
func TestNotEnded(t *testing.T) {
	program := lowered(t, twoKernels)
	m, err := Inspect(t.Context(), program, "", func(*cfg.Graph) ([]graph.Edge, error) { return nil, nil }, nil)
	if err != nil || len(m.Warnings) > 0 || m.Kernels[0].Races == nil || m.Kernels[0].Branches[0].Verdict == unknown {
		t.Errorf("%+v, %v", m, err)
	}
}

// slow are kernels that are slow to analyse if they are large: a loop around branches and a barrier,
// and loops in a row, both with an array in local memory.
func slow(n int) map[string]string {
	each := func(format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i+1)))
		}
		return b.String()
	}
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 q) {\n" +
		".local .align 4 .b8 array[64]; .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %a, %b, %c;\n" +
		"mov.u32 %r0, %tid.x; ld.param.u64 %b, [q]; mad.wide.u32 %a, %r0, 4, %b; mov.u32 %r2, 0;\n" +
		"mov.u64 %c, array; and.b32 %r1, %r0, 7; mad.wide.u32 %c, %r1, 4, %c; st.local.u32 [%c], %r0;\n"
	return map[string]string{
		"a loop around branches": head + "LOOP: bar.sync 0;\n" +
			each("ld.global.u32 %r1, [%a]; setp.lt.u32 %p, %r1, #; @%p bra L#; st.global.u32 [%a], %r1; L#:\n") +
			"add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 9; @%p bra LOOP; ret; }\n",
		"loops in a row": head +
			each("mov.u32 %r1, 1; L#: shr.u32 %r2, %r2, 1; add.u32 %r1, %r1, %r1; st.global.u32 [%a], %r1; "+
				"setp.lt.u32 %p, %r1, 70; @%p bra L#;\n") + "ret; }\n",
	}
}

// TestEndedAnywhere ends the context at each of the times at which it is asked whether it has ended.
// All that is not said to be missing is what it is without an end, and analyses stop at once.
func TestEndedAnywhere(t *testing.T) {
	known := launchfacts.Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{64, 1, 1}}
	for name, text := range slow(2) {
		for _, launches := range []map[string]launchfacts.Launch{nil, {"k": known}} {
			program := lowered(t, text)
			edges := func(*cfg.Graph) ([]graph.Edge, error) { return []graph.Edge{{}}, nil }
			look := func(ctx context.Context) *estimate.Kernel {
				m, err := Inspect(ctx, program, "", edges, launches)
				if (err != nil) != (m.Kernels[0].NotAnalysed != nil) || err != nil && !errors.Is(err, context.Canceled) {
					t.Fatalf("%s: %v is missing, and the error is %v", name, m.Kernels[0].NotAnalysed, err)
				}
				return &m.Kernels[0]
			}
			complete := flowtest.EndAfter(math.MaxInt64)
			want := look(complete)
			ends := make(map[string]bool)
			for n := range complete.Asked() {
				ctx := flowtest.EndAfter(n)
				got := look(ctx)
				if late := ctx.Asked() - n; late > 20 {
					t.Errorf("%s: an end after %d times was asked for %d times more", name, n, late)
				}
				ends[fmt.Sprint(got.NotAnalysed)] = true
				sameBut(t, fmt.Sprintf("%s, ended after %d", name, n), got, want)
			}
			all := []estimate.Inspected{
				estimate.InspectedBranches, estimate.InspectedEdges, estimate.InspectedLoops,
				estimate.InspectedAccesses, estimate.InspectedRaces,
			}
			for _, from := range []int{0, 2, 3, 4} {
				if !ends[fmt.Sprint(all[from:])] {
					t.Errorf("%s: at no end is missing %v; is %v", name, all[from:], ends)
				}
			}
		}
	}
}

// sameBut compares what is known of a kernel but for what is said to be missing.
func sameBut(t *testing.T, what string, got, want *estimate.Kernel) {
	t.Helper()
	lacks := func(part estimate.Inspected) bool { return slices.Contains(got.NotAnalysed, part) }
	for _, c := range []struct {
		part      estimate.Inspected
		got, want any
	}{
		{"", got.Blocks, want.Blocks},
		{estimate.InspectedBranches, got.Branches, want.Branches},
		{estimate.InspectedEdges, got.Added, want.Added},
		{estimate.InspectedLoops, got.Loops, want.Loops},
		{estimate.InspectedAccesses, got.Accesses, want.Accesses},
		{estimate.InspectedRaces, got.Races, want.Races},
	} {
		if same := reflect.DeepEqual(c.got, c.want); !lacks(c.part) && !same {
			t.Errorf("%s: %s are %+v, want %+v", what, c.part, c.got, c.want)
		} else if lacks(c.part) && same {
			t.Errorf("%s: %s are said to be missing", what, c.part)
		}
	}
	if len(got.Loops) != len(want.Loops) || len(got.Branches) != len(want.Branches) {
		t.Errorf("%s: loops %+v and branches %+v, want %+v and %+v", what, got.Loops, got.Branches, want.Loops, want.Branches)
	}
}
