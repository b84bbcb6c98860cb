package cta

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
	"warpbound/internal/test/effort"
)

// TestOverlapped plays warps that each issue some of the instructions of a longest path, with some of their requests, and holds the
// times against the bound.
func TestOverlapped(t *testing.T) {
	closest, closer := 0.0, 0
	seeds := effort.Draw(t, 200_000)
	for _, seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		initiation, latency := int64(1+rng.IntN(4)), int64(5+rng.IntN(60))
		k := &isa.Kernel{Instrs: []isa.Instr{{Op: isa.Add}, {Op: isa.Ld}, {Op: isa.Ld}, {Op: isa.St}, {Op: isa.Fence}, {Op: isa.Div}, {Op: isa.Exit}}}
		small := int64(1 + rng.IntN(2))
		a := &analysis{costs: []cost.Instr{
			{Kind: cost.Plain, Initiation: 1, Latency: 1},
			{Kind: cost.Load, Initiation: initiation, Latency: initiation + latency},
			{Kind: cost.Load, Initiation: small, Latency: small + 1 + rng.Int64N(4)},
			{Kind: cost.Posted, Initiation: initiation, Latency: initiation + rng.Int64N(latency+1)},
			{Kind: cost.Fence, Initiation: 1, Latency: 2},
			{Kind: cost.Plain, Initiation: 5, Latency: 5 + latency*rng.Int64N(2)},
			{Kind: cost.Plain, Initiation: 1, Latency: 1},
		}}
		const exit = 6
		warps := 2 + rng.IntN(4)
		a.overlap = newOverlap(k, a.costs, warps)
		all := rng.IntN(2) == 0
		var longest, issued []*path
		service, delay := int64(0), int64(0)
		for range warps {
			r := &recorder{analysis: a}
			p, q := &path{delays: []segment{{}}}, &path{certain: true}
			keep := 1 + rng.IntN(4)
			frequent := 1 + rng.IntN(12)
			kinds := []int{1, 2, exit}[rng.IntN(3)]
			for i, n := 0, rng.IntN(60); i <= n; i++ {
				pc := rng.IntN(kinds)
				if rng.IntN(frequent) == 0 {
					pc = 1
				}
				if i == n {
					pc = exit
				}
				c := &a.costs[pc]
				requests := 1
				if many := c.Kind == cost.Load || c.Kind == cost.Posted; many && !all {
					requests += rng.IntN(8)
				}
				time := c.Initiation * int64(requests)
				wait := cost.Exactly(c.TailLatency())
				switch {
				case c.Kind == cost.Posted:
					wait = cost.Exactly(0)
				case c.Kind == cost.Fence || pc == exit:
					wait = cost.Between{Max: max(c.TailLatency(), a.costs[3].TailLatency())}
				}
				r.account(c, &k.Instrs[pc], wait, saturating.Of(time), true, false)
				p.service = p.service.Add(saturating.Of(time))
				p.delays[0].lengthen(saturating.Of(wait.Max))
				if pc == exit || all || rng.IntN(4) < keep {
					q.ops = append(q.ops, op{int32(pc), int32(1 + rng.IntN(requests))})
				}
			}
			p.visible, p.minor = r.frame.visible, r.frame.minor
			longest, issued = append(longest, p), append(issued, q)
			service += p.service.Int64()
			delay = max(delay, p.delays[0].delay.Int64())
		}
		cycles, _, ends := a.schedule(issued, warps)
		if !ends {
			t.Fatal("a barrier is never complete")
		}
		sum, ok := a.overlapped(longest)
		if !ok {
			t.Fatal("there is no bound")
		}
		bound := sum.Int64()
		if cycles > bound {
			t.Fatalf("seed %d: %d cycles, bound %d (hidden %d, longest delay %d)", seed, cycles, bound, a.overlap.hidden, a.overlap.longest)
		}
		if bound < service+delay {
			closer++
		}
		closest = max(closest, float64(cycles)/float64(bound))
	}
	t.Logf("%d bounds are less than the sum; the longest time is %.3f of its bound", closer, closest)
	if effort.Many() && (closer < len(seeds)/20 || closest < 0.9) {
		t.Errorf("%d bounds are less than the sum; the longest time is %.3f of its bound", closer, closest)
	}
}
