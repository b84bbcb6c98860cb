package hybrid_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

func TestNewProgram(t *testing.T) {
	k := &isa.Kernel{Name: "k", Instrs: []isa.Instr{
		{Op: isa.Nop, Pos: diag.Pos{File: "k.ptx", Line: 4, Col: 2}},
		{Op: isa.Bra, Target: 0},
	}}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	p := hybrid.NewProgram(g, g.WithEdges(nil))
	if diff := cmp.Diff([]trace.IpointInfo{{Name: g.Blocks[0].Name, Pos: "k.ptx:4:2"}}, p.Blocks); diff != "" {
		t.Error(diff)
	}
	ipg, err := hybrid.NewIPG(p, method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("entry>entry iter(entry)\nstart>entry entry(entry)\n", render(ipg)); diff != "" {
		t.Error(diff)
	}
}
