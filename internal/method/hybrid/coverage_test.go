package hybrid

import (
	"fmt"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// branching is a kernel whose first block may skip the second, and whose third may return to itself.
func branching(t *testing.T) *cfg.Graph {
	t.Helper()
	guard := isa.Guard{Set: true}
	k := &isa.Kernel{Name: "k", Instrs: []isa.Instr{
		{Op: isa.Bra, Guard: guard, Target: 2},
		{Op: isa.Nop},
		{Op: isa.Bra, Guard: guard, Target: 2},
		{Op: isa.Exit},
	}}
	for i := range k.Instrs {
		k.Instrs[i].Pos.File, k.Instrs[i].Pos.Line, k.Instrs[i].Pos.Col = "k.ptx", int32(10+i), 1
	}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// render writes a coverage in a line.
func render(c *estimate.Coverage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d/%d blocks, %d/%d edges, %d/%d outcomes;", c.Blocks.Covered, c.Blocks.Possible, c.Edges.Covered, c.Edges.Possible, c.Outcomes.Covered, c.Outcomes.Possible)
	for _, u := range c.Never {
		fmt.Fprintf(&b, " %s>%s", u.Block, u.To)
	}
	for _, l := range c.Loops {
		fmt.Fprintf(&b, "; %s %v %d", l.Header, l.Entered, l.Observed)
	}
	return b.String()
}

// TestCoverage: what warps pass is covered; lanes that diverge take both outcomes of their branch, of which the trace shows one as
// an edge and the other as a hop.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		name string
		warp []trace.Ipoint
		want string
	}{
		{"skips", []trace.Ipoint{0, 2, 3}, "3/4 blocks, 3/6 edges, 2/4 outcomes; entry>entry+1 entry+1> entry+2>entry+2; entry+2 true 0"},
		{"falls through and returns", []trace.Ipoint{0, 1, 2, 2, 3}, "4/4 blocks, 5/6 edges, 3/4 outcomes; entry>entry+2; entry+2 true 1"},
	} {
		g := branching(t)
		edges, err := cfg.DivergentEdges(g.Flow, nil)
		if err != nil {
			t.Fatal(err)
		}
		ipg, err := NewIPG(NewProgram(g, g.WithEdges(edges)), method.EveryBlock())
		if err != nil {
			t.Fatal(err)
		}
		p := NewProfile(ipg)
		run := trace.Run{Records: []trace.Record{{Ipoint: trace.Start}}}
		for _, at := range append(c.warp, trace.Exit) {
			run.End++
			run.Records = append(run.Records, trace.Record{Cycle: run.End, Ipoint: at})
		}
		if err := run.Replay(p); err != nil {
			t.Fatal(err)
		}
		if got := render(p.coverage(g)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}
