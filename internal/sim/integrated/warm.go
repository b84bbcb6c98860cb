package integrated

// Continue makes the next run begin with what the shared cache holds after the last run of a simulator of the same
// machine, which may be s itself. Lines that were still on their way then are not there. The L1 caches begin empty,
// as GPUs empty them when a kernel is launched; the CPU and the regulators begin anew.
func (s *Sim) Continue(before *Sim) {
	if s.kept.lines == nil {
		s.kept = newCache[shared](s.m.LLC.Sets, s.m.LLC.Ways)
	}
	end := before.run.End()
	s.kept.take(&before.llc)
	for i := range s.kept.lines {
		if l := &s.kept.lines[i]; l.valid && l.state.arrives > end {
			l.valid = false
		}
		s.kept.lines[i].state.arrives, s.kept.lines[i].state.readers = 0, 0
	}
	s.warm = true
}

// warmUp fills the shared cache with what was kept, if a run is to begin with that.
func (s *Sim) warmUp() {
	if s.warm {
		s.llc.take(&s.kept)
	}
}

// take makes the lines of the cache those of another one of the same size.
func (c *cache[T]) take(other *cache[T]) {
	copy(c.lines, other.lines)
	copy(c.used, other.used)
}
