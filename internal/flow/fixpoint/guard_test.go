package fixpoint

import (
	"slices"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
	"warpbound/internal/test/flowtest"
)

// settledSolver is a solver with a solution that has not been narrowed.
func settledSolver(t *testing.T, g *cfg.Graph) *Solver {
	t.Helper()
	s := NewSolver(g, launchfacts.Launch{}, nil, nil)
	settle(t, s)
	return s
}

// TestPostFixpoint takes something away from solutions: the guard finds what is missing.
func TestPostFixpoint(t *testing.T) {
	g := flowtest.BodyGraph(t, `mov.u32 %r1, 0; mov.u32 %r2, %tid;
L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %n; @%p1 bra L;
st.global.u32 [%buf], %r1; st.global.u32 [%buf+4], %r2;`)
	if err := settledSolver(t, g).checkPostFixpoint(); err != nil {
		t.Fatal(err)
	}
	named := func(name string) isa.Reg {
		return isa.Reg(slices.IndexFunc(g.Kernel.Regs, func(r isa.RegDecl) bool { return r.Name == name }))
	}
	loop, behind := g.Loops().Loops[0].Header, 0
	for _, e := range g.Blocks[loop].Edges {
		if e.To != loop {
			behind = e.To
		}
	}
	for _, test := range []struct {
		name   string
		change func(s *Solver)
		want   string
	}{
		{"a counter that does not rise", func(s *Solver) {
			s.In[loop].Set(named("%r1"), &transfer.Value{Set: strided.Const(32, 0), Form: affine.Constant(32, 0)})
		}, "%r1 is 1 where control goes from L to L, and was found to be 0 there"},
		{"a register that nothing changes", func(s *Solver) {
			s.In[behind].Set(named("%r2"), &transfer.Value{Set: strided.Between(32, 0, 31)})
		}, "%r2 is [0, 1023] where control goes from L to "},
		{"a block that is not reached", func(s *Solver) { s.In[behind] = nil }, "where it was found not to come"},
	} {
		s := settledSolver(t, g)
		test.change(s)
		if err := s.checkPostFixpoint(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
