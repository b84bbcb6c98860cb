// Package barrel simulates the execution of a kernel on a machine with barrel
// cores (machine.Barrel) cycle by cycle.
//
// An SM has one port, which issues one instruction at a time, and each warp has one
// instruction under way. SMs share nothing but the contents of memory: each has
// memory of its own to wait for, and the CTAs that it executes are known from
// the start. docs/machine-model/barrel.md has the rules, and the argument why the times of
// such a machine compose.
//
// What an instruction does happens in internal/emu in the cycle in which it
// issues, in the order of cycles and of SMs in a cycle. A cycle in which nothing
// happens on an SM is skipped.
//
// barrel is evidence that is independent of the static methods: it must import
// neither a method nor ipet. What it shares with the simulators of the other
// machines is what goes in (sim.Config), what comes out (sim.Result), and package core.
package barrel

import (
	"context"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
	"warpbound/internal/trace"
)

// Sim simulates one kernel on one machine, run after run. Its storage is used
// again by later runs. It may be used by one goroutine at a time.
type Sim struct {
	run   core.Run
	steps []core.Step // by instruction
	sms   []sm
	next  []int64 // by SM: when something happens; core.Never if the last wave is over
}

// New prepares the simulation of a kernel on a machine with barrel cores.
func New(cfg sim.Config) (*Sim, error) {
	if err := cfg.Check(machine.Barrel); err != nil {
		return nil, err
	}
	n := int(cfg.Machine.SM.Count.Value)
	s := &Sim{steps: core.Plan(cfg.Code, cfg.Machine), sms: make([]sm, n), next: make([]int64, n)}
	s.run = core.NewRun(cfg, 1, core.Cores{Waiting: s.waiting, Active: s.hasActive, Unstarted: s.listUnstarted})
	log := s.run.Trace(s.names)
	for i := range s.sms {
		s.sms[i] = sm{sim: s, Resident: core.NewResident(&s.run, i)}
		if log != nil {
			s.sms[i].reasons = &reasons{log: log, sm: &s.sms[i], index: int16(i)}
		}
	}
	return s, nil
}

// Run executes a launch over mem from cycle 0 to the last retirement. It
// appends to tr, unless that is nil, a Start and an Exit record for every warp
// and between them a record whenever a warp issues the first instruction of an
// instrumented block, in the order of cycle, SM, CTA and warp, and sets its End.
//
// It is an error if the launch does not fit the kernel or the machine, if the
// program does what it must not (an *emu.Fault), if the limit of cycles is reached
// (a *sim.StuckError), or if ctx is done. The result is valid until the next Run.
func (s *Sim) Run(ctx context.Context, launch emu.Launch, mem *emu.Memory, tr *trace.Run) (*sim.Result, error) {
	if err := s.run.Begin(launch, mem, tr); err != nil {
		return nil, err
	}
	for i := range s.sms {
		s.next[i] = s.sms[i].reset()
	}
	err := s.run.Play(ctx, s.next, func(i int, now int64) (int64, error) { return s.sms[i].step(now) })
	if err != nil {
		return nil, err
	}
	end := s.run.End()
	for i := range s.sms {
		s.sms[i].Idle(end)
		s.run.Result.Schedulers[i][0] = s.sms[i].Count
	}
	return &s.run.Result, nil
}

// waiting returns the state of all warps that have not retired.
func (s *Sim) waiting(now int64) (list []sim.Waiting) {
	for i := range s.sms {
		m := &s.sms[i]
		for id := range m.warps {
			list = m.Waiting(list, id, &m.warps[id].Warp, m.ready[id] <= now, "can issue")
		}
	}
	return list
}

// hasActive reports whether a warp may go on although no other does.
func (s *Sim) hasActive() bool {
	for i := range s.sms {
		for id := range s.sms[i].warps {
			if s.sms[i].warps[id].Active() {
				return true
			}
		}
	}
	return false
}

// listUnstarted returns the CTAs that have not started.
func (s *Sim) listUnstarted() (list []int) {
	for i := range s.sms {
		list = s.sms[i].Unstarted(list)
	}
	return list
}
