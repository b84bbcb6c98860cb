package core

import "warpbound/internal/sim"

// Account says for what a port has used its cycles.
type Account struct {
	From   int64     // the first cycle that is not accounted for
	Reason sim.Stall // why the port is idle from then on
	Count  sim.SchedulerCounters
}

// Reset begins the account of a run: the port has no warp.
func (a *Account) Reset() { *a = Account{Reason: sim.StallIdle} }

// Idle attributes the cycles before now that were not attributed yet.
func (a *Account) Idle(now int64) {
	if now > a.From {
		a.Count.Stalls[a.Reason] += now - a.From
		a.From = now
	}
}

// Busy attributes the cycles from now on for which an instruction keeps the port: the first
// to its issue, the others to what keeps the port.
func (a *Account) Busy(now, cycles int64, with sim.Stall) {
	a.From = now + cycles
	a.Count.Issued++
	a.Count.Stalls[with] += cycles - 1
}
