package emu

import (
	"warpbound/internal/isa"
	"warpbound/internal/race"
)

// clusterOp arrives at the barrier of the cluster, or waits there.
type clusterOp struct{ wait bool }

func (op *clusterOp) exec(w *Warp, mask uint64, eff *Effect) error {
	c, pc := w.cta, int32(eff.PC)
	if err := w.together(pc, mask); err != nil {
		return err
	}
	switch {
	case !op.wait && w.phase > c.cluster.phase:
		return w.faultf(pc, mask, "the thread arrives twice at the cluster's barrier and has not waited")
	case !op.wait:
		if c.grid.races != nil {
			c.races.Arrive(w.index, w.Active(), race.ClusterBarrier+int(c.cluster.phase%2))
		}
		w.phase = c.cluster.phase + 1
		c.settle(eff)
		return nil
	case w.phase == 0:
		return w.faultf(pc, mask, "the thread waits at the cluster's barrier and has not arrived")
	}
	eff.Arrived = true
	if w.phase <= c.cluster.phase {
		eff.Released |= 1 << w.index
		if c.grid.races != nil {
			c.released(1 << w.index)
		}
		return nil
	}
	c.cluster.waiting |= 1 << w.index
	w.waiting, w.arrived = true, pc
	c.stalled++
	return c.checkDeadlock(w, pc)
}

// settle begins the next phase if every warp that has not exited has arrived,
// and lets those go that wait for it.
func (c *CTA) settle(eff *Effect) {
	for i := range c.Warps {
		if w := &c.Warps[i]; !w.Done() && w.phase <= c.cluster.phase {
			return
		}
	}
	c.cluster.phase++
	c.resumeWarps(c.cluster.waiting, eff)
	c.cluster.waiting = 0
}

// clusterBarrier decodes one half of the barrier of a cluster.
func (d *decoder) clusterBarrier() operation {
	if len(d.in.Dst)+len(d.in.Src) > 0 {
		d.unsupported()
	}
	return &clusterOp{wait: d.in.Barrier == isa.BarrierClusterWait}
}
