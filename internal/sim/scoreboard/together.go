package scoreboard

import (
	"context"
	"errors"
	"fmt"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/trace"
)

// enoughCTAs is the number of CTAs from which on a crew simulates a launch.
const enoughCTAs = 100

// execute simulates the launch: with the crew if that is worth while and the launch is one for crews,
// else, and if it turns out that it is not, alone.
func (s *Sim) execute(ctx context.Context, occ machine.Occupancy, mem *emu.Memory, tr *trace.Run) error {
	s.out.Alone = ""
	if s.crew == nil || s.grid.CTAs() < s.enough {
		s.reset(occ, mem, tr)
		return s.run(ctx)
	}
	records := 0
	if tr != nil {
		records = len(tr.Records)
	}
	why := s.alone // a kernel that has shared data is not tried again
	if why == nil {
		why = s.grid.Alone()
	}
	if why == nil {
		s.reset(occ, mem, tr)
		done, err := s.runTogether(ctx, mem)
		if done {
			return err
		}
		why = s.alone
	}
	if why != nil {
		s.out.Alone = fmt.Sprintf("kernel %s %s", s.cfg.Code.Kernel().Readable(), why)
	}
	if tr != nil {
		tr.Records = tr.Records[:records]
	}
	s.reset(occ, mem, tr)
	return s.run(ctx)
}

// runTogether simulates the launch with the crew. It reports whether that was it; if not, the memory is as
// before. What a program does that it must not is found alone, because it depends on the order of
// the SMs which of several faults comes first.
func (s *Sim) runTogether(ctx context.Context, mem *emu.Memory) (done bool, err error) {
	s.claims.Begin(mem, len(s.sms))
	for i := range s.sms {
		s.sms[i].party = s.claims.Party(i)
	}
	s.together = true
	s.crew.begin()
	err = s.run(ctx)
	s.crew.dismiss()
	s.together = false
	done = true
	for i := range s.sms {
		m := &s.sms[i]
		m.party = nil
		if m.out.err == nil {
			continue
		}
		done = false
		if why, ok := errors.AsType[emu.AloneError](m.out.err); ok && (s.alone == nil || why == emu.SharesData) {
			s.alone = why
		}
	}
	if !done {
		s.claims.Undo()
	}
	return done, err
}
