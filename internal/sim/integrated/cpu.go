package integrated

import (
	"warpbound/internal/emu"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// cpu is the core that executes a stream of accesses, one after the other.
type cpu struct {
	sim  *Sim
	port *port
	l1   core.Cache[fetch]

	left   bool          // whether there is an access to come,
	access sim.CPUAccess // this one,
	next   int64         // and when; never if the one before is not answered
}

// reset goes back to the beginning of the stream.
func (c *cpu) reset() error {
	c.l1.Reset()
	c.next, c.left = never, false
	if c.sim.run.Config.CPU == nil {
		return nil
	}
	c.sim.run.Config.CPU.Reset()
	return c.advance(0)
}

// advance takes the next access from the stream. The one before is over in a cycle, or when
// it is answered.
func (c *cpu) advance(over int64) (err error) {
	c.access, c.left, err = c.sim.run.Config.CPU.Next()
	c.next = never
	if c.port.pending() == 0 {
		c.resume(over)
	}
	return err
}

// resume plans the next access. The one before is over in a cycle.
func (c *cpu) resume(over int64) {
	if c.left {
		c.next = over + c.access.Gap
	}
}

// step performs the next access. Only loads that hit the L1 do not go to the shared cache.
func (c *cpu) step(now int64) error {
	over := now + c.sim.m.CPU.Hit.Value
	request := access{line: c.access.Address >> c.sim.shift, kind: emu.Load, at: over}
	if c.access.Store {
		request.kind = emu.Store
		c.l1.Use(request.line)
		c.port.enqueue(request)
	} else {
		c.port.load(&c.l1, request)
	}
	return c.advance(over)
}

// maySend reports whether the CPU has more accesses to send in this interval.
func (c *cpu) maySend() bool {
	return (c.left || c.port.sent < c.port.queued) && c.port.inInterval < c.sim.regulator.quota
}
