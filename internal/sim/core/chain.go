package core

import "warpbound/internal/causes"

// Log is what a simulator of in-order cores keeps of the causes of events, nil unless the chain of causes is
// wanted (sim.Config, Chain).
type Log struct {
	causes.Log
	retired causes.ID // the last retirement so far
	names   func(name func(*causes.ID))
}

// Trace asks for the chain of causes if the configuration does. names hands out all names of events that the simulator keeps
// (causes.Log.Compact). It returns nil if nobody asks.
func (r *Run) Trace(names func(name func(*causes.ID))) *Log {
	if !r.Config.Chain {
		return nil
	}
	r.log = &Log{Log: causes.Log{Told: r.Config.Waited}, names: names}
	return r.log
}

// Retire notes that a warp retires.
func (l *Log) Retire(at int64, s causes.Since, site causes.Site) causes.ID {
	id := l.Add(at, s, site)
	if at >= l.At(l.retired) {
		l.retired = id
	}
	return id
}

// reset begins the log of a run.
func (l *Log) reset() {
	if l != nil {
		l.retired = 0
		l.Reset()
	}
}

// shrink keeps the log small.
func (l *Log) shrink() {
	if l == nil || !l.Full() {
		return
	}
	l.Compact(func(name func(*causes.ID)) {
		name(&l.retired)
		l.names(name)
	})
}

// Names hands out the names in a list of conditions.
func Names(name func(*causes.ID), list []causes.Since) {
	for i := range list {
		name(&list[i].Cause)
	}
}

// Site returns where a warp is at the instruction that it issued last.
func (r *Resident) Site(id int, w *Warp) causes.Site {
	n := r.run.Grid.Warps()
	return causes.Site{SM: int16(r.sm), CTA: int32(r.ctas[id/n].Index), Warp: int16(id % n), PC: int32(w.PC)}
}
