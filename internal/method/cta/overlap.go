package cta

import (
	"warpbound/internal/isa"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// This file counts what warps surely do while another one waits for the longest delay that there is, such as that of memory. Before the
// port is idle in it, each of the others has begun a delay of its own. They began at different times, since
// the port issues one instruction at a time, and so they end at different times: the port has work before the first warp
// is ready again, or behind that (docs/methods/cta.md).

// overlap says which instructions delay their warp for longest, and how much of the service of each hides in the delay of another warp.
type overlap struct {
	longest int64 // delay of an instruction, at most
	hidden  int64 // cycles; 0 if none surely are
}

// newOverlap returns it for waves of so many warps at most.
func newOverlap(k *isa.Kernel, costs []cost.Instr, warps int) overlap {
	var o overlap
	for i := range costs {
		if c := &costs[i]; c.Kind != cost.Barrier && c.Kind != cost.Arrival {
			o.longest = max(o.longest, c.TailLatency())
		}
	}
	if warps < 2 {
		return o
	}
	o.hidden = o.longest / int64(warps-1)
	for pc := range costs {
		if o.waits(&costs[pc], &k.Instrs[pc]) {
			o.hidden = min(o.hidden, costs[pc].Initiation)
		}
	}
	return o
}

// waits reports whether an instruction delays its warp for longest whenever it is issued.
func (o *overlap) waits(c *cost.Instr, in *isa.Instr) bool {
	return o.delays(c) && (c.Kind == cost.Plain && in.Op != isa.Ret && in.Op != isa.Exit || !in.Guard.Set && (in.Op == isa.Ld || in.Op == isa.Atom))
}

// delays reports whether an instruction, if it delays its warp, does so for longest.
func (o *overlap) delays(c *cost.Instr) bool {
	return c.TailLatency() == o.longest && (c.Kind == cost.Plain || c.Kind == cost.Load)
}

// spoils reports whether an instruction may delay its warp, and not hold the port for as long as is counted as hidden.
func (o *overlap) spoils(c *cost.Instr, in *isa.Instr, delay cost.Between) bool {
	return c.Initiation < o.hidden && (delay.Max > 0 || in.Op == isa.Ret || in.Op == isa.Exit)
}

// account adds a step to what the frame says of overlaps. Of its service and delay, so much counts for the path; more says that
// it may be one more.
func (r *recorder) account(
	c *cost.Instr, in *isa.Instr, delay cost.Between, service saturating.Int, more, limited bool,
) {
	o, f := &r.overlap, &r.frame
	f.visible = f.visible.Add(service)
	switch {
	case o.waits(c, in) && !limited:
		f.visible = f.visible.Sub(saturating.Of(o.hidden))
	case more && o.spoils(c, in, delay):
		f.visible = f.visible.Add(saturating.Of(2 * o.hidden))
	}
	if !o.delays(c) {
		f.minor = f.minor.Add(saturating.Of(delay.Max))
	}
}

// overlapped bounds the time of a wave whose warps come to no barriers, in cycles; false if they may.
func (a *analysis) overlapped(warps []*path) (saturating.Int, bool) {
	var service, minor saturating.Int
	for _, p := range warps {
		if p.partial || p.waits > 0 || len(p.delays) > 1 {
			return 0, false
		}
		service = service.Add(p.service)
		minor = max(minor, p.minor)
	}
	if a.overlap.hidden == 0 {
		return 0, false
	}
	longest, hidden := saturating.Of(a.overlap.longest), saturating.Of(a.overlap.hidden)
	sum, last := saturating.Int(0), saturating.Int(0)
	for _, p := range warps {
		// Of its delays, those without one of the last warp beside them.
		missed := service.Sub(p.service).Add(minor).Div(longest).Add(2)
		visible := min(p.service, p.visible.AddMul(hidden, missed))
		sum = sum.Add(visible)
		last = max(last, p.service.Sub(visible).Add(p.delays[0].delay))
	}
	return max(service, sum.Add(last)), true
}
