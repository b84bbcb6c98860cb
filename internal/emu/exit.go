package emu

import "slices"

// exit retires the lanes whose guard holds.
type exit struct{}

func (exit) exec(w *Warp, mask uint64, eff *Effect) error {
	w.stack[len(w.stack)-1].pc++
	for a := w; a != nil; a = a.parent {
		a.leave(mask)
	}
	if len(w.stack) > 0 {
		w.jump(w.stack[len(w.stack)-1].pc)
	}
	whole := w.whole()
	if whole.alive != 0 {
		if w.parked == 0 {
			return nil
		}
		eff.Separate = true
		return w.executeWaiting(eff) // nobody waits for those that have exited
	}
	eff.WarpDone = true
	return whole.cta.retire(whole, eff)
}

// leave takes lanes that exit out of every entry, and drops entries without lanes.
func (w *Warp) leave(mask uint64) {
	w.alive &^= mask
	w.regs.Full &^= mask
	w.out &^= mask
	for i := range w.stack {
		w.stack[i].lanes &^= mask
	}
	if w.code.independent() { // an entry may have others above that are no part of it
		w.stack = slices.DeleteFunc(w.stack, func(e entry) bool { return e.lanes == 0 })
		return
	}
	for len(w.stack) > 0 && w.stack[len(w.stack)-1].lanes == 0 {
		w.stack = w.stack[:len(w.stack)-1]
	}
}

// retire takes note that a warp has exited, which may satisfy barriers.
func (c *CTA) retire(w *Warp, eff *Effect) error {
	c.live--
	if c.live == 0 {
		eff.CTADone = true
		return nil
	}
	for i := range c.barriers {
		if c.barriers[i].arrived > 0 {
			c.release(&c.barriers[i], eff)
		}
	}
	c.settle(eff)
	return c.checkDeadlock(w, int32(eff.PC))
}
