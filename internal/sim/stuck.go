package sim

import (
	"fmt"
	"strings"
)

// Waiting is the state of a warp that had not retired when a run was given up.
type Waiting struct {
	SM, CTA, Warp int
	What          string // what it waits for
	Where         string // its next instruction, with the position if known
}

// StuckError says that a run was given up, and where its warps were.
type StuckError struct {
	Kernel string
	Cycle  int64
	Err    error // ErrCycleLimit, or that no warp can go on
	Warps  []Waiting
}

// shown is the number of warps that the message of a StuckError names.
const shown = 8

// Error renders the first warps only.
func (e *StuckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, cycle %d: %v", e.Kernel, e.Cycle, e.Err)
	for i, w := range e.Warps {
		if i == shown {
			fmt.Fprintf(&b, "\n\tand %d more warps", len(e.Warps)-shown)
			break
		}
		fmt.Fprintf(&b, "\n\tSM %d, CTA %d, warp %d: %s at %s", w.SM, w.CTA, w.Warp, w.What, w.Where)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *StuckError) Unwrap() error { return e.Err }

// stuck gathers the state of all warps.
func (s *Sim) stuck(now int64, cause error) error {
	e := &StuckError{Kernel: s.cfg.Code.Kernel().Name, Cycle: now, Err: cause}
	for i := range s.sms {
		m := &s.sms[i]
		for id := range m.warps {
			w := &m.warps[id]
			if w.state == free {
				continue
			}
			in := s.cfg.Code.Instr(int(w.pc))
			text := s.cfg.Code.Kernel().Format(in)
			where := fmt.Sprintf("instruction %d, %s", w.pc, text)
			if in.Pos.Known() {
				where = fmt.Sprintf("%s, %s", in.Pos, text)
			}
			e.Warps = append(e.Warps, Waiting{
				SM: i, CTA: m.ctas[w.cta].emu.Index, Warp: int(w.index), What: m.waitsFor(w), Where: where,
			})
		}
	}
	return e
}

func (m *sm) waitsFor(w *warp) string {
	switch w.state {
	case atBarrier:
		return "waits at a barrier"
	case atFence:
		return fmt.Sprintf("waits at a fence for %d accesses", w.inflight)
	case exited:
		return fmt.Sprintf("has exited and waits for %d accesses", w.inflight)
	}
	s := &m.scheds[w.sched]
	if s.warps[w.pos].at == never {
		return fmt.Sprintf("waits for %d accesses", w.inflight)
	}
	return "can issue"
}
