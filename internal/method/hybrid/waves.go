package hybrid

// smRun follows the starts and exits of one multiprocessor in one run (section V-B).
//
// A wave is a sequence of starts that no exit interrupts; the first start after an exit
// begins the next wave, though warps of older waves may still be in flight.
type smRun struct {
	now int64 // cycle of the last record

	waves        int64
	warps        int64 // of the current wave so far
	interrupted  bool  // by an exit
	firstStart   int64
	lastStart    int64
	lastExit     int64
	maxWarps     int64 // of any wave
	largestDelta int64 // between two starts of one wave
	largestGap   int64 // from the last exit before a wave to its first start
}

func (r *smRun) start(now int64) {
	switch {
	case r.waves == 0:
		r.firstStart = now
		r.waves, r.warps = 1, 1
	case r.interrupted:
		r.largestGap = max(r.largestGap, now-r.lastExit)
		r.waves++
		r.warps = 1
	default:
		r.largestDelta = max(r.largestDelta, now-r.lastStart)
		r.warps++
	}
	r.interrupted = false
	r.lastStart = now
	r.maxWarps = max(r.maxWarps, r.warps)
}

func (r *smRun) exit(now int64) {
	r.interrupted = true
	r.lastExit = now
}

// rebase lets the cycles count from the first start.
func (r *smRun) rebase() {
	r.lastStart -= r.firstStart
	r.lastExit -= r.firstStart
	r.now -= r.firstStart
	r.firstStart = 0
}

// smProfile holds the largest figures of one multiprocessor over all runs. Times are in
// cycles; without a common clock the launch is the first start of the multiprocessor.
type smProfile struct {
	firstStart int64 // from the launch to the first start
	jitter     int64 // from the launch to the last start
	spread     int64 // from the first start to the last, the jitter as published
	waves      int64 // Omega
	warps      int64 // phi: starts in one wave
	delta      int64 // Delta: between two starts of one wave
	gap        int64 // from the last exit before a wave to its first start
}

func (s *smProfile) add(r *smRun) {
	s.merge(&smProfile{
		firstStart: r.firstStart,
		jitter:     r.lastStart,
		spread:     r.lastStart - r.firstStart,
		waves:      r.waves,
		warps:      r.maxWarps,
		delta:      r.largestDelta,
		gap:        r.largestGap,
	})
}

func (s *smProfile) merge(t *smProfile) {
	s.firstStart = max(s.firstStart, t.firstStart)
	s.jitter = max(s.jitter, t.jitter)
	s.spread = max(s.spread, t.spread)
	s.waves = max(s.waves, t.waves)
	s.warps = max(s.warps, t.warps)
	s.delta = max(s.delta, t.delta)
	s.gap = max(s.gap, t.gap)
}
