package selfcheck

import (
	"io"

	"warpbound/internal/trace"
)

// spans is a trace.Sink that looks for the longest time of a warp, in cycles.
type spans struct {
	starts  map[trace.Record]int64
	longest int64
}

func (s *spans) read(r io.Reader) error {
	src, err := trace.NewReader(r)
	if err != nil {
		return err
	}
	return trace.Copy(s, src)
}

// BeginRun implements trace.Sink.
func (s *spans) BeginRun(int) error {
	s.starts = make(map[trace.Record]int64)
	return nil
}

// Record implements trace.Sink.
func (s *spans) Record(r trace.Record) error {
	warp := trace.Record{CTA: r.CTA, Warp: r.Warp}
	switch r.Ipoint {
	case trace.Start:
		s.starts[warp] = r.Cycle
	case trace.Exit:
		s.longest = max(s.longest, r.Cycle-s.starts[warp])
	}
	return nil
}

// EndRun implements trace.Sink.
func (s *spans) EndRun(int64) error { return nil }
