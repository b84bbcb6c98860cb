package charge

import (
	"reflect"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/test/flowtest"
)

// TestTracer follows a warp through alternatives, of which one costs more, and through iterations that stand for several.
func TestTracer(t *testing.T) {
	g := flowtest.BodyGraph(t, `
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra ELSE;
	add.u32 %r1, %r1, 1;
	bra BOTH;
ELSE:
	add.u32 %r1, %r1, 2;
BOTH:
	add.u32 %r1, %r1, 3;
	setp.ne.u32 %p1, %r1, 100;
	@%p1 bra BOTH;
`)
	start := func(name string) int {
		for b := range g.Blocks {
			if g.Name(b) == name {
				return g.Blocks[b].Start
			}
		}
		t.Fatalf("no block %s", name)
		return 0
	}
	r := NewTracer(g)
	first := start("entry")
	r.Step(first, 1)
	r.Step(first+1, 1)
	r.Fork()
	r.Alternative()
	r.Step(first+2, 1)
	r.Alternative()
	r.Step(start("ELSE"), 5)
	r.Join()
	r.Repeat(4)
	r.Step(start("BOTH"), 1)
	r.Step(start("BOTH")+1, 1)
	r.Repeated()
	r.Step(len(g.Kernel.Instrs)-1, 1)
	last := g.Name(g.BlockOf(len(g.Kernel.Instrs) - 1))
	want := []estimate.PathEdge{
		{From: "", To: "entry", Count: 1}, {From: "entry", To: "ELSE", Count: 1}, {From: "ELSE", To: "BOTH", Count: 1},
		{From: "BOTH", To: "BOTH", Count: 3}, {From: "BOTH", To: last, Count: 1},
	}
	if got := r.pathEdges(g); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	if r.cost != 2+5+4*2+1 {
		t.Errorf("it costs %d", r.cost)
	}
}
