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
	for first := 0; first < len(s.kept.lines); first += s.kept.ways {
		set := s.kept.lines[first : first+s.kept.ways]
		n := 0
		for _, l := range set { // those that are there stay in the first places, so that no line displaces one while a place is free
			if l.valid && l.state.arrives <= end {
				l.state.arrives, l.state.readers = 0, 0
				set[n] = l
				n++
			}
		}
		clear(set[n:])
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
