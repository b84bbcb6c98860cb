package method_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/method"
)

// TestLoopBound: the least bound that is stated counts, and that of a counter if it is not greater.
func TestLoopBound(t *testing.T) {
	p := &method.Problem{
		Bounds:  []method.LoopBound{{Header: 1, Max: 9}, {Header: 2, Max: 5}, {Header: 1, Max: 7}, {Header: 3, Max: 4}, {Header: 6, Max: 1 << 24}},
		Counted: map[int]int64{2: 5, 3: 6, 4: 8, 5: 1 << 25, 6: 1 << 25},
	}
	for header, want := range map[int]string{
		0: "0 annotated false", 1: "7 annotated true", 2: "5 proven true", 3: "4 annotated true", 4: "8 proven true",
		5: "0 annotated false", 6: "16777216 annotated true",
	} {
		bound, evidence, ok := p.LoopBound(header)
		if got := fmt.Sprint(bound, " ", evidence, " ", ok); got != want {
			t.Errorf("header %d: %s, want %s", header, got, want)
		}
	}
}

// TestWarnings: what analyses gave up on has a position, the kernel's if the reason has none.
func TestWarnings(t *testing.T) {
	at := func(line int32) diag.Pos { return diag.Pos{File: "k.ptx", Line: line, Col: 3} }
	g := &cfg.Graph{Kernel: &isa.Kernel{Name: "k", Pos: at(1)}}
	all := &method.Problem{Graph: g, Uniform: func(int) bool { return false }}
	if w := all.Warnings(); w != nil {
		t.Errorf("%v", w)
	}
	p := &method.Problem{Graph: g, NoUniform: fmt.Errorf("the branch: %w", diag.Errorf(at(7), "a loop with two entries"))}
	want := []diag.Warning{
		{Pos: at(7), ID: "no-verdicts", Text: "every branch is taken for one at which lanes of a warp may go different ways: a loop with two entries"},
	}
	if diff := cmp.Diff(want, p.Warnings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.NoUniform = errors.New("too much work")
	want[0].Pos, want[0].Text = at(1), "every branch is taken for one at which lanes of a warp may go different ways: too much work"
	if diff := cmp.Diff(want, p.Warnings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.NoUniform = nil
	if got := p.Warnings()[0].Text; got != "every branch is taken for one at which lanes of a warp may go different ways" {
		t.Error(got)
	}
}

// TestTightest: what buffers hold counts where it makes a bound less or gives one at all, as far as
// nothing writes to them.
func TestTightest(t *testing.T) {
	buffers := []absexec.Buffer{
		{Name: "in", Range: absexec.Range{Addr: 256, Bytes: 4}}, {Name: "out", Range: absexec.Range{Addr: 512, Bytes: 4}},
	}
	failed := errors.New("no bound")
	for _, c := range []struct {
		name         string
		fixed        []absexec.Buffer
		open, closed int64 // cycles without and with what buffers hold; -1 for no bound
		exact        bool
		want         string // cycles, buffers, warnings; or the error
	}{
		{"no buffers", nil, 10, 5, false, "10 [] 1"},
		{"less", buffers, 10, 5, false, "5 [in] 1"},
		{"not less", buffers, 10, 10, false, "10 [] 1"},
		{"exact", buffers, 10, 5, true, "10 [] 0"},
		{"only with buffers", buffers, -1, 5, false, "5 [in] 1"},
		{"only without", buffers, 10, -1, false, "10 [] 2"},
		{"neither", buffers, -1, -1, false, "no bound"},
	} {
		p := &method.Problem{Graph: &cfg.Graph{Kernel: &isa.Kernel{}}, Fixed: c.fixed}
		exact := func(*estimate.Estimate) bool { return c.exact }
		bound := func(p *method.Problem) (*method.Answer, error) {
			cycles := c.open
			if len(p.Fixed) > 0 {
				cycles = c.closed
			}
			if slices.ContainsFunc(p.Fixed, func(b absexec.Buffer) bool { return b.Name == "out" }) {
				return nil, &absexec.WriteError{Range: buffers[1].Range}
			}
			if cycles < 0 {
				return nil, failed
			}
			e := estimate.Estimate{Cycles: cycles}
			for _, b := range p.Fixed {
				e.Assumptions = append(e.Assumptions, b.Name)
			}
			return &method.Answer{Estimates: []estimate.Estimate{e}}, nil
		}
		a, err := method.Tightest(context.Background(), p, exact, bound)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(a.Estimates[0].Cycles, " ", a.Estimates[0].Assumptions, " ", len(a.Warnings))
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestTightestStated: what the job states of read-only buffers counts only where there is no bound without.
func TestTightestStated(t *testing.T) {
	failed := errors.New("no bound")
	stated := []method.LoopBound{{Header: 1, Max: 2}}
	for _, c := range []struct {
		name        string
		stated      []method.LoopBound
		own, trusts int64 // cycles; -1 for no bound
		want        string
	}{
		{"not needed", stated, 10, 5, "10 <nil>"},
		{"needed", stated, -1, 5, "5 <nil>"},
		{"nothing stated", nil, -1, 5, "0 no bound"},
		{"no bound either", stated, -1, -1, "0 no bound"},
	} {
		a, err := method.Tightest(t.Context(), &method.Problem{Graph: &cfg.Graph{Kernel: &isa.Kernel{}}, Stated: c.stated}, nil, func(p *method.Problem) (*method.Answer, error) {
			cycles := c.own
			if len(p.Bounds) > 0 {
				cycles = c.trusts
			}
			if cycles < 0 {
				return nil, failed
			}
			return &method.Answer{Estimates: []estimate.Estimate{{Cycles: cycles}}}, nil
		})
		cycles := int64(0)
		if err == nil {
			cycles = a.Estimates[0].Cycles
		}
		if got := fmt.Sprint(cycles, " ", err); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
