package inspect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
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

// lowered is the program of both kernels.
func lowered(t *testing.T) *isa.Program {
	t.Helper()
	parsed, err := ptx.Parse("k.ptx", []byte(twoKernels))
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
	program := lowered(t)
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
	program := lowered(t)
	m, err := Inspect(t.Context(), program, "", func(*cfg.Graph) ([]graph.Edge, error) { return nil, nil }, nil)
	if err != nil || len(m.Warnings) > 0 || m.Kernels[0].Races == nil || m.Kernels[0].Branches[0].Verdict == unknown {
		t.Errorf("%+v, %v", m, err)
	}
}
