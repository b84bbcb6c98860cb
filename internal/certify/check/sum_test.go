package check

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/test/flowtest"
)

// TestSum adds up small kernels by hand. On predictable-rr a thread needs, in service and behind
// it: 2 and 1 cycles for a parameter of eight bytes, 2 and 98 for a store, 1 and 0 for arithmetic,
// 1 and 1 for a barrier or its end; the dispatch of a CTA takes 8.
func TestSum(t *testing.T) {
	const kernel = `.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %%q;
	.reg .b32 %%r;
	.reg .b64 %%p;
	%s ret;
}
`
	const store = "ld.param.u64 %p, [p]; mov.u32 %r, 1; st.global.u32 [%p], %r;"
	const loop = "mov.u32 %r, 0; L: add.u32 %r, %r, 1; setp.lt.u32 %q, %r, 4; @%q bra L;"
	for _, c := range []struct {
		text        string
		grid, block int
		bound       int64 // of the loop; -1 for none
		want        int64 // 0 for none
	}{
		{store, 1, 1, -1, 8 + 6 + 100},
		{store, 1, 64, -1, 8 + 64*6 + 32*100},
		{store, 14, 64, -1, 8 + 64*6 + 32*100},
		{store, 15, 64, -1, 2 * (8 + 64*6 + 32*100)},
		{store + "bar.sync 0;", 1, 64, -1, 8 + 64*7 + 64*101},
		{store + "bar.sync 0;", 1, 20, -1, 8 + 20*7 + 20*101},
		{"@%q bra E;" + store + "E:", 1, 1, -1, 8 + 7 + 100},
		{loop, 1, 1, 3, 8 + 1 + 4*3 + 1 + 1},
		{loop, 1, 1, 0, 8 + 1 + 3 + 1 + 1},
		{loop, 1, 1, -1, 0},
		{"setp.lt.u32 %q, %r, 4; @%q bra B; A: add.u32 %r, %r, 1; B: add.u32 %r, %r, 1; @%q bra A;", 1, 1, 5, 0},
		{"ld.param.u64 %p, [p]; ld.global.v4.u32 {%r, %r, %r, %r}, [%p];", 1, 1, -1, 8 + 2 + 1 + 4*2 + 98 + 1 + 1},
		{"ld.param.u64 %p, [p]; cp.async.ca.shared.global [%r], [%p], 4;", 1, 1, -1, 0},
		{"barrier.cluster.arrive;", 1, 1, -1, 0},
	} {
		text := fmt.Sprintf(kernel, c.text)
		m, err := machine.Builtin("predictable-rr")
		if err != nil {
			t.Fatal(err)
		}
		j := &job.Job{Grid: [3]int{c.grid, 1, 1}, Block: [3]int{c.block, 1, 1}}
		s := &Subject{Kernel: flowtest.Kernel(t, "k.ptx", text), Machine: m, Bound: &job.Bound{Job: j}}
		p, err := NewProgram(s)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		flow, broken := p.Execute(make(Invariants, len(p.Blocks)))
		if len(broken) > 0 {
			t.Fatalf("%s: %v", c.text, broken)
		}
		bounds := slices.Repeat([]int64{-1}, len(p.Blocks))
		for header := range p.Loops {
			bounds[header] = c.bound
		}
		sum, ok := flow.Sum(bounds)
		if ok != (c.want != 0) || ok && sum.Cmp(big.NewInt(c.want)) != 0 {
			t.Errorf("%s, %d CTAs of %d threads: %v, %t; want %d", c.text, c.grid, c.block, sum, ok, c.want)
		}
		s.Kernel.Reconvergence = isa.AtSyncs
		if sum, ok := flow.Sum(bounds); ok {
			t.Errorf("%s with syncs: %v", c.text, sum)
		}
		s.Kernel.Reconvergence = isa.AtPostDominators
		if m.Core = machine.Scoreboard; c.want != 0 {
			if sum, ok := flow.Sum(bounds); ok {
				t.Errorf("%s on another machine: %v", c.text, sum)
			}
		}
	}
}
