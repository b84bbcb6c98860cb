package integrated

import (
	"warpbound/internal/emu"
	"warpbound/internal/sim"
)

// cpu is the core that executes a stream of accesses, one after the other.
type cpu struct {
	sim  *Sim
	port *port
	l1   cache[fetch]
	next int64 // when something happens by itself; never if it waits for an answer, or has ended

	left   bool // whether there is an access to come,
	access sim.CPUAccess
	at     int64 // from when on, once the port has so many answers:
	until  int64 // more than none if the access before was a load that missed
}

// reset goes back to the beginning of the stream.
func (c *cpu) reset() error {
	c.l1.reset()
	c.next, c.until, c.left = never, 0, false
	if c.sim.cfg.CPU == nil {
		return nil
	}
	c.sim.cfg.CPU.Reset()
	return c.advance(0)
}

// advance takes the next access from the stream. The one before is over at a cycle, or when
// it is answered.
func (c *cpu) advance(over int64) (err error) {
	c.access, c.left, err = c.sim.cfg.CPU.Next()
	c.at, c.next = over+c.access.Gap, never
	if c.left && c.until == 0 {
		c.next = c.at
	}
	return err
}

// answered lets the CPU act on the answer that has arrived.
func (c *cpu) answered(now int64) {
	if !c.left {
		return
	}
	if c.until > 0 {
		if c.port.answered < c.until {
			return
		}
		c.at, c.until = now+c.access.Gap, 0
	}
	c.next = max(c.at, now)
}

// step performs the next access.
func (c *cpu) step(now int64) error {
	if c.port.pending() >= c.sim.cfg.Machine.Interconnect.Credits.Value {
		c.next = never // until an answer arrives
		return nil
	}
	over := now + c.sim.cfg.Machine.CPU.Hit.Value
	request := access{line: c.access.Address >> c.sim.shift, kind: emu.Load, at: over}
	if c.access.Store {
		request.kind = emu.Store
		c.l1.use(request.line)
		c.port.enqueue(request)
	} else if number := c.port.load(&c.l1, request); number >= c.port.answered {
		c.until = number + 1
	}
	return c.advance(over)
}

// maySend reports whether the CPU has more accesses to send in this interval.
func (c *cpu) maySend() bool {
	return (c.left || c.port.sent < c.port.queued) && c.port.inInterval < c.sim.regulator.quota
}
