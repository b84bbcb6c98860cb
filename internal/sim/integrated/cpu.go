package integrated

// wake lets a core act on the answer that has arrived.
func (s *Sim) wake(core int, now int64) {
	if core < len(s.sms) {
		s.sms[core].next = now
	}
}

// cpuMaySend reports whether the CPU has accesses to send in this interval.
func (s *Sim) cpuMaySend() bool {
	p := &s.ports[len(s.sms)]
	return p.sent < p.queued && p.inInterval < s.regulator.quota
}
