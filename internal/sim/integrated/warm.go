package integrated

// Continue makes the next run begin with what the shared cache holds after the last run of a simulator of the same
// machine, which may be s itself. Lines that were still on their way then are not there. The L1 caches begin empty,
// as GPUs empty them when a kernel is launched; the CPU and the regulators begin anew.
func (s *Sim) Continue(before *Sim) {
	if s.kept == nil {
		kept := newLLC(s.m)
		s.kept = &kept
	}
	end := before.run.End()
	s.kept.Take(&before.llc)
	s.kept.Keep(func(l *shared) bool {
		if l.arrives > end {
			return false
		}
		l.arrives, l.readers = 0, 0
		return true
	})
	s.warm = true
}

// warmUp fills the shared cache with what was kept, if a run is to begin with that.
func (s *Sim) warmUp() {
	if s.warm {
		s.llc.Take(s.kept)
	}
}
